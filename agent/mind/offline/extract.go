package offline

import (
	"regexp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// What a clause says for a text argument, by what the argument means. The longer
// answers have files of their own: object.go, prompt.go, content.go, amount.go, place.go.

// textFor takes out of a clause what a text argument of that meaning wants; "" if the
// clause does not say it.
func (s *scene) textFor(u *understood, meaning plan.Meaning, t toolbox.Tool) string {
	switch meaning {
	case plan.Object:
		return u.object
	case plan.Query:
		return s.question(u)
	case plan.Prompt:
		return s.prompt(u)
	case plan.Instruction:
		return s.instruction(u)
	case plan.Content:
		return s.content(u, t)
	case plan.Amount:
		return s.amount(u)
	case plan.Format:
		return s.format(u)
	case plan.Language:
		return language(u)
	case plan.Place:
		return s.place(u, t)
	default:
		return s.instruction(u)
	}
}

// quoted is the longest quotation in the clause.
func (s *scene) quoted(u *understood) string {
	best := ""
	for _, w := range u.clause.words {
		if w.Kind == retrieve.Quote && len(w.Text) > len(best) {
			best = w.Text
		}
	}
	return best
}

// question is the clause as a question, without the names of files.
func (s *scene) question(u *understood) string {
	return s.withoutFiles(u.words, u.text)
}

// instruction is the clause as an order, without the names of files. Where it only
// points at the thing that the clause before was about, the thing is named.
func (s *scene) instruction(u *understood) string {
	text := s.withoutFiles(u.words, u.text)
	same := u.object != "" && s.prev != nil && s.prev.object == u.object
	if !same || strings.Contains(strings.ToLower(text), strings.ToLower(u.object)) {
		return text
	}
	for _, p := range pointers {
		if named, ok := replaceWord(text, p, "the "+u.object); ok {
			return named
		}
	}
	return text
}

// replaceWord puts something in the place of a word where it stands first.
func replaceWord(text, word, with string) (string, bool) {
	fields := strings.Fields(text)
	for i, f := range fields {
		if bare := strings.Trim(f, ".,!?"); strings.EqualFold(bare, word) {
			fields[i] = strings.Replace(f, bare, with, 1)
			return strings.Join(fields, " "), true
		}
	}
	return text, false
}

var formatWords = regexp.MustCompile(`(?i)\b(?:png|jpe?g|gif|webp|bmp|tiff?|mp4|webm|mov|mkv|avi|mp3|wav|flac|ogg|opus|m4a|aac)\b`)

// format is the file format that something is to be brought into: the last one named.
func (s *scene) format(u *understood) string {
	words := u.clause.words
	if len(words) == 0 {
		return ""
	}
	text := s.withoutFiles(words, s.text[words[0].Start:words[len(words)-1].End])
	found := formatWords.FindAllString(text, -1)
	for _, f := range slices.Backward(found) {
		if f = strings.ToLower(f); !s.has(f) || len(found) == 1 {
			return f
		}
	}
	return ""
}

// language is the last language that the clause names.
func language(u *understood) string {
	for _, w := range slices.Backward(u.words) {
		if languages.has(w) {
			return w.Text
		}
	}
	return ""
}

// withoutFiles writes the words of a clause again without names of files and the
// prepositions that led to them. whole is the clause with what was said more about it.
func (s *scene) withoutFiles(words []retrieve.Word, whole string) string {
	if len(words) == 0 {
		return ""
	}
	text := s.text[words[0].Start:words[len(words)-1].End]
	_, more, _ := strings.Cut(whole, text)
	if !slices.ContainsFunc(words, isFile) {
		return text + more
	}
	var b strings.Builder
	skip := s.filePhrases(words)
	last := -1
	for i, w := range words {
		if skip[i] || isMark(w) && b.Len() == 0 {
			continue
		}
		if last >= 0 && !isMark(w) && (last != i-1 || w.Start > words[i-1].End) {
			b.WriteByte(' ')
		}
		b.WriteString(s.text[w.Start:w.End])
		last = i
	}
	return strings.TrimSpace(strings.TrimRight(b.String(), " ,:;")) + more
}

// filePhrases marks the words that only hand a file over: "in the image file cat.png".
func (s *scene) filePhrases(words []retrieve.Word) []bool {
	skip := make([]bool, len(words))
	for i, w := range words {
		if !isFile(w) {
			continue
		}
		k := i
		for ; k >= 0 && (k == i || s.leadsToName(words, skip, k)); k-- {
			skip[k] = true
		}
		switch {
		case k < 0:
		case !skip[k] && words[k].Kind == retrieve.Plain && s.m.isPreposition(words[k]) && !conjunctions.has(words[k]):
			skip[k] = true
			if k > 0 && basedWords.has(words[k-1]) {
				skip[k-1] = true
			}
		case takingWords.has(words[k]):
			skip[k] = true
		}
	}
	return skip
}

// leadsToName tells whether the word at k belongs to the name of a file that follows it:
// "the photo", "depth map", the "and" between two names.
func (s *scene) leadsToName(words []retrieve.Word, skip []bool, k int) bool {
	w := words[k]
	switch {
	case w.Kind == retrieve.Mark:
		return w.Text == ","
	case w.Kind != retrieve.Plain:
		return false
	case lower(w) == "and":
		return k > 0 && skip[k-1]
	}
	return fileWords.has(w) || s.m.isMedia(w) || isMapNoun(w)
}

func isMapNoun(w retrieve.Word) bool {
	_, ok := mapNouns[lower(w)]
	return ok
}
