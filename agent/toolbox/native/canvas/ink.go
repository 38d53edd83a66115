package canvas

import (
	"image/color"
)

// Ink is the colour of words on a bright ground.
var Ink = color.NRGBA{31, 41, 55, 255}

// Brightness is how bright a colour looks, from 0 to 255,000 (https://www.w3.org/TR/AERT/#color-contrast).
func Brightness(c color.NRGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }

// InkOn is a colour of words that can be read on a ground.
func InkOn(ground color.NRGBA) color.NRGBA {
	if Brightness(ground) < 128_000 {
		return color.NRGBA{255, 255, 255, 255}
	}
	return Ink
}
