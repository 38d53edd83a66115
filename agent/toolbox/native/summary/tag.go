package summary

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

const (
	maxTags        = 8
	maxPhraseWords = 4
	maxWordRunes   = 40 // longer ones are codes and addresses, not words
)

// textToTags returns up to eight key phrases, the most important first, separated by commas.
func textToTags(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("find tags for"))
	if err != nil {
		return toolbox.Output{}, err
	}
	tags := keyphrases(text, maxTags)
	if len(tags) == 0 {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("I found no words in this text that would make tags. Please give a text that says what it is about."),
			Err:      errors.New("no key phrases"),
		}
	}
	return toolbox.Output{Value: strings.Join(tags, ", "), About: plan.Say("tags of the text")}, nil
}

// phrase is a sequence of words between stop words and punctuation.
type phrase struct {
	words []string // as displayed
	stems []string
	count int
	first int // index of its first occurrence
	score float64
}

func (p *phrase) key() string { return strings.Join(p.stems, " ") }

// text joins the words, without spaces in scripts that use none.
func (p *phrase) text() string {
	var b strings.Builder
	for i, w := range p.words {
		r := []rune(w)[0]
		if i > 0 && !prose.Unspaced(r) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// keyphrases returns the most important phrases of a text, at most limit, none contained in another. A
// word is weighted as in RAKE (the lengths of its phrases divided by its frequency), and a phrase by
// its words and its own frequency.
func keyphrases(text string, limit int) []string {
	phrases := candidatePhrases(text)
	degree, frequency := map[string]float64{}, map[string]float64{}
	for _, p := range phrases {
		for _, s := range p.stems {
			degree[s] += float64(len(p.stems) * p.count)
			frequency[s] += float64(p.count)
		}
	}
	for _, p := range phrases {
		for _, s := range p.stems {
			p.score += degree[s] / frequency[s] * (1 + math.Log(frequency[s]))
		}
		// the plain sum would favour long phrases
		p.score *= (1 + math.Log2(float64(p.count))) / math.Sqrt(float64(len(p.stems)))
	}
	slices.SortStableFunc(phrases, func(a, b *phrase) int {
		if d := compareFloats(b.score, a.score); d != 0 {
			return d
		}
		return a.first - b.first
	})
	var chosen []string
	var keys []string
	for _, p := range phrases {
		if len(chosen) == limit {
			break
		}
		key := " " + p.key() + " "
		if slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, key) || strings.Contains(key, k) }) {
			continue
		}
		keys = append(keys, key)
		chosen = append(chosen, p.text())
	}
	return chosen
}

// candidatePhrases returns the distinct phrases of a text, in order.
func candidatePhrases(text string) []*phrase {
	forms := wordForms(text)
	var all []*phrase
	byKey := map[string]*phrase{}
	var words, stems []string
	flush := func() {
		if n := len(words); n > 0 && n <= maxPhraseWords {
			p := &phrase{words: words, stems: stems, first: len(all)}
			if known := byKey[p.key()]; known != nil {
				known.count++
			} else {
				p.count = 1
				byKey[p.key()] = p
				all = append(all, p)
			}
		}
		words, stems = nil, nil
	}
	for _, s := range prose.Sentences(text) {
		end := 0
		for _, t := range prose.Tokens(s) {
			if strings.TrimSpace(s[end:t.Start]) != "" {
				flush() // separated by punctuation
			}
			end = t.End
			w := t.Lower()
			if prose.IsStop(w) || !isKeyword(w) {
				flush()
				continue
			}
			words = append(words, forms.of(t))
			stems = append(stems, prose.Stem(w))
		}
		flush()
	}
	return all
}

// isKeyword reports whether a lower-case word can be part of a tag.
func isKeyword(word string) bool {
	runes := []rune(word)
	if len(runes) > maxWordRunes || len(runes) == 1 && !prose.Unspaced(runes[0]) {
		return false
	}
	return strings.ContainsFunc(word, unicode.IsLetter)
}

// spelling records which words are names: those that never appear in lower case.
type spelling map[string]bool

// wordForms finds the names in a text: words with capitals that never appear in lower case. A capital
// at the start of a sentence does not count.
func wordForms(text string) spelling {
	common, capital := map[string]bool{}, map[string]bool{}
	for _, s := range prose.Sentences(text) {
		for i, t := range prose.Tokens(s) {
			w := t.Lower()
			switch {
			case t.Text == strings.ToLower(t.Text):
				common[w] = true
			case i > 0 || strings.ContainsFunc(t.Text[1:], unicode.IsUpper):
				capital[w] = true
			}
		}
	}
	names := spelling{}
	for w := range capital {
		names[w] = !common[w]
	}
	return names
}

// of returns the word as displayed: names as written, other words in lower case.
func (s spelling) of(t prose.Token) string {
	if s[t.Lower()] {
		return t.Text
	}
	return t.Lower()
}
