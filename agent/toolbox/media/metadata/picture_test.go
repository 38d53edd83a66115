package metadata

import (
	"bytes"
	"encoding/binary"
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
