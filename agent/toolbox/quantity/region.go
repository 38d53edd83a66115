package quantity

import (
	"image"
	"math"
	"strings"

	"atelier/agent/lazyregexp"
)

var (
	geometry = lazyregexp.New(`(?:^|\D)(\d{1,6}) ?x ?(\d{1,6}) ?\+ ?(\d{1,6}) ?\+ ?(\d{1,6})(?:\D|$)`)
	corners  = lazyregexp.New(`(?:^|[^\d.-])(\d{1,6}) ?,? (?:and )?(\d{1,6}) ?,? (?:and |to )?(\d{1,6}) ?,? (?:and )?(\d{1,6})(?:[^\d.]|$)`)
	boxAt    = lazyregexp.New(`(?:^|[^\d.])(\d{1,6}) ?x ?(\d{1,6})(?: ?px| pixels?)? ?,? at (?:position )?(\d{1,6}) ?[,/x] ?(\d{1,6})(?:[^\d.]|$)`)
	boxFrom  = lazyregexp.New(`(?:^|[^\d.])(\d{1,6}) ?, ?(\d{1,6}),? (?:with |size |sized |and |of )*(\d{1,6}) ?x ?(\d{1,6})(?:[^\d.]|$)`)
	// span matches where a part is along one axis: "x 950 to 1230", "rows 213-427".
	span = lazyregexp.New(`\b(x|y|rows?|columns?|cols?) ?[:=]? ?(?:from |between )?(?:x |y )?` +
		`(\d{1,6})(?: ?px| pixels?)? ?(?:to|till|until|and|-) ?(?:x |y )?(\d{1,6})\b`)
	noSpace   = lazyregexp.New(`(\d),(\d)`)
	aspect    = lazyregexp.New(`(?:^|[^\d:.])` + number + ` ?(?::|to) ?` + number + `(?:[^\d:.]|$)`)
	counted   = lazyregexp.New(`^\d+ to \d+$`) // as in "frames 5 to 10"
	strip     = lazyregexp.New(`(?:^|[^\d.])(\d{1,6}) ?(?:px|pixels?|pix)\b`)
	portrait  = lazyregexp.New(`\b(?:portrait|upright|vertical)\b`)
	landscape = lazyregexp.New(`\b(?:landscape|horizontal)\b`)
	without   = lazyregexp.New(`\b(?:cut(?:ting)? off|remove|without|drop|trim off|take off|chop off|crop off|lose|discard|except|but not)\b`)
)

// Area is a part of a picture of any size. Its size is given by one of Box, Width with Height, Ratio, Strip and Share.
type Area struct {
	Box           image.Rectangle // in pixels, from the top left corner
	Width, Height int             // in pixels
	Ratio         [2]float64      // the largest part with this aspect ratio
	Strip         int             // thickness in pixels, on each axis where Anchor is off centre
	Share         float64         // fraction of each axis where Anchor is off centre; of both for the middle
	// Rest inverts the part. It is only for a side with Strip or Share.
	Rest   bool
	Anchor Anchor
	// Rim removes Strip or Share from both ends of these axes.
	Rim Axes
}

// Axes selects one or both axes of a picture.
type Axes struct{ X, Y bool }

var (
	allSides = lazyregexp.New(`\b(?:all|every|each|the)(?: of)?(?: the)?(?: 4| four)? (?:sides?|edges?|borders?)\b|\ball around\b`)
	oneSide  = lazyregexp.New(`\bthe (?:side|edge|border)\b`)
	facing   = lazyregexp.New(`\b(?:left|right|top|bottom)(?: side| edge)? and (?:from |off )?(?:the )?(?:left|right|top|bottom)\b`)
	goesOff  = lazyregexp.New(`\b(?:off|from|away)\b`)
	// offSide matches what is taken off one side: "25% off the bottom".
	offSide = lazyregexp.New(`\boff (?:of )?(?:(?:the|its) )?(?:left|right|top|bottom|upper|lower)\b`)
)

