package quantity

import (
	"math"

	"atelier/agent/lazyregexp"
)

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
