package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/imagefile"
	"atelier/agent/toolbox/memory"
)

// noise fills a picture with values that PNG filters cannot predict.
func noise[T draw.Image](img T) T {
	r := rand.New(rand.NewPCG(1, 2))
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			v := func(k int) uint16 { return uint16(x*k*40+y*300) ^ uint16(r.IntN(900)) }
			img.Set(x, y, color.NRGBA64{v(1), v(2), v(3), v(5) | 0x100})
		}
	}
	return img
}

// TestDeepPNG checks that 16-bit channels are reduced to the high byte of what the standard decoder
// returns, and that damage is detected.
func TestDeepPNG(t *testing.T) {
	t.Parallel()
	size := image.Rect(0, 0, 37, 23)
	opaque := image.NewRGBA64(size)
	draw.Draw(opaque, size, noise(image.NewNRGBA64(size)), image.Point{}, draw.Src)
	for i := 6; i < len(opaque.Pix); i += 8 {
		opaque.Pix[i], opaque.Pix[i+1] = 255, 255
	}
	for name, img := range map[string]image.Image{
		"grey": noise(image.NewGray16(size)), "colours": opaque, "transparent": noise(image.NewNRGBA64(size)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := pngOf(t, img)
			stored, err := png.Decode(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			want := image.NewNRGBA(size)
			for y := range size.Dy() {
				for x := range size.Dx() {
					c := stored.At(x, y)
					if deep, ok := c.(color.NRGBA64); ok { // its high bytes, without conversion
						c = color.NRGBA{uint8(deep.R >> 8), uint8(deep.G >> 8), uint8(deep.B >> 8), uint8(deep.A >> 8)}
					}
					want.Set(x, y, c)
				}
			}
			if d := cmp.Diff(want, decode(t, "deep.png", content)); d != "" {
				t.Error(d)
			}
			readPNG, _ := imagefile.Of("image/png")
			raw, err := readPNG.Decode(bytes.NewReader(content))
			if _, eight := raw.(*image.NRGBA); err != nil || !eight {
				t.Errorf("it is read as %T (%v)", raw, err)
			}
			for _, at := range []int{len(content) - 16, len(content) / 2, 60} { // a checksum, the rows, their start
				damaged := bytes.Clone(content)
				damaged[at] ^= 0x55
				if _, err := readPNG.Decode(bytes.NewReader(damaged)); err == nil {
					t.Errorf("damage at %d is not found", at)
				}
				if _, err := readPNG.Decode(bytes.NewReader(content[:at])); err == nil {
					t.Errorf("that it ends at %d is not found", at)
				}
			}
		})
	}
}

// TestWeigh checks that reading a picture takes no more memory than its weight, and that rejected
// files have no weight.
func TestWeigh(t *testing.T) { //nolint:paralleltest // what others take would count
	const side = 600
	size := image.Rect(0, 0, side, side)
	photo := noise(image.NewNRGBA(size))
	for i := 3; i < len(photo.Pix); i += 4 {
		photo.Pix[i] = 255
	}
	grey := noise(image.NewGray(size))
	written := func(name string, encode func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		return store(t, name, b.Bytes())
	}
	files := []string{
		written("photo.png", func(b *bytes.Buffer) error { return png.Encode(b, photo) }),
		written("deep.png", func(b *bytes.Buffer) error { return png.Encode(b, noise(image.NewNRGBA64(size))) }),
		written("grey.png", func(b *bytes.Buffer) error { return png.Encode(b, grey) }),
		written("photo.jpg", func(b *bytes.Buffer) error { return jpeg.Encode(b, photo, nil) }),
		written("grey.jpg", func(b *bytes.Buffer) error { return jpeg.Encode(b, grey, nil) }),
		written("photo.bmp", func(b *bytes.Buffer) error { return bmp.Encode(b, photo) }),
		written("photo.tiff", func(b *bytes.Buffer) error { return tiff.Encode(b, photo, nil) }),
		written("deep.tiff", func(b *bytes.Buffer) error {
			return tiff.Encode(b, noise(image.NewNRGBA64(size)), &tiff.Options{Compression: tiff.Deflate})
		}),
		written("drawing.gif", func(b *bytes.Buffer) error { return gif.Encode(b, photo, nil) }),
		written("flat.webp", func(b *bytes.Buffer) error {
			b.Write(uniformWebP(side, side, color.NRGBA{1, 2, 3, 4}))
			return nil
		}),
	}
	const around = 2 << 20 // for decoders and garbage
	for _, path := range files {
		w := Weigh(path, Limits{})
		if w.Pixels() != side*side {
			t.Errorf("%s: %d pixels", filepath.Base(path), w.Pixels())
		}
		if taken := peak(t, func() error {
			_, err := ReadPicture(t.Context(), path, Limits{})
			return err
		}); taken > w.Reading+around {
			t.Errorf("%s: reading takes %.1f bytes a pixel, and %.1f were thought", filepath.Base(path), float64(taken)/side/side, float64(w.Reading)/side/side)
		}
	}
	for name, path := range map[string]string{
		"nothing": filepath.Join(t.TempDir(), "nothing.png"), "a text": store(t, "a.txt", []byte("words")),
	} {
		if w := Weigh(path, Limits{}); w != (Weight{}) {
			t.Errorf("%s weighs %+v", name, w)
		}
	}
	if w := Weigh(files[0], Limits{Pixels: side}); w != (Weight{}) {
		t.Errorf("a picture that is refused weighs %+v", w)
	}
}

// peak returns the peak memory of work in bytes, measured by frequent sampling.
func peak(t *testing.T, work func() error) int64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	before, most := stats.HeapAlloc, stats.HeapAlloc
	done := make(chan error, 1)
	go func() { done <- work() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return int64(most - before)
		default:
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapAlloc)
		}
	}
}

// TestInspectTakesMemory checks that inspecting a picture waits for memory, and fails if there can never be enough.
func TestInspectTakesMemory(t *testing.T) {
	t.Parallel()
	path := store(t, "a.png", pngOf(t, quarters(100, 100)))
	needs := Weigh(path, Limits{}).Reading
	budget := func(whole int64) *memory.Budget {
		b, err := memory.New(memory.Config{Limit: (whole + 3) / 3 * 4})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	_, err := Inspect(t.Context(), path, Limits{Memory: budget(needs / 2)})
	fault, ok := errors.AsType[*plan.Fault](err)
	if want := "It would take 80 kB of memory, and the limit is 40 kB; try something smaller."; !ok || fault.Sentence.String() != want {
		t.Errorf("%v", err)
	}
	enough := budget(needs)
	giveBack, err := enough.Take(t.Context(), needs)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Inspect(ended, path, Limits{Memory: enough}); !errors.Is(err, context.Canceled) {
		t.Errorf("it does not wait for memory: %v", err)
	}
	giveBack()
	if _, err := Inspect(t.Context(), path, Limits{Memory: enough}); err != nil {
		t.Error(err)
	}
}
