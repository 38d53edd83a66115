package english

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"

	"atelier/agent/toolbox/retrieve"
)

//go:embed english.txt
var englishFile string

// set is a closed list of words in lower case.
type set map[string]bool

// Lists holds the closed lists of english.txt by section.
type Lists struct {
	lists map[string][]string
	sets  map[string]set
}

// readLists parses sections "[name]" of phrases separated by lines or commas. A "#" starts a comment.
func readLists(file string) (*Lists, error) {
	e := &Lists{lists: map[string][]string{}, sets: map[string]set{}}
	section := ""
	for n, line := range strings.Split(file, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			if e.sets[section] != nil {
				return nil, fmt.Errorf("english.txt:%d: duplicate section %q", n+1, section)
			}
			e.sets[section] = set{}
			continue
		}
		for p := range strings.SplitSeq(line, ",") {
			if p = strings.TrimSpace(p); p == "" {
				continue
			}
			if section == "" {
				return nil, fmt.Errorf("english.txt:%d: %q is outside a section", n+1, p)
			}
			e.lists[section] = append(e.lists[section], p)
			e.sets[section][p] = true
		}
	}
	return e, nil
}

// In reports whether the section contains the text.
func (l *Lists) In(section, text string) bool { return l.sets[section][text] }

// Is reports whether a plain word, not a quotation or a name, is in the section.
func (l *Lists) Is(section string, w retrieve.Word) bool {
	return w.Kind == retrieve.Plain && l.sets[section][w.Lower()]
}

// SectionsOf returns the sections with a prefix that contain the text.
func (l *Lists) SectionsOf(prefix, text string) []string {
	var names []string
	for section, words := range l.sets {
		if strings.HasPrefix(section, prefix) && words[text] {
			names = append(names, section)
		}
	}
	return names
}

// Listed reports whether any section contains the text.
func (l *Lists) Listed(text string) bool {
	return len(l.SectionsOf("", text)) > 0
}

// Any reports whether any of the words is in the section.
func (l *Lists) Any(section string, words []retrieve.Word) bool {
	return l.Find(section, words) >= 0
}

// Find returns the index of the first word that is in the section, -1 if there is none.
func (l *Lists) Find(section string, words []retrieve.Word) int {
	for i, w := range words {
		if l.Is(section, w) {
			return i
		}
	}
	return -1
}

// Begins returns the length in words of the longest phrase of the section at the start of the words, 0 if there is
// none.
func (l *Lists) Begins(section string, words []retrieve.Word) int {
	longest := 0
	for _, p := range l.lists[section] {
		longest = max(longest, startsWith(words, p))
	}
	return longest
}

// startsWith returns the length in words of the phrase, 0 if the words do not start with it.
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

// Phrases returns the phrases of the section, in the order of the file.
func (l *Lists) Phrases(section string) []string { return l.lists[section] }

// Ordinals maps ordinals to numbers: 1 is the first, -1 the last.
var Ordinals = map[string]int{
	"first": 1, "1st": 1, "former": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
	"last": -1, "latter": -1, "latest": -1, "newest": -1,
}

// IsMadeOf reports whether a lower-case text consists of phrases of the section, possibly with small talk and phrases
// of the sections beside.
func (l *Lists) IsMadeOf(plain, section string, beside ...string) bool {
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if len(words) > 12 {
		return false // too long for a greeting
	}
	prefix := func(rest, section string) int {
		longest := 0
		for _, phrase := range l.Phrases(section) {
			if after, ok := strings.CutPrefix(rest, phrase); ok && (after == "" || after[0] == ' ') {
				longest = max(longest, len(phrase))
			}
		}
		return longest
	}
	hit := false
	for rest := strings.ReplaceAll(strings.Join(words, " "), "’", "'"); rest != ""; {
		own := prefix(rest, section)
		longest := max(own, prefix(rest, "small talk"))
		for _, other := range beside {
			longest = max(longest, prefix(rest, other))
		}
		if longest == 0 {
			return false
		}
		hit = hit || own == longest
		rest = strings.TrimSpace(rest[longest:])
	}
	return hit
}
