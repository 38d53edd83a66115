package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/imagefile"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/memory"
)

// store writes a file with that name and returns its path.
func store(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func encoded(t *testing.T, encode func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// quarters has a different colour in each quarter, so that all orientations differ.
func quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, c := range []color.NRGBA{{220, 30, 30, 255}, {30, 200, 30, 255}, {40, 40, 220, 255}, {230, 220, 40, 255}} {
		at := image.Pt(i%2*w/2, i/2*h/2)
		draw.Draw(img, image.Rectangle{Min: at, Max: at.Add(image.Pt(w/2, h/2))}, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return png.Encode(w, img) })
}

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 95}) })
}

// wantFault checks that err has one sentence for people with these words; the list of supported types may follow.
func wantFault(t *testing.T, err error, words ...string) {
	t.Helper()
	fault, ok := errors.AsType[*plan.Fault](err)
	if !ok {
		t.Fatalf("the error is %v, want a fault", err)
	}
	s := fault.Sentence.String()
	if strings.Contains(s, string(filepath.Separator)+"tmp") || strings.Contains(s, os.TempDir()) {
		t.Errorf("the sentence tells a path: %q", s)
	}
	one, _, _ := strings.Cut(s, " I accept pictures (")
	if !strings.HasSuffix(s, ".") || strings.Contains(s, "\n") || strings.Contains(one, ". ") {
		t.Errorf("not one sentence: %q", s)
	}
	for _, w := range words {
		if !strings.Contains(s, w) {
			t.Errorf("the sentence is %q, want that it says %q", s, w)
		}
	}
}

// hugePNG claims side × side pixels but contains almost no data.
func hugePNG(side uint32) []byte {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), side)
	header = binary.BigEndian.AppendUint32(header, side)
	header = append(header, 8, 6, 0, 0, 0)
	b := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), uint32(len(header)-4))
	b = append(b, header...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(header))
}

