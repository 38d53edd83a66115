package imagefile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"
)

// TestJPEGXLHeads reads sizes and orientations that the files above do not have.
func TestJPEGXLHeads(t *testing.T) {
	t.Parallel()
	head := func(fields ...[2]int) string { // values and their numbers of bits
		made, at := []byte{0xFF, 0x0A}, 16
		for _, f := range fields {
			for i := range f[1] {
				if at/8 == len(made) {
					made = append(made, 0)
				}
				made[at/8] |= byte(f[0]>>i&1) << (at % 8)
				at++
			}
		}
		return string(made)
	}
	small := [][2]int{{1, 1}, {4, 5}, {5, 3}, {1, 1}} // 40 high, 16:9, nothing unusual
	large := [][2]int{{0, 1}, {1, 2}, {2999, 13}, {0, 3}, {2, 2}, {9999, 18}}
	for name, c := range map[string]struct {
		file string
		want jxl
	}{
		"in eights, of a usual shape": {head(small...), jxl{71, 40, 1, false}},
		"large":                       {head(append(large, [2]int{1, 1})...), jxl{10_000, 3000, 1, false}},
		"turned":                      {head(append(large, [2]int{0, 1}, [2]int{1, 1}, [2]int{7, 3}, [2]int{0, 3})...), jxl{10_000, 3000, 8, false}},
		"animated":                    {head(append(large, [2]int{0, 1}, [2]int{1, 1}, [2]int{0, 3}, [2]int{0, 2}, [2]int{1, 1})...), jxl{10_000, 3000, 1, true}},
		"in a container":              {box("JXL ", "\r\n\x87\n") + box("Exif", "abc") + box("jxlc", head(small...)), jxl{71, 40, 1, false}},
		"in parts": {
			box("JXL ", "\r\n\x87\n") + box("jxlp", "\x00\x00\x00\x00"+head(small...)), jxl{71, 40, 1, false},
		},
	} {
		if got, err := readJXL(strings.NewReader(c.file)); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "\xFF", "\xFF\x0A", "\xFF\x0A\x00", box("JXL ", "abcd"), "\x00\x00\x00\x02jxlx" + head(small...)} {
		if got, err := readJXL(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

func TestAVIFTurns(t *testing.T) {
	t.Parallel()
	for turns, mirrored := range map[int][3]int{0: {1, 4, 2}, 1: {8, 5, 7}, 2: {3, 2, 4}, 3: {6, 7, 5}} {
		for i, mirror := range []string{"", "\x00", "\x01"} {
			props := box("ispe", "\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x05") + box("irot", string(rune(turns)))
			given := "\x01\x02"
			if mirror != "" {
				props += box("imir", mirror)
				given += "\x83"
			}
			meta := "\x00\x00\x00\x00" + box("pitm", "\x00\x00\x00\x00\x00\x07") +
				box("iprp", box("ipco", props)+box("ipma", "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x07"+string(rune(len(given)))+given))
			h, err := readHEIF(strings.NewReader(box("ftyp", "avif\x00\x00\x00\x00") + box("mdat", "xyz") + box("meta", meta)))
			if err != nil || h.width != 9 || h.height != 5 || h.orientation != mirrored[i] {
				t.Errorf("turned %d times, mirrored %q: %+v, %v, want %d", turns, mirror, h, err, mirrored[i])
			}
		}
	}
}

// TestProgressive checks the detection by the parts before the first scan.
func TestProgressive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, 16, 16), image.YCbCrSubsampleRatio420), nil); err != nil {
		t.Fatal(err)
	}
	baseline := b.Bytes()
	scans := bytes.Replace(baseline, []byte{0xFF, 0xC0}, []byte{0xFF, 0xC2}, 1)
	for name, c := range map[string]struct {
		head []byte
		want bool
	}{"at once": {baseline, false}, "in scans": {scans, true}, "too little of it": {baseline[:20], true}, "nothing": {nil, true}} {
		if got := progressive(c.head); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	const more = 12
	cfg := image.Config{ColorModel: color.YCbCrModel}
	if d := ReadingRate("image/jpeg", cfg, scans) - ReadingRate("image/jpeg", cfg, baseline); d != more-1 {
		t.Errorf("scans take %d bytes a pixel more", d) // 19 and 8: what is upright takes less than that
	}
}

// box returns a box of an ISO base media file.
func box(kind, body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
}