// shapes are the aspect ratios with a name. Phones are upright, screens are wide.
var shapes = []struct {
	words         lazyregexp.Regexp
	width, height float64
}{
	{lazyregexp.New(`\bsquared?\b`), 1, 1},
	{lazyregexp.New(`\b(?:vertical|vertically|portrait|upright|phone|stor(?:y|ies)|reels?|shorts|tiktok)\b`), 9, 16},
	{lazyregexp.New(`\b(?:horizontal|horizontally|landscape|wide ?screen|wide|youtube|tv)\b`), 16, 9},
}

// Shape returns the aspect ratio with that name: "square", "vertical", "for a phone".
func Shape(text string) (width, height float64, ok bool) {
	text = strings.ToLower(text)
	for _, s := range shapes {
		if s.words.MatchString(text) {
			return s.width, s.height, true
		}
	}
	return 0, 0, false
}

// Oriented turns an aspect ratio to the orientation that the text names: "3:2 portrait" is 2:3.
func Oriented(text string, width, height float64) [2]float64 {
	tall, wide := portrait.MatchString(text), landscape.MatchString(text)
	if tall && !wide && width > height || wide && !tall && width < height {
		return [2]float64{height, width}
	}
	return [2]float64{width, height}
}

// Region parses a part of a picture: "the left half", "top right quarter", "a square", "16:9",
// "640x480 at the top", "100x200+30+40" (width, height, left, top), "100x200 at 30,40",
// "100,100,300,400" (left, top, right, bottom), "100,100 300x400" (left, top, width, height), "x 950
// to 1230, y 180 to 420", "the middle", "cut off the bottom 20%".
func Region(text string) (Area, bool) {
	s := fold(text)
	if senseless(s) {
		return Area{}, false
	}
	if m := geometry.FindStringSubmatch(s); m != nil {
		return boxOf(m[3], m[4], m[1], m[2])
	}
	if all := span.FindAllStringSubmatch(s, -1); all != nil {
		return spans(all)
	}
	listed := noSpace.ReplaceAllString(noSpace.ReplaceAllString(s, "$1, $2"), "$1, $2")
	if m := boxAt.FindStringSubmatch(listed); m != nil {
		return boxOf(m[3], m[4], m[1], m[2])
	}
	if m := boxFrom.FindStringSubmatch(listed); m != nil {
		return boxOf(m[1], m[2], m[3], m[4])
	}
	if m := corners.FindStringSubmatch(listed); m != nil {
		box := image.Rectangle{Min: image.Pt(whole(m[1]), whole(m[2])), Max: image.Pt(whole(m[3]), whole(m[4]))}
		return Area{Box: box}, !box.Empty()
	}
	anchor, placed := place(s)
	if m := sides.FindStringSubmatch(s); m != nil {
		a := Area{Width: whole(m[1]), Height: whole(m[2]), Anchor: anchor}
		return a, a.Width > 0 && a.Height > 0
	}
	if m := aspect.FindStringSubmatch(s); m != nil && float(m[1]) > 0 && float(m[2]) > 0 && !counted.MatchString(s) {
		return Area{Ratio: Oriented(s, float(m[1]), float(m[2])), Anchor: anchor}, true
	}
	if width, height, ok := Shape(s); ok && (width == height || !placed && !strings.ContainsAny(s, "0123456789")) { // not "200 wide"
		return Area{Ratio: [2]float64{width, height}, Anchor: anchor}, true
	}
	if rim := rimOf(s); rim != (Axes{}) {
		a := Area{Rim: rim}
		if m := strip.FindStringSubmatch(s); m != nil {
			a.Strip = whole(m[1])
		} else {
			a.Share, _, _ = share(s)
		}
		return a, goesOff.MatchString(s) && (a.Strip > 0 || a.Share > 0 && a.Share < 0.5)
	}
	if !placed {
		return Area{}, false
	}
	return side(s, anchor)
}

// far is beyond every picture.
const far = 999999

// spans returns the part that spans of one or both axes enclose.
func spans(all [][]string) (Area, bool) {
	x, y := [2]int{0, far}, [2]int{0, far}
	var seen Axes
	for _, m := range all {
		along, twice := &x, &seen.X
		if m[1][0] == 'y' || m[1][0] == 'r' {
			along, twice = &y, &seen.Y
		}
		if *twice {
			return Area{}, false
		}
		*along, *twice = [2]int{whole(m[2]), whole(m[3])}, true
	}
	box := image.Rectangle{Min: image.Pt(x[0], y[0]), Max: image.Pt(x[1], y[1])}
	return Area{Box: box}, !box.Empty()
}

