package rules

import (
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// longAnswer is the most words of an answer that only picks a file.
const longAnswer = 6

// answered goes on from the answer to an open question: it picks a guess, names the files that
// were meant, adds what was lacking, or says anew what is wanted.
func (p *Planner) answered(r plan.Request, answer string) outcome {
	alone := r
	alone.Question = nil
	if rest, dropped := p.dropped(answer); dropped && rest == "" {
		return outcome{reply: leftAlone}
	} else if dropped {
		return p.decompose(alone, rest)
	}
	if guess := pickedGuess(r.Question.Guesses, answer); guess != "" {
		return p.decompose(alone, guess)
	}
	chosen := p.chosen(r, answer)
	text := tidy(r.Question.Wish)
	if len(chosen) > 1 { // "it" is plural then
		text = strings.NewReplacer(" it", " them", "It ", "Them ").Replace(text)
	}
	if len(chosen) > 0 && text != "" {
		picked := alone
		picked.Given, picked.Earlier = nil, nil
		for _, res := range r.Resources() {
			if slices.Contains(chosen, res.Name) {
				picked.Given = append(picked.Given, res)
			} else {
				picked.Earlier = append(picked.Earlier, res)
			}
		}
		if o := p.decompose(picked, text); len(o.subtasks) > 0 {
			return o
		}
	}
	if o := p.talk(alone, answer); o != nil && len(r.Given) == 0 {
		return *o
	}
	o := p.decompose(alone, answer)
	if len(o.subtasks) > 0 || text == "" {
		return o
	}
	joined := text
	if answer != "" {
		joined = strings.TrimRight(text, ".!? ") + ", " + answer
	}
	o = p.decompose(alone, joined)
	if len(o.subtasks) == 0 && len(r.Given) > 0 {
		return p.decompose(alone, text)
	}
	return o
}

// pickedGuess is the guess that an answer picks by its number, "" if it picks none.
func pickedGuess(guesses []string, answer string) string {
	plain := strings.Trim(strings.ToLower(answer), " .!)#")
	for _, lead := range []string{"number ", "the ", "no. ", "option "} {
		plain = strings.TrimPrefix(plain, lead)
	}
	plain, _, _ = strings.Cut(plain, " one")
	for i, g := range guesses {
		n := ordinals[plain]
		if plain == strconv.Itoa(i+1) || n == i+1 || n == -1 && i == len(guesses)-1 {
			return g
		}
	}
	return ""
}

// dropped reports whether an answer takes the request back, and returns what it wants instead:
// "forget that, just mirror a.png".
func (p *Planner) dropped(answer string) (rest string, ok bool) {
	plain := strings.ToLower(answer)
	for _, phrase := range p.english.lists["dropping"] {
		after, ok := strings.CutPrefix(plain, phrase)
		switch {
		case ok && strings.Trim(after, " .!") == "":
			return "", true
		case ok && strings.IndexAny(after, ",;.") == 0 && len(plain) == len(answer):
			return strings.TrimSpace(answer[len(answer)-len(after)+1:]), true
		}
	}
	return "", false
}

// chosen are the names of the resources that an answer picks: by name, by "the second one", by
// "both" or "all", by what they show, or because they came with it.
func (p *Planner) chosen(r plan.Request, answer string) []string {
	t := p.newThread(r, answer)
	var named []string
	for _, w := range t.words {
		if res, ok := t.lookup(w.Text); ok && isFile(w) {
			named = append(named, res.Name)
		}
	}
	length := len(p.lexicon.Core(t.words))
	if len(named) > 0 || length > longAnswer {
		return named
	}
	offered := slices.DeleteFunc(r.Resources(), func(res plan.Resource) bool {
		return !strings.Contains(r.Question.Text, res.Name) && (res.File == "" || !strings.Contains(r.Question.Text, res.File))
	})
	if len(offered) == 0 {
		offered = r.Resources()
	}
	for _, w := range t.words {
		if picked := p.picks(w, offered); len(picked) > 0 {
			return picked
		}
	}
	if length > longAnswer-2 {
		return nil
	}
	return namesOf(r.Given)
}

// picks are the resources that one word of an answer picks.
func (p *Planner) picks(w retrieve.Word, offered []plan.Resource) []string {
	text := lower(w)
	if p.english.in("everyone", text) {
		return namesOf(offered)
	}
	n := ordinals[text]
	if len(text) == 1 && text[0] >= '1' && text[0] <= '9' {
		n = int(text[0] - '0')
	}
	if n < 0 {
		n += len(offered) + 1
	}
	if n > 0 && n <= len(offered) {
		return []string{offered[n-1].Name}
	}
	if len(text) <= 2 || w.Kind != retrieve.Plain || p.lexicon.Stop(text) {
		return nil
	}
	match := slices.DeleteFunc(slices.Clone(offered), func(res plan.Resource) bool {
		return !strings.Contains(strings.ToLower(res.Name+" "+res.File+" "+res.About), text)
	})
	if len(match) != 1 {
		return nil // it tells none from the others
	}
	return namesOf(match)
}

func namesOf(rs []plan.Resource) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name
	}
	return names
}
