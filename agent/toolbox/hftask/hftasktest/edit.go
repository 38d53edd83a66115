package hftasktest

import (
	"image"
	"image/color"
	"slices"
	"strings"
)

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
		return picture(filled(img, greyOf(mask), prompt))
	case q.has("control_image"):
		m, err := q.picture("control_image")
		if err != nil {
			return nil, err
		}
		return picture(painted(m, prompt))
	case q.word("control_mode") != "":
		return picture(mapOf(looked(img), q.word("control_mode")))
	case ok && (w < 1 || h < 1 || w > 2*longest || h > 2*longest):
		return nil, bad("there is no picture of %dx%d", w, h)
	case ok:
		return picture(scaled(wd.edited(img, prompt), w, h))
	}
	return picture(wd.edited(img, prompt))
}

// edited changes a picture according to a prompt.
func (wd *world) edited(img *image.NRGBA, prompt string) *image.NRGBA {
	has := func(some ...string) bool {
		for _, word := range words(prompt) {
			if slices.Contains(some, word) {
				return true
			}
		}
		return false
	}
	sc := look(img)
	switch {
	case strings.TrimSpace(prompt) == "":
		return mirrored(img)
	case has("remove", "erase", "delete", "without"):
		return filled(img, wd.removable(sc, prompt), "")
	case has("grey", "gray", "black-and-white"):
		return mapped(img.Rect.Dx(), img.Rect.Dy(), func(x, y int) color.NRGBA { return grey(light(img.NRGBAAt(x, y))) })
	}
	out := posterised(img)
	if c, _, ok := colourIn(prompt); ok {
		return mapped(img.Rect.Dx(), img.Rect.Dy(), func(x, y int) color.NRGBA { return mix(out.NRGBAAt(x, y), c, 96) })
	}
	return out
}

// removable returns the mask of what a prompt wants removed: the blobs that it names, or the middle of the
// picture.
func (wd *world) removable(sc scene, prompt string) *image.Gray {
	var sum []image.Point
	for _, b := range wd.meant(sc, prompt) {
		sum = append(sum, b.places...)
	}
	if len(sum) == 0 {
		w, h := sc.img.Rect.Dx(), sc.img.Rect.Dy()
		sum = placesIn(image.Rect(w/4, h/4, w*3/4, h*3/4), func(image.Point) bool { return true })
	}
	return maskOf(sc.img.Rect, sum)
}

// filled fills the masked part with a colour of the prompt, or without a prompt with the surrounding colour.
func filled(img *image.NRGBA, mask *image.Gray, prompt string) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	in := func(x, y int) bool { return mask.GrayAt(x, y).Y > 127 }
	if strings.TrimSpace(prompt) != "" {
		c, _, ok := colourIn(prompt)
		if !ok {
			c = hueOf(prompt)
		}
		return mapped(w, h, func(x, y int) color.NRGBA {
			if !in(x, y) {
				return img.NRGBAAt(x, y)
			}
			return mix(c, img.NRGBAAt(x, y), 32) // the original shines through a little
		})
	}
	around := surroundings(img, mask)
	return mapped(w, h, func(x, y int) color.NRGBA {
		if in(x, y) || in(x-1, y) || in(x+1, y) || in(x, y-1) || in(x, y+1) { // include an object's soft edge
			return around
		}
		return img.NRGBAAt(x, y)
	})
}

// surroundings returns the most frequent colour around a mask.
func surroundings(img *image.NRGBA, mask *image.Gray) color.NRGBA {
	const far = 3 // beyond an object's soft edge
	count := map[color.NRGBA]int{}
	best := groundOf(img)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if mask.GrayAt(x, y).Y <= 127 {
				continue
			}
			for _, d := range []image.Point{{X: far}, {X: -far}, {Y: far}, {Y: -far}} {
				p := image.Pt(x, y).Add(d)
				if !p.In(img.Rect) || mask.GrayAt(p.X, p.Y).Y > 127 {
					continue
				}
				c := img.NRGBAAt(p.X, p.Y)
				if count[c]++; count[c] > count[best] {
					best = c
				}
			}
		}
	}
	return best
}

// posterised reduces the colours of a picture, like a cartoon.
func posterised(img *image.NRGBA) *image.NRGBA {
	step := func(v uint8) uint8 { return v/64*64 + v/64*21 } // 0, 85, 170, 255
	return mapped(img.Rect.Dx(), img.Rect.Dy(), func(x, y int) color.NRGBA {
		c := img.NRGBAAt(x, y)
		return color.NRGBA{step(c.R), step(c.G), step(c.B), 255}
	})
}

// mirrored flips a picture horizontally.
func mirrored(img *image.NRGBA) *image.NRGBA {
	w := img.Rect.Dx()
	return mapped(w, img.Rect.Dy(), func(x, y int) color.NRGBA { return img.NRGBAAt(w-1-x, y) })
}
