package metadata

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"slices"
	"testing"
)

// TestBytesBetweenSegments: decoders skip it, but it may contain metadata.
func TestBytesBetweenSegments(t *testing.T) {
	t.Parallel()
	plain := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, painted(), nil) })
	begins, note := segment(0xE0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"), segment(0xFE, "secret")
	for name, between := range map[string]string{
		"a byte": "\x00", "words": "secret words", "a stuffed byte": "\xFF\x00", "restarts": "\xFF\xD0\xFF\xD7", "padding": "\xFF\xFF\xFF", "all": "ab\xFF\x00\xFF\xD3\x01c\xFF",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := len(plain) - 2
			before := slices.Concat(plain[:2], begins, []byte(between), note, []byte(between), plain[2:end], note, []byte(between), plain[end:])
			_, after := stripped(t, "a.jpg", before)
			samePixels(t, before, after)
		})
	}
}

func TestTruncatedJPEGKeepsBeginning(t *testing.T) {
	t.Parallel()
	plain := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, painted(), nil) })
	for name, before := range map[string][]byte{
		"in a scan": slices.Concat(plain[:2], segment(0xFE, "secret"), plain[2:len(plain)-20]),
		"in tables": slices.Concat(plain[:2], segment(0xFE, "secret"), plain[2:40]),
	} {
		_, after := stripped(t, "a.jpg", before)
		if want := slices.Concat(before[:2], before[12:]); !bytes.Equal(after, want) {
			t.Errorf("%s: % x", name, after)
		}
	}
	before := slices.Concat(plain[:len(plain)-2], segment(0xE1, "Exif\x00\x00"+string(exifWith()))[:30])
	if _, after := stripped(t, "a.jpg", before); !bytes.Equal(after, plain[:len(plain)-2]) {
		t.Errorf("in notes: % x", after)
	}
}

// TestMarkersWithoutLengthAreNoSegments: libjpeg accepts TEM anywhere.
func TestMarkersWithoutLengthAreNoSegments(t *testing.T) {
	t.Parallel()
	plain := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, painted(), nil) })
	before := slices.Concat(plain[:2], []byte("\xFF\x01"), segment(0xFE, "secret"), plain[2:])
	if _, after := stripped(t, "a.jpg", before); !bytes.Equal(after, plain) {
		t.Errorf("% x", after)
	}
}

func TestThumbnailOfJFIFIsLeftOut(t *testing.T) {
	t.Parallel()
	plain := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, painted(), nil) })
	const thumbnail = "secret picture!!" // followed by the marker
	before := slices.Concat(plain[:2], segment(0xE0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x02\x02"+thumbnail[:12]), plain[2:])
	_, after := stripped(t, "a.jpg", before)
	if want := slices.Concat(plain[:2], segment(0xE0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"), plain[2:]); !bytes.Equal(after, want) {
		t.Errorf("% x", after)
	}
}

// samePixels checks that both decode to the same pixels; for an animated GIF, in every frame.
func samePixels(t *testing.T, before, after []byte) {
	t.Helper()
	was, err := decoded(before)
	if err != nil {
		t.Fatalf("it did not decode before: %v", err)
	}
	is, err := decoded(after)
	if err != nil {
		t.Fatalf("it decodes no more: %v", err)
	}
	if len(was) != len(is) {
		t.Fatalf("%d frames come to %d", len(was), len(is))
	}
	for i := range was {
		if !same(was[i], is[i]) {
			t.Errorf("frame %d is another picture", i)
		}
	}
}

func same(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}
