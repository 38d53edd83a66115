package program

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

//go:embed speech_languages.yaml
var languageTable []byte

// language is a language that can be spoken or read.
type language struct {
	Names []string
	// Voice is espeak-ng's name for it, and Letters that of Tesseract's data.
	Voice, Letters string
	// Script is its Unicode script, set only for languages that can be detected.
	Script string
	// Signs and Common are letters and words that distinguish it from other languages of its script.
	Signs  string
	Common []string
}

// title is the language's name in English: "Brazilian Portuguese".
func (l language) title() string {
	words := strings.Fields(l.Names[0])
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// languages reads the table.
func languages() ([]language, error) {
	var all []language
	if err := yaml.Unmarshal(languageTable, &all); err != nil {
		return nil, fmt.Errorf("read the table of languages: %w", err)
	}
	return all, nil
}

// named returns the language that a text names: "German", "in french, please", "zh", "日语".
func named(all []language, said string) (language, error) {
	text := plainWords(said)
	best, longest := -1, 0
	for i, l := range all {
		for _, name := range l.Names {
			if at := plainWords(name); contains(text, at) && len(at) > longest {
				best, longest = i, len(at)
			}
		}
	}
	if best < 0 { // a language code
		code := strings.ReplaceAll(strings.TrimSpace(strings.ToLower(said)), "_", "-")
		base, _, _ := strings.Cut(code, "-")
		if base == "zh" {
			base = "cmn"
		}
		best = slices.IndexFunc(all, func(l language) bool { return l.Voice == code })
		if best < 0 {
			best = slices.IndexFunc(all, func(l language) bool {
				voice, _, _ := strings.Cut(l.Voice, "-")
				return base != "" && (voice == base || l.Letters == base)
			})
		}
	}
	if best < 0 {
		return language{}, refusal("I do not know the language %q; say for example %q, %q or %q.", shorten(said), "English", "German", "Chinese")
	}
	return all[best], nil
}

// plainWords returns a text in lower case with a space around each word.
func plainWords(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ") + " "
}

// contains reports whether plain words contain others. Scripts without spaces match anywhere.
func contains(text, words string) bool {
	if strings.ContainsFunc(words, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		words = strings.TrimSpace(words)
	}
	return strings.Contains(text, words)
}

// detected guesses the language of a text from its main script and, among languages of one script,
// from common words and letters. Without evidence, or with a single word that several languages share,
// it is the first language of the script: English.
func detected(all []language, text string) language {
	script, text := scriptOf(all, text), strings.ToLower(text)
	var words []string
	for w := range strings.FieldsSeq(plainWords(text)) {
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
		return all[first]
	}
	return all[best]
}

// wordWeight is the weight of a common word.
const wordWeight = 2

// weight rates the evidence for the language: each distinct common word counts once, and
// distinctive letters by the number of different ones.
func (l language) weight(text string, words []string) int {
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
func scriptOf(all []language, text string) string {
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
