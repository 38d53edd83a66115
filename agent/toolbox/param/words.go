package param

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/colornames"

	"atelier/agent/lazyregexp"
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

var (
	hexColour = lazyregexp.New(`#([0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b`)
	rgbColour = lazyregexp.New(`\brgb ?\( ?(\d{1,3}) ?, ?(\d{1,3}) ?, ?(\d{1,3}) ?\)`)
)

// darkGrey is darker than grey, other than the colour that CSS calls so.
var darkGrey = color.NRGBA{R: 0x40, G: 0x40, B: 0x40, A: 0xff}

// parseHex parses "#ffcc00" or, with opacity, "#ffcc0080".
func parseHex(s string) (color.NRGBA, bool) {
	if len(s) != 7 && len(s) != 9 || s[0] != '#' {
		return color.NRGBA{}, false
	}
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return color.NRGBA{}, false
	}
	if len(s) == 7 {
		v = v<<8 | 0xff
	}
	return color.NRGBA{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}, true //nolint:gosec // one byte each
}

func parseColour(p Param, s string) (any, bool) {
	c, ok := parseHex(s)
	return c, ok && (c.A > 0 || p.Clear)
}

func printColour(data any) string {
	c := as[color.NRGBA](data)
	if c.A == 0xff {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("#%02x%02x%02x%02x", c.R, c.G, c.B, c.A)
}

// readColour parses CSS names ("red", "dark blue"), "#fc0", "#ffcc00", "rgb(255, 204, 0)", and
// "transparent" where allowed. The longest name wins: "light sea green".
func readColour(p Param, text string) (any, bool) {
	if c, ok := colourIn(text); ok {
		return c, c.A > 0 || p.Clear
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	return color.NRGBA{}, p.Clear && slices.Contains(words, "transparent")
}

func colourIn(text string) (color.NRGBA, bool) {
	s := strings.ToLower(text)
	if m := hexColour.FindStringSubmatch(s); m != nil {
		digits := m[1]
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		return parseHex("#" + digits)
	}
	if m := rgbColour.FindStringSubmatch(s); m != nil {
		var c [3]uint8
		for i := range c {
			v, err := strconv.ParseUint(m[i+1], 10, 8)
			if err != nil {
				return color.NRGBA{}, false
			}
			c[i] = uint8(v)
		}
		return color.NRGBA{R: c[0], G: c[1], B: c[2], A: 0xff}, true
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
	for n := min(3, len(words)); n > 0; n-- {
		for i := range len(words) - n + 1 {
			name := strings.Join(words[i:i+n], "")
			if name == "darkgrey" || name == "darkgray" {
				return darkGrey, true
			}
			if c, ok := colornames.Map[name]; ok {
				return color.NRGBA(c), true
			}
		}
	}
	return color.NRGBA{}, false
}
