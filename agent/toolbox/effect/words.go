package effect

import (
	"context"
	"html"
	"slices"
	"strings"
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
