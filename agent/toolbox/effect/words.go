package effect

import (
	"context"
	_ "embed"
	"html"
	"slices"
	"strings"
	"sync"
	"unicode"

	"atelier/agent/plan"
)

// Thresholds for texts.
const (
	leastShortened = 600 // minimum length in letters of a text whose summary must be shorter
	leastLetters   = 20  // minimum number of letters to recognize a script
	leastWords     = 12  // minimum number of words to recognize a language
	foreignShare   = 5   // one in foreignShare words must be common in another language
)

func length(_ context.Context, c *Case, rule map[string]string) plan.Message {
	got := weight(c.Result.Value)
	if most := int(number64(rule["most"])); most > 0 && got > most {
		return plan.Say("The text should have at most %d characters, but it has %d.", most, got)
	}
	was := 0
	for _, m := range c.Args[rule["below"]] {
		was += weight(m.Value)
	}
	if was >= leastShortened && got >= was {
		return plan.Say("The text should be shorter than the original, but it is not.")
	}
	return plan.Message{}
}

// weight returns the length of a text in letters. A character that stands for a word or a syllable counts as three.
func weight(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 3
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n
}

func number(_ context.Context, c *Case, _ map[string]string) plan.Message {
	words := strings.FieldsFunc(strings.ToLower(c.Result.Value), func(r rune) bool { return !unicode.IsLetter(r) })
	counted := func(w string) bool {
		return slices.Contains([]string{"no", "none", "nothing", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}, w)
	}
	if strings.ContainsFunc(c.Result.Value, unicode.IsNumber) || slices.ContainsFunc(words, counted) {
		return plan.Message{}
	}
	return plan.Say("The answer should contain a number, but it does not.")
}

func holds(_ context.Context, c *Case, rule map[string]string) plan.Message {
	if c.Result.Value == "" {
		return plan.Message{}
	}
	page := plain(html.UnescapeString(c.Result.Value))
	for _, m := range c.Args[rule[lone]] {
		if !strings.Contains(page, plain(m.Value)) {
			return plan.Say("The result should contain the given words, but it does not.")
		}
	}
	return plan.Message{}
}

// plain reduces a text to its letters and digits.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func inLanguage(_ context.Context, c *Case, rule map[string]string) plan.Message {
	want, ok := language{}, false
	if rule["named_by"] != "" {
		said, _ := setting[string](c, rule, "named_by")
		want, ok = languageNamed(said)
	} else if of := c.Args[rule["of"]]; len(of) == 1 {
		want, ok = languageOf(of[0].Value)
	}
	if !ok || want.speaks(c.Result.Value) {
		return plan.Message{}
	}
	return plan.Say("The text should be in %s, but it is in another language.", want.englishName())
}

//go:embed languages.txt
var languageTable string

// language is a language that texts can be checked for.
type language struct {
	names   []string
	scripts []*unicode.RangeTable
	// common are very frequent words of the language; empty if its script is enough to recognize it.
	common map[string]bool
}

// languages parses the table: each line has the names, the scripts and the common words of a language.
var languages = sync.OnceValue(func() []language {
	var all []language
	for line := range strings.Lines(languageTable) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if len(parts) != 3 {
			continue
		}
		t := language{common: map[string]bool{}}
		for name := range strings.SplitSeq(parts[0], ",") {
			t.names = append(t.names, strings.TrimSpace(name))
		}
		for script := range strings.FieldsSeq(parts[1]) {
			t.scripts = append(t.scripts, unicode.Scripts[script])
		}
		for word := range strings.FieldsSeq(parts[2]) {
			t.common[word] = true
		}
		all = append(all, t)
	}
	return all
})

// englishName returns the language's English name.
func (t language) englishName() string { return strings.ToUpper(t.names[0][:1]) + t.names[0][1:] }

// languageNamed returns the only language that a text names; false if it names none or several.
func languageNamed(said string) (language, bool) {
	said = strings.ToLower(said)
	words := wordsOf(said)
	for _, spelled := range []string{"romaji", "pinyin", "romanised", "romanized", "transliterated", "phonetic", "latin"} {
		if words[spelled] > 0 { // a language in another script
			return language{}, false
		}
	}
	found, count := language{}, 0
	for _, t := range languages() {
		for _, name := range t.names {
			if words[name] > 0 || !ascii(name) && strings.Contains(said, name) {
				found, count = t, count+1
				break
			}
		}
	}
	return found, count == 1
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// languageOf returns the language of a text if it has more of its common words than of all other languages together.
func languageOf(text string) (language, bool) {
	words := wordsOf(text)
	best, most, all := language{}, 0, 0
	for _, t := range languages() {
		n := t.count(words)
		if all += n; n > most {
			best, most = t, n
		}
	}
	if most >= 3 && 2*most > all && best.written(text) {
		return best, true
	}
	return language{}, false
}

// speaks reports whether a text may be in the language: not if most of it is in another script, nor if
// a longer text has none of its common words and many of another language.
func (t language) speaks(text string) bool {
	if !t.written(text) {
		return false
	}
	words := wordsOf(text)
	all := 0
	for _, n := range words {
		all += n
	}
	if len(t.common) == 0 || all < leastWords || t.count(words) > 0 {
		return true
	}
	for _, o := range languages() {
		if o.count(words)*foreignShare >= all {
			return false
		}
	}
	return true
}

// written reports whether at least half of the letters are in the language's scripts, or the text is
// too short to tell.
func (t language) written(text string) bool {
	own, letters := 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if unicode.In(r, t.scripts...) {
			own++
		}
	}
	return letters < leastLetters || own*2 >= letters
}

// count returns how many of the words are common in the language.
func (t language) count(words map[string]int) int {
	n := 0
	for w, times := range words {
		if t.common[w] {
			n += times
		}
	}
	return n
}

func wordsOf(text string) map[string]int {
	all := map[string]int{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		all[w]++
	}
	return all
}
