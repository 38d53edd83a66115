package hftasktest

import (
	"image"
	"image/color"
)

// segmented is one segment of a picture.
type segmented struct {
	label

	Mask string `json:"mask"`
}

// segment returns the masks of all blobs, or of those selected by points, boxes, words or a rough mask.
func segment(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	found := []blob{}
	switch {
	case len(q.numbers("points")) > 0:
		found = append(found, pointed(sc.img, q))
	case len(q.numbers("boxes")) > 0:
		for _, b := range q.numbers("boxes") {
			found = append(found, sc.within(image.Rect(b[0], b[1], b[2], b[3])))
		}
	case q.has("mask_image"):
		rough, err := q.picture("mask_image")
		if err != nil {
			return nil, err
		}
		found = append(found, sc.under(rough))
	default:
		found = wd.meant(sc, q.word("prompt"))
	}
	all := []segmented{}
	for _, b := range found {
		encoded, err := base64PNG(maskOf(sc.img.Rect, b.places))
		if err != nil {
			return nil, err
		}
		all = append(all, segmented{label{wd.wordFor(b.colour), b.score()}, encoded})
	}
	return all, nil
}

// maskOf returns a mask that is white at the pixels.
func maskOf(r image.Rectangle, places []image.Point) *image.Gray {
	mask := image.NewGray(r)
	for _, p := range places {
		mask.SetGray(p.X, p.Y, color.Gray{Y: 255})
	}
	return mask
}

// pointed returns the areas at the included points, without those at the excluded points.
func pointed(img *image.NRGBA, q *request) blob {
	labels, _ := q.params["labels"].([]any) //nolint:errcheck // absent is all on it
	wanted, unwanted := make([]bool, len(img.Pix)/4), make([]bool, len(img.Pix)/4)
	var colour color.NRGBA
	var on, sum []image.Point
	for i, p := range q.numbers("points") {
		at := image.Pt(p[0], p[1])
		c := img.NRGBAAt(at.X, at.Y)
		switch {
		case i < len(labels) && labels[i] == 0.0:
			flood(img, unwanted, at, c)
		case !wanted[at.Y*img.Rect.Dx()+at.X]:
			on = append(on, flood(img, wanted, at, c)...)
			colour = c
		}
	}
	for _, p := range on {
		if !unwanted[p.Y*img.Rect.Dx()+p.X] {
			sum = append(sum, p)
		}
	}
	return blobOf(sum, colour)
}

// within returns the parts of blobs in a box, or else the box.
func (s scene) within(r image.Rectangle) blob {
	var sum []image.Point
	colour := s.ground
	for _, b := range s.blobs {
		for _, p := range b.places {
			if p.In(r) {
				sum = append(sum, p)
				colour = s.img.NRGBAAt(p.X, p.Y)
			}
		}
	}
	if len(sum) == 0 {
		sum = placesIn(r.Intersect(s.img.Rect), func(image.Point) bool { return true })
	}
	return blobOf(sum, colour)
}

// under returns the blobs that are more than half covered by a rough mask, or else the mask.
func (s scene) under(rough *image.NRGBA) blob {
	var sum []image.Point
	covered := func(p image.Point) bool { return light(rough.NRGBAAt(p.X, p.Y)) > 127 }
	colour := s.ground
	for _, b := range s.blobs {
		n := 0
		for _, p := range b.places {
			if covered(p) {
				n++
			}
		}
		if n*2 > b.area {
			sum = append(sum, b.places...)
			colour = s.img.NRGBAAt(b.places[0].X, b.places[0].Y)
		}
	}
	if len(sum) == 0 {
		sum = placesIn(s.img.Rect, covered)
	}
	return blobOf(sum, colour)
}

// placesIn returns the wanted pixels of a rectangle.
func placesIn(r image.Rectangle, wanted func(image.Point) bool) []image.Point {
	var all []image.Point
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if p := image.Pt(x, y); wanted(p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// greyOf returns a picture in greyscale.
func greyOf(img *image.NRGBA) *image.Gray {
	g := image.NewGray(img.Rect)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			g.SetGray(x, y, color.Gray{Y: uint8(light(img.NRGBAAt(x, y)))}) //nolint:gosec // 0 to 255
		}
	}
	return g
}
