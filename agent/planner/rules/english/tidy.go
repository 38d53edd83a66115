package english

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
	"atelier/agent/toolbox/quantity"
)

//go:embed tidy.txt
var tidyFile string

// maxRequest is the maximum number of bytes of a request that are read.
const maxRequest = 8000

// Tidier normalizes sloppy phrasings.
type Tidier struct {
	sections map[string][]rewriting // of tidy.txt
}

// rewriting is a line of tidy.txt.
type rewriting struct {
	pattern     *regexp.Regexp
	replacement string
}

// NewTidier parses the rewritings.
func NewTidier() (*Tidier, error) {
	sections, err := readRewritings(tidyFile)
	return &Tidier{sections}, err
}

// readRewritings parses sections "[name]" of lines "pattern => replacement".
func readRewritings(file string) (map[string][]rewriting, error) {
	sections, section := map[string][]rewriting{}, ""
	for n, line := range strings.Split(file, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' && strings.HasSuffix(line, "]") {
			section = strings.Trim(line, "[]")
			continue
		}
		pattern, replacement, ok := strings.Cut(line, " => ")
		if !ok || section == "" {
			return nil, fmt.Errorf("tidy.txt:%d: %q is not a rewrite rule in a section", n+1, line)
		}
		compiled, err := regexp.Compile("(?i)" + pattern)
		if err != nil {
			return nil, fmt.Errorf("tidy.txt:%d: %w", n+1, err)
		}
		sections[section] = append(sections[section], rewriting{compiled, replacement})
	}
	return sections, nil
}

// Tidy returns the request as valid text of limited length, in words that the grammar knows.
func (t *Tidier) Tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > maxRequest {
		text = strings.ToValidUTF8(text[:maxRequest], "")
	}
	text = outsideQuotes(text, quoted)
	text = shortened(t.rewrite("spelling", outsideQuotes(text, func(text string) string {
		return quantity.InDigits(t.rewrite("everyday", text))
	})))
	text = captions.ReplaceAllStringFunc(t.rewrite("phrases", text), quotedCaptions)
	text = t.rewrite("notices", text)
	if strings.ToUpper(text) != text {
		text = t.rewrite("stamps", text)
	}
	return strings.TrimSpace(listMark.ReplaceAllString(steps(t.rewrite("last", text)), "$1$2; "))
}

// quoted puts texts between apostrophes into quotation marks: 'Bug #504'. The form of page numbers stays: 'Page 1 of 6'.
func quoted(text string) string {
	var b strings.Builder
	for {
		m := apostrophes.FindStringSubmatchIndex(text)
		if m == nil {
			return b.String() + text
		}
		said := text[m[2]:m[3]]
		if numbering.MatchString(said) || shortForm.MatchString(said) {
			b.WriteString(text[:m[3]])
			text = text[m[3]:]
			continue
		}
		b.WriteString(text[:m[2]-1] + "“" + said + "”")
		text = text[m[3]+1:]
	}
}

var (
	apostrophes = lazyregexp.New(`(?:^|[\s(:,])'([^'\s"“”][^'\n"“”]{0,80})'(?:[\s,.;:!?)]|$)`)
	numbering   = lazyregexp.New(`^(?i:(?:page )?(?:x|n|1|#) ?(?:of|/) ?(?:x|y|n|\d+))$`)
	shortForm   = lazyregexp.New(`^(?i:(?:cause|cuz|til|till|em|n|tis|twas|bout|\d0s)\b)`)
)

// quotation matches a text in quotation marks.
var quotation = lazyregexp.New(`"[^"\n]*"|“[^”\n]*”`)

