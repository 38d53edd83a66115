package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
)

func TestReadShot(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 3, 2)), nil); err != nil {
		t.Fatal(err)
	}
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08" + "\x00\x01" + // one tag, the model
		"\x01\x10\x00\x02\x00\x00\x00\x0D\x00\x00\x00\x1A" + "\x00\x00\x00\x00" + "Canon EOS R5\x00")
	segment := binary.BigEndian.AppendUint16([]byte("\xFF\xE1"), uint16(len(exif)+2))
	path := filepath.Join(t.TempDir(), "photo.jpg")
	all := append(append(append([]byte("\xFF\xD8"), segment...), exif...), photo.Bytes()[2:]...)
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadShot(t.Context(), path, Limits{}); err != nil || got.Camera != "Canon EOS R5" {
		t.Errorf("got %+v and %v", got, err)
	}
	if _, err := ReadShot(t.Context(), filepath.Join(t.TempDir(), "none.jpg"), Limits{}); err == nil {
		t.Error("a file that does not exist is read")
	}
}
