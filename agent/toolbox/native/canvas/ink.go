package canvas

import (
	"image/color"
)

// Ink is the text colour on a bright background.
var Ink = color.NRGBA{31, 41, 55, 255}

// Brightness returns the perceived brightness of a colour, from 0 to 255,000
// (https://www.w3.org/TR/AERT/#color-contrast).
func Brightness(c color.NRGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }

// InkOn returns a text colour that is readable on the background.
func InkOn(ground color.NRGBA) color.NRGBA {
	if Brightness(ground) < 128_000 {
		return color.NRGBA{255, 255, 255, 255}
	}
	return Ink
}
