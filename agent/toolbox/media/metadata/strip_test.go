package metadata

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox/media"
)

// secrets is the metadata in the files of these tests.
var secrets = []string{"secret", "52.52", "GPS"}

// write writes a file into a temporary folder.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stripped strips a file twice; the second time must change nothing.
func stripped(t *testing.T, name string, content []byte) (path string, out []byte) {
	t.Helper()
	path = write(t, name, content)
	bare, err := File(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = os.ReadFile(bare); err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if bytes.Contains(out, []byte(secret)) {
			t.Errorf("%s still tells %q", name, secret)
		}
	}
	var copied bytes.Buffer
	if err := Copy(t.Context(), &copied, path); err != nil || !bytes.Equal(copied.Bytes(), out) {
		t.Errorf("a copy of %s is another one (%v)", name, err)
	}
	if again, err := File(t.Context(), bare); err != nil || again != bare {
		t.Errorf("%s is stripped a second time (%v)", name, err)
	}
	return bare, out
}

func TestSoundAndFilmTellNothingAndStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string // start of the content, which must keep its position; "" means the end of the file
		longer  bool   // what is left out makes it shorter
	}{
		"film.mp4": {"mdat", false}, "first.mp4": {"mdat", false}, "pieces.mp4": {"mdat", false}, "film.mov": {"mdat", false}, "sound.m4a": {"mdat", false},
		"film.avi": {"movi", false}, "vorbis.ogg": {"", false}, "opus.ogg": {"", false}, "film.ogv": {"", false}, "sound.flac": {"", false},
		"sound.wav": {"data", true}, "sound.mp3": {"Info", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			_, after := stripped(t, name, before)
			if (len(after) < len(before)) != c.longer || len(after) > len(before) {
				t.Errorf("%d bytes come to %d", len(before), len(after))
			}
			from, to := bytes.Index(before, []byte(c.content)), bytes.Index(after, []byte(c.content))
			if c.content == "" {
				from, to = len(before)*4/5, len(after)-(len(before)-len(before)*4/5)
			}
			const n = 256
			if from < 0 || to < 0 || !bytes.Equal(before[from:min(from+n, len(before))], after[to:min(to+n, len(after))]) || from != to && !c.longer {
				t.Error("the content is another one")
			}
			is, err := media.Inspect(t.Context(), write(t, name, after), media.Limits{})
			was, e := media.Inspect(t.Context(), filepath.Join("testdata", name), media.Limits{})
			if err != nil || e != nil || is != was {
				t.Errorf("it is %+v (%v), it was %+v (%v)", is, err, was, e)
			}
		})
	}
}

func TestPagesOfOggHaveTheirChecksums(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vorbis.ogg", "opus.ogg", "film.ogv"} {
		before, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		_, after := stripped(t, name, before)
		in, pages := source{bytes.NewReader(after), int64(len(after))}, 0
		for at := int64(0); at < in.size; pages++ {
			p, err := in.page(at)
			if err != nil || p == nil {
				t.Fatalf("%s: no page at %d (%v)", name, at, err)
			}
			was := bytes.Clone(p.bytes)
			if p.sum(); !bytes.Equal(was, p.bytes) {
				t.Errorf("%s: page %d has a wrong checksum", name, pages)
			}
			at += int64(len(p.bytes))
		}
		if pages < 3 {
			t.Errorf("%s has %d pages", name, pages)
		}
	}
}

// exif is the metadata of a rotated picture with a place.
func exifWith() []byte {
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x02")
	b = append(b, "\x01\x0E\x00\x02\x00\x00\x00\x0D\x00\x00\x00\x26"...) // a description
	b = append(b, "\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"...) // orientation 6
	return append(b, "\x00\x00\x00\x00secret place\x00"...)
}

func painted() *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, 24, 16), color.Palette{color.Black, color.White, color.RGBA{200, 30, 30, 255}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i % 3)
	}
	return img
}

func encoded(tb testing.TB, encode func(w io.Writer) error) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func segment(marker byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(body)+2)), body...)
}

