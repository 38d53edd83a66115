package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
