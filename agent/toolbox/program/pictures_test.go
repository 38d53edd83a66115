package program

import (
	"image/color"
	"path/filepath"
	"testing"

	"atelier/agent/plan"
)

// TestUnusualPictures: of more colours, more bits, more pictures or none behind. Each is
// made a film of, and read: there is no writing in them.
func TestUnusualPictures(t *testing.T) {
	t.Parallel()
	other := func(name string) string { return filepath.Join("..", "media", "metadata", "testdata", name) }
	for name, path := range map[string]string{
		"CMYK": other("picture-cmyk.jpg"), "16 bits": other("picture-16bit.png"),
		"an animated PNG": other("picture-animated.png"), "an animated WebP": other("picture-animated.webp"),
		"alpha": writePNG(t, "alpha.png", filled(32, 24, color.NRGBA{R: 255, A: 100})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			absolute, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			picture := args{"image": fileOf(plan.Image, absolute)}
			out := done(t, "image_to_video", picture)
			if a := playable(t, out.Path); a.codecs() != "video:h264" {
				t.Errorf("it is %s", a.codecs())
			}
			holds(t, out.Note.String(), "Nothing in the picture moves by itself")
			holds(t, refused(t, "tesseract", picture), "No writing was found")
		})
	}
	moving := args{"image": fileOf(plan.Image, clip(t, "moving.gif", append(lavfi("testsrc=size=32x24:rate=5:duration=1"), "-loop", "0")...))}
	holds(t, refused(t, "image_to_video", moving), "animated already")
	holds(t, refused(t, "tesseract", moving), "No writing was found")
}
