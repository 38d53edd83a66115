package hftasktest

import (
	"image"
	"image/color"
	"slices"
	"strings"
)

// side is the default side of a picture, and longest the maximum, in pixels.
const (
	side    = 256
	longest = 2048
)

// counts are the numbers that a prompt may contain.
var counts = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
}

// drawPicture draws what a prompt names: "three red balls on white". Without a colour it derives one from
// the prompt. With a control image it colours that.
func drawPicture(_ *world, q *request) (any, error) {
	prompt := q.text()
	if strings.TrimSpace(prompt) == "" {
		return nil, bad("the prompt is empty")
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

// drawn draws a row of discs in the number and colour that the prompt names, on the colour after "on".
func drawn(prompt string, w, h, seed int) *image.NRGBA {
	what, where, _ := strings.Cut(strings.ToLower(prompt), " on ")
	c, _, ok := colourIn(what)
	if !ok {
		c = hueOf(prompt)
	}
	ground, _, ok := colourIn(where)
	if !ok {
		ground = mix(color.NRGBA{255, 255, 255, 255}, hueOf(prompt+" ground"), 24)
	}
	n := 1
	for _, word := range words(what) {
		if k, ok := counts[word]; ok {
			n = k
			break
		}
	}
	r := min(w/(2*n)*7/10, h*3/10)
	shift := seed % 5 * r / 20 // so that pictures differ by seed
	return mapped(w, h, func(x, y int) color.NRGBA {
		cell := w / n
		dx, dy := x%max(cell, 1)-cell/2, y-h/2-shift
		if x < cell*n && dx*dx+dy*dy <= r*r {
			return c
		}
		return ground
	})
}

// painted colours a map: what is bright in it stands out.
func painted(m *image.NRGBA, prompt string) *image.NRGBA {
	c, _, ok := colourIn(prompt)
	if !ok {
		c = hueOf(prompt)
	}
	dark := mix(hueOf(prompt+" ground"), color.NRGBA{A: 255}, 176)
	return mapped(m.Rect.Dx(), m.Rect.Dy(), func(x, y int) color.NRGBA { return mix(dark, c, light(m.NRGBAAt(x, y))) })
}

// estimateDepth treats low and bright areas as near.
func estimateDepth(_ *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	img = looked(img)
	encoded, err := base64PNG(depthOf(img))
	if err != nil {
		return nil, err
	}
	const cells = 4
	var tensor [cells][cells]float64
	small := scaled(depthOf(img), cells, cells)
	for y := range cells {
		for x := range cells {
			tensor[y][x] = float64(light(small.NRGBAAt(x, y))) / 255
		}
	}
	return map[string]any{"depth": encoded, "predicted_depth": tensor}, nil
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
	return scaled(img, rounded(w), rounded(h))
}

func depthOf(img *image.NRGBA) *image.NRGBA {
	h := img.Rect.Dy()
	return mapped(img.Rect.Dx(), h, func(x, y int) color.NRGBA { return grey((200*y/h*3 + light(img.NRGBAAt(x, y))) / 4) })
}

// grey returns a grey of a brightness, clamped to 0…255.
func grey(v int) color.NRGBA {
	b := uint8(min(max(v, 0), 255))
	return color.NRGBA{b, b, b, 255}
}

// mapOf returns the control image (edges, depth and so on) for the given control_mode.
func mapOf(img *image.NRGBA, mode string) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	at := func(x, y int) int { return light(img.NRGBAAt(min(max(x, 0), w-1), min(max(y, 0), h-1))) }
	slope := func(x, y int) (dx, dy int) { return at(x+1, y) - at(x-1, y), at(x, y+1) - at(x, y-1) }
	switch mode {
	case "depth":
		return depthOf(img)
	case "normal":
		return mapped(w, h, func(x, y int) color.NRGBA {
			dx, dy := slope(x, y)
			return color.NRGBA{grey(128 - dx/2).R, grey(128 + dy/2).R, 255, 255}
		})
	case "segmentation":
		return mapped(w, h, func(x, y int) color.NRGBA {
			c, _, _ := colourIn(nameOf(img.NRGBAAt(x, y)))
			return c
		})
	case "pose":
		return poseOf(img)
	}
	return mapped(w, h, func(x, y int) color.NRGBA { // white lines on black
		dx, dy := slope(x, y)
		steep := max(dx, -dx) + max(dy, -dy)
		if mode != "hed" { // only hed has soft lines
			steep = steep / 48 * 255
		}
		return grey(steep)
	})
}

// poseOf draws the keypoints of a figure in white at the largest blob.
func poseOf(img *image.NRGBA) *image.NRGBA {
	out := mapped(img.Rect.Dx(), img.Rect.Dy(), func(int, int) color.NRGBA { return grey(0) })
	where := img.Rect
	if big, ok := look(img).largest(); ok {
		where = big.box
	}
	for _, k := range body {
		at := image.Pt(where.Min.X+int(k.x)*where.Dx()/100, where.Min.Y+int(k.y)*where.Dy()/100)
		for y := -2; y <= 2; y++ {
			for x := -2; x <= 2; x++ {
				out.SetNRGBA(at.X+x, at.Y+y, grey(255))
			}
		}
	}
	return out
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
