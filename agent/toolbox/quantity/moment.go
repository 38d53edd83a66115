package quantity

import (
	"time"

	"atelier/agent/lazyregexp"
)

var (
	// halfUnit matches a duration: "half a minute".
	halfUnit = lazyregexp.New(`\bhalf (?:an? )?(?:hour|minute|second)`)
	atHalf   = lazyregexp.New(`\b(?:centre|halfway|half way|mid|half)\b`)
	fromEnd  = lazyregexp.New(`^ ?(?:before|from|to) (?:the )?(?:very )?end\b`)
	frameOf  = lazyregexp.New(`\bframe (?:number |no |# ?)?\d|\b\d+(?:st|nd|rd|th) frame\b`)
	clocks   = lazyregexp.New(`\d:\d`)
	rank     = lazyregexp.New(`\b(?:first|1st|last|final|opening|closing) (?:frame|shot|picture|image|moment|scene|still)\b`)
)

// Instant is a time in a video: from the start, from the end, or as a fraction of its length.
type Instant struct {
	At      time.Duration
	FromEnd bool
	Share   float64 // from 0 to 1; then At is 0
}

// Of returns the time in a video of that length. It may be after the end, but not before the start.
func (i Instant) Of(whole time.Duration) time.Duration {
	switch {
	case i.FromEnd:
		return max(0, whole-i.At)
	case i.Share > 0:
		return time.Duration(i.Share * float64(whole))
	}
	return i.At
}

// Moment parses a time in a video: "0:07", "at 3 seconds", "minute 3", "the first frame", "the
// middle", "a third in", "5 seconds before the end".
func Moment(text string) (Instant, bool) {
	s := foldTimes(text)
	if senseless(s) || frameOf.MatchString(s) {
		return Instant{}, false
	}
	all := moments(s)
	timed := halfUnit.MatchString(s) || clocks.MatchString(s)
	if v, at, ok := share(s); ok && v <= 1 && !timed && (len(all) == 0 || all[0].begin >= at[0] && all[0].end <= at[1]) {
		if fromEnd.MatchString(s[at[1]:]) {
			v = 1 - v
		}
		return Instant{Share: v}, true
	}
	switch {
	case len(all) > 1:
		return Instant{}, false
	case len(all) == 1 && !rank.MatchString(s):
		m := all[0]
		if m.at > maxTime {
			return Instant{}, false
		}
		return Instant{At: m.at, FromEnd: fromEnd.MatchString(s[m.end:]) || closing.MatchString(s[:m.begin]) && !clocks.MatchString(s)}, true
	case opening.MatchString(s) || rank.MatchString(s) && !closing.MatchString(s):
		return Instant{}, true
	case closing.MatchString(s):
		return Instant{FromEnd: true}, true
	case atHalf.MatchString(s):
		return Instant{Share: 0.5}, true
	}
	return Instant{}, false
}
