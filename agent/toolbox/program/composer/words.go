package composer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// plain is a text in lower case, with one space around each word and nothing else
// between them.
func plain(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(strings.ToValidUTF8(text, " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '#' && r != ':' && r != '.'
	})
	words := make([]string, 0, len(fields))
	for _, f := range fields {
		if f = strings.Trim(f, ".:"); f != "" {
			words = append(words, f)
		}
	}
	return " " + strings.Join(words, " ") + " "
}

// found is an entry of a table that the words name.
type found struct {
	entry int
	at    int // where it stands in the plain text
	text  string
	not   bool
}

// find tells which of several lists of words a plain text names, in the order in which
// they stand there. Of words that overlap the longer ones count.
func find(text string, lists [][]string) []found {
	type term struct {
		entry int
		text  string
	}
	var terms []term
	for i, list := range lists {
		for _, w := range list {
			t := plain(w)
			if written(w) {
				t = strings.TrimSpace(t)
			}
			terms = append(terms, term{i, t})
		}
	}
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(len(b.text), len(a.text)) })
	var all []found
	for _, t := range terms {
		for from := 0; ; {
			i := strings.Index(text[from:], t.text)
			if i < 0 {
				break
			}
			at := from + i
			all = append(all, found{entry: t.entry, at: at, text: strings.TrimSpace(t.text), not: denied(text[:at+1])})
			text = text[:at] + blanked(t.text) + text[at+len(t.text):]
			from = at + 1
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	return all
}

// blanked keeps the spaces of a term, so that its neighbours still stand apart.
func blanked(term string) string {
	b := []byte(term)
	for i := range b {
		if b[i] != ' ' {
			b[i] = '_'
		}
	}
	return string(b)
}

// denied tells whether what is before a word takes it back: "no drums", "without a
// piano".
func denied(before string) bool {
	words := strings.Fields(before)
	for _, w := range words[max(0, len(words)-2):] {
		if w == "no" || w == "not" || w == "without" {
			return true
		}
	}
	return strings.HasSuffix(strings.TrimSpace(before), "没有") || strings.HasSuffix(strings.TrimSpace(before), "不要") //nolint:gosmopolitan // as Chinese says it
}

// alone tells whether others are left out beside what stands at a place in a plain text:
// "drums only", "just a piano", "solo violin", but not "with a guitar solo".
func (f found) alone(text string) bool {
	before, after := text[:f.at+1], text[f.at:]
	after = strings.TrimSpace(after[strings.Index(after, f.text)+len(f.text):])
	next, _, _ := strings.Cut(after, " ")
	switch {
	case next == "only", next == "alone", strings.HasPrefix(after, "独奏"): //nolint:gosmopolitan // as Chinese says it
		return true
	case next == "solo":
		return !strings.HasSuffix(before, " with a ") && !strings.HasSuffix(before, " with an ")
	case strings.HasSuffix(strings.TrimSpace(before), "只有"): //nolint:gosmopolitan // as Chinese says it
		return true
	}
	words := strings.Fields(before)
	return slices.ContainsFunc(words[max(0, len(words)-2):], func(w string) bool { return w == "only" || w == "just" || w == "solo" })
}

// written tells whether a word is of a script without spaces between words.
func written(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

// lists are the words of each entry of a table.
func lists[T any](table []T, words func(T) []string) [][]string {
	all := make([][]string, 0, len(table))
	for _, entry := range table {
		all = append(all, words(entry))
	}
	return all
}
