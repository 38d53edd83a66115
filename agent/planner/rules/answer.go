package rules

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/scene"
)

// longAnswer is the maximum number of words of an answer that only picks a file.
const longAnswer = 6

// answered handles the answer to an open question: it picks a guess, names the files that were meant, completes
// the request, or replaces it.
func (p *Planner) answered(r plan.Request, answer string) outcome {
	alone, asked := r, p.tidier.Tidy(r.Question.Wish)
	alone.Question = nil
	if p.IsMadeOf(strings.ToLower(answer), "dropping", "thanks", "agreement") {
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
	if o := p.talk(alone, answer); o != nil && len(r.Given) == 0 {
		return *o
	}
	o := p.decompose(alone, answer)
	if len(o.subtasks) == 0 && asked != "" {
		return p.decompose(alone, strings.TrimRight(asked, ".!? ")+", "+answer)
	}
	return o
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