// rimOf returns the axes for which s names both sides: "left and right" is horizontal, "all sides" is both.
func rimOf(s string) Axes {
	switch {
	case allSides.MatchString(s) && !oneSide.MatchString(s):
		return Axes{X: true, Y: true}
	case !facing.MatchString(s):
		return Axes{}
	}
	rim := Axes{X: atLeft.MatchString(s) && atRight.MatchString(s), Y: atTop.MatchString(s) && atBottom.MatchString(s)}
	if rim.X != (atLeft.MatchString(s) || atRight.MatchString(s)) || rim.Y != (atTop.MatchString(s) || atBottom.MatchString(s)) {
		return Axes{} // "top and left"
	}
	return rim
}

// boxOf returns a box by its left and top edges, width and height.
func boxOf(left, top, width, height string) (Area, bool) {
	p := image.Pt(whole(left), whole(top))
	box := image.Rectangle{Min: p, Max: p.Add(image.Pt(whole(width), whole(height)))}
	return Area{Box: box}, !box.Empty()
}

// side returns a side, a corner or the middle of a picture, in the size given; the default is half. A
// quarter at a corner is half of each side.
func side(s string, anchor Anchor) (Area, bool) {
	a := Area{Anchor: anchor}
	corner := anchor.X != 0 && anchor.Y != 0
	if m := strip.FindStringSubmatch(s); m != nil {
		a.Strip = whole(m[1])
	} else {
		f, _, given := share(s)
		switch {
		case !given:
			f = 0.5
		case corner && f == 0.25:
			f = 0.5
		}
		a.Share = f
	}
	a.Rest = (without.MatchString(s) || offSide.MatchString(s)) && !corner && anchor != (Anchor{})
	return a, a.Strip > 0 || a.Share > 0 && a.Share <= 1
}

// Of returns the part of a picture of that size; false if it is outside the picture.
func (a Area) Of(width, height int) (image.Rectangle, bool) {
	b := image.Rect(0, 0, width, height)
	r := b.Intersect(a.of(b))
	return r, !r.Empty()
}

// Crop returns the part of a picture of that size to cut out, and the size of the result; false if the
// part is outside the picture. Width and Height are the size of the result: of a picture that is
// smaller, the part has their shape and is to be enlarged.
func (a Area) Crop(width, height int) (part image.Rectangle, size image.Point, ok bool) {
	part, ok = a.Of(width, height)
	if !a.Box.Empty() || a.Width <= width && a.Height <= height {
		return part, part.Size(), ok
	}
	size = image.Pt(a.Width, a.Height)
	by := max(float64(a.Width)/float64(width), float64(a.Height)/float64(height))
	side := func(n int) int { return max(1, int(math.Round(float64(n)/by))) }
	return a.Anchor.In(image.Rect(0, 0, width, height), side(a.Width), side(a.Height)), size, ok
}

func (a Area) of(b image.Rectangle) image.Rectangle {
	switch {
	case !a.Box.Empty():
		return a.Box
	case a.Width > 0:
		return a.Anchor.In(b, min(a.Width, b.Dx()), min(a.Height, b.Dy()))
	case a.Ratio[1] > 0:
		return a.shaped(b)
	}
	size := func(side int) int {
		if a.Strip > 0 {
			return min(a.Strip, side)
		}
		return max(1, int(math.Round(float64(side)*a.Share)))
	}
	if a.Rim != (Axes{}) {
		var by image.Point
		if a.Rim.X {
			by.X = size(b.Dx())
		}
		if a.Rim.Y {
			by.Y = size(b.Dy())
		}
		return image.Rectangle{Min: b.Min.Add(by), Max: b.Max.Sub(by)}
	}
	w, h, at := size(b.Dx()), size(b.Dy()), a.Anchor
	switch { // a side spans the whole picture
	case at.X == 0 && at.Y != 0:
		w = b.Dx()
	case at.Y == 0 && at.X != 0:
		h = b.Dy()
	}
	if a.Rest {
		if at.X != 0 {
			w = b.Dx() - w
		} else {
			h = b.Dy() - h
		}
		at = Anchor{X: -at.X, Y: -at.Y}
	}
	return at.In(b, w, h)
}

