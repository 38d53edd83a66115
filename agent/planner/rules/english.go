package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

//go:embed english.txt
var englishFile string

// set is a closed list of words in lower case.
type set map[string]bool

func (s set) add(words []string) {
	for _, w := range words {
		s[w] = true
	}
}

// english holds the closed lists of english.txt by section.
type english struct {
	lists map[string][]string
	sets  map[string]set
}

// readEnglish reads sections "[name]" of phrases, which lines or commas separate. What
// follows a "#" is a comment.
func readEnglish(file string) (*english, error) {
	e := &english{lists: map[string][]string{}, sets: map[string]set{}}
	section := ""
	for n, line := range strings.Split(file, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			if e.sets[section] != nil {
				return nil, fmt.Errorf("english.txt:%d: a second section %q", n+1, section)
			}
			e.sets[section] = set{}
			continue
		}
		for p := range strings.SplitSeq(line, ",") {
			if p = strings.TrimSpace(p); p == "" {
				continue
			}
			if section == "" {
				return nil, fmt.Errorf("english.txt:%d: %q stands in no section", n+1, p)
			}
			e.lists[section] = append(e.lists[section], p)
			e.sets[section][p] = true
		}
	}
	return e, nil
}

// in reports whether the section holds the text.
func (e *english) in(section, text string) bool { return e.sets[section][text] }

// is reports whether the word is a plain one of the section: no quotation and no name.
func (e *english) is(section string, w retrieve.Word) bool {
	return w.Kind == retrieve.Plain && e.sets[section][lower(w)]
}

// listed reports whether a section holds the text.
func (e *english) listed(text string) bool {
	for _, words := range e.sets {
		if words[text] {
			return true
		}
	}
	return false
}

// any reports whether one of the words is of the section.
func (e *english) any(section string, words []retrieve.Word) bool {
	return e.find(section, words) >= 0
}

// find is the place of the first word of the section, -1 if there is none.
func (e *english) find(section string, words []retrieve.Word) int {
	for i, w := range words {
		if e.is(section, w) {
			return i
		}
	}
	return -1
}

// begins returns the length in words of the longest phrase of the section that the words
// begin with, 0 if they begin with none.
func (e *english) begins(section string, words []retrieve.Word) int {
	longest := 0
	for _, p := range e.lists[section] {
		longest = max(longest, startsWith(words, p))
	}
	return longest
}

// startsWith returns the length in words of the phrase, 0 if the words do not begin with it.
func startsWith(words []retrieve.Word, phrase string) int {
	n := 0
	for part := range strings.FieldsSeq(phrase) {
		if n == len(words) || words[n].Kind != retrieve.Plain || !strings.EqualFold(words[n].Text, part) {
			return 0
		}
		n++
	}
	return n
}

// lower is the text of a word in lower case.
func lower(w retrieve.Word) string { return strings.ToLower(w.Text) }

func isFile(w retrieve.Word) bool  { return w.Kind == retrieve.File }
func isMark(w retrieve.Word) bool  { return w.Kind == retrieve.Mark }
func isQuote(w retrieve.Word) bool { return w.Kind == retrieve.Quote }

// ordinals tell which of several is meant: 1 the first, -1 the last.
var ordinals = map[string]int{
	"first": 1, "1st": 1, "former": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
	"last": -1, "latter": -1, "latest": -1, "newest": -1,
}
