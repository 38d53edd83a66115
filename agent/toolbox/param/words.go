package param

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// maxWords is the maximum length of a text value, in characters, and maxName that of the name of a
// language, format or model.
const (
	maxWords = 1000
	maxName  = 60
)

// aTag is a tag in canonical form.
const aTag = `(title|artist|album|year|genre|track|composer)="([^"\\]|\\.)+"`

// wordTypes are choices and texts.
func wordTypes() map[Type]kind {
	text := func(data any) string {
		s := as[string](data)
		return s
	}
	name := func(_ Param, s string) (any, bool) {
		s = oneLine(s)
		return s, s != "" && utf8.RuneCountInString(s) <= maxName
	}
	return map[Type]kind{
		Choice: {
			about: plan.Say("one of the choices"), examples: []string{"the first", "the second"}, meaning: plan.Place, most: 1,
			parse: chosen, read: readChoice, format: text,
		},
		Format: {
			about: plan.Say("a file format"), examples: []string{"mp4", "webp"}, meaning: plan.Format, most: 1,
			parse: chosen, read: readFormat, format: text,
		},
		Text: {
			about: plan.Say("a text"), examples: []string{"calm", "short"}, meaning: plan.Instruction, most: 1,
			parse: func(_ Param, s string) (any, bool) {
				s = oneLine(s)
				return s, s != "" && utf8.RuneCountInString(s) <= maxWords
			},
			read: func(Param, string) (any, bool) { return nil, false }, format: text,
		},
		Condition: {
			about: plan.Say("which rows of a table"), examples: []string{"city is Berlin", "age over 30"}, meaning: plan.Instruction, most: 1,
			parse: func(_ Param, s string) (any, bool) {
				s = oneLine(s)
				return s, s != "" && utf8.RuneCountInString(s) <= maxWords
			},
			read: func(_ Param, s string) (any, bool) { return oneLine(s), oneLine(s) != "" }, format: text,
		},
		Metadata: {
			about: plan.Say("tags of a sound"), examples: []string{"artist Ella", "album: Jazz"},
			meaning: plan.Amount, most: 1, pattern: `^` + aTag + `(, ` + aTag + `)*$`,
			parse: parseWith(parseTags), read: readWith(quantity.Tags), format: printTags,
		},
		Language: {
			about: plan.Say("a language"), examples: []string{"German", "Spanish"}, meaning: plan.Language, most: 1,
			parse: name, read: func(Param, string) (any, bool) { return nil, false }, format: text,
		},
		Model: {
			about: plan.Say("the name of a model"), examples: []string{"flux", "whisper"}, meaning: plan.Instruction, most: 1,
			parse: name, read: func(Param, string) (any, bool) { return nil, false }, format: text,
		},
	}
}

// chosen parses a choice by its own name.
func chosen(p Param, s string) (any, bool) {
	_, ok := p.Choices[s]
	return s, ok
}

// readChoice returns the choice whose words are in the text. Words within longer ones do not count:
// "vertical axis" is not "vertical". If words of several choices are present, none matches, unless one
// prevails.
func readChoice(p Param, text string) (any, bool) {
	said := " " + spaced(text) + " "
	meant := map[string]string{} // matching words and their choices
	look := func(w, name string) {
		if w = spaced(w); w != "" && strings.Contains(said, w) && strings.Contains(said, " "+w+" ") {
			meant[w] = name
		}
	}
	for name, words := range p.Choices {
		for _, w := range words {
			look(w, name)
		}
		look(name, name)
	}
	found := map[string]bool{}
	for w, name := range meant {
		rest := said
		for longer := range meant {
			if longer != w && strings.Contains(" "+longer+" ", " "+w+" ") {
				rest = strings.ReplaceAll(rest, " "+longer+" ", "  ")
			}
		}
		if strings.Contains(rest, " "+w+" ") {
			found[name] = true
		}
	}
	for _, name := range p.Prevailing {
		if found[name] {
			return name, true
		}
	}
	for name := range found {
		return name, len(found) == 1
	}
	return nil, false
}

// readFormat returns the first format in the text: "webp", ".PNG", "as an mp3 file". Without choices,
// any short word is accepted.
func readFormat(p Param, text string) (any, bool) {
	for _, word := range letters(text) {
		for _, candidate := range []string{word, strings.TrimSuffix(word, "s")} {
			for name, words := range p.Choices {
				if candidate == name || slices.Contains(words, candidate) {
					return name, true
				}
			}
		}
	}
	all := letters(text)
	return strings.Join(all, ""), len(p.Choices) == 0 && len(all) == 1 && len(all[0]) <= 10
}

// letters returns the lower-case words of a text, which may contain digits and hyphens.
func letters(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	})
}

// spaced returns the words of a text with one space between them. Most choices are written like this.
func spaced(text string) string {
	last := ' '
	for _, r := range text {
		plain := r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-'
		if !plain && (r != ' ' || last == ' ') {
			return strings.Join(letters(text), " ")
		}
		last = r
	}
	return strings.TrimSuffix(text, " ")
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// parseTags parses `title="Blue Moon", year="1978"`.
func parseTags(s string) ([]quantity.Tag, bool) {
	var all []quantity.Tag
	for rest, more := s, true; more; {
		name, after, ok := strings.Cut(rest, "=")
		quoted, err := strconv.QuotedPrefix(after)
		if !ok || err != nil || quoted[0] != '"' {
			return nil, false
		}
		value, err := strconv.Unquote(quoted)
		tag := quantity.Tag{Name: name, Value: value}
		if err != nil || !tag.Fits() {
			return nil, false
		}
		all = append(all, tag)
		rest, more = strings.CutPrefix(after[len(quoted):], ", ")
		if !more && rest != "" {
			return nil, false
		}
	}
	return all, true
}

// printTags formats the tags in the order of their names; of repeated tags, the last wins.
func printTags(data any) string {
	var all []string
	said := as[[]quantity.Tag](data)
	for _, name := range quantity.TagNames() {
		for _, t := range slices.Backward(said) {
			if t.Name == name {
				all = append(all, name+"="+strconv.Quote(t.Value))
				break
			}
		}
	}
	return strings.Join(all, ", ")
}
