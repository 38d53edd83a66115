package program

import (
	"bytes"
	"image"
	"image/color"
	"os/exec"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
)

// written runs a tool that draws a caption on a grey picture or video, and returns the first frame.
func written(t *testing.T, run, caption string) (*image.NRGBA, toolbox.Output) {
	t.Helper()
	given := args{"caption": caption}
	if strings.Contains(run, "video") || run == "add_title_card" {
		given["video"] = fileOf(plan.Video, clip(t, "grey.mp4", append(lavfi("color=gray:size=320x240:rate=10:duration=1"), "-pix_fmt", "yuv420p")...))
	} else {
		given["image"] = fileOf(plan.Image, writePNG(t, "grey.png", filled(320, 240, color.Gray{128})))
	}
	out, err := perform(t, run, given)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := given["image"]; ok {
		return readPicture(t, out.Path).(*image.NRGBA), out //nolint:errcheck,forcetypeassert // it is what ReadPicture returns
	}
	return framesOf(t, out.Path)[0].image.(*image.NRGBA), out //nolint:errcheck,forcetypeassert // it is what framesOf makes
}

// TestWordsInAnyScript: Chinese is written in a font that has it. Without one, boxes are drawn, and that is said.
func TestWordsInAnyScript(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	found, err := exec.CommandContext(t.Context(), "fc-list", ":charset=4f60 597d", "file").Output()
	installed := err == nil && len(bytes.TrimSpace(found)) > 0
	for _, run := range []string{"caption_strip", "polaroid_frame", "add_text_to_video", "add_title_card"} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			you, out := written(t, run, "你你你")
			good, _ := written(t, run, "好好好")
			if same := difference(you, good) < 0.05; same == installed { // all boxes are the same
				t.Errorf("two characters look the same: %t; a font has them: %t", same, installed)
			}
			if noted := strings.Contains(out.Note.String(), "appear as boxes"); noted == installed {
				t.Errorf("the note is %q; a font has the characters: %t", out.Note, installed)
			}
			if _, out := written(t, run, "Grüße, Привет"); !out.Note.IsZero() {
				t.Errorf("the note on letters that all fonts have is %q", out.Note)
			}
			if _, out := written(t, run, "a \U000f0000"); !strings.Contains(out.Note.String(), "appear as boxes") {
				t.Errorf("the note on a private character is %q", out.Note)
			}
		})
	}
}

// TestManyWordsFit: long captions and several lines are wrapped, and stay within the picture.
func TestManyWordsFit(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	long := strings.Repeat("Many words are wrapped. ", 6)
	for name, caption := range map[string]string{"long": long, "several lines": "One\nTwo\nThree\nFour\nFive", "a long word": strings.Repeat("Donaudampfschiff", 5), "capitals": strings.Repeat("HAPPY BIRTHDAY! ", 6), "wide letters": strings.Repeat("W", 90), "Chinese": strings.Repeat("今天天气很好", 8)} {
		for _, run := range []string{"caption_strip", "polaroid_frame", "add_text_to_video", "add_title_card"} {
			t.Run(run+", "+name, func(t *testing.T) {
				t.Parallel()
				img, _ := written(t, run, caption)
				b := img.Bounds()
				for _, edge := range []image.Rectangle{
					{image.Pt(0, 0), image.Pt(2, b.Max.Y)}, {image.Pt(b.Max.X-2, 0), b.Max}, {image.Pt(0, b.Max.Y-1), b.Max}, {image.Pt(0, 0), image.Pt(b.Max.X, 1)},
				} {
					last := img.NRGBAAt(edge.Max.X-1, edge.Max.Y-1)
					for y := edge.Min.Y; y < edge.Max.Y; y++ {
						for x := edge.Min.X; x < edge.Max.X; x++ {
							c := img.NRGBAAt(x, y)
							if grey := c.R > 120 && c.R < 136; !grey && max(c.R, last.R)-min(c.R, last.R) > 12 {
								t.Fatalf("there are letters at the edge: %v at %d, %d", c, x, y)
							}
						}
					}
				}
			})
		}
	}
}
