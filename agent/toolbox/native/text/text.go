// Package text transforms texts and extracts parts of them, without a language model.
package text

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/prose"
)

// Operations returns the operations of this package by the names that backings use.
func Operations() map[string]operation.Func {
	return map[string]operation.Func{
		"change_case":       changeCase,
		"extract_from_text": extractFromText,
		"find_lines":        findLines,
		"html_to_text":      htmlToText,
		"markdown_to_html":  markdownToHTML,
		"redact_text":       redactText,
		"remove_duplicates": removeDuplicates,
		"shift_subtitles":   shiftSubtitles,
		"sort_lines":        sortLines,
	}
}

// Pattern returns the pattern of that name, such as "phones" or "dates". The name must be known.
func Pattern(name string) lazyregexp.Regexp { return patterns[name] }

// patterns match what is redacted or extracted, by the choices of the parameter "what". Prices are
// only used for text recognized in pictures.
var patterns = map[string]lazyregexp.Regexp{
	"emails":  lazyregexp.New(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}`),
	"links":   lazyregexp.New(`(?i)\b(?:https?://|www\.)[^\s<>"']*[^\s<>"'.,;:!?)\]}]`),
	"phones":  lazyregexp.New(`(?:\+|\b00|\(|\b)\d[\d ()/.-]{5,}\d\b`),
	"prices":  lazyregexp.New(`[$€£¥] ?\d+(?:[.,]\d+)*|\b\d{1,3}(?:[.,]?\d{3})*[.,]\d{2}\b(?: ?[$€£¥])?`),
	"numbers": lazyregexp.New(`-?\d+(?:[.,]\d+)*`),
	"dates": lazyregexp.New(`(?i)\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|` +
		`\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{4})?|` +
		`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:, \d{4})?)\b`),
}

// pattern returns the pattern chosen by the parameter "what".
func pattern(c toolbox.Call) (lazyregexp.Regexp, error) {
	what, err := toolbox.Need[string](c, "what")
	return patterns[what], err
}

// redactText replaces all matches of a pattern.
func redactText(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("redact"))
	if err != nil {
		return toolbox.Output{}, err
	}
	matches, err := pattern(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if !matches.MatchString(text) {
		return toolbox.Output{}, plan.Refusal("The text contains none of them.")
	}
	return toolbox.Output{Value: matches().ReplaceAllLiteralString(text, c.Text("by")), About: plan.Say("the redacted text")}, nil
}

// extractFromText lists the distinct matches of a pattern, in order.
func extractFromText(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("look through"))
	if err != nil {
		return toolbox.Output{}, err
	}
	matches, err := pattern(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	found := distinct(matches.FindAllString(text, -1))
	if len(found) == 0 {
		return toolbox.Output{}, plan.Refusal("The text contains none of them.")
	}
	return toolbox.Output{Value: strings.Join(found, "\n"), About: plan.Say("what was found")}, nil
}

// findLines keeps the lines that contain the given words, ignoring case.
func findLines(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("look through"))
	if err != nil {
		return toolbox.Output{}, err
	}
	find := strings.ToLower(c.Text("find"))
	found := slices.DeleteFunc(lines(text), func(l string) bool { return !strings.Contains(strings.ToLower(l), find) })
	if len(found) == 0 {
		return toolbox.Output{}, plan.Refusal("No line contains %q.", prose.Shorten(prose.OneLine(c.Text("find")), 60))
	}
	return toolbox.Output{Value: strings.Join(found, "\n"), About: plan.Say("the lines")}, nil
}

// sortLines sorts the lines of a text, ignoring case.
func sortLines(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("sort"))
	if err != nil {
		return toolbox.Output{}, err
	}
	all := slices.DeleteFunc(lines(text), func(l string) bool { return strings.TrimSpace(l) == "" })
	slices.SortStableFunc(all, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	if direction, _ := toolbox.Param[string](c, "direction"); direction == "descending" {
		slices.Reverse(all)
	}
	return toolbox.Output{Value: strings.Join(all, "\n"), About: plan.Say("the sorted lines")}, nil
}

// removeDuplicates removes repeated lines.
func removeDuplicates(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("look through"))
	if err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Value: strings.Join(distinct(lines(text)), "\n"), About: plan.Say("without duplicates")}, nil
}

// changeCase converts a text to upper, lower or title case.
func changeCase(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("change"))
	if err != nil {
		return toolbox.Output{}, err
	}
	style, err := toolbox.Need[string](c, "style")
	if err != nil {
		return toolbox.Output{}, err
	}
	casing := map[string]cases.Caser{
		"upper": cases.Upper(language.Und), "lower": cases.Lower(language.Und), "title": cases.Title(language.Und),
	}[style]
	return toolbox.Output{Value: casing.String(text), About: plan.Say("the changed text")}, nil
}

// tag matches a tag, a comment or an entity of HTML.
var tag = lazyregexp.New(`(?i)<[a-z!/]|&(?:#\d+|[a-z]+);`)

// htmlToText returns the text of a web page, without tags, scripts and styles. Blocks become lines,
// and table cells are separated by tabs.
func htmlToText(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	source, err := prose.Need(c, plan.Say("read"))
	if err != nil {
		return toolbox.Output{}, err
	}
	if !tag.MatchString(source) {
		return toolbox.Output{}, plan.Refusal("This text is no web page: it has no HTML tags.")
	}
	page, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The web page could not be read."), Err: err}
	}
	var b strings.Builder
	writePage(&b, page)
	var kept []string
	for _, l := range lines(b.String()) {
		if l = strings.Join(strings.FieldsFunc(l, func(r rune) bool { return r != '\t' && unicode.IsSpace(r) }), " "); strings.TrimSpace(l) != "" {
			kept = append(kept, strings.Trim(l, " \t"))
		}
	}
	if len(kept) == 0 {
		return toolbox.Output{}, plan.Refusal("The web page has no text.")
	}
	return toolbox.Output{Value: strings.Join(kept, "\n"), About: plan.Say("the text of the page")}, nil
}

// breaking are the elements that start and end a line.
var breaking = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Br: true, atom.Li: true, atom.Tr: true, atom.Table: true, atom.Ul: true, atom.Ol: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Section: true, atom.Article: true,
	atom.Header: true, atom.Footer: true, atom.Nav: true, atom.Main: true, atom.Blockquote: true, atom.Pre: true, atom.Title: true,
	atom.Dt: true, atom.Dd: true, atom.Hr: true, atom.Form: true, atom.Caption: true, atom.Option: true,
}

var spaces = lazyregexp.New(`\s+`)

func writePage(b *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(spaces.ReplaceAllString(n.Data, " "))
		return
	case n.DataAtom == atom.Script, n.DataAtom == atom.Style, n.DataAtom == atom.Template, n.DataAtom == atom.Noscript:
		return
	}
	if breaking[n.DataAtom] {
		b.WriteByte('\n')
	}
	for child := range n.ChildNodes() {
		writePage(b, child)
	}
	switch {
	case breaking[n.DataAtom]:
		b.WriteByte('\n')
	case n.DataAtom == atom.Td, n.DataAtom == atom.Th:
		b.WriteByte('\t')
	}
}

// lines splits a text into lines without line ends.
func lines(text string) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

// distinct removes duplicates.
func distinct(all []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(s string) bool {
		known := seen[s]
		seen[s] = true
		return known
	})
}
