package imagefile

import (
	"strings"
	"testing"
)

// TestHEIFEXIF reads the EXIF item, whose place in the file another box tells, and survives damage.
func TestHEIFEXIF(t *testing.T) {
	t.Parallel()
	item := "\x00\x00\x00\x06" + "Exif\x00\x00" + "MM\x00*tiff"
	info := box("iinf", "\x00\x00\x00\x00\x00\x02"+
		box("infe", "\x02\x00\x00\x00\x00\x01\x00\x00hvc1\x00")+box("infe", "\x02\x00\x00\x00\x00\x07\x00\x00Exif\x00"))
	const exif = "\x00\x07\x00\x00\x00\x01" // the item, no other file, one extent
	places := box("iloc", "\x00\x00\x00\x00\x44\x00\x00\x02"+
		"\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01"+
		exif+"\x00\x00\x00\x00\x00\x00\x00"+string(rune(len(item))))
	file := box("ftyp", "heic") + box("meta", "\x00\x00\x00\x00"+info+places) + box("mdat", item)
	whole := []byte(file)
	whole[strings.Index(file, exif)+len(exif)+3] = byte(strings.Index(file, item)) // the offset
	if got := string(heifEXIF(whole)); got != "MM\x00*tiff" {
		t.Fatalf("it reads %q", got)
	}
	for n := range whole { // must not panic
		heifEXIF(whole[:n])
		damaged := []byte(string(whole))
		damaged[n] = 0xFF
		heifEXIF(damaged)
	}
}
