package rules

import (
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// A question may offer guesses at the meaning: the most similar examples that fit the files, as requests about them.
// Each is planned first, and offered only if its plan asks no question.

// maxTried is the maximum number of examples planned for one question.
const maxTried = 12

// guess is a request with an example in place of the clause that was not understood.
type guess struct {
	text  string
	tool  *profile.Profile // the example's tool
	files []scene.Thing    // the request is about at least one of them
}

// guesser guesses the meaning of a clause.
type guesser struct{ *draft.Drafter }

// guessing asks a question about a clause. It guesses an example of each tool that takes the files and is not much less
// similar than the best one. A tool that explains no word of the clause must be similar.
func (g *guesser) guessing(q plan.Message, r *scene.Reading) *outcome {
	o, files := asking(q), g.about(r)
	none := 0 // number of words left by a tool that explains none
	for _, v := range r.Rivals {
		none = max(none, v.Rest)
	}
	for _, v := range r.Rivals {
		examples := v.Tool.Plain
		takes := slices.ContainsFunc(files, func(e scene.Thing) bool { return v.Tool.Takes(profile.Base(e.Typ)) })
		if v.Near == 0 || v.Score < match.Hardly*r.Rivals[0].Score || v.Score < match.Sure && v.Rest == none || !takes || len(examples) == 0 {
			continue
		}
		nearest := max(0, slices.Index(examples, v.Example))
		o.guesses = g.addGuess(o.guesses, r, v.Tool, examples[nearest])
	}
	return o
}

// guessingHow asks a question about a clause with a known tool. It guesses examples of that tool, which differ in their
// settings.
func (g *guesser) guessingHow(q plan.Message, r *scene.Reading) *outcome {
	o := asking(q)
	for _, example := range r.Head.Plain {
		o.guesses = g.addGuess(o.guesses, r, r.Head, example)
	}
	return o
}

// about returns the files that a clause may be about: those that it names, else those that came with the message, else
// all of the thread.
func (g *guesser) about(r *scene.Reading) []scene.Thing {
	if len(r.Files) > 0 {
		return r.Files
	}
	there := slices.DeleteFunc(slices.Clone(g.Things), func(e scene.Thing) bool { return e.Made })
	if given := slices.DeleteFunc(slices.Clone(there), func(e scene.Thing) bool { return !e.Given }); len(given) > 0 {
		return given
	}
	return there
}

// addGuess adds the request with an example in place of the clause, and the clause's files in place of the example's. It
// adds nothing if there are not enough files of the types, or if the clause states a value, which the example would
// lose.
func (g *guesser) addGuess(to []guess, r *scene.Reading, tool *profile.Profile, example string) []guess {
	if len(r.Clause.Words) == 0 || r.Quoted() != "" || g.Format(r) != "" || slices.ContainsFunc(r.Stated, draft.Measured) {
		return to
	}
	files := g.about(r)
	names := g.Files.Called(files)
	if there := slices.DeleteFunc(slices.Clone(g.Things), func(e scene.Thing) bool { return e.Made }); len(there) == 1 {
		names = []string{"it"}
	}
	free := slices.Clone(files)
	spans := retrieve.FileSpans(example)
	replaced := make([]string, len(spans))
	for i, s := range spans {
		at := slices.IndexFunc(free, func(e scene.Thing) bool { return e.On == "" && profile.Base(e.Typ) == s.Type })
		if at < 0 {
			return to
		}
		replaced[i] = names[min(at, len(names)-1)]
		free[at].Typ = ""
	}
	for i, s := range slices.Backward(spans) {
		before := example[:s.Start]
		if replaced[i] == "it" {
			if strings.HasSuffix(before, ": ") {
				return to // "video to gif: it"
			}
			before = determiner.ReplaceAllString(before, "") // "split the clip.mp4"
		}
		example = before + replaced[i] + example[s.End:]
	}
	begin, end := r.Clause.Words[0].Start, r.Clause.Words[len(r.Clause.Words)-1].End
	return append(to, guess{g.Text[:begin] + example + g.Text[end:], tool, files})
}

// determiner matches a determiner at the end of a text.
var determiner = lazyregexp.New(`(?i)\b(?:the|this|that|my|our|a) $`)

// withGuesses keeps those guesses of a question that can be planned without another question.
func (p *Planner) withGuesses(r plan.Request, o outcome) (outcome, []string) {
	var guesses []string
	r.Question = nil
	for _, g := range o.guesses[:min(len(o.guesses), maxTried)] {
		if len(guesses) < plan.MaxGuesses && plan.ValidateGuesses(append(guesses, g.text)) == nil && p.plans(r, g) {
			guesses = append(guesses, g.text)
		}
	}
	if len(guesses) > 0 {
		o.question = plan.Sentences(o.question, plan.Say("Or do you mean one of these?"))
	}
	return o, guesses
}

// plans reports whether a guess is fully understood: its plan makes something of the type of its tool, and uses one of
// its files.
func (p *Planner) plans(r plan.Request, g guess) bool {
	r.Wish = g.text
	o := p.understand(r)
	makes := func(sub plan.Subtask) bool { return sub.Returns == g.tool.Returns }
	if len(o.left) > 0 || !slices.ContainsFunc(o.subtasks, makes) {
		return false
	}
	for _, sub := range o.subtasks {
		for _, a := range sub.Args {
			for _, leaf := range a.Source.Leaves() {
				if slices.ContainsFunc(g.files, func(e scene.Thing) bool { return e.Source.Equal(leaf) }) {
					return true
				}
			}
		}
	}
	return false
}
