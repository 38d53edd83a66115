package canvas

import (
	"image/color"
)

// Ink is the colour of words on a bright ground.
var Ink = color.NRGBA{31, 41, 55, 255}
