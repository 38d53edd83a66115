package quantity

import (
	"image"

	"atelier/agent/lazyregexp"
)

// Anchor is a position on a picture: X and Y are -1 (left, top), 0 (centre) or 1 (right, bottom).
type Anchor struct{ X, Y int }

var (
	atLeft   = lazyregexp.New(`\b(?:left|lefthand|leftmost|west|left hand)\b`)
	atRight  = lazyregexp.New(`\b(?:right|righthand|rightmost|east|right hand)\b`)
	atTop    = lazyregexp.New(`\b(?:top|upper|above|topmost|north|head|uppermost)\b`)
	atBottom = lazyregexp.New(`\b(?:bottom|lower|below|underneath|lowest|foot|south|base|beneath)\b`)
	atCentre = lazyregexp.New(`\b(?:centre|mid|across|inner)\b`)
)

// Place parses a position on a picture: "top", "bottom right", "the upper left corner", "centre".
func Place(text string) (Anchor, bool) { return place(fold(text)) }

func place(s string) (a Anchor, ok bool) {
	left, right := atLeft.MatchString(s), atRight.MatchString(s)
	top, bottom := atTop.MatchString(s), atBottom.MatchString(s)
	if left != right {
		a.X = 1
		if left {
			a.X = -1
		}
	}
	if top != bottom {
		a.Y = 1
		if top {
			a.Y = -1
		}
	}
	return a, a != Anchor{} || atCentre.MatchString(s)
}

// In returns a rectangle of the given size at the anchor of the bounds, clipped to them.
func (a Anchor) In(b image.Rectangle, width, height int) image.Rectangle {
	at := func(low, room, sign int) int { return low + room*(sign+1)/2 }
	p := image.Pt(at(b.Min.X, b.Dx()-width, a.X), at(b.Min.Y, b.Dy()-height, a.Y))
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(width, height))}.Intersect(b)
}
