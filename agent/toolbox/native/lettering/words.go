package lettering

import (
	"image/color"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/native/canvas"
)

// Plate is the ground of a label in white letters: the colour of its mark, or black if that is bright.
func Plate(c color.NRGBA) color.NRGBA {
	if canvas.Brightness(c) > 160_000 {
		return color.NRGBA{A: 255}
	}
	return c
}

// Most is the longest caption in letters: more cannot be read on a picture.
const Most = 500

// Visible tells whether a caption of this character shows anything but quotation marks.
func Visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\"'“”‘’„«»`", r)
}

// Missing is a note that some letters of the text are not in the font; it is empty if all are.
func Missing(text string) plan.Message {
	if canvas.Has(canvas.Bold, text) {
		return plan.Message{}
	}
	return plan.Say("Some characters are missing from the font and appear as boxes.")
}
