package values

import (
	"math"
	"slices"
	"strconv"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// A tool that changes the playback speed takes a factor. People may say the new length instead, "speed it up to 10
// seconds": the factor then follows from the length of the file, if that is known.

// Pace finds the playback speed in a clause.
type Pace struct{ *scene.Scene }

var (
	beforeLength = lazyregexp.New(`(?i)\b(?:to|into|in|lasts?|takes?|(?:is|be|it|them|this|exactly|video|clip|sound|song|recording|audio))\s+` +
		`(?:(?:be|just|only|exactly|about|around|roughly|at most|under|max|a|my)\s+)*$`)
	afterLength = lazyregexp.New(`(?i)^(?:[ -](?:long|in length|in total|altogether)\b| ?(?:spot|slot|limit|reel|story)\b)`)
	plainLength = lazyregexp.New(`(?i)^(?:\d|an?\b|half\b|[a-z]+ (?:hours?|minutes?|seconds)\b)`)
)

// Lasting returns the time that the clause states as the new length of a file. It returns false if the clause states
// no length, or several times.
func (p Pace) Lasting(r *scene.Reading) (quantity.Quantity, bool) {
	text := p.Span(r.Clause.Words)
	times := slices.DeleteFunc(slices.Clone(r.Stated), func(q quantity.Quantity) bool { return q.Unit != quantity.Time && q.Unit != quantity.Clock })
	if len(times) != 1 {
		return quantity.Quantity{}, false
	}
	q := times[0]
	if slices.ContainsFunc(r.Stated, func(o quantity.Quantity) bool {
		return o.Unit == quantity.Number && o.End < q.Start && betweenTime.MatchString(text[o.End:q.Start]) // "3 to 6 s"
	}) {
		return quantity.Quantity{}, false
	}
	lasts := afterLength.MatchString(text[q.End:]) || q.Unit == quantity.Time && beforeLength.MatchString(text[:q.Start])
	return q, lasts && (q.Unit == quantity.Clock || plainLength.MatchString(text[q.Start:q.End]))
}

// aLength is a parameter that takes a duration.
var aLength = param.Param{Type: param.Duration}

// FactorFor returns the speed factor at which the clause's file lasts for q: "2.5x". It is "" if the length of the file is
// unknown, or if the verb means the other direction.
func (p Pace) FactorFor(r *scene.Reading, q quantity.Quantity) string {
	text := p.Span(r.Clause.Words)
	wanted, err := aLength.Read(text[q.Start:q.End])
	if err != nil {
		return ""
	}
	length, _ := param.As[time.Duration](wanted)
	seconds := length.Seconds()
	is := p.secondsOf(r)
	if is == 0 || seconds <= 0 {
		return ""
	}
	factor := math.Round(1000*is/seconds) / 1000
	said := strconv.FormatFloat(factor, 'f', -1, 64) + "x"
	a, _ := r.Head.Pace()
	if way, err := a.Param.Read(text[:q.Start] + text[q.End:]); err == nil {
		if told, _ := param.As[float64](way); told > 1 && factor < 1 || told < 1 && factor > 1 {
			return ""
		}
	}
	return said
}

// ComputedFrom returns the length in the clause from which the argument's value is computed; else "".
func (p Pace) ComputedFrom(r *scene.Reading, a toolbox.Arg) string {
	q, ok := p.Lasting(r)
	if profile.Kind(a) != param.Factor || !ok || p.FactorFor(r, q) == "" {
		return ""
	}
	text := p.Span(r.Clause.Words)
	return text[q.Start:q.End]
}

var ofSeconds = lazyregexp.New(`(?:^|, )(\d+(?:\.\d+)?) seconds\b`)

// secondsOf returns the duration of the only file that the clause is about; 0 if unknown.
func (p Pace) secondsOf(r *scene.Reading) float64 {
	of := r.Files
	if len(of) == 0 {
		of = slices.DeleteFunc(slices.Clone(p.Things), func(e scene.Thing) bool { return !r.Head.Takes(e.Typ) })
		if given := slices.DeleteFunc(slices.Clone(of), func(e scene.Thing) bool { return !e.Given }); len(given) > 0 {
			of = given
		}
	}
	made := slices.ContainsFunc(p.Things, func(e scene.Thing) bool { return e.Made && r.Head.Takes(e.Typ) })
	if len(of) != 1 || made {
		return 0
	}
	for _, res := range p.Request.Resources() {
		if m := ofSeconds.FindStringSubmatch(res.Facts); res.Name == of[0].Source.Name && m != nil {
			seconds, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return 0
			}
			return seconds
		}
	}
	return 0
}
