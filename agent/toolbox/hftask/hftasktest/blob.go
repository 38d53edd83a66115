package hftasktest

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// blob is a connected region of one colour that differs from the background.
type blob struct {
	colour string
	box    image.Rectangle
	area   int
	places []image.Point
}

// score returns the confidence of a detection.
func (b *blob) score() float64 {
	return min(0.99, 0.6+float64(b.area)/float64(4*max(b.box.Dx()*b.box.Dy(), 1)))
}

// shape distinguishes discs from squares by how much of its box a blob fills; π/4 is a disc.
func (b *blob) shape() string {
	fill := float64(b.area) / float64(max(b.box.Dx()*b.box.Dy(), 1))
	round := b.box.Dx()*4 < b.box.Dy()*5 && b.box.Dy()*4 < b.box.Dx()*5
	switch {
	case round && fill > 0.70 && fill < 0.86:
		return "disc"
	case round && fill > 0.95:
		return "square"
	case fill > 0.95:
		return "bar"
	}
	return "shape"
}

// scene is the content of a picture.
type scene struct {
	img    *image.NRGBA
	ground color.NRGBA
	blobs  []blob // from left to right, and from top to bottom
}

// near is the largest distance between two colours that count as the same.
const near = 60 * 60

// mostBlobs is the limit for blobs; the largest are kept.
const mostBlobs = 40

// look finds the blobs of a picture. The background is the most frequent colour along the border.
func look(img *image.NRGBA) scene {
	s := scene{img: img, ground: groundOf(img)}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	seen := make([]bool, w*h)
	least := max(12, w*h/2000)
	for y := range h {
		for x := range w {
			if c := img.NRGBAAt(x, y); !seen[y*w+x] && distance(c, s.ground) > near {
				if places := flood(img, seen, image.Pt(x, y), c); len(places) >= least {
					s.blobs = append(s.blobs, blobOf(places, c))
				}
			}
		}
	}
	slices.SortStableFunc(s.blobs, func(a, b blob) int { return cmp.Compare(b.area, a.area) })
	s.blobs = s.blobs[:min(len(s.blobs), mostBlobs)]
	slices.SortStableFunc(s.blobs, func(a, b blob) int {
		return cmp.Or(cmp.Compare(a.box.Min.X, b.box.Min.X), cmp.Compare(a.box.Min.Y, b.box.Min.Y))
	})
	return s
}

// groundOf returns the most frequent colour along the border.
func groundOf(img *image.NRGBA) color.NRGBA {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	count := map[color.NRGBA]int{}
	var best color.NRGBA
	add := func(x, y int) {
		c := img.NRGBAAt(x, y)
		coarse := color.NRGBA{c.R &^ 15, c.G &^ 15, c.B &^ 15, 255}
		count[coarse]++
		if count[coarse] > count[color.NRGBA{best.R &^ 15, best.G &^ 15, best.B &^ 15, 255}] || best.A == 0 {
			best = c
		}
	}
	for x := range w {
		add(x, 0)
		add(x, h-1)
	}
	for y := range h {
		add(0, y)
		add(w-1, y)
	}
	return best
}

// flood returns the connected pixels of about the same colour, and marks them as seen.
func flood(img *image.NRGBA, seen []bool, from image.Point, c color.NRGBA) []image.Point {
	w := img.Bounds().Dx()
	places := []image.Point{from}
	seen[from.Y*w+from.X] = true
	for next := 0; next < len(places); next++ {
		for _, d := range []image.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			p := places[next].Add(d)
			if p.In(img.Bounds()) && !seen[p.Y*w+p.X] && distance(img.NRGBAAt(p.X, p.Y), c) <= near {
				seen[p.Y*w+p.X] = true
				places = append(places, p)
			}
		}
	}
	return places
}

// blobOf returns the blob that consists of the pixels.
func blobOf(places []image.Point, c color.NRGBA) blob {
	b := blob{colour: nameOf(c), area: len(places), places: places}
	for _, p := range places {
		b.box = b.box.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
	}
	return b
}

// largest returns the blob with the most pixels.
func (s scene) largest() (blob, bool) {
	if len(s.blobs) == 0 {
		return blob{}, false
	}
	return slices.MaxFunc(s.blobs, func(a, b blob) int { return cmp.Compare(a.area, b.area) }), true
}
