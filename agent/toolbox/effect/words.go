package effect

import (
	"context"
	"html"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
)

// What texts are held to.
const (
	leastShortened = 600 // letters of a text, of which a summary must be shorter
	leastLetters   = 20  // by which a script is told
	leastWords     = 12  // by which a language is told
	foreignShare   = 5   // one word in so many is a common one of another language
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

// weight is how long a text is in letters. A sign that is a word or a syllable counts as three.
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

// plain is a text by its letters and digits alone.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func language(_ context.Context, c *Case, rule map[string]string) plan.Message {
	want, ok := tongue{}, false
	if rule["named_by"] != "" {
		said, _ := setting[string](c, rule, "named_by")
		want, ok = tongueNamed(said)
	} else if of := c.Args[rule["of"]]; len(of) == 1 {
		want, ok = tongueOf(of[0].Value)
	}
	if !ok || want.speaks(c.Result.Value) {
		return plan.Message{}
	}
	return plan.Say("The text should be in %s, but it is in another language.", want.title())
}
