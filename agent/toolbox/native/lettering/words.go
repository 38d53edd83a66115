package lettering

import (
	"image/color"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/native/canvas"
)

// Plate returns the background for a label in white letters: the mark's colour, or black if that is bright.
func Plate(c color.NRGBA) color.NRGBA {
	if canvas.Brightness(c) > 160_000 {
		return color.NRGBA{A: 255}
	}
	return c
}

// Most is the maximum length of a caption, in characters: more is unreadable on a picture.
const Most = 500

// Visible reports whether the character is visible and not a quotation mark.
func Visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\"'“”‘’„«»`", r)
}

// Missing returns a note if the font lacks some characters of the text; empty if it has all.
func Missing(text string) plan.Message {
	if canvas.Has(canvas.Bold, text) {
		return plan.Message{}
	}
	return plan.Say("Some characters are missing from the font and appear as boxes.")
}
