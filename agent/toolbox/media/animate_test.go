package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
)

// seenOf plays a GIF like a browser and returns each displayed frame.
func seenOf(t *testing.T, g *gif.GIF) []*image.NRGBA {
	t.Helper()
	canvas := image.NewNRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	var all []*image.NRGBA
	for i, frame := range g.Image {
		before := copied(canvas)
		for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y++ {
			for x := frame.Rect.Min.X; x < frame.Rect.Max.X; x++ {
				if _, _, _, a := frame.At(x, y).RGBA(); a != 0 {
					canvas.Set(x, y, frame.At(x, y))
				}
			}
		}
		all = append(all, copied(canvas))
		switch g.Disposal[i] {
		case gif.DisposalBackground:
			for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y++ {
				for x := frame.Rect.Min.X; x < frame.Rect.Max.X; x++ {
					canvas.SetNRGBA(x, y, color.NRGBA{})
				}
			}
		case gif.DisposalPrevious:
			canvas = before
		}
	}
	return all
}

// TestEditGIF checks that each frame looks as before, for every disposal method of the frames before
// it, and that delays and loop count are kept.
func TestEditGIF(t *testing.T) {
	t.Parallel()
	palette := color.Palette{color.NRGBA{}, color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 200, 0, 255}, color.NRGBA{0, 0, 200, 255}}
	frame := func(r image.Rectangle, index uint8) *image.Paletted {
		p := image.NewPaletted(r, palette)
		for i := range p.Pix {
			p.Pix[i] = index
		}
		return p
	}
	all := image.Rect(0, 0, 12, 10)
	for name, c := range map[string]struct {
		ways []byte
		loop int
		base uint8 // of the first frame: 0 is transparent
	}{
		"kept":             {[]byte{gif.DisposalNone, gif.DisposalNone, gif.DisposalNone, gif.DisposalNone}, 0, 1},
		"kept, unsaid":     {[]byte{0, 0, 0, 0}, 3, 1},
		"cleared":          {[]byte{gif.DisposalBackground, gif.DisposalBackground, gif.DisposalBackground, gif.DisposalBackground}, -1, 1},
		"restored":         {[]byte{gif.DisposalNone, gif.DisposalPrevious, gif.DisposalPrevious, gif.DisposalNone}, 0, 1},
		"of all sorts":     {[]byte{gif.DisposalNone, gif.DisposalBackground, gif.DisposalPrevious, gif.DisposalNone}, 0, 1},
		"with gaps, kept":  {[]byte{gif.DisposalNone, gif.DisposalNone, gif.DisposalNone, gif.DisposalNone}, 0, 0},
		"with gaps, mixed": {[]byte{gif.DisposalBackground, gif.DisposalPrevious, gif.DisposalBackground, gif.DisposalNone}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := &gif.GIF{
				Image: []*image.Paletted{
					frame(all, c.base), frame(image.Rect(2, 2, 6, 6), 2), frame(image.Rect(4, 4, 9, 8), 3), frame(image.Rect(0, 0, 1, 1), 2),
				},
				Delay: []int{5, 0, 120, 7}, Disposal: c.ways, LoopCount: c.loop, Config: image.Config{Width: 12, Height: 10, ColorModel: palette},
			}
			var b bytes.Buffer
			if err := gif.EncodeAll(&b, given); err != nil {
				t.Fatal(err)
			}
			from, to := store(t, "a.gif", b.Bytes()), filepath.Join(t.TempDir(), "b.gif")
			twice := func(img *image.NRGBA) (*image.NRGBA, error) { return doubled(img), nil }
			if err := EditAnimation(t.Context(), from, to, Limits{}, twice); err != nil {
				t.Fatal(err)
			}
			made, err := played(to)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(given.Delay, made.Delay); d != "" || made.LoopCount != c.loop {
				t.Errorf("times: %s, %d rounds and not %d", d, made.LoopCount, c.loop)
			}
			got, want := seenOf(t, made), seenOf(t, given)
			if len(got) != len(want) {
				t.Fatalf("%d frames and not %d", len(got), len(want))
			}
			for i := range want {
				if d := cmp.Diff(doubled(want[i]), got[i]); d != "" {
					t.Errorf("frame %d: %s", i, d)
				}
			}
		})
	}
}

func played(path string) (*gif.GIF, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return gif.DecodeAll(bytes.NewReader(b))
}

// doubled repeats each pixel.
func doubled(img *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, 2*img.Rect.Dx(), 2*img.Rect.Dy()))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetNRGBA(x, y, img.NRGBAAt(x/2, y/2))
		}
	}
	return out
}

// TestEditGIFWritesWhatChanges checks that unchanged areas of a frame are not written again.
func TestEditGIFWritesWhatChanges(t *testing.T) {
	t.Parallel()
	still := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black})
	moved := image.NewPaletted(still.Rect, still.Palette)
	moved.SetColorIndex(7, 9, 1)
	moved.SetColorIndex(10, 11, 1)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{still, moved, moved}, Delay: []int{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	from, to := store(t, "a.gif", b.Bytes()), filepath.Join(t.TempDir(), "b.gif")
	same := func(img *image.NRGBA) (*image.NRGBA, error) { return img, nil }
	if err := EditAnimation(t.Context(), from, to, Limits{}, same); err != nil {
		t.Fatal(err)
	}
	made, err := played(to)
	if err != nil {
		t.Fatal(err)
	}
	var parts []image.Rectangle
	for _, f := range made.Image {
		parts = append(parts, f.Rect)
	}
	if d := cmp.Diff([]image.Rectangle{still.Rect, image.Rect(7, 9, 11, 12), image.Rect(0, 0, 1, 1)}, parts); d != "" {
		t.Error(d)
	}
	most := int64(b.Len() + 1)
	noisy := func(img *image.NRGBA) (*image.NRGBA, error) { return noise(doubled(doubled(img))), nil }
	err = EditAnimation(t.Context(), from, filepath.Join(t.TempDir(), "c.gif"), Limits{Bytes: most}, noisy)
	if fault, ok := errors.AsType[*plan.Fault](err); !ok || !fault.Final || !strings.HasPrefix(fault.Sentence.String(), "The animation would be larger than") {
		t.Errorf("a large one: %v", err)
	}
	if err := EditAnimation(t.Context(), store(t, "a.png", pngOf(t, still)), to, Limits{}, same); err == nil {
		t.Error("a PNG is taken for a GIF")
	}
}

