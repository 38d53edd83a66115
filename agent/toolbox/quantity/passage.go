package quantity

import (
	"cmp"
	"slices"
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

// maxPassages is the maximum number of passages in a list.
const maxPassages = 20

var (
	// spanning joins the two ends of a passage. "and" does so only after "between".
	spanning = lazyregexp.New(`^ ?,? ?(?:-+|to|till|til|until|thru|through|up to|->) ?(?:the |second |minute |at )*$`)
	between  = lazyregexp.New(`\bbetween(?: the| seconds?| minutes?)* ?$`)
	// atEdge matches the end that a length applies to: "2 s from the start", "3 off both ends".
	atEdge = lazyregexp.New(`^ ?(?:long )?(?:away )?(?:from|off|of|at|on|in)(?: of)?(?: the)? (?:very )?` +
		`(?:(beginning|start|front|head|opening)|(end|back|tail|ending)|` +
		`((?:both|each|either)(?: of the)? (?:ends?|sides?)|start and(?: the)? end|beginning and(?: the)? end))\b`)
	// amongPassages matches the text between and around passages.
	amongPassages = lazyregexp.New(`^(?:[ ,;&+-]|` +
		`\b(?:and|then|also|plus|the|part|parts|bits?|pieces?|sections?|seconds?|minutes?|between|from|at|as well as)\b)*$`)
	// shortening matches words that remove a length at an end: "trim 2 s from the start".
	shortening = lazyregexp.New(`\b(?:trim|cut|shave|chop|clip|lop|crop|snip|strip|slice)\b|\btake\b.* off\b`)
	excerpt    = lazyregexp.New(`\b(?:keep|only|an? (?:clip|part|piece|bit|snippet|excerpt|section))\b`)
)

// Passages parses the parts of audio or video to keep: one as in [Times], several ("0:00-0:05 and
// 0:20-0:25"), or all but some ("without 0:05-0:10", "remove the first 5 and the last 10 seconds",
// "trim 2 s from the start"). They are in order, and no two of them touch.
func Passages(text string) ([]Passage, bool) {
	s := foldTimes(text)
	if all, named := portions(s); named {
		return all, all != nil
	}
	if senseless(s) {
		return nil, false
	}
	drops := dropping.MatchString(s)
	found, edge := passagesIn(s)
	drops = drops || edge && shortening.MatchString(s) && !excerpt.MatchString(s)
	if len(found) < 2 && !edge && (!drops || found == nil || found[0].From == 0 && len(moments(s)) < 2 || found[0].To <= 0) {
		p, ok := Times(text)
		return []Passage{p}, ok
	}
	slices.SortFunc(found, func(a, b Passage) int {
		if drops && (a.From < 0) != (b.From < 0) {
			return cmp.Compare(b.From, a.From) // times from the end come last
		}
		if drops {
			return cmp.Compare(a.From, b.From)
		}
		return 0 // kept passages stay in the order given
	})
	if len(found) == 0 || !Ascending(found) {
		return nil, false
	}
	if drops {
		found = others(found)
	}
	return found, len(found) > 0
}

// Ascending reports whether each passage comes after the one before, as far as this is known.
func Ascending(all []Passage) bool {
	for i, p := range all {
		switch {
		case p.relative(): // only known with the length
		case p.To > 0 && p.From >= p.To:
			return false
		case i == 0, all[i-1].relative():
		case all[i-1].To == 0, all[i-1].To < 0 && p.From >= 0, all[i-1].From < 0 && p.From >= 0:
			return false
		case (p.From >= 0) == (all[i-1].To >= 0) && p.From < all[i-1].To:
			return false
		}
	}
	return len(all) <= maxPassages
}

// others returns the complement of the passages.
func others(all []Passage) []Passage {
	var rest []Passage
	var at time.Duration
	for _, p := range all {
		if p.From != at {
			rest = append(rest, Passage{From: at, To: p.From})
		}
		if p.To == 0 {
			return rest
		}
		at = p.To
	}
	return append(rest, Passage{From: at})
}

// passagesIn returns the passages in a folded text, none if it has other content. edge reports whether
// a passage is given by its length and an end, or whether both ends are given.
func passagesIn(s string) (all []Passage, edge bool) {
	found := moments(s)
	unit := time.Duration(0)
	for i := range slices.Backward(found) { // "the first 5 and the last 10 seconds": the last unit also applies to the times before
		if m := &found[i]; m.unit != 0 {
			unit = m.unit
		} else if unit > time.Second {
			m.at *= unit / time.Second //nolint:durationcheck // seconds become minutes
		}
	}
	end := 0
	for i := 0; i < len(found); i++ {
		m, further := found[i], i > 0
		lead := s[end:m.begin]
		next := len(s)
		if i+1 < len(found) {
			next = found[i+1].begin
		}
		tail := s[m.end:next]
		at := atEdge.FindStringSubmatchIndex(tail)
		isFirst, isLast := opening.MatchString(lead), closing.MatchString(lead)
		rest := lead
		switch {
		case i+1 < len(found) && (spanning.MatchString(tail) || tail == " and " && between.MatchString(lead)):
			i++
			all, end = append(all, Passage{From: m.at, To: found[i].at}), found[i].end
			rest = between.ReplaceAllString(lead, "")
		case at != nil:
			end, edge = m.end+at[1], true
			isFirst, isLast = at[2] >= 0 || at[6] >= 0, at[4] >= 0 || at[6] >= 0
			all = append(all, atEnds(m.at, isFirst, isLast)...)
		case isFirst || isLast:
			end = m.end
			all = append(all, atEnds(m.at, isFirst, isLast)...)
			edge = all[0].From == 0 && all[len(all)-1].From < 0 // "trim the first and the last second"
			rest = closing.ReplaceAllString(opening.ReplaceAllString(lead, ""), "")
		case toEnd.MatchString(tail):
			all, end = append(all, Passage{From: m.at}), m.end+len(toEnd.FindString(tail))
		case onward.MatchString(lead):
			all, end = append(all, Passage{From: m.at}), m.end
			rest = onward.ReplaceAllString(lead, "")
		case before.MatchString(lead):
			all, end = append(all, Passage{To: m.at}), m.end
			rest = before.ReplaceAllString(lead, "")
		default:
			return nil, false
		}
		if m.at < 0 || m.at > maxTime || further && !amongPassages.MatchString(strings.ReplaceAll(rest, "everything", "")) {
			return nil, false
		}
	}
	return all, edge
}

// atEnds returns the passages of that length at the start and at the end.
func atEnds(length time.Duration, first, last bool) (all []Passage) {
	if first {
		all = append(all, Passage{To: length})
	}
	if last {
		all = append(all, Passage{From: -length})
	}
	return all
}

var (
	beforePassage = lazyregexp.New(`(?i)(?:\b(?:first|last|opening|final|from|between|after|before|until|since|starting|at|` +
		`seconds?|secs?|minutes?|mins?|the|everything|all|and)\s+)+$`)
	gap = lazyregexp.New(`(?i)^(?:[\s,;&+–—-]|` +
		`\b(?:and|to|until|till|then|also|plus|the|first|last|final|opening|from|between|after|before|off|of|on|at|very|long|away|` +
		`start|starting|beginning|front|end|both|each|either|ends|sides?|parts?|seconds?|secs?|minutes?|mins?|onwards?|everything|` +
		`for|lasting)\b)*$`)
	behindPassage = lazyregexp.New(`(?i)^(?: (?:(?:to|until|till)(?: the)? end|onwards?)\b)`)
)

// FindPassages returns the byte range of several passages, or of lengths at the ends, in a text. It
// returns zeros if there are none.
func FindPassages(text string) (start, end int) {
	start, end = passageAt(text)
	if found, edge := passagesIn(foldTimes(text[start:end])); len(found) > 1 || edge {
		return start, end
	}
	return 0, 0
}

// FindBounded returns the byte range of passages with bounds, such as "0:03 to 0:07", "the last 4 s" or
// "the second half", as opposed to a mere length. It returns zeros if there are none.
func FindBounded(text string) (start, end int) {
	if at := anyPortion.FindStringIndex(text); at != nil {
		if all, _ := portions(foldTimes(text)); all != nil {
			return at[0], at[1]
		}
		return 0, 0
	}
	start, end = passageAt(text)
	folded := foldTimes(text[start:end])
	if found, _ := passagesIn(folded); len(found) > 0 || startsAndLasts(folded) {
		return start, end
	}
	return 0, 0
}

// startsAndLasts reports whether a folded text gives the start and the length of one passage: "20s starting at 0:05".
func startsAndLasts(s string) bool {
	ms := moments(s)
	if len(ms) != 2 {
		return false
	}
	joint := s[ms[0].end:ms[1].begin]
	_, ok := fromTwo(s, ms[0], ms[1])
	return ok && (starting.MatchString(joint) || lasting.MatchString(joint))
}

// passageAt returns the byte range of the times in a text with the surrounding words of passages. It
// returns zeros if there are other words between them, or if no time has a unit.
func passageAt(text string) (start, end int) {
	var times []Quantity
	for _, q := range Find(text) {
		if !ofTime(q.Unit) {
			continue
		}
		if n := len(times); n > 0 && !gap.MatchString(text[times[n-1].End:q.Start]) {
			return 0, 0
		}
		times = append(times, q)
	}
	if len(times) == 0 || !slices.ContainsFunc(times, func(q Quantity) bool { return q.Unit != Number }) {
		return 0, 0
	}
	start, end = times[0].Start, times[len(times)-1].End
	if lead := beforePassage.FindStringIndex(text[:start]); lead != nil {
		start = lead[0]
	}
	tail := strings.ToLower(text[end:])
	if at := atEdge.FindStringIndex(tail); at != nil {
		end += at[1]
	} else {
		end += len(behindPassage.FindString(text[end:]))
	}
	return start, end
}
