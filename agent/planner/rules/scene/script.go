package scene

import (
	"slices"
	"strings"

	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

// Script is the text of a request and its words. Clauses made of other words are appended to the text.
type Script struct {
	Text  string
	Words []retrieve.Word

	grammar *english.Grammar
}

// Span returns the text from the first word to the last one, as written.
func (s *Script) Span(words []retrieve.Word) string {
	if len(words) == 0 {
		return ""
	}
	return s.Text[words[0].Start:words[len(words)-1].End]
}

// WithoutFiles returns the text of a clause without file names and the words that introduce them. Whole is the
// clause with later remarks about it.
func (s *Script) WithoutFiles(words []retrieve.Word, whole string) string {
	if len(words) == 0 {
		return ""
	}
	_, more, _ := strings.Cut(whole, s.Span(words))
	var b strings.Builder
	skip := s.filePhrases(words)
	last := -1
	for i, w := range words {
		if skip[i] || w.IsMark() && b.Len() == 0 {
			continue
		}
		if last >= 0 && !w.IsMark() && (last != i-1 || w.Start > words[i-1].End) {
			b.WriteByte(' ')
		}
		b.WriteString(s.Text[w.Start:w.End])
		last = i
	}
	return strings.TrimSpace(strings.TrimRight(b.String(), " ,:;")) + more
}

// Part makes a clause of some words of another one. They are appended to the text, where they are adjacent: text
// between two words of a clause belongs to it.
func (s *Script) Part(c clause.Clause, words []retrieve.Word) clause.Clause {
	s.Text += "\n"
	begin := len(s.Text)
	c.Words = slices.Clone(words)
	for i, w := range words {
		if i > 0 && w.Start != words[i-1].End {
			s.Text += " "
		}
		c.Words[i].Start = len(s.Text)
		s.Text += s.Text[w.Start:w.End]
		c.Words[i].End = len(s.Text)
	}
	c.Text = s.Text[begin:]
	return c
}

// Coined appends a word to the text.
func (s *Script) Coined(text string) retrieve.Word {
	s.Text += "\n" + text
	w := s.grammar.Lexicon.Words(text, []retrieve.Span{})[0]
	w.Start, w.End = len(s.Text)-len(text), len(s.Text)
	return w
}

// filePhrases marks the words that only introduce a file: "in the image file cat.png".
func (s *Script) filePhrases(words []retrieve.Word) []bool {
	skip := make([]bool, len(words))
	leads := func(k int) bool { // "the photo", "depth map", the "and" between two names
		w := words[k]
		if w.Kind != retrieve.Plain {
			return w.Text == ","
		}
		_, isMap := english.MapNouns[w.Lower()]
		return w.Lower() == "and" && k > 0 && skip[k-1] || s.grammar.Is("file words", w) || s.grammar.IsMedia(w) || isMap
	}
	for i, w := range words {
		if !w.IsFile() {
			continue
		}
		skip[i] = true
		k := i - 1
		for ; k >= 0 && leads(k); k-- {
			skip[k] = true
		}
		if k < 0 || words[k].Kind != retrieve.Plain {
			continue
		}
		switch text := words[k].Lower(); {
		case text == "given", text == "using", text == "use":
			skip[k] = true
		case s.grammar.In("prepositions", text) && !slices.Contains([]string{"and", "or", "if", "whether", "that", "which"}, text):
			skip[k] = true
		}
	}
	return skip
}
