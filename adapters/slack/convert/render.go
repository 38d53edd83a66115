package convert

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// render converts blocks to rich text, in which no character has a special meaning: styles and links are separate
// from the text. See https://docs.slack.dev/reference/block-kit/blocks/rich-text-block.
func render(blocks []adapters.Block, mention string) *slack.RichTextBlock {
	r := &renderer{}
	if mention != "" {
		r.line = append(r.line, slack.NewRichTextSectionUserElement(mention, nil))
		if len(blocks) > 0 && blocks[0].Kind == adapters.Line {
			r.line = append(r.line, slack.NewRichTextSectionTextElement(" ", nil))
		} else {
			r.end(false)
		}
	}
	for i, b := range blocks {
		r.block(b, i == len(blocks)-1)
	}
	r.end(true)
	return slack.NewRichTextBlock("", r.all...)
}

// deepest is Slack's maximum indent of a list item.
const deepest = 8

type renderer struct {
	all  []slack.RichTextElement
	line []slack.RichTextSectionElement // lines of prose that are not in all yet
	list *slack.RichTextList            // the last element, if it is a list that the next item may continue
	next int                            // number of that item
	said *slack.RichTextQuote           // the last element, if it is a quote
}

func (r *renderer) block(b adapters.Block, last bool) {
	ordered := b.Kind == adapters.Item && b.Marker != "-"
	if ordered && b.Indent > 0 { // Slack would number it with letters
		number := adapters.Span{Text: strings.Repeat("  ", b.Indent) + b.Marker + " "}
		b = adapters.Block{Spans: append([]adapters.Span{number}, b.Spans...)}
	}
	switch b.Kind {
	case adapters.Line:
		if len(r.line) == 0 {
			r.end(false)
		}
		r.line = append(r.line, elements(b.Spans)...)
		if !last {
			r.line = append(r.line, slack.NewRichTextSectionTextElement("\n", nil))
		}
	case adapters.Item:
		r.item(b)
	case adapters.Quote:
		if r.said == nil {
			r.end(false)
			r.said = &slack.RichTextQuote{Type: slack.RTEQuote}
			r.all = append(r.all, r.said)
		} else {
			r.said.Elements = append(r.said.Elements, slack.NewRichTextSectionTextElement("\n", nil))
		}
		r.said.Elements = append(r.said.Elements, orNothing(elements(b.Spans))...)
	case adapters.Code:
		r.end(false)
		code := orNothing(elements([]adapters.Span{{Text: b.Code, Code: true}}))
		for _, e := range code {
			if t, ok := e.(*slack.RichTextSectionTextElement); ok {
				t.Style = nil
			}
		}
		r.all = append(r.all, &slack.RichTextPreformatted{Type: slack.RTEPreformatted, Elements: code})
	}
}

// item adds an item to the list, or begins another list.
func (r *renderer) item(b adapters.Block) {
	style, number := slack.RTEListBullet, 0
	if b.Marker != "-" {
		style = slack.RTEListOrdered
		number, _ = strconv.Atoi(strings.TrimSuffix(b.Marker, ".")) //nolint:errcheck // Parse has seen a number
	}
	indent := min(b.Indent, deepest)
	if r.list == nil || r.list.Style != style || r.list.Indent != indent || number != 0 && number != r.next {
		r.end(false)
		r.list = slack.NewRichTextList(style, indent)
		r.list.Offset = max(number-1, 0)
		r.all = append(r.all, r.list)
	}
	r.next = number + 1
	r.list.Elements = append(r.list.Elements, slack.NewRichTextSection(orNothing(elements(b.Spans))...))
}

// end ends the paragraph, the list or the quote.
func (r *renderer) end(atAll bool) {
	if len(r.line) > 0 {
		r.all = append(r.all, slack.NewRichTextSection(r.line...))
	}
	if atAll && len(r.all) == 0 {
		r.all = append(r.all, slack.NewRichTextSection(orNothing(nil)...))
	}
	r.line, r.list, r.said = nil, nil, nil
}

// orNothing replaces an empty element by an invisible one: Slack rejects empty elements.
func orNothing(all []slack.RichTextSectionElement) []slack.RichTextSectionElement {
	if len(all) == 0 {
		return []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement("\u200b", nil)}
	}
	return all
}

func elements(spans []adapters.Span) []slack.RichTextSectionElement {
	var all []slack.RichTextSectionElement
	for _, s := range spans {
		s.Text = Printable(s.Text)
		if s.Text == "" {
			continue
		}
		if s.URL != "" {
			all = append(all, slack.NewRichTextSectionLinkElement(s.URL, s.Text, style(s)))
			continue
		}
		for _, piece := range linked(s) {
			if piece.URL != "" {
				all = append(all, slack.NewRichTextSectionLinkElement(piece.URL, "", style(s)))
			} else {
				all = append(all, slack.NewRichTextSectionTextElement(piece.Text, style(s)))
			}
		}
	}
	return all
}

// style returns the style of a span, or nil.
func style(s adapters.Span) *slack.RichTextSectionTextStyle {
	if !s.Bold && !s.Italic && !s.Code {
		return nil
	}
	return &slack.RichTextSectionTextStyle{Bold: s.Bold, Italic: s.Italic, Code: s.Code}
}

// linked makes the URLs in a text links, since rich text does not do so by itself.
func linked(s adapters.Span) []adapters.Span {
	var all []adapters.Span
	text, done := s.Text, 0
	for at := 0; at < len(text) && !s.Code; {
		n := addressAt(text[at:])
		if n == 0 {
			at++
			continue
		}
		if at > done {
			all = append(all, adapters.Span{Text: text[done:at]})
		}
		all = append(all, adapters.Span{URL: text[at : at+n]})
		at += n
		done = at
	}
	if done < len(text) {
		all = append(all, adapters.Span{Text: text[done:]})
	}
	return all
}

// addressAt returns the length of the URL at the beginning of a text, in bytes.
func addressAt(s string) int {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return 0
	}
	n := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("<>\"`|\\^{}", r) })
	if n < 0 {
		n = len(s)
	}
	found := strings.TrimRight(s[:n], ".,;:!?)]'*_~")
	if u, err := url.Parse(found); err != nil || u.Host == "" || u.User != nil {
		return 0
	}
	return len(found)
}

// letters returns the text of blocks, as plain text.
func letters(blocks []adapters.Block) string {
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		if block.Kind == adapters.Item {
			b.WriteString(strings.Repeat("  ", block.Indent) + strings.Replace(block.Marker, "-", "•", 1) + " ")
		}
		b.WriteString(Printable(block.Code))
		for _, s := range block.Spans {
			b.WriteString(Printable(s.Text))
		}
	}
	return b.String()
}