// flipbook writes an animated GIF of four drawings with holes and different delays.
func flipbook(t *testing.T, rounds int) (path string, frames []*image.NRGBA) {
	t.Helper()
	palette := color.Palette{color.NRGBA{}, color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 200, 0, 255}, color.NRGBA{0, 0, 200, 255}}
	g := &gif.GIF{Delay: []int{5, 120, 2, 7}, LoopCount: rounds, Config: image.Config{Width: 13, Height: 10, ColorModel: palette}}
	for n, r := range []image.Rectangle{image.Rect(0, 0, 13, 10), image.Rect(3, 3, 6, 7), image.Rect(5, 2, 13, 10), image.Rect(0, 0, 1, 1)} {
		p := image.NewPaletted(r, palette)
		for i := range p.Pix {
			p.Pix[i] = uint8((i/3 + n) % 4)
		}
		g.Image, g.Disposal = append(g.Image, p), append(g.Disposal, gif.DisposalBackground)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return store(t, "flipbook.gif", b.Bytes()), seenOf(t, g)
}

func kept(img *image.NRGBA) (*image.NRGBA, error) { return img, nil }

// TestGIFAsWebP checks that converting a GIF to WebP and back keeps the picture, its holes, delays and loop count.
func TestGIFAsWebP(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{0, -1, 3} {
		from, want := flipbook(t, rounds)
		to := filepath.Join(t.TempDir(), "a.webp")
		if err := EditAnimation(t.Context(), from, to, Limits{}, kept); err != nil {
			t.Fatal(err)
		}
		info, err := Inspect(t.Context(), to, Limits{})
		if err != nil || !info.Animated() || info.MIME != "image/webp" || info.Length != 1340*time.Millisecond || info.Width != 13 || info.Height != 10 {
			t.Errorf("it is %+v, %v", info, err)
		}
		var got []*image.NRGBA
		err = Frames(t.Context(), to, Limits{}, func(frame *image.NRGBA) error {
			got = append(got, frame)
			return nil
		})
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d frames, %v", len(got), err)
		}
		for i := range want {
			for y := range 10 {
				for x := range 13 {
					if w, g := want[i].NRGBAAt(x, y), got[i].NRGBAAt(x, y); w.A != g.A || w.A > 0 && w != g {
						t.Fatalf("frame %d at %d, %d: %v and not %v", i+1, x, y, g, w)
					}
				}
			}
		}
		back := filepath.Join(t.TempDir(), "b.gif")
		if err := EditAnimation(t.Context(), to, back, Limits{}, kept); err != nil {
			t.Fatal(err)
		}
		again, err := played(back)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]int{5, 120, 2, 7}, again.Delay); d != "" || again.LoopCount != rounds {
			t.Errorf("times: %s, %d rounds and not %d", d, again.LoopCount, rounds)
		}
	}
}

// TestWebPTimesAddUp: delays that are not multiples of 10 ms are rounded without accumulating errors.
func TestWebPTimesAddUp(t *testing.T) {
	t.Parallel()
	from, _ := flipbook(t, 0)
	made, back := filepath.Join(t.TempDir(), "a.webp"), filepath.Join(t.TempDir(), "b.gif")
	if err := EditAnimation(t.Context(), from, made, Limits{}, kept); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	const durationAt = 8 + 12
	for at := 0; ; at += durationAt {
		i := bytes.Index(b[at:], []byte("ANMF"))
		if i < 0 {
			break
		}
		at += i
		copy(b[at+durationAt:], []byte{33, 0, 0})
	}
	if err := EditAnimation(t.Context(), store(t, "c.webp", b), back, Limits{}, kept); err != nil {
		t.Fatal(err)
	}
	again, err := played(back)
	if err != nil || !slices.Equal(again.Delay, []int{3, 4, 3, 3}) {
		t.Errorf("delays %v, %v", again.Delay, err)
	}
}

// TestHostileWebP: a frame outside the canvas, or larger than declared, is a fault of the file.
func TestHostileWebP(t *testing.T) {
	t.Parallel()
	from, _ := flipbook(t, 0)
	made := filepath.Join(t.TempDir(), "a.webp")
	if err := EditAnimation(t.Context(), from, made, Limits{}, kept); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(b []byte){
		"outside":        func(b []byte) { b[bytes.LastIndex(b, []byte("ANMF"))+8] = 200 },
		"larger":         func(b []byte) { b[bytes.Index(b, []byte("VP8X"))+12] = 3 },
		"no picture":     func(b []byte) { copy(b[bytes.LastIndex(b, []byte("VP8L")):], "JUNK") },
		"a short header": func(b []byte) { binary.LittleEndian.PutUint32(b[bytes.LastIndex(b, []byte("ANMF"))+4:], 9) },
	} {
		b := bytes.Clone(good)
		spoil(b)
		if err := Frames(t.Context(), store(t, "bad.webp", b), Limits{}, func(*image.NRGBA) error { return nil }); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}