// shaped returns the largest rectangle with the aspect ratio.
func (a Area) shaped(b image.Rectangle) image.Rectangle {
	w, h := float64(b.Dx()), float64(b.Dy())
	if ratio := a.Ratio[0] / a.Ratio[1]; w > h*ratio {
		w = h * ratio
	} else {
		h = w / ratio
	}
	return a.Anchor.In(b, max(1, int(math.Round(w))), max(1, int(math.Round(h))))
}

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

var (
	degrees   = lazyregexp.New(`(?:^|[^\d.])(-?)` + number + `(?: ?(?:degrees?|deg))?\b`)
	backwards = lazyregexp.New(`\b(?:counter ?clockwise|anti ?clockwise|ccw|left|leftwards?|backwards?)\b`)
	forwards  = lazyregexp.New(`\b(?:clockwise|cw|right|rightwards?|sideways|side|upright|portrait|landscape)\b`)
	turns     = lazyregexp.New(`\b(?:(\d) )?(half|quarters?|full|whole)(?: an?| of an?)? ?(?:turns?|rotations?|circle|way)?\b`)
	repeated  = lazyregexp.New(`\b(?:(twice)|(thrice)|([2-9]) times)\b`)
	promptly  = lazyregexp.New(`\bright (?:now|away)\b`)
	clockwise = lazyregexp.New(`\b(?:clockwise|cw|right|rightwards?)\b`)
	over      = lazyregexp.New(`\b(?:upside down|on its head|around|round|over|about)\b`)
)

// Angle parses a rotation, and returns it in degrees clockwise, from 0 up to 360: "90 degrees",
// "-45", "left", "counter-clockwise", "upside down", "a quarter turn". A direction alone means a
// quarter turn; "twice" and "three times" multiply it.
func Angle(text string) (float64, bool) {
	s := promptly.ReplaceAllString(numerals(fold(text)), "")
	left := backwards.MatchString(s)
	if little.MatchString(s) && !numeral.MatchString(s) { // "a bit" is too vague
		return 0, false
	}
	if exotic.MatchString(s) || left && clockwise.MatchString(backwards.ReplaceAllString(s, "")) {
		return 0, false
	}
	times := 1.0
	if m := repeated.FindStringSubmatch(s); m != nil {
		switch {
		case m[1] != "":
			times = 2
		case m[2] != "":
			times = 3
		default:
			times = float(m[3])
		}
		s = repeated.ReplaceAllString(s, "")
	}
	v, ok := turn(s, left || times != 1 || forwards.MatchString(s))
	v *= times
	if left {
		v = -v
	}
	v = math.Mod(v, 360)
	if v < 0 {
		v += 360
	}
	return v, ok
}

var upright = lazyregexp.New(`\b(?:upright|right way (?:up|round|around)|right side up)\b`)

// Upright reports whether a text asks to set a picture upright without saying by how much to rotate
// it: "turn it upright", but not "90 degrees, upright".
func Upright(text string) bool {
	s := fold(text)
	if !upright.MatchString(s) {
		return false
	}
	_, turned := turn(s, backwards.MatchString(s) || clockwise.MatchString(upright.ReplaceAllString(s, "")))
	return !turned
}

// turn returns the unsigned angle in a folded text; directed reports whether the text has a direction.
func turn(s string, directed bool) (float64, bool) {
	if m := turns.FindStringSubmatch(s); m != nil {
		v := map[byte]float64{'h': 180, 'q': 90, 'f': 360, 'w': 360}[m[2][0]]
		if m[1] != "" {
			v *= float(m[1])
		}
		return v, true
	}
	if m := degrees.FindStringSubmatch(s); m != nil {
		v := float(m[2])
		if m[1] == "-" {
			v = -v
		}
		return v, true
	}
	switch {
	case directed:
		return 90, true
	case over.MatchString(s):
		return 180, true
	}
	return 0, false
}
