package effect

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed tongues.txt
var tongueTable string

// tongue is a language, as far as a text can be told to be in another one.
type tongue struct {
	names   []string
	scripts []*unicode.RangeTable
	// common are words that nearly every longer text in it has some of; empty where a script is
	// enough.
	common map[string]bool
}

// tongues reads the table: in each line the names, the scripts and the common words of a language.
var tongues = sync.OnceValue(func() []tongue {
	var all []tongue
	for line := range strings.Lines(tongueTable) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if len(parts) != 3 {
			continue
		}
		t := tongue{common: map[string]bool{}}
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

// title is the language's name in English.
func (t tongue) title() string { return strings.ToUpper(t.names[0][:1]) + t.names[0][1:] }

// tongueNamed is the only language that a text names; false if it names none or several.
func tongueNamed(said string) (tongue, bool) {
	said = strings.ToLower(said)
	words := wordsOf(said)
	for _, spelled := range []string{"romaji", "pinyin", "romanised", "romanized", "transliterated", "phonetic", "latin"} {
		if words[spelled] > 0 { // in the letters of another one
			return tongue{}, false
		}
	}
	found, count := tongue{}, 0
	for _, t := range tongues() {
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

// tongueOf is the language of a text where its common words, or its script, tell: it has more common
// words of that one than of all others together.
func tongueOf(text string) (tongue, bool) {
	words := wordsOf(text)
	best, most, all := tongue{}, 0, 0
	for _, t := range tongues() {
		n := t.count(words)
		if all += n; n > most {
			best, most = t, n
		}
	}
	if most >= 3 && 2*most > all && best.written(text) {
		return best, true
	}
	return tongue{}, false
}

// speaks reports whether a text may be in the language: false where most of it is in another script,
// or where a longer text has none of its common words and many of another language.
func (t tongue) speaks(text string) bool {
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
	for _, o := range tongues() {
		if o.count(words)*foreignShare >= all {
			return false
		}
	}
	return true
}

// written reports whether half of the letters are in the language's scripts, or there are too few to tell.
func (t tongue) written(text string) bool {
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

// count is how many of the words are common in the language.
func (t tongue) count(words map[string]int) int {
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
