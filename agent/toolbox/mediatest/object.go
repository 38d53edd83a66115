package mediatest

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// Object is a part of a picture: connected pixels of about the same colour.
type Object struct {
	Colour string
	Box    image.Rectangle
	Pixels []image.Point
}

// Objects returns the objects of a picture that differ from its first corner, the largest first.
func Objects(img *image.NRGBA) []Object {
	const least = 200 // the fraction of the picture that an object covers, so that artefacts of JPEG are ignored
	w, h := img.Rect.Dx(), img.Rect.Dy()
	seen := make([]bool, w*h)
	var all []Object
	for y := range h {
		for x := range w {
			if !seen[y*w+x] && !alike(img.NRGBAAt(x, y), img.NRGBAAt(0, 0)) {
				if o := flood(img, image.Pt(x, y), seen); len(o.Pixels)*least >= w*h {
					all = append(all, o)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Object) int { return cmp.Compare(len(b.Pixels), len(a.Pixels)) })
	return all
}

// ObjectAt returns the object, or the part of the background, at a point.
func ObjectAt(img *image.NRGBA, at image.Point) Object {
	return flood(img, at, make([]bool, img.Rect.Dx()*img.Rect.Dy()))
}

// flood collects the connected pixels that resemble the first one, and marks them as seen.
func flood(img *image.NRGBA, from image.Point, seen []bool) Object {
	w, c := img.Rect.Dx(), img.NRGBAAt(from.X, from.Y)
	o := Object{Colour: NameOf(c), Pixels: []image.Point{from}}
	seen[from.Y*w+from.X] = true
	for next := 0; next < len(o.Pixels); next++ {
		at := o.Pixels[next]
		o.Box = o.Box.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
		for _, d := range []image.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			p := at.Add(d)
			if p.In(img.Rect) && !seen[p.Y*w+p.X] && alike(img.NRGBAAt(p.X, p.Y), c) {
				seen[p.Y*w+p.X] = true
				o.Pixels = append(o.Pixels, p)
			}
		}
	}
	return o
}

// alike reports whether two colours are equal but for the artefacts of JPEG.
func alike(a, b color.NRGBA) bool { return distance(a, b) <= 60*60 }

// Mask returns a mask of the given size that is white at the pixels of the objects.
func Mask(size image.Point, objects ...Object) *image.Gray {
	mask := image.NewGray(image.Rectangle{Max: size})
	for _, o := range objects {
		for _, p := range o.Pixels {
			mask.SetGray(p.X, p.Y, color.Gray{Y: 255})
		}
	}
	return mask
}
