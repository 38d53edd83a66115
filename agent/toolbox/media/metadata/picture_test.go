package metadata

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox/media"
)

// TestPicturesOfOtherEncodersStay: progressive, CMYK, animated and 16-bit pictures. They were drawn
// and saved by Pillow 13 (libjpeg-turbo, libwebp) with EXIF (a description, orientation 6), a comment
// and XMP where the format has them: image.save(name, progressive=True), after convert("CMYK"), in
// mode "I;16", and with save_all=True, append_images=[…].
func TestPicturesOfOtherEncodersStay(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/picture-*")
	if err != nil || len(names) < 6 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			was, err := media.ReadPicture(t.Context(), name, media.Limits{})
			if err != nil || !strings.Contains(string(before), "secret") {
				t.Fatalf("it was no such picture (%v)", err)
			}
			_, after := stripped(t, name, before)
			is, err := media.ReadPicture(t.Context(), write(t, name, after), media.Limits{})
			if err != nil || is.Info != was.Info || !slices.Equal(is.Image.Pix, was.Image.Pix) || is.Info.Width >= is.Info.Height {
				t.Errorf("it is %+v (%v), it was %+v", is.Info, err, was.Info)
			}
			moved, moves := frames(t, before), frames(t, after)
			if film := strings.Contains(name, "animated"); film != (is.Info.Frames == 3) || film && len(moves) < 500 || !bytes.Equal(moved, moves) {
				t.Errorf("it has %d frames, of %d bytes, before %d", is.Info.Frames, len(moves), len(moved))
			}
		})
	}
}

// frames returns the animation chunks of a PNG or WebP, since the available decoders only read the first frame.
func frames(t *testing.T, b []byte) []byte {
	t.Helper()
	var order binary.ByteOrder = binary.BigEndian
	at, name, around := 8, 4, 12 // a length, a name, a body and a checksum
	moves := []string{"acTL", "fcTL", "fdAT", "IDAT"}
	switch {
	case bytes.HasPrefix(b, []byte("RIFF")):
		order, at, name, around = binary.LittleEndian, riffHeader, 0, 8
		moves = []string{"ANIM", "ANMF"}
	case !bytes.HasPrefix(b, []byte("\x89PNG")):
		return nil
	}
	var moving []byte
	for at+8 <= len(b) {
		n := int(order.Uint32(b[at+4-name:]))
		next := at + around + n
		if name == 0 {
			next += n % 2
		}
		if next > len(b) {
			t.Fatalf("a chunk at %d goes to %d of %d", at, next, len(b))
		}
		if slices.Contains(moves, string(b[at+name:at+name+4])) {
			moving = append(moving, b[at:next]...)
		}
		at = next
	}
	return moving
}

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
