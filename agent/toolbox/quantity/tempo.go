package quantity

import (
	"math"

	"atelier/agent/lazyregexp"
)

var (
	slowing   = lazyregexp.New(`\b(?:slow|slower|slowed|slowly|slowdown|slow ?mo|slow motion|down|reduce|decrease|less|lower)\b`)
	speeding  = lazyregexp.New(`\b(?:fast|faster|quick|quicker|quickly|up|accelerate|accelerated|sped|forward|time ?lapse|hyperlapse)\b`)
	factorX   = lazyregexp.New(`(\d)x\b`)
	lapse     = lazyregexp.New(`\b(?:time ?lapse|hyperlapse)\b`)
	softening = lazyregexp.New(`\b(?:quiet|quieter|soft|softer|down|off|reduce|decrease|drop|cut|attenuate|less|lower)\b`)
	raising   = lazyregexp.New(`\b(?:loud|louder|up|raise|increase|boost|more|higher)\b`)
	faster    = lazyregexp.New(`^ ?%? ?(?:faster|quicker|more|louder|slower|less|quieter|softer)\b`)
	decibels  = lazyregexp.New(`(?:^|[^\d.])([+-]?) ?` + number + ` ?(?:db|decibels?)\b`)
	// partOfWhole matches a part that the change may be for, which is no factor: "the first half".
	partOfWhole = lazyregexp.New(`\b(?:first|second|last|other|left|right|top|bottom|upper|lower) (?:half|third|quarter)\b`)
	bareTempo   = lazyregexp.New(`(?:^|[^\d.:])` + number + `$`)
)

// Tempo parses a playing speed, as a factor: "2x", "half", "25%", "three times slower", "50%
// faster", "slow motion", "time-lapse". A factor without a direction multiplies the speed: "2" is
// twice as fast. It is from 0.01 to 100.
func Tempo(text string) (float64, bool) { return change(text, slowing, speeding) }

// Volume parses a volume, as a factor: "twice as loud", "50%", "20% louder", "quieter", "6 dB
// quieter", "-6 dB". A factor without a direction multiplies the volume. It is from 0.01 to 100.
func Volume(text string) (float64, bool) {
	s := fold(text)
	m := decibels.FindStringSubmatch(s)
	if m == nil {
		return change(text, softening, raising)
	}
	gain := float(m[2])
	if m[1] == "-" || m[1] == "" && softening.MatchString(s) {
		gain = -gain
	}
	f := math.Round(1e5*math.Pow(10, gain/20)) / 1e5
	return f, !exotic.MatchString(s) && f >= 0.01 && f <= 100
}

// change parses a factor; less and more match the words for smaller and larger values.
func change(text string, less, more lazyregexp.Regexp) (float64, bool) {
	s := numerals(factorX.ReplaceAllString(fold(text), "$1 x"))
	if senseless(s) || partOfWhole.MatchString(s) {
		return 0, false
	}
	f, ok := tempo(s, less.MatchString(s), more.MatchString(s))
	return f, ok && f >= 0.01 && f <= 100
}

func tempo(s string, slow, fast bool) (float64, bool) {
	multiple, several := multipleOf(s)
	if v, at, ok := share(s); ok {
		if several { // "half and double"
			return 0, false
		}
		change := bySoMuch.MatchString(s[:at[0]]) || faster.MatchString(s[at[1]:])
		switch {
		case change && slow && !fast:
			return 1 - v, v < 1
		case change && fast && !slow:
			return 1 + v, true
		}
		return v, v > 0
	}
	if m := times.FindStringSubmatch(s); m != nil {
		multiple, several = float(m[1]+m[2]+m[3]+m[4]), true
	} else if m := bareTempo.FindStringSubmatch(s); m != nil {
		multiple, several = float(m[1]), true
	}
	if several {
		if multiple > 1 && slow && !fast {
			return 1 / multiple, true
		}
		return multiple, multiple > 0
	}
	if slow == fast {
		return 0, false
	}
	level := 1
	if little.MatchString(s) {
		level = 0
	} else if lot.MatchString(s) {
		level = 2
	}
	switch {
	case slow:
		return []float64{0.8, 0.5, 0.25}[level], true
	case lapse.MatchString(s):
		return 10, true
	}
	return []float64{1.25, 2, 4}[level], true
}
