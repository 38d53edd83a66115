package summary

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

const (
	maxTitleWords = 8
	maxTitleRunes = 80
)

// titleGeneration makes a title of at most eight words from the text's own words.
func titleGeneration(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("find a title for"))
	if err != nil {
		return toolbox.Output{}, err
	}
	title := titleOf(text)
	if title == "" {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("I found no words in this text that would make a title. Please give a text that says what it is about."),
			Err:      errors.New("not enough words for a title"),
		}
	}
	return toolbox.Output{Value: title, About: plan.Say("a title")}, nil
}

// titleOf returns the best clause, or part of one, among the most central sentences.
func titleOf(text string) string {
	all := prose.Sentences(text)
	if len(all) == 0 {
		return ""
	}
	if len(all) > summaryBlock {
		all = all[:summaryBlock]
	}
	weights := wordWeights(all)
	best, bestScore := "", 0.0
	for _, s := range mostCentral(all, 3) {
		for _, clause := range clauses(s) {
			if t, score := bestWindow(clause, weights); score > bestScore {
				best, bestScore = t, score
			}
		}
	}
	return prose.Shorten(titleCase(best), maxTitleRunes)
}

// wordWeights counts the word stems, without stop words.
func wordWeights(all []string) map[string]float64 {
	weights := map[string]float64{}
	for _, s := range all {
		for _, t := range prose.Tokens(s) {
			if w := t.Lower(); !prose.IsStop(w) {
				weights[prose.Stem(w)]++
			}
		}
	}
	return weights
}

// clauses splits a sentence at its inner punctuation.
func clauses(sentence string) []string {
	return strings.FieldsFunc(sentence, func(r rune) bool {
		return strings.ContainsRune(",;:()[]{}\"“”«»—–、，；：（）「」", r)
	})
}

// bestWindow returns the best part of a clause: at most eight words that neither start nor end with a stop word.
func bestWindow(clause string, weights map[string]float64) (string, float64) {
	words := prose.Tokens(clause)
	limit := maxTitleWords
	if slices.ContainsFunc(words, func(t prose.Token) bool { r, _ := utf8.DecodeRuneInString(t.Text); return prose.Unspaced(r) }) {
		limit = 2 * maxTitleWords // a character is less than a word
	}
	edge := func(t prose.Token) bool {
		return prose.IsStop(t.Lower()) || !strings.ContainsFunc(t.Text, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) })
	}
	start := 0
	for start < len(words) && edge(words[start]) {
		start++
	}
	best, bestScore := "", 0.0
	for i := start; i < len(words); i++ {
		if edge(words[i]) {
			continue
		}
		seen := map[string]bool{}
		var sum float64
		for j := i; j < min(i+limit, len(words)); j++ {
			w := words[j].Lower()
			if !prose.IsStop(w) && !seen[prose.Stem(w)] {
				sum += weights[prose.Stem(w)]
				seen[prose.Stem(w)] = true
			}
			if edge(words[j]) {
				continue
			}
			score := sum
			if i == start { // prefer the beginning of a clause
				score *= 1.5
			}
			if j == len(words)-1 {
				score *= 1.3
			}
			if j == i {
				score *= 0.5
			}
			if score > bestScore+1e-9 {
				best, bestScore = clause[words[i].Start:words[j].End], score
			}
		}
	}
	return best, bestScore
}

// smallWords stay in lower case inside a title.
const smallWords = " a an the and but or nor for of on in to by at as with from via vs over into "

// titleCase capitalizes a title except for small words inside it. Words that already have capitals stay as they are.
func titleCase(title string) string {
	words := strings.Fields(title)
	for i, w := range words {
		inside := i > 0 && i < len(words)-1
		if inside && strings.Contains(smallWords, " "+strings.ToLower(w)+" ") {
			words[i] = strings.ToLower(w)
			continue
		}
		if strings.ContainsFunc(w, unicode.IsUpper) {
			continue
		}
		r, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToTitle(r)) + w[size:]
	}
	return strings.Join(words, " ")
}
