package quantity

import (
	"regexp"
	"time"
)

var (
	atHalf  = regexp.MustCompile(`\b(?:centre|halfway|half way|mid|half)\b`)
	fromEnd = regexp.MustCompile(`^ ?(?:before|from|to) (?:the )?(?:very )?end\b`)
	frameOf = regexp.MustCompile(`\bframe (?:number |no |# ?)?\d|\b\d+(?:st|nd|rd|th) frame\b`)
	clocks  = regexp.MustCompile(`\d:\d`)
	rank    = regexp.MustCompile(`\b(?:first|1st|last|final|opening|closing) (?:frame|shot|picture|image|moment|scene|still)\b`)
)

// Moment understands when in a film of that length: "0:07", "at 3 seconds", "minute 3",
// "the first frame", "the middle", "a third in", "5 seconds before the end". It may lie
// behind the end.
func Moment(text string, whole time.Duration) (time.Duration, bool) {
	s := foldTimes(text)
	if senseless(s) || whole <= 0 || frameOf.MatchString(s) {
		return 0, false
	}
	all := moments(s)
	if v, at, ok := share(s); ok && v <= 1 && !clocks.MatchString(s) && (len(all) == 0 || all[0].begin >= at[0] && all[0].end <= at[1]) {
		if fromEnd.MatchString(s[at[1]:]) {
			v = 1 - v
		}
		return time.Duration(v * float64(whole)), true
	}
	switch {
	case len(all) > 1:
		return 0, false
	case len(all) == 1 && !rank.MatchString(s):
		m := all[0]
		if m.at > maxTime {
			return 0, false
		}
		if fromEnd.MatchString(s[m.end:]) || closing.MatchString(s[:m.begin]) && !clocks.MatchString(s) {
			return max(0, whole-m.at), true
		}
		return m.at, true
	case opening.MatchString(s) || rank.MatchString(s) && !closing.MatchString(s):
		return 0, true
	case closing.MatchString(s):
		return whole, true
	case atHalf.MatchString(s):
		return whole / 2, true
	}
	return 0, false
}
