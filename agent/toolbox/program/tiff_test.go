package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
)

// tiffs writes TIFFs of a picture as scanners and printers do.
func tiffs(t *testing.T) (png string, written map[string]string) {
	t.Helper()
	convert := imageMagick(t)
	png = clip(t, "scan.png", append(lavfi("testsrc=size=165x121"), "-frames:v", "1")...)
	written = map[string]string{}
	for name, args := range map[string][]string{
		"jpeg": {"-compress", "JPEG"}, "jpeg-grey": {"-colorspace", "Gray", "-compress", "JPEG"}, "jpeg-strips": {"-compress", "JPEG", "-define", "tiff:rows-per-strip=16"},
		"jpeg-tiles": {"-compress", "JPEG", "-define", "tiff:tile-geometry=64x64"}, "cmyk": {"-colorspace", "CMYK", "-compress", "None"},
		"cmyk-lzw": {"-colorspace", "CMYK", "-compress", "LZW"}, "cmyk-zip": {"-colorspace", "CMYK", "-compress", "Zip"}, "cmyk-msb": {"-colorspace", "CMYK", "-endian", "MSB"},
	} {
		path := filepath.Join(t.TempDir(), name+".tif")
		all := append([]string{png, "-type", "TrueColor"}, args...)
		if strings.HasPrefix(name, "cmyk") {
			all = append([]string{png}, args...)
		}
		tool(t, convert, append(all, path)...)
		written[name] = path
	}
	for _, pixels := range []string{"yuv420p", "yuv422p", "yuv444p"} {
		for _, packed := range []string{"packbits", "lzw", "deflate", "raw"} {
			path := filepath.Join(t.TempDir(), "picture.tiff")
			tool(t, "ffmpeg", "-v", "error", "-i", png, "-pix_fmt", pixels, "-compression_algo", packed, path)
			written[pixels+" "+packed] = path
		}
	}
	return png, written
}

// TestUnusualTIFF reads TIFFs with JPEG, CMYK and YCbCr, also damaged, and none crashes.
func TestUnusualTIFF(t *testing.T) {
	t.Parallel()
	png, written := tiffs(t)
	want := media.ToNRGBA(readPicture(t, png))
	for name, path := range written {
		got, err := media.ReadPicture(t.Context(), path, media.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name != "jpeg-grey" && (got.Image.Rect != want.Rect || difference(got.Image, want) > 8) {
			t.Errorf("%s: %v, and %.1f off", name, got.Image.Rect, difference(got.Image, want))
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(whole); i += 1 + len(whole)/40 {
			broken := append([]byte{}, whole...)
			broken[i] ^= 0x55
			for _, b := range [][]byte{broken, whole[:i]} {
				file := filepath.Join(t.TempDir(), "broken.tif")
				if err := os.WriteFile(file, b, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := media.ReadPicture(t.Context(), file, media.Limits{}); err != nil && plan.Sentence(err, plan.Message{}).IsZero() {
					t.Errorf("%s: %v is no sentence", name, err)
				}
			}
		}
	}
}

// TestPagesOfTIFF checks that the first page of a TIFF is used, and that the answer says so.
func TestPagesOfTIFF(t *testing.T) {
	t.Parallel()
	png := clip(t, "scan.png", append(lavfi("testsrc=size=165x121"), "-frames:v", "1")...)
	path := filepath.Join(t.TempDir(), "fax.tif")
	tool(t, imageMagick(t), png, png, path)
	out, err := runCommand(t, toolOf(t, "add_border"), args{"image": fileOf(plan.Image, path)})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, out.Note.String(), "only the first one was used")
}
