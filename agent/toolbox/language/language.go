// Package language knows the languages that texts are spoken, read and translated in: their names, their codes, and how
// to guess the language of a text.
package language

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

//go:embed languages.yaml
var table []byte

// Language is a language that can be spoken, read or translated.
type Language struct {
	Names []string
	// Voice is its name in espeak-ng, and Letters the name of its data in Tesseract. Empty means that they lack it.
	Voice, Letters string
	// ISO, Flores and MBART are its codes in translation models. Empty means that they do not know it.
	ISO, Flores, MBART string
	// Script is its Unicode script, set only for languages that can be guessed.
	Script string
	// Signs and Common are letters and words that distinguish it from other languages of its script.
	Signs  string
	Common []string
}

var languages = sync.OnceValue(func() []Language {
	var all []Language
	if err := yaml.Unmarshal(table, &all); err != nil {
		panic(err) // the table is embedded
	}
	return all
})

// Title is the language's name in English: "Brazilian Portuguese".
func (l Language) Title() string {
	words := strings.Fields(l.Names[0])
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// Named returns the language that a text names: "German", "in french, please", "zh", "日语".
func Named(said string) (Language, error) {
	text := PlainWords(said)
	best, longest := -1, 0
	for i, l := range languages() {
		for _, name := range l.Names {
			if at := PlainWords(name); Contains(text, at) && len(at) > longest {
				best, longest = i, len(at)
			}
		}
	}
	code := strings.ReplaceAll(strings.TrimSpace(strings.ToLower(said)), "_", "-")
	base, _, _ := strings.Cut(code, "-")
	for _, matches := range []func(Language) bool{
		func(l Language) bool { return l.Voice == code },
		func(l Language) bool {
			voice, _, _ := strings.Cut(l.Voice, "-")
			return voice == base || l.ISO == base || l.Letters == base || l.Flores == strings.TrimSpace(said)
		},
	} {
		if best < 0 && base != "" {
			best = slices.IndexFunc(languages(), matches)
		}
	}
	if best < 0 {
		return Language{}, plan.Refusal("I do not know the language %q; say for example %q, %q or %q.",
			toolbox.Shorten(said), "English", "German", "Chinese")
	}
	return languages()[best], nil
}

// PlainWords returns a text in lower case with a space around each word.
func PlainWords(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ") + " "
}

// Contains reports whether plain words contain others. Scripts without spaces match anywhere.
func Contains(text, words string) bool {
	if strings.ContainsFunc(words, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		words = strings.TrimSpace(words)
	}
	return strings.Contains(text, words)
}

// Guess returns the language of a text, judged by its main script and, among languages of one script,
// by common words and letters. Without evidence, or with a single word that several languages share,
// it is the first language of the script: English. It reports whether there is more evidence than a
// word.
func Guess(text string) (guess Language, sure bool) {
	all := languages()
	script, text := scriptOf(all, text), strings.ToLower(text)
	var words []string
	for w := range strings.FieldsSeq(PlainWords(text)) {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	first, best, most, shared := -1, 0, 0, false
	for i, l := range all {
		if l.Script != script {
			continue
		}
		weight := l.weight(text, words)
		if first < 0 {
			first = i
			weight++
		}
		switch {
		case weight > most:
			best, most, shared = i, weight, false
		case weight == most:
			shared = true
		}
	}
	if shared && most <= wordWeight {
		return all[first], false
	}
	manyUse := script == "Latin" || script == "Cyrillic"
	return all[best], !manyUse || most > wordWeight+1 && !shared
}

// wordWeight is the weight of a common word.
const wordWeight = 2

// weight rates the evidence for the language: each distinct common word counts once, and
// distinctive letters by the number of different ones.
func (l Language) weight(text string, words []string) int {
	weight := 0
	for _, w := range words {
		if slices.Contains(l.Common, w) {
			weight += wordWeight
		}
	}
	kinds := 0
	for _, r := range l.Signs {
		if strings.ContainsRune(text, r) {
			kinds++
		}
	}
	if kinds > 0 {
		weight += 1 + kinds
	}
	return weight
}

// scriptOf returns the main script of a text. A character that stands for a word or a syllable counts
// as three letters. With enough kana, Han characters count as Japanese.
func scriptOf(all []Language, text string) string {
	count := map[string]int{}
	for _, r := range text {
		for _, l := range all {
			if l.Script != "" && (unicode.Is(unicode.Scripts[l.Script], r) || l.Script == "Hiragana" && unicode.Is(unicode.Katakana, r)) {
				weight := 1
				if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
					weight = 3
				}
				count[l.Script] += weight
				break
			}
		}
	}
	if kana := count["Hiragana"]; kana*8 > count["Han"] && kana > 0 {
		count["Hiragana"], count["Han"] = kana+count["Han"], 0
	}
	best := "Latin"
	for _, l := range all { // in the table's order, so that the result is deterministic
		if l.Script != "" && count[l.Script] > count[best] {
			best = l.Script
		}
	}
	return best
}
