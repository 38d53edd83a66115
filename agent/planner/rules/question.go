package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// longAnswer is the maximum number of words of an answer that only picks a file.
const longAnswer = 6

// answered handles the answer to an open question: it picks a guess, names the files that were meant, completes
// the request, or replaces it.
func (p *Planner) answered(r plan.Request, answer string) outcome {
	alone, asked := r, p.tidier.Tidy(r.Question.Wish)
	alone.Question = nil
	if p.IsMadeOf(strings.ToLower(answer), "dropping", "thanks", "praise", "agreement") {
		return outcome{reply: leftAlone}
	}
	if guess := pickedGuess(r.Question.Guesses, answer); guess != "" {
		return p.decompose(alone, guess)
	}
	if chosen := p.chosen(r, answer); len(chosen) > 0 && asked != "" {
		picked := alone
		picked.Given, picked.Earlier = nil, nil
		for _, res := range r.Resources() {
			if slices.Contains(chosen, res.Name) {
				picked.Given = append(picked.Given, res)
			} else {
				picked.Earlier = append(picked.Earlier, res)
			}
		}
		if o := p.decompose(picked, asked); len(o.subtasks) > 0 {
			return o
		}
	}
	if o := p.talk(alone, answer); o != nil && len(r.Given) == 0 && !strings.ContainsFunc(answer, unicode.IsDigit) { // "50%" is an answer
		return *o
	}
	o := p.decompose(alone, answer)
	if len(o.subtasks) == 0 && asked != "" {
		completed := p.decompose(alone, strings.TrimRight(asked, ".!? ")+", "+answer)
		if len(completed.subtasks) > 0 || !p.isOrder(answer) {
			return completed
		}
	}
	return o
}

// isOrder reports whether a text begins like a whole order: "make it uppercase".
func (p *Planner) isOrder(text string) bool {
	words := p.Lexicon.Words(text, []retrieve.Span{})
	return len(words) > 1 && p.IsVerb(words[0])
}

// pickedGuess returns the guess that an answer picks by its number, "" if it picks none.
func pickedGuess(guesses []string, answer string) string {
	plain := strings.Trim(strings.ToLower(answer), " .!)#")
	for _, lead := range []string{"number ", "the ", "no. ", "option "} {
		plain = strings.TrimPrefix(plain, lead)
	}
	plain, _, _ = strings.Cut(plain, " one")
	for i, g := range guesses {
		n := english.Ordinals[plain]
		if plain == strconv.Itoa(i+1) || n == i+1 || n == -1 && i == len(guesses)-1 {
			return g
		}
	}
	return ""
}

// chosen returns the names of the resources that an answer picks: by name, by "the second one", by "both", or by
// attaching them.
func (p *Planner) chosen(r plan.Request, answer string) []string {
	s := scene.New(p.Tools, r, answer)
	var named []string
	for _, w := range s.Words {
		if res, ok := s.Files.Lookup(w.Text); ok && w.IsFile() {
			named = append(named, res.Name)
		}
	}
	if len(named) > 0 || len(p.Lexicon.Core(s.Words)) > longAnswer {
		return named
	}
	offered := slices.DeleteFunc(r.Resources(), func(res plan.Resource) bool {
		return !strings.Contains(r.Question.Text, res.Name) && (res.File == "" || !strings.Contains(r.Question.Text, res.File))
	})
	for _, w := range s.Words {
		n := english.Ordinals[w.Lower()]
		if n < 0 {
			n += len(offered) + 1
		}
		switch {
		case p.Is("plurals", w):
			return namesOf(offered)
		case n > 0 && n <= len(offered):
			return namesOf(offered[n-1 : n])
		}
	}
	return namesOf(r.Given)
}

func namesOf(rs []plan.Resource) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name
	}
	return names
}

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
// all of the thread, the latest first.
func (g *guesser) about(r *scene.Reading) []scene.Thing {
	if len(r.Files) > 0 {
		return r.Files
	}
	there := slices.DeleteFunc(slices.Clone(g.Things), func(e scene.Thing) bool { return e.Made })
	if given := slices.DeleteFunc(slices.Clone(there), func(e scene.Thing) bool { return !e.Given }); len(given) > 0 {
		return given
	}
	slices.Reverse(there)
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
		o.question = plan.Sentences(o.question, plan.Say("Or did you mean one of these?"))
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

// Fixed sentences.
var (
	notSure = plan.Say("I am not sure what you want. Could you rephrase it, " +
		"for example \"find the edges in my photo\" or \"make it half as large\"?")
	emptyRequest = plan.Say("What would you like me to do?")
	whichChange  = plan.Say("What exactly should I change? " +
		"For example: \"make it brighter\", \"crop it to a square\" or \"turn it into a watercolour\".")
)

// whatWith asks what to do with files.
func whatWith(names plan.Message) plan.Message { return plan.Say("What should I do with %s?", names) }

// lost answers a request without any task.
func lost(r plan.Request) *outcome {
	if len(r.Given) > 0 {
		return asking(whatWith(resourceNames(r.Given)))
	}
	return asking(notSure)
}

// unclear asks to reword a request about files.
func unclear(names plan.Message) plan.Message {
	return plan.Sentences(plan.Say("I am not sure what you want me to do with %s.", names), plan.Say("Please rephrase that."))
}

// whichOther asks for another file in place of one that is named twice.
func whichOther(file string) plan.Message {
	return plan.Say("You name %s twice, and it is one file. Which other file do you mean?", file)
}

// almost is the share of the best tool's similarity from which another tool is meant as well.
const almost = 0.9

// likewise returns the other type of file that the same words fit as well, since a tool for it is almost
// as near: "make it black and white" may mean a picture or a video.
func likewise(r *scene.Reading, missing plan.Type) plan.Type {
	at := slices.IndexFunc(r.Rivals, func(v scene.Rival) bool { return v.Tool == r.Head })
	if at < 0 || len(r.Refs.Definite) > 0 {
		return ""
	}
	for _, v := range r.Rivals {
		if v.Tool == r.Head || v.Near < almost*r.Rivals[at].Near || v.Rest > r.Rivals[at].Rest {
			continue
		}
		for _, a := range v.Tool.Args {
			if !a.Optional && a.Type.Media() && a.Type != missing && v.Tool.Domain != r.Head.Domain {
				return a.Type
			}
		}
	}
	return ""
}

// inPart says which words of a request were not understood.
func inPart(left []plan.Unhandled) plan.Message {
	var unknown []string
	for _, l := range left {
		unknown = append(unknown, l.Unknown...)
	}
	return plan.Say("I understand only part of this: I do not know what to do with “%s”. Please rephrase it or leave it out.",
		strings.Join(unknown, ", "))
}

// onlyTo says that a clause applies to one kind of media, but another kind was given.
func onlyTo(part string, t plan.Type, name string, is plan.Type) plan.Message {
	return plan.Say("I can do “%s” only to a %s, and %s is a %s.", part, draft.Nouns[t], name, draft.Nouns[profile.Base(is)])
}

func resourceNames(rs []plan.Resource) plan.Message {
	var names []string
	for _, r := range rs {
		if r.On == "" {
			names = append(names, cmp.Or(r.File, r.Name))
		}
	}
	return scene.Listed(names)
}
