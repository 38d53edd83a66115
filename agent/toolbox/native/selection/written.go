package selection

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/native/text"
)

// Phrases that select words recognized in a picture.

// kindsOfWriting maps text patterns to the words that ask for them.
var kindsOfWriting = []struct {
	pattern string
	words   []string
}{
	{"phones", []string{"phone", "telephone", "mobile"}},
	{"emails", []string{"email", "mail"}},
	{"links", []string{"link", "url", "website"}},
	{"dates", []string{"date"}},
}

// labelled are nouns whose value follows, or is below, its name: "Account number: 12 34".
var labelled = []string{"number", "address", "name", "date", "price", "amount", "code", "key", "id", "iban", "password"}

// carriers are nouns for things with words on them, or for kinds of text: "the Save changes button",
// "the heading Account".
var carriers = []string{"button", "banner", "caption", "heading", "headline", "label", "line", "sign", "tab", "title"}

// writtenAs returns the indexes of the words that a phrase quotes ("the word Total"), that match the
// kind it names ("the phone number"), or that follow the label it names ("the account number"). known
// is false if the phrase asks for none of these.
func writtenAs(phrase string, items []item) (found []int, known bool) {
	words := bareWords(phrase)
	if on, ok := wordsOn(words); ok {
		if found = quotedIn(on, items); len(found) > 0 {
			return found, true
		}
	}
	for len(words) > 1 && fillers[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, false
	}
	if len(words) > 1 && slices.Contains(textNouns, prose.Stem(words[0])) {
		return quotedIn(words[1:], items), true
	}
	for _, kind := range kindsOfWriting {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(kind.words, singular(w)) }) {
			return matchedIn(kind.pattern, items), true
		}
	}
	last := singular(words[len(words)-1])
	if last == "number" && len(words) == 1 {
		return matchedIn("numbers", items), true
	}
	if last == "price" && len(words) == 1 {
		return matchedIn("prices", items), true
	}
	if slices.Contains(labelled, last) {
		for _, at := range placesOf(words, items) {
			found = append(found, valueOf(at, at+len(words)-1, items)...)
		}
		found = append(found, quotedIn(words, items)...)
		slices.Sort(found)
		return slices.Compact(found), true
	}
	found = quotedIn(words, items)
	return found, len(found) > 0
}

// wordsOn returns the words on the thing that a phrase names, without the noun for the thing; ok is
// false without such a noun.
func wordsOn(words []string) (on []string, ok bool) {
	bears := func(word string) bool { return slices.Contains(carriers, singular(word)) }
	if last := len(words) - 1; last > 0 && bears(words[last]) {
		words, ok = words[:last], true
	}
	for len(words) > 1 && (bears(words[0]) || fillers[words[0]]) {
		words, ok = words[1:], ok || bears(words[0])
	}
	return words, ok
}

// bareWords returns the lower-case words of a text without punctuation around them.
func bareWords(s string) []string {
	words := strings.Fields(strings.ReplaceAll(strings.ToLower(s), "e-mail", "email"))
	for i, w := range words {
		words[i] = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// quotedIn finds every occurrence of the words as a sequence.
func quotedIn(words []string, items []item) []int {
	var found []int
	for _, at := range placesOf(words, items) {
		for k := range words {
			found = append(found, at+k)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// placesOf returns the indexes where the sequence of words starts.
func placesOf(words []string, items []item) []int {
	labels := make([]string, len(items))
	for i, it := range items {
		labels[i] = strings.Join(bareWords(it.label), " ")
	}
	var found []int
	for i := 0; i+len(words) <= len(labels); i++ {
		if slices.Equal(labels[i:i+len(words)], words) {
			found = append(found, i)
		}
	}
	return found
}

// matchedIn finds the words that match a pattern, alone or together with neighbours on their line.
func matchedIn(pattern string, items []item) []int {
	var b strings.Builder
	starts := make([]int, len(items))
	for i, it := range items {
		switch {
		case i > 0 && follows(items[i-1].box, it.box, 2):
			b.WriteByte(' ')
		case i > 0:
			b.WriteByte('\n')
		}
		starts[i] = b.Len()
		b.WriteString(it.label)
	}
	written := b.String()
	var found []int
	for _, at := range text.Pattern(pattern).FindAllStringIndex(written, -1) {
		said := written[at[0]:at[1]]
		if pattern == "phones" && text.Pattern("dates").FindString(said) == said {
			continue
		}
		for i, start := range starts {
			if start < at[1] && start+len(items[i].label) > at[0] {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// valueOf finds the value after a name on its line, else below it. The name spans the words from first to last.
func valueOf(first, last int, items []item) []int {
	if behind := lineFrom(last+1, last, 40, items); len(behind) > 0 {
		return behind
	}
	name := items[first].box
	high := name.YMax - name.YMin
	for i := last + 1; i < len(items); i++ {
		b := items[i].box
		if gap := b.YMin - name.YMax; gap > -high/2 && gap < 3*high && b.XMin < items[last].box.XMax && b.XMax > name.XMin {
			return append([]int{i}, lineFrom(i+1, i, 2, items)...)
		}
	}
	return nil
}

// lineFrom returns the words of a line starting at i. The first may be up to heights line heights away
// from the word before.
func lineFrom(i, before, heights int, items []item) []int {
	var found []int
	for i < len(items) && follows(items[before].box, items[i].box, heights) {
		found, before, heights = append(found, i), i, 2
		i++
	}
	return found
}

// follows reports whether a word follows another on its line, at most heights line heights away.
func follows(before, b plan.Box, heights int) bool {
	middle := (before.YMin + before.YMax) / 2
	return b.YMin < middle && b.YMax > middle && b.XMin >= before.XMin && b.XMin-before.XMax < heights*(before.YMax-before.YMin)
}
