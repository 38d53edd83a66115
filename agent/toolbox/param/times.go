package param

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

const (
	clockPattern = `(\d+:)?\d+:\d\d(\.\d+)?`
	boundPattern = `(-?` + clockPattern + `|\d+(\.\d+)?%([+-]` + clockPattern + `)?)`
	rangePattern = boundPattern + `\.\.(end|` + boundPattern + `)`
)

// timeTypes are times and parts of audio and video.
func timeTypes() map[Type]kind {
	units := []quantity.Unit{quantity.Time, quantity.Clock, quantity.Share, quantity.Percent, quantity.Number}
	return map[Type]kind{
		Duration: {
			about: plan.Say("a length of time"), examples: []string{"5 seconds", "half a minute", "0:30"}, meaning: plan.Amount,
			units: units[:2], most: 1, pattern: `^` + clockPattern + `$`,
			parse: func(_ Param, s string) (any, bool) {
				d, ok := parseClock(s)
				return d, ok && d > 0
			},
			read: func(_ Param, s string) (any, bool) {
				p, ok := readTimes(s)
				if p.From < 0 && p.To == 0 { // "the last 3 seconds"
					return -p.From, ok
				}
				if ordinalTime.MatchString(s) {
					return nil, false
				}
				return p.To, ok && p.From == 0 && p.To > 0
			},
			format: func(data any) string {
				d := as[time.Duration](data)
				return onClock(d)
			},
			measure: number,
		},
		TimeRange: {
			about: plan.Say("a part of a sound or a video"), meaning: plan.Amount,
			examples: []string{"0:10-0:25", "last 5 s", "the first 20 seconds"},
			units:    units, most: 2, pattern: `^` + rangePattern + `$`,
			parse: parseRange, read: readWith(readTimes), format: printRange,
		},
		TimeRanges: {
			about: plan.Say("parts of a sound or a video"), meaning: plan.Amount,
			examples: []string{"1-2 and 5-6 s", "without 1-2 s", "0:00-0:05 and 0:20-0:25", "0:10-0:25", "the first 5 seconds"},
			units:    units, most: 40, pattern: `^` + rangePattern + `(,` + rangePattern + `){0,19}$`,
			parse: parseRanges, read: readWith(func(s string) ([]quantity.Passage, bool) {
				all, ok := quantity.Passages(s)
				return all, ok && !foreignUnit(s)
			}), format: printRanges,
		},
		Moment: {
			about: plan.Say("a moment of a video"), examples: []string{"0:07", "3 s", "the middle", "the last frame"},
			meaning: plan.Amount, units: units, most: 1, pattern: `^(-?` + clockPattern + `|\d+(\.\d+)?%)$`,
			parse: parseMoment, read: readWith(func(s string) (quantity.Instant, bool) {
				i, ok := quantity.Moment(s)
				return i, ok && !foreignUnit(s)
			}), format: printMoment,
		},
		Moments: {
			about: plan.Say("times of a sound or a video"), examples: []string{"at 0:30 and 1:15", "after 9 s"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Time, quantity.Clock, quantity.Number}, most: 100,
			pattern: `^` + clockPattern + `(,` + clockPattern + `)*$`, parse: parseMoments,
			read: readWith(func(s string) ([]time.Duration, bool) {
				all, ok := quantity.Moments(s)
				return all, ok && !foreignUnit(s)
			}),
			format: func(data any) string {
				var all []string
				for _, d := range as[[]time.Duration](data) {
					all = append(all, onClock(d))
				}
				return strings.Join(all, ",")
			},
		},
		Interval: {
			about: plan.Say("how often"), examples: []string{"every 5 seconds", "4 fps"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Time, quantity.Clock, quantity.FrameRate, quantity.Number}, most: 2, pattern: `^` + clockPattern + `$`,
			parse: func(_ Param, s string) (any, bool) {
				d, ok := parseClock(s)
				return d, ok && d > 0
			},
			read: readWith(quantity.Interval), format: func(data any) string { return onClock(as[time.Duration](data)) }, measure: number,
		},
	}
}

// readTimes is [quantity.Times], but rejects other units.
func readTimes(s string) (quantity.Passage, bool) {
	p, ok := quantity.Times(s)
	return p, ok && !foreignUnit(s)
}

var (
	counted = lazyregexp.New(`\b\d+(?:[.,]\d+)? ?([a-zA-Z]+)`)
	// unitOrJoint matches words that may follow a number in a text about times.
	unitOrJoint = lazyregexp.New(`^(?i:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|ms|milliseconds?|st|nd|rd|th|` +
		`to|till?|until|thru|through|up|and|or|of|for|from|into|in|on|onwards?|at|before|after|then|the|is|long|lasting|with|without|off|away)$`)
)

// foreignUnit reports whether a number has a unit other than time: "3 parsecs", "5 px".
func foreignUnit(s string) bool {
	return slices.ContainsFunc(counted.FindAllStringSubmatch(s, -1), func(m []string) bool { return !unitOrJoint.MatchString(m[1]) })
}

var clockTime = lazyregexp.New(`^(?:(\d{1,4}):)?(\d{1,4}):(\d{2})(?:\.(\d{1,9}))?$`)

// maxTime is the maximum time.
const maxTime = 1000 * time.Hour

