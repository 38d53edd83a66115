package quantity

import (
	"image"
	"math"
	"regexp"
)

var (
	geometry = regexp.MustCompile(`(?:^|\D)(\d{1,6}) ?x ?(\d{1,6}) ?\+ ?(\d{1,6}) ?\+ ?(\d{1,6})(?:\D|$)`)
	corners  = regexp.MustCompile(`(?:^|[^\d.-])(\d{1,6}) ?,? (?:and )?(\d{1,6}) ?,? (?:and |to )?(\d{1,6}) ?,? (?:and )?(\d{1,6})(?:[^\d.]|$)`)
	noSpace  = regexp.MustCompile(`(\d),(\d)`)
	aspect   = regexp.MustCompile(`(?:^|[^\d:.])` + number + ` ?(?::|to) ?` + number + `(?:[^\d:.]|$)`)
	square   = regexp.MustCompile(`\bsquared?\b`)
	strip    = regexp.MustCompile(`(?:^|[^\d.])(\d{1,6}) ?(?:px|pixels?|pix)\b`)
	without  = regexp.MustCompile(`\b(?:cut(?:ting)? off|remove|without|drop|trim off|take off|chop off|crop off|lose|discard|except|but not)\b`)
)

// Region understands which part of a picture of that size is meant: "the left half",
// "top right quarter", "a square", "16:9", "640x480 at the top", "100x200+30+40"
// (width, height, left, top), "100,100,300,400" (left, top, right, bottom), "the
// middle", "cut off the bottom 20%". What it gives lies within the picture and is not
// empty.
func Region(text string, width, height int) (image.Rectangle, bool) {
	whole := image.Rect(0, 0, width, height)
	s := fold(text)
	if senseless(s) {
		return image.Rectangle{}, false
	}
	r, ok := region(s, whole)
	r = r.Intersect(whole)
	return r, ok && !r.Empty()
}

func region(s string, b image.Rectangle) (image.Rectangle, bool) {
	if m := geometry.FindStringSubmatch(s); m != nil {
		p := image.Pt(whole(m[3]), whole(m[4]))
		return image.Rectangle{Min: p, Max: p.Add(image.Pt(whole(m[1]), whole(m[2])))}, true
	}
	if m := corners.FindStringSubmatch(noSpace.ReplaceAllString(noSpace.ReplaceAllString(s, "$1, $2"), "$1, $2")); m != nil {
		r := image.Rectangle{Min: image.Pt(whole(m[1]), whole(m[2])), Max: image.Pt(whole(m[3]), whole(m[4]))}
		return r, r.Min.X < r.Max.X && r.Min.Y < r.Max.Y
	}
	anchor, placed := place(s)
	if m := sides.FindStringSubmatch(s); m != nil {
		return anchor.In(b, min(whole(m[1]), b.Dx()), min(whole(m[2]), b.Dy())), true
	}
	if m := aspect.FindStringSubmatch(s); m != nil && float(m[1]) > 0 && float(m[2]) > 0 {
		return shaped(b, anchor, float(m[1])/float(m[2])), true
	}
	if square.MatchString(s) {
		return shaped(b, anchor, 1), true
	}
	if !placed {
		return image.Rectangle{}, false
	}
	return part(s, b, anchor)
}

// shaped is the largest rectangle of that ratio of width to height.
func shaped(b image.Rectangle, a Anchor, ratio float64) image.Rectangle {
	w, h := float64(b.Dx()), float64(b.Dy())
	if w > h*ratio {
		w = h * ratio
	} else {
		h = w / ratio
	}
	return a.In(b, max(1, int(math.Round(w))), max(1, int(math.Round(h))))
}

// part is a side, a corner or the middle of the picture, as wide as the text says:
// half if it says nothing. A quarter in a corner is half of each side.
func part(s string, b image.Rectangle, a Anchor) (image.Rectangle, bool) {
	f, _, given := share(s)
	if !given {
		f = 0.5
	}
	if f <= 0 || f > 1 {
		return image.Rectangle{}, false
	}
	corner := a.X != 0 && a.Y != 0
	if corner && given && f == 0.25 {
		f = 0.5
	}
	scaled := func(side int) int { return max(1, int(math.Round(float64(side)*f))) }
	w, h := scaled(b.Dx()), scaled(b.Dy())
	if m := strip.FindStringSubmatch(s); m != nil {
		w, h = min(whole(m[1]), b.Dx()), min(whole(m[1]), b.Dy())
	}
	switch { // a side goes from one end to the other
	case a.X == 0 && a.Y != 0:
		w = b.Dx()
	case a.Y == 0 && a.X != 0:
		h = b.Dy()
	}
	if without.MatchString(s) && !corner && a != (Anchor{}) {
		if a.X != 0 {
			w = b.Dx() - w
		} else {
			h = b.Dy() - h
		}
		a = Anchor{X: -a.X, Y: -a.Y}
	}
	return a.In(b, w, h), w > 0 && h > 0
}
