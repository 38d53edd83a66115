package slack

import (
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// readBack parses a message as Slack shows it: if it has blocks, only they are shown.
func readBack(t *testing.T, m slacktest.Message, shown *adapterstest.Shown) {
	t.Helper()
	if m.Blocks == nil {
		if m.Text != "" {
			for l := range strings.SplitSeq(html.UnescapeString(m.Text), "\n") {
				shown.Blocks = append(shown.Blocks, adapters.Block{Spans: []adapters.Span{{Text: l}}})
			}
		}
		return
	}
	var blocks slack.Blocks
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, shown: shown, first: true}
	for _, b := range blocks.BlockSet {
		switch b := b.(type) {
		case *slack.RichTextBlock:
			for _, e := range b.Elements {
				r.element(e)
			}
		case *slack.ActionBlock:
			for _, e := range b.Elements.ElementSet {
				button, ok := e.(*slack.ButtonBlockElement)
				if !ok {
					t.Fatalf("there is %T", e)
				}
				if strings.HasPrefix(button.ActionID, convert.ChooseAction) {
					shown.Choices = append(shown.Choices, offered(shown.Blocks, button.Text.Text))
				}
			}
		case *slack.ContextActionsBlock: // its buttons do not choose
		default:
			t.Fatalf("there is %T", b)
		}
	}
}

type reader struct {
	t     *testing.T
	shown *adapterstest.Shown
	first bool // of the message: who is notified stands there
}

func (r *reader) element(e slack.RichTextElement) {
	r.t.Helper()
	switch e := e.(type) {
	case *slack.RichTextSection:
		lines := r.lines(e.Elements)
		if n := len(lines); n > 1 && len(lines[n-1]) == 0 { // it ends its line, as every section does
			lines = lines[:n-1]
		}
		for _, l := range lines {
			r.add(adapters.Block{Spans: l})
		}
	case *slack.RichTextList:
		for i, item := range e.Elements {
			section, ok := item.(*slack.RichTextSection)
			if !ok {
				r.t.Fatalf("a list holds %T", item)
			}
			marker := "-"
			if e.Style == slack.RTEListOrdered {
				marker = strconv.Itoa(e.Offset+i+1) + "."
			}
			for _, l := range r.lines(section.Elements) {
				r.add(adapters.Block{Kind: adapters.Item, Indent: e.Indent, Marker: marker, Spans: l})
			}
		}
	case *slack.RichTextQuote:
		for _, l := range r.lines(e.Elements) {
			r.add(adapters.Block{Kind: adapters.Quote, Spans: l})
		}
	case *slack.RichTextPreformatted:
		var code strings.Builder
		for _, l := range r.lines(e.Elements) {
			if code.Len() > 0 || len(l) == 0 {
				code.WriteByte('\n')
			}
			for _, s := range l {
				code.WriteString(s.Text)
			}
		}
		r.add(adapters.Block{Kind: adapters.Code, Code: code.String()})
	default:
		r.t.Fatalf("there is %T", e)
	}
}

func (r *reader) add(b adapters.Block) { r.shown.Blocks = append(r.shown.Blocks, b) }

func (r *reader) lines(elements []slack.RichTextSectionElement) [][]adapters.Span {
	r.t.Helper()
	lines := [][]adapters.Span{nil}
	put := func(s adapters.Span) {
		for i, text := range strings.Split(s.Text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if s.Text = text; text != "" {
				lines[len(lines)-1] = append(lines[len(lines)-1], s)
			}
		}
	}
	for _, e := range elements {
		switch e := e.(type) {
		case *slack.RichTextSectionTextElement:
			text := e.Text
			if len(lines) == 1 && len(lines[0]) == 0 && r.first && len(r.shown.Notified) > 0 {
				text = strings.TrimPrefix(text, " ")
			}
			put(withStyle(adapters.Span{Text: text}, e.Style))
		case *slack.RichTextSectionLinkElement:
			if e.Text == "" { // an address as it stands
				put(withStyle(adapters.Span{Text: e.URL}, e.Style))
				continue
			}
			r.shown.Links = append(r.shown.Links, e.URL)
			put(withStyle(adapters.Span{Text: e.Text, URL: e.URL}, e.Style))
		case *slack.RichTextSectionUserElement: // who is notified
			if !r.first {
				r.t.Errorf("somebody is mentioned within the text")
			}
		default:
			r.t.Fatalf("a line holds %T", e)
		}
	}
	r.first = false
	return lines
}

func withStyle(s adapters.Span, style *slack.RichTextSectionTextStyle) adapters.Span {
	if style != nil {
		s.Bold, s.Italic, s.Code = style.Bold, style.Italic, style.Code
	}
	return s
}

// offered returns the choice of a button: its label, or the line of the text with its number.
func offered(blocks []adapters.Block, label string) string {
	number, text, labelled := strings.Cut(label, " · ")
	if labelled {
		return text
	}
	for _, b := range slices.Backward(blocks) {
		if b.Kind == adapters.Item && b.Marker == number+"." {
			var line strings.Builder
			for _, s := range b.Spans {
				line.WriteString(s.Text)
			}
			return line.String()
		}
	}
	return text
}

// One person is told something that nobody else sees.
func TestWhisper(t *testing.T) {
	t.Parallel()
	for _, direct := range []bool{false, true} {
		h := listen(t, false)
		in := h.Thread(t, direct)
		pressed := adapters.Event{By: adapters.Person{ID: h.ana}}
		if err := h.s.Whisper(t.Context(), pressed, in, "1 < 2"); err != nil {
			t.Fatal(err)
		}
		if told := h.Workspace.Ephemerals(h.ana); len(told) != 1 || told[0].Text != "1 &lt; 2" {
			t.Errorf("Ana is told %+v", told)
		}
		if all := h.own(in); len(all) != 0 {
			t.Errorf("everybody sees %+v", all)
		}
	}
	h := listen(t, false)
	if err := h.s.Whisper(t.Context(), adapters.Event{By: adapters.Person{ID: "U0NOBODY"}}, h.Thread(t, false), "x"); err == nil {
		t.Error("a stranger is told")
	}
}
