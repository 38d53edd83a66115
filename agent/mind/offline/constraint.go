package offline

import (
	"regexp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// What a clause says beside the work of its tool can be the work of another one: "make a GIF of
// the first 3 seconds" cuts the video first, "half speed, as webm" converts the result.

// constraint is such a quantity or format, and the tool that can be told it.
type constraint struct {
	tool toolbox.Tool
	told plan.Arg
	// first tells that it holds for what the clause's own tool is given: a part of a video.
	first bool
}

// plainUnits are those of quantities that mean one thing, whatever the tool: "20 %" does not.
var plainUnits = []quantity.Unit{quantity.Pixels, quantity.ByteCount, quantity.Time, quantity.Clock}

// constraints finds what the clause says that its own tool cannot be told and another one can.
func (s *scene) constraints(u *understood, sub plan.Subtask, media []entity) []constraint {
	if len(u.clause.words) == 0 || len(u.clause.more) > 0 || !takesMedia(u.head) {
		return nil
	}
	start, end := u.clause.words[0].Start, u.clause.words[len(u.clause.words)-1].End
	text := s.text[start:end]
	var found []constraint
	add := func(w work, told string) {
		if t, arg, ok := s.worker(u, w); ok {
			found = append(found, constraint{tool: t, first: w.first, told: plan.Arg{Type: plan.Text, Meaning: arg.Meaning, Source: plan.FromValue(told)}})
		}
	}
	made := baseType(u.head.Returns)
	for _, p := range phrasesOf(text, u.clause.words, start) {
		if s.takesUp(u, sub, p) {
			continue
		}
		w := work{from: made, to: made, told: func(a toolbox.Arg) bool { return a.Kind != "" && a.Kind.Takes(p.unit) && a.Kind.Reads(p.text) }}
		if !p.ofTime() && !made.Media() {
			continue
		}
		if p.ofTime() {
			if w.from = playing(media); w.from == "" || dropping(u.words) || w.from == u.head.Returns && !p.chosen {
				continue // "mute 0:02 to 0:04" leaves the rest
			}
			if slices.ContainsFunc(found, func(c constraint) bool { return c.first }) {
				continue // the first one may leave nothing that takes time: this one is left, and told
			}
			w.first, w.to = true, w.from
			if !takesType(u.head, w.from) {
				w.to = plan.Image // a moment of the video, for a tool that takes pictures
			}
		}
		add(w, p.text)
	}
	if format := s.format(u); made.Media() && retrieve.FileType("."+format) == made && format != "gif" && !takes(u.head, plan.Format) {
		add(work{from: made, to: made, told: func(a toolbox.Arg) bool { return a.Meaning == plan.Format }}, format)
	}
	return found
}

// playing is the type of the first file that takes time to play, "" if none does.
func playing(media []entity) plan.Type {
	i := slices.IndexFunc(media, func(e entity) bool { return e.typ == plan.Video || e.typ == plan.Audio })
	if i < 0 {
		return ""
	}
	return media[i].typ
}

// work is what a tool has to do for a constraint: to make one file of another, as it is told.
type work struct {
	from, to plan.Type
	told     func(toolbox.Arg) bool // the argument that it is told by
	first    bool                   // before the clause's own tool
}

// takesUp reports whether the clause's own tool is told the quantity, or could be.
func (s *scene) takesUp(u *understood, sub plan.Subtask, p phrase) bool {
	return slices.ContainsFunc(u.head.Args, func(a toolbox.Arg) bool { return a.Kind != "" && a.Kind.Takes(p.unit) }) ||
		slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return strings.Contains(a.Source.Value, p.text) })
}

// worker finds the tool that does the work, the one nearest to the clause if there are several.
func (s *scene) worker(u *understood, w work) (toolbox.Tool, toolbox.Arg, bool) {
	var near toolbox.Tool
	var by toolbox.Arg
	rank := -1
	hits := s.m.index.Search(s.m.lexicon.Features(u.clause.words))
	for _, t := range s.m.catalogue.Tools() {
		at := slices.IndexFunc(t.Args, func(a toolbox.Arg) bool { return a.Type == plan.Text && w.told(a) })
		if at < 0 || t.Name == u.head.Name || t.Returns != w.to || !takesType(t, w.from) || len(mediaArgs(t)) != 1 {
			continue
		}
		place := slices.IndexFunc(hits, func(h retrieve.Hit) bool { return h.Tool == t.Name })
		if place < 0 {
			place = len(hits)
		}
		if rank < 0 || place < rank {
			near, by, rank = t, t.Args[at], place
		}
	}
	return near, by, rank >= 0
}

// subtask is the work of a constraint on a file.
func (c constraint) subtask(u *understood, of entity) (understood, plan.Subtask) {
	v := *u
	v.head, v.object, v.results = c.tool, "", nil
	sub := plan.Subtask{
		Description: spoken(c.tool.Name) + ": " + c.told.Source.Value, Returns: c.tool.Returns, Domains: []string{c.tool.Domain},
		Args: []plan.Arg{{Type: of.typ, Source: of.source}, c.told},
	}
	sub.After = dependencies(sub.Args)
	return v, sub
}

// phrase is a quantity with the words that go with it: "first 3 seconds".
type phrase struct {
	unit quantity.Unit
	text string
	// chosen marks a part of a file that is all of it that is wanted: "of the first 3 seconds".
	chosen bool
}

func (p phrase) ofTime() bool { return p.unit == quantity.Time || p.unit == quantity.Clock }

var (
	aFrame      = regexp.MustCompile(`(?i)\b(?:first|last|middle) (?:frame|shot|still)\b`)
	beforeTime  = regexp.MustCompile(`(?i)(?:\b(?:first|last|from|between|seconds?|minutes?|without|the)\s+)+$`)
	chosenBy    = regexp.MustCompile(`(?i)\bof\s+$`)
	betweenTime = regexp.MustCompile(`(?i)^\s*(?:to|until|till|and|-|–)\s*$`)
)

// phrasesOf are the phrases of a clause whose quantities have a plain unit.
func phrasesOf(text string, words []retrieve.Word, start int) []phrase {
	var all []phrase
	found := slices.DeleteFunc(quantity.Find(text), func(q quantity.Quantity) bool {
		return slices.ContainsFunc(words, func(w retrieve.Word) bool {
			return w.Kind != retrieve.Plain && w.Kind != retrieve.Number && overlaps(w, q, start)
		})
	})
	for i := 0; i < len(found); i++ {
		q := found[i]
		if !slices.Contains(plainUnits, q.Unit) {
			continue
		}
		begin, end := q.Start, q.End
		if q.Unit == quantity.Time || q.Unit == quantity.Clock {
			if lead := beforeTime.FindStringIndex(text[:begin]); lead != nil {
				begin = lead[0]
			}
			if i+1 < len(found) && betweenTime.MatchString(text[end:found[i+1].Start]) {
				i++
				end = found[i].End
			}
		}
		all = append(all, phrase{q.Unit, text[begin:end], chosenBy.MatchString(text[:begin])})
	}
	if at := aFrame.FindString(text); at != "" {
		all = append(all, phrase{quantity.Time, at, true})
	}
	return all
}

// takesMedia reports whether the tool must be given a file.
func takesMedia(t toolbox.Tool) bool {
	return slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && a.Type.Media() })
}
