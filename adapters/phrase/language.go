package phrase

import (
	"regexp"
	"strings"
	"unicode"
)

// Language is the BCP 47 tag of the language in which a wish is written, of those that
// the program speaks: Simplified Chinese where Chinese characters carry the text, and
// otherwise English. What is quoted, names of files, addresses and code say nothing of it,
// unless there is nothing else. A wish without words, such as 👍, is in the language of
// the first text before that has some.
func Language(wish string, before ...string) string {
	for _, text := range append([]string{wish}, before...) {
		for _, part := range []string{quoted.ReplaceAllString(text, " "), text} {
			if c := count(part); c.any() {
				return c.language()
			}
		}
	}
	return English
}

// quoted finds what is not said but named: what stands in quotes, and names of files.
var quoted = regexp.MustCompile("`[^`]*`" + `|"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|[\p{L}\p{M}\p{N}_-]+\.[A-Za-z][A-Za-z0-9]{1,3}`)

// word finds what is written without a space: a word of letters, or a name.
var word = regexp.MustCompile(`[\p{L}\p{M}\p{N}_./:@#\\'’-]+`)

// sentenceWords are what an English sentence is held together by, and no name.
var sentenceWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq("a an the this that these those it its me my i we you your is are was be do does can could " +
		"please make what how why who of to in on at by for from into onto with without and or but then not") {
		all[w] = true
	}
	return all
}()

// counted is what a text is made of.
type counted struct {
	chinese int // characters
	others  int // words, those that hold an English sentence together as four
	foreign bool
}

func (c counted) any() bool { return c.chinese > 0 || c.others > 0 || c.foreign }

// language tells a Chinese sentence with English nouns in it from an English one with
// Chinese ones; who writes kana or hangul beside Chinese characters does not write Chinese.
func (c counted) language() string {
	if c.chinese > c.others && !c.foreign {
		return SimplifiedChinese
	}
	return English
}

func count(text string) counted {
	var c counted
	for _, w := range word.FindAllString(text, -1) {
		rest := strings.Map(func(r rune) rune {
			switch {
			case unicode.Is(unicode.Han, r):
				c.chinese++
				return ' '
			case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
				c.foreign = true
			}
			return r
		}, w)
		for part := range strings.FieldsSeq(rest) {
			part = strings.ToLower(strings.Trim(part, `./:\'’-`))
			switch {
			case !strings.ContainsFunc(part, unicode.IsLetter) || strings.ContainsAny(part, `0123456789_./:@#\`):
				// a number, a name or an address
			case sentenceWords[part]:
				c.others += 4
			default:
				c.others++
			}
		}
	}
	return c
}
