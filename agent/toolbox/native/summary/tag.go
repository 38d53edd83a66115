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

// textToTags gives up to eight key phrases, the weightiest first, in one line with
// commas between them.
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

// phrase is a run of words between stop words and punctuation.
type phrase struct {
	words []string // as they are shown
	stems []string
	count int
	first int // the place of its first occurrence among the phrases
	score float64
}

func (p *phrase) key() string { return strings.Join(p.stems, " ") }

// text joins the words; scripts without spaces get none.
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

// keyphrases are the phrases of a text by weight, at most limit, none part of another.
// A word weighs what RAKE gives it, the length of the phrases that it stands in over
// the number of its occurrences, and a phrase the sum of its words', more if it comes
// again.
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
		// the sum alone would favour whatever is long
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

// candidatePhrases are the distinct phrases of a text in the order in which they come.
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
				flush() // punctuation stands between
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

// isKeyword tells whether a word in lower case can be part of a tag.
func isKeyword(word string) bool {
	runes := []rune(word)
	if len(runes) > maxWordRunes || len(runes) == 1 && !prose.Unspaced(runes[0]) {
		return false
	}
	return strings.ContainsFunc(word, unicode.IsLetter)
}

// spelling knows which words are names: those that never stand in lower case.
type spelling map[string]bool

// wordForms finds the names of a text: words with capitals that have no form in lower
// case, the capital at the start of a sentence not counting.
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

// of is the word as it is shown: names as written, all others in lower case.
func (s spelling) of(t prose.Token) string {
	if s[t.Lower()] {
		return t.Text
	}
	return t.Lower()
}
