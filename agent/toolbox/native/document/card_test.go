package document

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestTextCard(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	for name, c := range map[string]struct {
		colour, shape string
		ground, ink   color.NRGBA
		size          image.Point
	}{
		"usual":  {"", "", color.NRGBA{15, 23, 42, 255}, color.NRGBA{255, 255, 255, 255}, image.Pt(1280, 720)},
		"bright": {"yellow", "square", color.NRGBA{255, 255, 0, 255}, color.NRGBA{17, 24, 39, 255}, image.Pt(960, 960)},
		"tall":   {"dark blue", "9:16", color.NRGBA{0, 0, 139, 255}, color.NRGBA{255, 255, 255, 255}, image.Pt(720, 1280)},
	} {
		given := nativetest.Args{"text": {nativetest.Text("“Chapter One”\nThe long way home")}}
		if c.colour != "" {
			given["colour"] = []toolbox.Value{nativetest.Text(c.colour)}
			given["shape"] = []toolbox.Value{nativetest.Text(c.shape)}
		}
		img := w.Picture("text_card", given).Image
		drawn := nativetest.Painted(img, c.ground)
		middle := drawn.Min.Add(drawn.Max).Div(2)
		if img.Rect.Size() != c.size || nativetest.Inked(img, c.ink) < 3000 || !middle.In(image.Rect(c.size.X*4/10, c.size.Y*4/10, c.size.X*6/10, c.size.Y*6/10)) {
			t.Errorf("%s: %v with letters in %v", name, img.Rect, drawn)
		}
	}
	w.Refused("text_card", nativetest.Args{"text": {nativetest.Text(" ")}}, "which words")
	w.Refused("text_card", nativetest.Args{"text": {nativetest.Text(strings.Repeat("word ", 120))}}, "too much")
}
