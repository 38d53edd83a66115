package metadata

import (
	"bytes"
	"image"
	"image/gif"
	"os"
	"path/filepath"
	"testing"

	_ "golang.org/x/image/webp" // registers itself for [image.Decode]
)

// decoded returns the pixels by an independent decoder; for an animated GIF, of every frame.
func decoded(b []byte) ([]image.Image, error) {
	if bytes.HasPrefix(b, []byte("GIF8")) {
		film, err := gif.DecodeAll(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		var frames []image.Image
		for _, f := range film.Image {
			frames = append(frames, f)
		}
		return frames, nil
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	return []image.Image{img}, err
}

// anew returns the stripped bytes.
func anew(t *testing.T, b []byte) []byte {
	t.Helper()
	k, err := look(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range k.pieces {
		if p.at < 0 || p.n < 0 || p.put == nil && p.at+p.n > int64(len(b)) {
			t.Fatalf("a piece from %d of %d bytes, of %d", p.at, p.n, len(b))
		}
	}
	var out bytes.Buffer
	if err := k.write(t.Context(), &out, bytes.NewReader(b)); err != nil || int64(out.Len()) != k.length() || out.Len() > len(b)+64 {
		t.Fatalf("%d bytes come to %d, said to be %d (%v)", len(b), out.Len(), k.length(), err)
	}
	return out.Bytes()
}

// FuzzLook: for any bytes, the kept pieces lie within them.
func FuzzLook(f *testing.F) {
	for _, head := range []string{"\xFF\xD8\xFF\xE1\x00\x08Exif\x00\x00", "\x89PNG\r\n\x1A\n\x00\x00\x00\x00IEND", "GIF89a\x01\x00\x01\x00\x80\x00\x00!\xFE", "RIFF\x00\x00\x00\x00WEBPVP8X", "RIFF\x00\x00\x00\x00WAVELIST", "RIFF\x00\x00\x00\x00AVI LIST", "ID3\x04\x00\x00\x00\x00\x00\x01\x00", "fLaC\x84\x00\x00\x10", "\x00\x00\x00\x08moov\x00\x00\x00\x08udta"} {
		f.Add([]byte(head + "            "))
	}
	f.Add([]byte("RIFF\x30\x00\x00\x00WEBPVP8L\x00\x00\x00\x00VP8X\x00\x00\x00\x00EXIF\x00\x00\x00\x00abcd\x00\x00\x00\x00"))
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) == 0 {
		f.Fatal("no files", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 1500)])
	}
	f.Fuzz(func(t *testing.T, b []byte) { anew(t, b) })
}

// FuzzPixels: a valid picture has the same pixels after stripping, and stripping it again changes nothing.
func FuzzPixels(f *testing.F) {
	for _, b := range pictures(f) {
		f.Add(b)
	}
	names, err := filepath.Glob("testdata/picture*.*")
	if err != nil || len(names) == 0 {
		f.Fatal("no pictures", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 1 << 12
		if c, _, err := image.DecodeConfig(bytes.NewReader(b)); err != nil || c.Width > most || c.Height > most || c.Width*c.Height > most {
			return
		}
		if _, err := decoded(b); err != nil {
			return
		}
		after := anew(t, b)
		samePixels(t, b, after)
		if again := anew(t, after); !bytes.Equal(again, after) {
			t.Errorf("%d bytes come to %d, and to %d", len(b), len(after), len(again))
		}
	})
}
