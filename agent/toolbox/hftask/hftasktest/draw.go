package hftasktest

import (
	"image"
	"image/color"
	"slices"
	"strings"

	"atelier/agent/toolbox/mediatest"
)

// side is the default side of a picture, and longest the maximum, in pixels.
const (
	side    = 256
	longest = 2048
)

var white, black = color.NRGBA{255, 255, 255, 255}, color.NRGBA{A: 255}

// picture returns an answer that is a picture.
func picture(img image.Image) (any, error) {
	return made{kind: "image/png", body: mediatest.PNG(img)}, nil
}

// drawPicture draws what a prompt names: "three red balls on white". Without a colour it derives one from
// the prompt. With a control image it colours that.
func drawPicture(_ *world, q *request) (any, error) {
	prompt, err := q.needText()
	if err != nil {
		return nil, err
	}
	w, h := q.number("width", side), q.number("height", side)
	if w < 1 || h < 1 || w > longest || h > longest {
		return nil, bad("there is no picture of %dx%d", w, h)
	}
	if q.has("control_image") {
		m, err := q.picture("control_image")
		if err != nil {
			return nil, err
		}
		return picture(painted(m, prompt))
	}
	return picture(drawn(prompt, w, h, q.number("seed", 0)))
}

// inkOf returns the colour that a text names, or one that derives from it.
func inkOf(text string) color.NRGBA {
	if c, _, ok := mediatest.ColourIn(text); ok {
		return c
	}
	return mediatest.Tint(text)
}

// drawn draws a row of discs in the number and colour that the prompt names, on the colour after "on".
func drawn(prompt string, w, h, seed int) *image.NRGBA {
	what, where, _ := strings.Cut(strings.ToLower(prompt), " on ")
	ink, ground := inkOf(what), white
	if c, _, ok := mediatest.ColourIn(where); ok {
		ground = c
	}
	n := 1
	for _, word := range words(what) {
		n = max(n, 1+slices.Index([]string{"one", "two", "three", "four", "five"}, word))
	}
	cell, r := w/n, min(w/(2*n)*7/10, h*3/10)
	shift := seed % 5 * r / 20 // so that pictures differ by seed
	return mediatest.Draw(w, h, func(x, y int) color.NRGBA {
		dx, dy := x%max(cell, 1)-cell/2, y-h/2-shift
		if x < cell*n && dx*dx+dy*dy <= r*r {
			return ink
		}
		return ground
	})
}

// painted colours a map: what is bright in it stands out.
func painted(m *image.NRGBA, prompt string) *image.NRGBA {
	ink := inkOf(prompt)
	return mediatest.Draw(m.Rect.Dx(), m.Rect.Dy(), func(x, y int) color.NRGBA { return mediatest.Mix(black, ink, light(m.NRGBAAt(x, y))) })
}

// estimateDepth treats low and bright areas as near.
func estimateDepth(_ *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	img = looked(img)
	h := img.Rect.Dy()
	depth := mediatest.Draw(img.Rect.Dx(), h, func(x, y int) color.NRGBA { return grey((200*y/h*3 + light(img.NRGBAAt(x, y))) / 4) })
	return map[string]any{"depth": mediatest.PNG(depth)}, nil
}

// looked resizes a photo as map-making models do: to 512 pixels, with sides in multiples of 64, like
// ControlNet's annotators. Small pictures stay as they are.
func looked(img *image.NRGBA) *image.NRGBA {
	const large, size, step = 1024, 512, 64
	w, h := img.Rect.Dx(), img.Rect.Dy()
	longer := max(w, h)
	if longer < large {
		return img
	}
	rounded := func(side int) int { return max((side*size/longer+step/2)/step, 1) * step }
	return mediatest.Scaled(img, rounded(w), rounded(h))
}

// light returns the brightness of a colour: 0 to 255.
func light(c color.NRGBA) int { return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000 }

// grey returns a grey of a brightness, clamped to 0…255.
func grey(v int) color.NRGBA {
	b := uint8(min(max(v, 0), 255))
	return color.NRGBA{b, b, b, 255}
}

// linesOf returns the edges of a picture, white on black. It stands for the maps of all control modes.
func linesOf(img *image.NRGBA) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	at := func(x, y int) int { return light(img.NRGBAAt(min(max(x, 0), w-1), min(max(y, 0), h-1))) }
	return mediatest.Draw(w, h, func(x, y int) color.NRGBA {
		dx, dy := at(x+1, y)-at(x-1, y), at(x, y+1)-at(x, y-1)
		return grey((max(dx, -dx) + max(dy, -dy)) / 48 * 255)
	})
}

// editPicture edits a picture: it makes a map, resizes, fills a mask, or follows a prompt.
func editPicture(wd *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	prompt := q.word("prompt")
	switch w, h, ok := q.size(); {
	case q.has("mask_image"):
		mask, err := q.picture("mask_image")
		if err != nil {
			return nil, err
		}
		return picture(filled(img, func(x, y int) bool { return light(mask.NRGBAAt(x, y)) > 127 }, prompt))
	case q.word("control_mode") != "":
		return picture(linesOf(looked(img)))
	case ok && (w < 1 || h < 1 || w > 2*longest || h > 2*longest):
		return nil, bad("there is no picture of %dx%d", w, h)
	case ok:
		return picture(mediatest.Scaled(img, w, h))
	}
	return picture(wd.edited(img, prompt))
}

// edited changes a picture according to a prompt.
func (wd *world) edited(img *image.NRGBA, prompt string) *image.NRGBA {
	if slices.Contains(words(prompt), "remove") {
		objects := wd.meant(scene{img, mediatest.Objects(img)}, prompt)
		mask := mediatest.Mask(img.Rect.Size(), objects...)
		return filled(img, func(x, y int) bool { return mask.GrayAt(x, y).Y > 0 }, "")
	}
	step := func(v uint8) uint8 { return v/64*64 + v/64*21 }                         // 0, 85, 170, 255
	return mediatest.Draw(img.Rect.Dx(), img.Rect.Dy(), func(x, y int) color.NRGBA { // few colours, like a cartoon
		c := img.NRGBAAt(x, y)
		c = color.NRGBA{step(c.R), step(c.G), step(c.B), 255}
		if ink, _, ok := mediatest.ColourIn(prompt); ok {
			return mediatest.Mix(c, ink, 96)
		}
		return c
	})
}

// filled fills the masked part with a colour of the prompt, or without a prompt with that of the picture's corner.
func filled(img *image.NRGBA, in func(x, y int) bool, prompt string) *image.NRGBA {
	ink := img.NRGBAAt(0, 0)
	if strings.TrimSpace(prompt) != "" {
		ink = inkOf(prompt)
	}
	return mediatest.Draw(img.Rect.Dx(), img.Rect.Dy(), func(x, y int) color.NRGBA {
		if in(x, y) || in(x-1, y) || in(x+1, y) || in(x, y-1) || in(x, y+1) { // include an object's soft edge
			return ink
		}
		return img.NRGBAAt(x, y)
	})
}
