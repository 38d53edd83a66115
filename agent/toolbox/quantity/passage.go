package quantity

import (
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

// Passage is a part of audio or video. Negative times count from the end, and a To of zero is the end
// itself: the last ten seconds are {From: -10 s}.
type Passage struct {
	From, To time.Duration
	// Start and End are fractions of the length, to which From and To are added: the second half is
	// {Start: 0.5}, and the middle 4 seconds are {From: -2 s, Start: 0.5, To: 2 s, End: 0.5}.
	Start, End float64
}

// Of returns the start and end of the passage in a recording of that length, clipped to it; false if nothing is left.
func (p Passage) Of(length time.Duration) (from, to time.Duration, ok bool) {
	from, to = p.From+part(length, p.Start), p.To+part(length, p.End)
	if from < 0 && p.Start == 0 {
		from += length
	}
	if to <= 0 && p.End == 0 {
		to += length
	}
	from, to = max(from, 0), min(to, length)
	return from, to, from < to
}

func part(length time.Duration, share float64) time.Duration {
	return time.Duration(share * float64(length))
}

// relative reports whether the passage depends on the length in other ways than by its end.
func (p Passage) relative() bool { return p.Start > 0 || p.End > 0 }

const unit = `(hours?|hrs?|h|minutes?|mins?|min|m|milliseconds?|ms|seconds?|secs?|s)\b`

var (
	// tick matches one time: "0:30", "1:02:03.5", "90", "90 seconds", "a minute", or "minute" after a
	// position, as in "the first minute".
	tick = lazyregexp.New(`(?:(\d{1,3}):)?(\d{1,3}):(\d{2}(?:\.\d{1,6})?)\b|` +
		`\b` + number + `(?: ?` + unit + `)?|\b(half an?|an?|first|last|final|opening) (hour|minute|second)\b`)
	glued    = lazyregexp.New(`(\d)(h|m|min|s)(\d)`)
	fileName = lazyregexp.New(`\S+\.[a-z]\w{1,4}\b`)
	unitOf   = lazyregexp.New(`\b(hours?|minutes?|mins?|seconds?|secs?) $`)

	upTo     = lazyregexp.New(`^ ?,? ?(?:-+|to|till|til|until|thru|through|up to|and|->) ?(?:the |second |minute |at )*$`)
	added    = lazyregexp.New(`^ ?,? ?(?:and )?$`)
	lasting  = lazyregexp.New(`\b(?:for|lasting|length|long)\b`)
	starting = lazyregexp.New(`\b(?:from|at|after|starting|beginning|since|with)\b`)
	dropping = lazyregexp.New(`\b(?:drop|remove|without|skip|skipping|delete|lose|discard|minus|omit|` +
		`(?:cut|trim|chop|take) (?:off|away|(?:out )?(?:all|everything))|(?:all|everything) (?:but|except))\b`)
	opening = lazyregexp.New(`\b(?:first|beginning|start|opening|intro|front)\b`)
	closing = lazyregexp.New(`\b(?:last|final|ending|end|closing|outro)\b`)
	onward  = lazyregexp.New(`\b(?:from|after|starting|since|beyond|past|onwards?)\b`)
	toEnd   = lazyregexp.New(`^ ?(?:onwards?|on|(?:-+|to|till|til|until|through|up to) ?(?:the )?(?:very )?end)\b`)
	before  = lazyregexp.New(`\b(?:before|until|till)\b`)
	// byTime matches a change of length, "by 3 seconds", and bothEnds two passages, "the first and the last second".
	byTime   = lazyregexp.New(`\bby (?:about |around |just |only )?\d`)
	bothEnds = lazyregexp.New(`\b(?:first|opening|beginning)\b.*\b(?:and|&)\b.*\b(?:last|final|closing)\b`)
)

// moment is a time in a text.
type moment struct {
	at         time.Duration
	unit       time.Duration // 0 if the text has none
	begin, end int
}

// Times parses the part of audio or video to keep: "0:10-0:25", "from 5 to 9 seconds", "the first
// 10 seconds", "the last minute", "20 seconds", "10 seconds from 0:30", "everything after 2 minutes",
// "without the first 5 seconds", "the second half", "the middle 4 seconds". Numbers without a unit are seconds. It does not understand two parts
// (both ends, or all but the middle) or a change of length ("by 3 seconds"). The maximum time is a
// thousand hours.
func Times(text string) (Passage, bool) {
	s := foldTimes(text)
	if all, named := portions(s); named && len(all) == 1 {
		return all[0], true
	} else if named {
		return Passage{}, false
	}
	if senseless(s) || byTime.MatchString(s) || opening.MatchString(s) && closing.MatchString(s) && bothEnds.MatchString(s) {
		return Passage{}, false
	}
	switch ms := moments(s); {
	case len(ms) == 1:
		return fromOne(s, ms[0])
	case len(ms) == 2 && !dropping.MatchString(s): // without its middle it would be two passages
		return fromTwo(s, ms[0], ms[1])
	}
	return Passage{}, false
}

// foldTimes is fold for texts about times, without file names.
func foldTimes(text string) string {
	s := glued.ReplaceAllString(numerals(fileName.ReplaceAllString(fold(text), " ")), "$1$2 $3")
	s = glued.ReplaceAllString(s, "$1$2 $3") // 1h2m3s
	return strings.Join(strings.Fields(s), " ")
}

// moments returns the times in a text, adding up compound times ("1 minute 30 seconds").
func moments(s string) []moment {
	var all []moment
	for _, m := range tick.FindAllStringSubmatchIndex(s, -1) {
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		next := moment{begin: m[0], end: m[1]}
		switch {
		case group(3) != "": // clock time
			next.unit = time.Second
			next.at = time.Duration(float(group(1)))*time.Hour + time.Duration(float(group(2)))*time.Minute + seconds(group(3))
		case group(4) != "":
			said := group(5)
			if u := unitOf.FindStringSubmatch(s[:m[0]]); said == "" && u != nil {
				said = u[1]
			}
			next.unit = lengthOf(said)
			next.at = time.Duration(float(group(4)) * float64(max(next.unit, time.Second)))
			if next.unit != 0 && next.unit < time.Second {
				next.at = time.Duration(float(group(4)) * float64(next.unit))
			}
		default:
			next.unit = lengthOf(group(7))
			next.at = next.unit
			if strings.HasPrefix(group(6), "half") {
				next.at /= 2
			}
		}
		if n := len(all) - 1; n >= 0 && next.unit != 0 && all[n].unit > next.unit && added.MatchString(s[all[n].end:next.begin]) {
			all[n].at, all[n].unit, all[n].end = all[n].at+next.at, next.unit, next.end
			continue
		}
		all = append(all, next)
	}
	return all
}

func seconds(s string) time.Duration { return time.Duration(float(s) * float64(time.Second)) }

// lengthOf returns the length of a unit, 0 for none.
func lengthOf(unit string) time.Duration {
	switch {
	case unit == "":
		return 0
	case unit == "ms" || strings.HasPrefix(unit, "milli"):
		return time.Millisecond
	case unit[0] == 'h':
		return time.Hour
	case unit[0] == 'm':
		return time.Minute
	}
	return time.Second
}

func fromOne(s string, m moment) (Passage, bool) {
	drops := dropping.MatchString(s)
	switch {
	case m.at <= 0 || m.at > maxTime:
		return Passage{}, false
	case toEnd.MatchString(s[m.end:]): // "from 0:30 to the end"
		if drops {
			return Passage{To: m.at}, true
		}
		return Passage{From: m.at}, true
	case onward.MatchString(s):
		if drops || closing.MatchString(s) { // "drop the end after 3 minutes"
			return Passage{To: m.at}, true
		}
		return Passage{From: m.at}, true
	case before.MatchString(s):
		if drops {
			return Passage{From: m.at}, true
		}
		return Passage{To: m.at}, true
	case closing.MatchString(s):
		if drops {
			return Passage{To: -m.at}, true
		}
		return Passage{From: -m.at}, true
	case drops && opening.MatchString(s):
		return Passage{From: m.at}, true
	}
	return Passage{To: m.at}, true
}

// maxTime is the maximum time.
const maxTime = 1000 * time.Hour

func fromTwo(s string, a, b moment) (Passage, bool) {
	between := s[a.end:b.begin]
	if upTo.MatchString(between) {
		if a.unit == 0 && b.unit > time.Second { // "2 to 3 minutes"
			a.at *= b.unit / time.Second //nolint:durationcheck // seconds become minutes
		}
		if b.unit == 0 && a.unit > time.Second { // "minutes 2 to 3"
			b.at *= a.unit / time.Second //nolint:durationcheck // seconds become minutes
		}
		return Passage{From: a.at, To: b.at}, a.at < b.at && b.at <= maxTime
	}
	start, length := a, b
	if starting.MatchString(between) && !lasting.MatchString(between) {
		start, length = b, a // "10 seconds from 0:30"
	}
	return Passage{From: start.at, To: start.at + length.at}, length.at > 0 && start.at+length.at <= maxTime
}
