package quantity

import (
	"math"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

var (
	// portion matches a part of a recording by its share: "first half", "last 20 %", "centre third", "first 2 thirds".
	portion = lazyregexp.New(`\b(first|opening|initial|last|final|second|centre) (?:(\d[\d.]*) ?%|(?:(\d) )?(half|halves|thirds?|quarters?|fifths?|tenths?)\b)`)
	// anyPortion matches such a part in any text.
	anyPortion = lazyregexp.New(`(?i)\b(?:the )?(?:first|opening|initial|last|final|second|middle|centre|center) (?:part of )?` +
		`(?:\d[\d.]* ?(?:%|per ?cent\b)|(?:(?:\d|two|three|four)[ -])?(?:half|halves|thirds?|quarters?|fifths?|tenths?)\b)`)
	// midst matches what comes before a length in the middle: "the centre 4 seconds".
	midst = lazyregexp.New(`\bcentre (?:part of )?$`)
	// ofUnit matches what makes a share one of a unit, and not of the whole: "half a minute".
	ofUnit = lazyregexp.New(`^ ?(?:of )?(?:an? )?(?:hour|minute|second)\b`)
)

// fractions are the shares by the beginning of their names.
var fractions = map[string]float64{"hal": 1.0 / 2, "third": 1.0 / 3, "quarter": 1.0 / 4, "fifth": 1.0 / 5, "tenth": 1.0 / 10}

// portions parses a part that depends on the length, in a folded text: "the second half", "the last
// 20%", "the middle 4 seconds". If the text drops it, the result is the rest, which is two parts
// around a middle. named reports whether there is such a part; it may be one that makes no sense.
func portions(s string) (all []Passage, named bool) {
	p, named := portionIn(s)
	switch {
	case !p.relative():
		return nil, named
	case !dropping.MatchString(s):
		return []Passage{p}, true
	}
	if p.Start > 0 {
		all = append(all, Passage{To: p.From, End: p.Start})
	}
	if p.End > 0 {
		all = append(all, Passage{From: p.To, Start: p.End})
	}
	return all, true
}

// portionIn returns the part of the length that a folded text names, zero if it is senseless.
func portionIn(s string) (p Passage, named bool) {
	times := moments(s)
	if len(times) == 1 && times[0].unit > 0 && midst.MatchString(s[:times[0].begin]) {
		around := min(times[0].at, maxTime) / 2
		return Passage{From: -around, Start: 0.5, To: around, End: 0.5}, true
	}
	found := portion.FindAllStringSubmatchIndex(s, -1)
	if len(found) == 0 || ofUnit.MatchString(s[found[0][1]:]) {
		return Passage{}, false
	}
	further := func(m moment) bool { return m.begin < found[0][0] || m.end > found[0][1] }
	if len(found) > 1 || slices.ContainsFunc(times, further) {
		return Passage{}, true
	}
	m := portion.FindStringSubmatch(s)
	v := fractionOf(m[4]) * max(1, float(m[3]))
	if m[2] != "" {
		v = float(m[2]) / 100
	}
	if v <= 0 || v >= 1 {
		return Passage{}, true
	}
	switch {
	case m[1] == "last" || m[1] == "final" || m[1] == "second" && v == 0.5:
		p.Start = 1 - v
	case m[1] == "centre":
		p.Start, p.End = (1-v)/2, (1+v)/2
	case m[1] != "second":
		p.End = v
	case v < 0.5 && m[2] == "" && m[3] == "":
		p.Start, p.End = v, 2*v
	}
	p.Start, p.End = math.Round(p.Start*1e6)/1e6, math.Round(p.End*1e6)/1e6
	return p, true
}

// fractionOf returns a share by its name, 0 for none.
func fractionOf(name string) float64 {
	for prefix, v := range fractions {
		if strings.HasPrefix(name, prefix) {
			return v
		}
	}
	return 0
}