func riff(kind string, body []byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body))), body...)
	return append(b, make([]byte, len(b)%2)...)
}

// pictures has one file with metadata per format.
func pictures(tb testing.TB) map[string][]byte {
	tb.Helper()
	jpg := encoded(tb, func(w io.Writer) error { return jpeg.Encode(w, painted(), nil) })
	noted := slices.Concat(
		jpg[:2], segment(0xE0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"), segment(0xE1, "Exif\x00\x00"+string(exifWith())), segment(0xE1, "http://ns.adobe.com/xap/1.0/\x00secret"),
		segment(0xED, "Photoshop 3.0\x00secret"), segment(0xFE, "secret"), segment(0xE2, "MPF\x00secret"), segment(0xE5, "secret"), jpg[2:], []byte("ftyp a film, secret"))
	drawn := encoded(tb, func(w io.Writer) error { return png.Encode(w, painted()) })
	const header = 8 + 25
	text := slices.Concat(drawn[:header], chunk("tEXt", []byte("Comment\x00secret")), chunk("eXIf", exifWith()), chunk("iTXt", []byte("XML:com.adobe.xmp\x00secret")),
		chunk("tIME", []byte("secret7")), chunk("abCd", []byte("secret")), chunk("pHYs", make([]byte, 9)), drawn[header:], []byte("secret"))
	film := encoded(tb, func(w io.Writer) error {
		return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{painted(), painted()}, Delay: []int{1, 1}})
	})
	global := 13 + colours(film[10])
	moving := slices.Concat(film[:global], []byte("\x21\xFE\x06secret\x00"), []byte("\x21\xFF\x0BXMP DataXMP\x06secret\x00"), film[global:], []byte("secret"))
	still, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		tb.Fatal(err)
	}
	extended := slices.Concat([]byte("WEBP"), riff("VP8X", []byte("\x0C\x00\x00\x00\x00\x00\x00\x00\x00\x00")), still[12:], riff("EXIF", exifWith()), riff("XMP ", []byte("secret")), riff("abcd", []byte("secret")))
	return map[string][]byte{
		"a.jpg": noted, "a.png": text, "a.gif": moving,
		"a.webp":     slices.Concat(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(extended))), extended),
		"plain.webp": still, "plain.jpg": jpg, "plain.png": drawn, "plain.gif": film,
	}
}

func TestPicturesTellNothingAndStayUpright(t *testing.T) {
	t.Parallel()
	for name, before := range pictures(t) {
		path := write(t, name, before)
		was, err := media.DecodeImage(t.Context(), path, media.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bare, after := stripped(t, name, before)
		if plain := strings.HasPrefix(name, "plain"); plain != (filepath.Base(bare) == name) || plain != bytes.Equal(before, after) {
			t.Errorf("%s is now %s, of %d bytes", name, bare, len(after))
		}
		is, err := media.DecodeImage(t.Context(), write(t, name, after), media.Limits{})
		if err != nil || !slices.Equal(is.Pix, was.Pix) || is.Bounds() != was.Bounds() {
			t.Errorf("%s is another picture (%v)", name, err)
		}
		if tall := is.Bounds().Dx() < is.Bounds().Dy(); tall != (name == "a.jpg" || name == "a.png") {
			t.Errorf("%s is %v", name, is.Bounds())
		}
	}
}

func TestUnknownChunksStay(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{"a.txt": []byte("Just words, and many of them."), "short": []byte("x"), "empty": nil, "a.html": []byte("<!doctype html><p>Hello")} {
		path := write(t, name, content)
		if got, err := File(t.Context(), path); err != nil || got != path {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		var copied bytes.Buffer
		if err := Copy(t.Context(), &copied, path); err != nil || !bytes.Equal(copied.Bytes(), content) {
			t.Errorf("%s is copied as %q (%v)", name, copied.String(), err)
		}
	}
	if err := Copy(t.Context(), io.Discard, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is copied")
	}
	if _, err := File(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is stripped")
	}
}