func TestInspectTellsWhatAFileIs(t *testing.T) {
	t.Parallel()
	img := quarters(30, 20)
	picture := func(mime, ext string) Info {
		return Info{Type: plan.Image, MIME: mime, Ext: ext, Width: 30, Height: 20, Frames: 1}
	}
	for name, c := range map[string]struct {
		content []byte
		want    Info
	}{
		"a.png":  {pngOf(t, img), picture("image/png", ".png")},
		"b.JPEG": {jpegOf(t, img), picture("image/jpeg", ".jpg")},
		"c.gif":  {encoded(t, func(w io.Writer) error { return gif.Encode(w, img, nil) }), picture("image/gif", ".gif")},
		"d.tif":  {encoded(t, func(w io.Writer) error { return tiff.Encode(w, img, nil) }), picture("image/tiff", ".tiff")},
		"j.png":  {jpegOf(t, img), picture("image/jpeg", ".jpg")}, // the content decides
		"k.png":  {mediatest.Tone("hello", time.Second/10), Info{Type: plan.Audio, MIME: "audio/wav", Ext: ".wav"}},
		"l.txt":  {pngOf(t, img), picture("image/png", ".png")},
		"blob":   {pngOf(t, img), picture("image/png", ".png")},
		"e.txt":  {[]byte("Hello, world, this is a text.\n"), Info{Type: plan.Text, MIME: "text/plain", Ext: ".txt"}},
		"f.md":   {[]byte("# Hello\n"), Info{Type: plan.Text, MIME: "text/plain", Ext: ".txt"}},
		"g.md":   {[]byte("<h1 align=center>Hello</h1>\n"), Info{Type: plan.Text, MIME: "text/plain", Ext: ".txt"}},
		"h.wav":  {mediatest.Tone("hello", time.Second/10), Info{Type: plan.Audio, MIME: "audio/wav", Ext: ".wav"}},
		"i.mp4":  {[]byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2mp41\x00\x00\x00\x08free"), Info{Type: plan.Video, MIME: "video/mp4", Ext: ".mp4"}},
	} {
		got, err := Inspect(t.Context(), store(t, name, c.content), Limits{})
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestPersonsWebPageIsItsSource(t *testing.T) {
	t.Parallel()
	path := store(t, "a.html", []byte("<!DOCTYPE html><html><body>x</body></html>"))
	want := Info{Type: plan.Text, MIME: "text/html", Ext: ".html"}
	if got, err := Inspect(t.Context(), path, Limits{}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestOwnWebPageIsAccepted(t *testing.T) {
	t.Parallel()
	path := store(t, "a.html", []byte("<!DOCTYPE html><html><body>x</body></html>"))
	want := Info{Type: plan.HTML, MIME: "text/html", Ext: ".html"}
	if got, err := Inspect(t.Context(), path, Limits{Pages: true}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	_, err := Inspect(t.Context(), store(t, "a.png", []byte("<!DOCTYPE html><html><body>x</body></html>")), Limits{Pages: true})
	wantFault(t, err, "a web page")
}

func TestInspectRefusesBadFiles(t *testing.T) {
	t.Parallel()
	img := quarters(64, 64)
	for i := range img.Pix { // enough content to truncate
		img.Pix[i] ^= uint8(i * i >> 3)
	}
	half := func(b []byte) []byte { return b[:len(b)/2] }
	animation := encoded(t, func(w io.Writer) error {
		p := quantised(t, img)
		return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{p, p, p}, Delay: []int{1, 1, 1}})
	})
	svg := []byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	for name, c := range map[string]struct {
		content []byte
		limits  Limits
		words   []string
	}{
		"empty.png":    {nil, Limits{}, []string{"is empty"}},
		"letter.jpg":   {[]byte("dear aunt, this is no picture"), Limits{}, []string{"not match its file extension", "JPEG"}},
		"cut.png":      {half(pngOf(t, img)), Limits{}, []string{"cut off"}},
		"cut.jpg":      {half(jpegOf(t, img)), Limits{}, []string{"cut off"}},
		"cut.gif":      {animation[:len(animation)*5/6], Limits{}, []string{"cut off"}},
		"cut.tiff":     {half(encoded(t, func(w io.Writer) error { return tiff.Encode(w, img, nil) })), Limits{}, []string{"cut off"}},
		"cut.webp":     {half(uniformWebP(9, 9, color.NRGBA{1, 2, 3, 255})), Limits{}, []string{"cut off"}},
		"heavy.png":    {pngOf(t, img), Limits{Bytes: 100}, []string{"too large", "100 bytes"}},
		"wide.png":     {pngOf(t, img), Limits{Pixels: 64 * 63}, []string{"too large a picture", "64 × 64"}},
		"long.gif":     {animation, Limits{Frames: 2}, []string{"too many frames", "3"}},
		"binary.txt":   {[]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08"), Limits{}, []string{"not match its file extension", "it is not a text"}},
		"binary.bin":   {[]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08"), Limits{}, []string{"has an unsupported file type", "PNG", "text"}},
		"drawing.svg":  {svg, Limits{}, []string{"an SVG drawing, which I do not support", "PNG"}},
		"drawing.png":  {svg, Limits{}, []string{"an SVG drawing"}},
		"login.png":    {[]byte("<!DOCTYPE html><html><body>x</body></html>"), Limits{}, []string{"a web page"}},
		"archive.zip":  {[]byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), Limits{}, []string{"an archive"}},
		"packed.gz":    {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"), Limits{}, []string{"an archive"}},
		"letter.png":   {[]byte("%!PS-Adobe-3.0\n"), Limits{}, []string{"not match its file extension"}},
		"letter.rtf":   {[]byte("{\\rtf1\\ansi hello}"), Limits{}, []string{"an office document"}},
		"feed.xml":     {[]byte("<?xml version=\"1.0\"?><a/>"), Limits{}, []string{"an XML document"}},
		"program.png":  {[]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"), Limits{}, []string{"a program"}},
		"program.exe":  {[]byte("MZ\x90\x00\x03\x00\x00\x00"), Limits{}, []string{"a program"}},
		"phone.heic":   {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1"), Limits{}, []string{"cut off or damaged"}},
		"phone.mp4":    {[]byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00avifmif1"), Limits{}, []string{"cut off or damaged"}},
		"nothing.jpeg": {[]byte("\xff\xd8\xff\xe0"), Limits{}, []string{"cut off"}},
	} {
		_, err := Inspect(t.Context(), store(t, name, c.content), c.limits)
		wantFault(t, err, append(c.words, name)...)
	}
	_, err := Inspect(t.Context(), filepath.Join(t.TempDir(), "gone.png"), Limits{})
	wantFault(t, err, "no file called", "gone.png")
	_, err = Inspect(t.Context(), t.TempDir(), Limits{})
	wantFault(t, err, "is not a file")
}

// TestBombIsRefusedInBoundedMemory measures the memory for a picture that claims 20,000 × 20,000
// pixels, which would be 1.6 GB.
//
//nolint:paralleltest // other tests would be measured too
func TestBombIsRefusedInBoundedMemory(t *testing.T) {
	path := store(t, "bomb.png", append(hugePNG(20_000), make([]byte, 1<<20)...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Inspect(t.Context(), path, Limits{})
	runtime.ReadMemStats(&after)
	wantFault(t, err, "bomb.png", "20000 × 20000", "64 million")
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("refusing it took %d bytes", used)
	}
}

func TestDecodeImageNeedsAPicture(t *testing.T) {
	t.Parallel()
	_, err := DecodeImage(t.Context(), store(t, "notes.txt", []byte("just words, no picture at all")), Limits{})
	wantFault(t, err, "notes.txt", "a picture is needed")
}

// FuzzInspect: any bytes give a result or a fault.
func FuzzInspect(f *testing.F) {
	var b bytes.Buffer
	img := quarters(8, 8)
	if err := png.Encode(&b, img); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(uniformWebP(9, 9, color.NRGBA{1, 2, 3, 255}))
	f.Add(animatedWebP(color.NRGBA{1, 2, 3, 255}))
	f.Add(hugePNG(20_000))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\x00\x00\x00\x08"))
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, "x")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Inspect(t.Context(), path, Limits{Pixels: 10_000})
		if _, ok := errors.AsType[*plan.Fault](err); err != nil && !ok {
			t.Errorf("%v is not a fault", err)
		}
	})
}

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