// parseClock parses "0:07", "1:02:03.5".
func parseClock(s string) (time.Duration, bool) {
	m := clockTime.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	var d time.Duration
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		v, err := strconv.Atoi("0" + m[i+1])
		if err != nil {
			return 0, false
		}
		d += time.Duration(v) * unit
	}
	if m[4] != "" {
		v, err := strconv.Atoi((m[4] + "000000000")[:9])
		if err != nil {
			return 0, false
		}
		d += time.Duration(v)
	}
	return d, d <= maxTime
}

// onClock formats a time: "0:07", "1:02:03.5".
func onClock(d time.Duration) string {
	s := fmt.Sprintf("%d:%02d", d/time.Minute, d/time.Second%60)
	if d >= time.Hour {
		s = fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d/time.Minute%60, d/time.Second%60)
	}
	if rest := d % time.Second; rest > 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%09d", rest), "0")
	}
	return s
}

// parseRange parses "0:10..0:25", "0:30..end", "-0:20..end" for the last twenty seconds, "0:00..-0:05"
// for all but the last five, "50%..end" for the second half, and "50%-0:02..50%+0:02" around the middle.
func parseRange(param Param, s string) (any, bool) {
	from, to, ok := strings.Cut(s, "..")
	if !ok {
		return nil, false
	}
	var p quantity.Passage
	var good, alsoGood bool
	p.From, p.Start, good = parseBound(param, from)
	if to == "end" {
		alsoGood = true
	} else {
		p.To, p.End, alsoGood = parseBound(param, to)
		alsoGood = alsoGood && (p.To != 0 || p.End > 0)
	}
	switch {
	case !good || !alsoGood:
		return nil, false
	case p.Start > 0 && p.End > 0:
		return p, p.Start < p.End || p.Start == p.End && p.From < p.To
	case p.Start > 0 || p.End > 0:
		return p, true
	}
	forward := p.To <= 0 || p.From < 0 || p.From < p.To
	return p, forward && (p.From >= 0 || p.To == 0 || p.To < 0 && p.From < p.To)
}

// parseBound parses the start or the end of a part: a time, negative from the end, or a share of the length with
// a time that is added to it.
func parseBound(p Param, s string) (d time.Duration, share float64, ok bool) {
	percent, rest, relative := strings.Cut(s, "%")
	if !relative {
		d, ok = parseSigned(s)
		return d, 0, ok
	}
	v, ok := parsePercent(p, percent+"%")
	if rest == "" || !ok {
		return 0, as[float64](v), ok
	}
	d, ok = parseSigned(strings.TrimPrefix(rest, "+"))
	return d, as[float64](v), ok && d != 0
}

func parseSigned(s string) (time.Duration, bool) {
	s, negative := strings.CutPrefix(s, "-")
	d, ok := parseClock(s)
	if negative {
		d = -d
	}
	return d, ok
}

func printSigned(d time.Duration) string {
	if d < 0 {
		return "-" + onClock(-d)
	}
	return onClock(d)
}

func printBound(d time.Duration, share float64) string {
	switch {
	case share == 0:
		return printSigned(d)
	case d == 0:
		return printPercent(share)
	case d > 0:
		return printPercent(share) + "+" + onClock(d)
	}
	return printPercent(share) + printSigned(d)
}

func printRange(data any) string {
	p := as[quantity.Passage](data)
	to := "end"
	if p.To != 0 || p.End > 0 {
		to = printBound(p.To, p.End)
	}
	return printBound(p.From, p.Start) + ".." + to
}

// parseRanges parses "0:00..0:05,0:20..end".
func parseRanges(p Param, s string) (any, bool) {
	var all []quantity.Passage
	for one := range strings.SplitSeq(s, ",") {
		part, ok := parseRange(p, one)
		if !ok {
			return nil, false
		}
		all = append(all, as[quantity.Passage](part))
	}
	return all, quantity.Ascending(all)
}

func printRanges(data any) string {
	var all []string
	for _, p := range as[[]quantity.Passage](data) {
		all = append(all, printRange(p))
	}
	return strings.Join(all, ",")
}

// parseMoment parses "0:07", "-0:05" before the end, "-0:00" for the end itself, or "50%".
func parseMoment(p Param, s string) (any, bool) {
	if v, ok := parsePercent(p, s); ok {
		share := as[float64](v)
		return quantity.Instant{Share: share}, true
	}
	s, fromEnd := strings.CutPrefix(s, "-")
	d, ok := parseClock(s)
	return quantity.Instant{At: d, FromEnd: fromEnd}, ok
}

func printMoment(data any) string {
	i := as[quantity.Instant](data)
	switch {
	case i.Share > 0:
		return printPercent(i.Share)
	case i.FromEnd:
		return "-" + onClock(i.At)
	}
	return onClock(i.At)
}

// parseMoments parses "0:30,1:15"; the times must be ascending.
func parseMoments(_ Param, s string) (any, bool) {
	var all []time.Duration
	for one := range strings.SplitSeq(s, ",") {
		d, ok := parseClock(one)
		if !ok || len(all) > 0 && d <= all[len(all)-1] {
			return nil, false
		}
		all = append(all, d)
	}
	return all, len(all) > 1 || all[0] > 0
}

// ordinalTime matches a moment that looks like a duration: "minute 2".
var ordinalTime = lazyregexp.New(`(?i)^(?:hour|minute|min|second|sec) \d+$`)
