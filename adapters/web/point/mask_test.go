package point //nolint:testpackage // the check of masks is not exported

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
)

// A valid mask is a complete picture of the given size that is not all black, with nothing after it.
func FuzzMask(f *testing.F) {
	const width, height = 11, 7
	painted := image.NewGray(image.Rect(0, 0, width, height))
	painted.Pix[5] = 255
	var b bytes.Buffer
	if err := png.Encode(&b, painted); err != nil {
		f.Fatal(err)
	}
	good := b.String()
	for _, seed := range []string{good, good[:50], good + "x", strings.Replace(good, "\x0b", "\x0c", 1), "", "\x89PNG\r\n\x1a\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c := newChecked(bytes.NewReader(content), width, height)
		defer c.Close()
		kept, err := io.ReadAll(c)
		if (err == nil) != (c.why() == nil) {
			t.Fatalf("it ended with %v, and says %v", err, c.why())
		}
		if err != nil {
			return
		}
		img, err := png.Decode(bytes.NewReader(kept))
		if err != nil || !bytes.Equal(kept, content) {
			t.Fatalf("it is no picture: %v", err)
		}
		gray, ok := img.(*image.Gray)
		if !ok || gray.Bounds() != painted.Bounds() || !slices.ContainsFunc(gray.Pix, func(v uint8) bool { return v > 0 }) {
			t.Errorf("it is a %T of %v", img, img.Bounds())
		}
	})
}