// outsideQuotes applies a function to a text without what stands in quotation marks.
func outsideQuotes(text string, do func(string) string) string {
	mark := '\uE000' // a private character stands for each quotation
	quoted := map[rune]string{}
	text = quotation.ReplaceAllStringFunc(text, func(quote string) string {
		defer func() { mark++ }()
		quoted[mark] = quote
		return string(mark)
	})
	var b strings.Builder
	for _, r := range do(text) {
		if quote, ok := quoted[r]; ok {
			b.WriteString(quote)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// rewrite applies the rewritings of a section.
func (t *Tidier) rewrite(section, text string) string {
	for _, r := range t.sections[section] {
		text = r.pattern.ReplaceAllString(text, r.replacement)
	}
	return text
}

// shortened shortens the stretched words of a chat: "waaay too dark".
func shortened(text string) string {
	words := strings.SplitAfter(text, " ")
	for i, w := range words {
		if !strings.ContainsAny(w, "#0123456789./_:\"'“”") && !strings.Contains(strings.ToLower(w), "www") {
			words[i] = unstretched(w)
		}
	}
	return strings.Join(words, "")
}

// unstretched reduces letters that occur more than twice in a row to one: "waaay".
func unstretched(word string) string {
	var b strings.Builder
	runes := []rune(word)
	if strings.Trim(word, string(runes[:min(1, len(runes))])+" ,.!") == "" { // "xxx"
		return word
	}
	for i := 0; i < len(runes); {
		end := i + 1
		for end < len(runes) && unicode.ToLower(runes[end]) == unicode.ToLower(runes[i]) {
			end++
		}
		kept := end
		if end-i > 2 && unicode.IsLower(runes[i]) {
			kept = i + 1
		}
		b.WriteString(string(runes[i:kept]))
		i = end
	}
	return b.String()
}

// captions matches unquoted captions for several pictures: "with captions one, two and three".
var (
	captions   = lazyregexp.New(`(?i)\b(?:captions|labels)(?: are)?:? (?:[^\s,"“”]+, ?)*[^\s,"“”]+(?:,? and |, ?| & )[^\s,"“”.!]+[.!]?$`)
	captionEnd = lazyregexp.New(`(?i)^(\w+)(?: are)?:? (.*?)[.!]?$`)
	lastOne    = lazyregexp.New(`(?i),? (?:and|&) `)
)

func quotedCaptions(said string) string {
	m := captionEnd.FindStringSubmatch(said)
	return m[1] + ` "` + lastOne.ReplaceAllString(m[2], ", ") + `"`
}

// LineEnd replaces the line ends of a pasted table while the clauses of a request are read.
const LineEnd = "␤"

// ListsFigures reports whether a text has a list of names with figures after a colon: "chart: Mon 3, Tue 5".
func ListsFigures(text string) bool { return figures.MatchString(text) }

var figures = lazyregexp.New(`(?i):\s*(?:\pL[\pL\d ]*?[ =:]+-?\d+(?:[.,]\d+)?%?\s*(?:,|;|\band\b)\s*)+\pL[\pL\d ]*?[ =:]+-?\d`)

// numberMark matches the start of a step in a numbered list: "2. ", "3) ".
var numberMark = lazyregexp.New(`(?:^|\s)(\d)[.):]\s+`)

// ownVersion matches words for a separate result.
var ownVersion = lazyregexp.New(`(?i)\b(?:versions?|copy|copies|variants?)\b`)

// listMark matches the start of a list item: "- rotate it", "2. rotate it", "3) rotate it".
var listMark = lazyregexp.New(`((?:^|\n)\s*)(?:[-*•]|\d[.):])\s+|((?:^\s*|[.!?:;,]\s+))\d[.):]\s+|\s\d\)\s+`)

// steps rewrites a numbered list as consecutive steps: "1. rotate it 2. blur it" becomes "; rotate it; then blur it".
// A step that asks for a separate version does not continue from the previous one.
func steps(text string) string {
	var b strings.Builder
	next, from := 1, 0
	for _, m := range numberMark.FindAllStringSubmatchIndex(text, -1) {
		if text[m[2]:m[3]] != strconv.Itoa(next) {
			continue
		}
		b.WriteString(text[from:m[0]])
		from = m[1]
		b.WriteString("; ")
		if line, _, _ := strings.Cut(text[from:], "\n"); next > 1 && !ownVersion.MatchString(line) {
			b.WriteString("then ")
		}
		next++
	}
	if next <= 2 { // a number, but not a list
		return text
	}
	return b.String() + text[from:]
}
