package quantity

import (
	"slices"
	"strings"
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

// maxMoments is the maximum number of times in a list.
const maxMoments = 100

var (
	// besideMoments matches the text around the times of a list: "at 0:30, 1:15 and the 2 minute mark".
	besideMoments = lazyregexp.New(`^(?:[ ,&-]|\b(?:at|after|and|then|the|marks?|hours?|minutes?|seconds?)\b)*$`)
	beforeMoments = lazyregexp.New(`(?i)\b(?:at|after)(?: the)? $`)
	amongMoments  = lazyregexp.New(`(?i)^(?: ?, ?(?:and |then )?| and | then | ?& ?)(?:at |after )?(?:the )?$`)
)

// Moments parses a list of times from the start: "0:30, 1:15 and 2:00", "at 10, 20 and 30
// seconds", "after 2 minutes". It returns them in ascending order, without duplicates.
func Moments(text string) ([]time.Duration, bool) {
	s := foldTimes(text)
	found := moments(s)
	if senseless(s) || opening.MatchString(s) || closing.MatchString(s) || len(found) == 0 || len(found) > maxMoments {
		return nil, false
	}
	end := 0
	for _, m := range found {
		if !besideMoments.MatchString(s[end:m.begin]) {
			return nil, false
		}
		end = m.end
	}
	if !besideMoments.MatchString(s[end:]) {
		return nil, false
	}
	var times []time.Duration
	unit := time.Second
	for _, m := range slices.Backward(found) { // "2 and 4 minutes": the last unit also applies to the times before
		at := m.at
		if m.unit != 0 {
			unit = m.unit
		} else {
			at = time.Duration(at.Seconds() * float64(unit))
		}
		if at < 0 || at == 0 && len(found) == 1 || at > maxTime {
			return nil, false
		}
		times = append(times, at)
	}
	slices.Sort(times)
	return slices.Compact(times), true
}

// FindMoments returns the byte range of a list of times that starts with "at" or "after": "at 0:30 and
// 1:15". It returns zeros if there is none.
func FindMoments(text string) (start, end int) {
	found := Find(text)
	for i, q := range found {
		lead := beforeMoments.FindStringIndex(text[:q.Start])
		if lead == nil || !ofTime(q.Unit) {
			continue
		}
		timed := q.Unit != Number
		end = q.End
		for _, next := range found[i+1:] {
			if !ofTime(next.Unit) || !amongMoments.MatchString(text[end:next.Start]) {
				break
			}
			end, timed = next.End, timed || next.Unit != Number
		}
		if timed {
			return lead[0], end
		}
	}
	return 0, 0
}

// ofTime reports whether a quantity with this unit may be a time.
func ofTime(u Unit) bool { return u == Time || u == Clock || u == Number }

const (
	howMany  = `(\d{1,6}(?:[.,]\d{1,6})?|half|an?|` + spelled + `|fifteen|sixty)`
	howLong  = `(hours?|hrs?|minutes?|mins?|m|milliseconds?|ms|seconds?|secs?|s)\b`
	eachTime = `(?:(?:per|an?|each|every) |/ ?)`
)

var (
	// recurring matches how often something happens: "every 5 seconds", "one frame per second", "2 fps".
	recurring = lazyregexp.New(`(?i)\b(?:every|each) (?:` + howMany + `(?: an?)?[ -]?)?` + howLong + `|` +
		`\b(?:` + howMany + `|once) ?(?:\pL+ )?` + eachTime + `(?:` + howMany + `(?: an?)? ?)?` + howLong + `|` +
		`\b` + howMany + ` ?fps\b`)
	// ofFrames matches nouns after a count of frames rather than of time: "every second frame".
	ofFrames = lazyregexp.New(`(?i)^ (?:frames?|stills?|pictures?|images?|shots?|one)\b`)
)

// FindInterval returns the byte range of an interval in a text, zeros if there is none.
func FindInterval(text string) (start, end int) {
	m := recurring.FindStringIndex(text)
	if m == nil || ofFrames.MatchString(text[m[1]:]) {
		return 0, 0
	}
	return m[0], m[1]
}

// Interval parses how often something happens: "every 5 seconds", "one frame per second", "once a
// minute", "2 fps". It returns the time between repetitions.
func Interval(text string) (time.Duration, bool) {
	start, end := FindInterval(text)
	m := recurring.FindStringSubmatch(text[start:end])
	if m == nil {
		return 0, false
	}
	count, each, unit := m[3], m[1]+m[4], m[2]+m[5]
	if m[6] != "" {
		count, unit = m[6], "s"
	}
	often := amountOr1(count)
	every := amountOr1(each) * float64(lengthOf(strings.ToLower(unit)))
	if often <= 0 || every <= 0 || every/often > float64(maxTime) {
		return 0, false
	}
	return time.Duration(every / often), true
}

// amountOr1 parses a number in figures or words; the default is 1.
func amountOr1(said string) float64 {
	said = strings.ToLower(strings.Replace(said, ",", ".", 1))
	switch said {
	case "", "a", "an":
		return 1
	case "half":
		return 0.5
	}
	if figure, ok := words[said]; ok {
		said = figure
	}
	return float(said)
}
