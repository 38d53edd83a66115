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

// segment gives the masks of all blobs, or of what points, boxes, words or a rough mask
// mean.
func segment(s *Server, q *request) (any, error) {
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
		found = s.meant(sc, q.word("prompt"))
	}
	all := []segmented{}
	for _, b := range found {
		encoded, err := base64PNG(b.mask)
		if err != nil {
			return nil, err
		}
		all = append(all, segmented{label{s.wordFor(b.colour), b.score()}, encoded})
	}
	return all, nil
}

// pointed is what floods from the points on the object, without what floods from those
// beside it.
func pointed(img *image.NRGBA, q *request) blob {
	w := img.Bounds().Dx()
	labels, _ := q.params["labels"].([]any) //nolint:errcheck // absent is all on it
	sum := blob{mask: image.NewGray(img.Bounds())}
	paint := func(wanted bool) {
		for i, p := range q.numbers("points") {
			if on := i >= len(labels) || labels[i] != 0.0; on != wanted {
				continue
			}
			at := image.Pt(p[0], p[1])
			c := img.NRGBAAt(at.X, at.Y)
			b := blobOf(img, flood(img, make([]bool, w*img.Bounds().Dy()), at, c), c)
			if sum.colour == "" {
				sum.colour = b.colour
			}
			sum.paint(b.mask, wanted)
		}
	}
	paint(true)
	paint(false)
	return sum
}

// paint adds a mask to that of a blob, or takes it away.
func (b *blob) paint(mask *image.Gray, add bool) {
	b.area, b.box = 0, image.Rectangle{}
	for y := range mask.Rect.Dy() {
		for x := range mask.Rect.Dx() {
			if mask.GrayAt(x, y).Y > 127 {
				b.mask.SetGray(x, y, color.Gray{Y: map[bool]uint8{true: 255}[add]})
			}
			if b.mask.GrayAt(x, y).Y > 127 {
				b.area++
				b.box = b.box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
}

// within is what lies in a box before the background, or else the box.
func (s scene) within(r image.Rectangle) blob {
	sum := blob{colour: nameOf(s.ground), mask: image.NewGray(s.img.Bounds())}
	for _, b := range s.blobs {
		if b.box.Overlaps(r) {
			sum.colour = b.colour
			sum.paint(clipped(b.mask, r), true)
		}
	}
	if sum.area == 0 {
		sum.paint(clipped(full(s.img.Bounds()), r), true)
	}
	return sum
}

// under are the blobs of which more than half lies under a rough mask, or else the mask.
func (s scene) under(rough *image.NRGBA) blob {
	sum := blob{colour: nameOf(s.ground), mask: image.NewGray(s.img.Bounds())}
	for _, b := range s.blobs {
		covered := 0
		for y := b.box.Min.Y; y < b.box.Max.Y; y++ {
			for x := b.box.Min.X; x < b.box.Max.X; x++ {
				if b.mask.GrayAt(x, y).Y > 127 && light(rough.NRGBAAt(x, y)) > 127 {
					covered++
				}
			}
		}
		if covered*2 > b.area {
			sum.colour = b.colour
			sum.paint(b.mask, true)
		}
	}
	if sum.area == 0 {
		sum.paint(greyOf(rough), true)
	}
	return sum
}

func full(r image.Rectangle) *image.Gray {
	g := image.NewGray(r)
	for i := range g.Pix {
		g.Pix[i] = 255
	}
	return g
}

func clipped(mask *image.Gray, r image.Rectangle) *image.Gray {
	out := image.NewGray(mask.Rect)
	r = r.Intersect(mask.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			out.SetGray(x, y, mask.GrayAt(x, y))
		}
	}
	return out
}

// greyOf is how bright each pixel is.
func greyOf(img *image.NRGBA) *image.Gray {
	g := image.NewGray(img.Rect)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			g.SetGray(x, y, color.Gray{Y: uint8(light(img.NRGBAAt(x, y)))}) //nolint:gosec // 0 to 255
		}
	}
	return g
}
