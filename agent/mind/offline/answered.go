package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// The way of a wish that was asked back: what people answer names the files that were
// meant, adds what was lacking, or says anew what is wanted.

// The longest answers, in words, that only pick a file, and that only come with one.
const (
	pickingWords = 6
	handingWords = 4
)

// answered goes on from the answer to an open question.
func (m *Mind) answered(r plan.Request, answer string) decomposition {
	alone := r
	alone.Question = nil
	if rest, dropped := m.dropped(answer); dropped && rest == "" {
		return decomposition{Reply: leftAlone}
	} else if dropped {
		return m.decompose(alone, rest)
	}
	chosen := m.chosen(r, answer)
	wish := inNumber(tidy(r.Question.Wish), len(chosen))
	if len(chosen) > 0 && wish != "" {
		if d := m.decompose(about(alone, chosen), wish); len(d.Subtasks) > 0 {
			return d
		}
	}
	if d, done := m.talk(alone, answer); done && len(r.Given) == 0 {
		return d
	}
	d := m.decompose(alone, answer)
	if len(d.Subtasks) > 0 || wish == "" {
		return d
	}
	joined := wish
	if answer != "" {
		joined = strings.TrimRight(wish, ".!? ") + ", " + answer
	}
	d = m.decompose(alone, joined)
	if len(d.Subtasks) == 0 && len(r.Given) > 0 {
		return m.decompose(alone, wish)
	}
	return d
}

// dropped tells whether an answer takes the wish back, and what it wants instead: "forget
// that, just mirror a.png".
func (m *Mind) dropped(answer string) (rest string, ok bool) {
	plain := strings.ToLower(answer)
	for _, p := range m.phrases.dropping {
		if after, ok := strings.CutPrefix(plain, p); ok && strings.Trim(after, " .!") == "" {
			return "", true
		} else if ok && strings.IndexAny(after, ",;.") == 0 {
			return strings.TrimSpace(answer[len(answer)-len(after)+1:]), true
		}
	}
	return "", false
}

// about is the request with the chosen resources as those that the wish is about.
func about(r plan.Request, chosen []string) plan.Request {
	picked := r
	picked.Given, picked.Earlier = nil, nil
	for _, res := range r.Resources() {
		if slices.Contains(chosen, res.Name) {
			picked.Given = append(picked.Given, res)
		} else {
			picked.Earlier = append(picked.Earlier, res)
		}
	}
	return picked
}

// inNumber makes "it" plural where the answer chose several.
func inNumber(wish string, chosen int) string {
	if chosen < 2 {
		return wish
	}
	return strings.NewReplacer(" it", " them", "It ", "Them ").Replace(wish)
}

// chosen are the names of the resources that an answer picks: by name, by "the second
// one", by "both" or "all", by kind, or because they came with it.
func (m *Mind) chosen(r plan.Request, answer string) []string {
	s := m.newScene(r, answer)
	if named := s.filesNamed(); len(named) > 0 {
		return named
	}
	length := len(m.lexicon.Core(s.words))
	if length > pickingWords {
		return nil
	}
	choices := offered(r)
	for _, w := range s.words {
		if picked := m.picks(w, choices); len(picked) > 0 {
			return picked
		}
	}
	if length > handingWords {
		return nil
	}
	return namesOf(r.Given)
}

// filesNamed are the resources that the words name.
func (s *scene) filesNamed() []string {
	var named []string
	for _, w := range s.words {
		if !isFile(w) {
			continue
		}
		if res, ok := s.lookup(w.Text); ok {
			named = append(named, res.Name)
		}
	}
	return named
}

// offered are the resources that the open question names, or all if it names none.
func offered(r plan.Request) []plan.Resource {
	var named []plan.Resource
	for _, res := range r.Resources() {
		if strings.Contains(r.Question.Text, res.Name) || res.File != "" && strings.Contains(r.Question.Text, res.File) {
			named = append(named, res)
		}
	}
	if len(named) == 0 {
		return r.Resources()
	}
	return named
}

// picks are the resources that one word of an answer picks.
func (m *Mind) picks(w retrieve.Word, offered []plan.Resource) []string {
	text := lower(w)
	if everyOne[text] {
		return namesOf(offered)
	}
	n := pickOrdinals[text]
	if n < 0 {
		n += len(offered) + 1
	}
	if n > 0 && n <= len(offered) {
		return []string{offered[n-1].Name}
	}
	if len(text) <= 2 || w.Kind != retrieve.Plain || m.lexicon.Stop(text) {
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
