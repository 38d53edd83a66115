// Package convert converts what Slack sends to the types of the adapters, and replies to messages
// of Slack. It makes no calls.
//
//   - In: events with their files, buttons and commands (event.go), and text and emoji (text.go).
//   - Out: replies ([Composer], compose.go), rich text (render.go), progress and requests
//     (progress.go).
//
// Unexpected values are cleaned rather than rejected, since some servers with the same protocol
// send other types.
package convert

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// The limits of a message. Slack accepts 50 blocks of 3,000 characters, and 13,200 in all.
const (
	// maxFiles is the maximum number of files in a message: people's clients accept no more, and from 15 on
	// Slack fails (https://github.com/slackapi/python-slack-sdk/issues/1653).
	maxFiles    = 10
	maxBlock    = 2900
	maxText     = 9000 // of a message, which leaves room below the text
	maxMessage  = 12_500
	maxFallback = 3000 // bytes of text for notifications and screen readers
	maxLabel    = 70   // characters of a button
	maxShown    = 25   // characters of a choice that clients show in full after its number
	maxChoice   = 200  // characters of a choice in the text
)

// Composer turns replies into messages of Slack.
type Composer struct {
	Phrases adapters.Phrases

	noFeedback atomic.Bool // the server refuses feedback buttons
}

// Part is a message of a reply: its files, or some of its text.
type Part struct {
	Files   []int // their indexes in the reply
	pieces  [][]adapters.Block
	mention string
	choices []adapters.Choice  // shown as buttons
	listed  []adapters.Block   // the choices as lines, if only the buttons say what they are
	acts    []adapters.Sign    // shown as buttons
	tries   []adapters.Example // shown as buttons
	rated   bool               // has feedback buttons
	small   string             // small print
	// whisper is the id of the message if only one person sees it.
	whisper string
}

// Compose converts a reply to messages, in order: its files, then its text.
func (c *Composer) Compose(r adapters.Reply) []Part {
	var parts []Part
	for _, text := range adapters.Split(r.Text, maxText, adapters.UTF16Len) {
		parts = append(parts, Part{pieces: pieces(text)})
	}
	for _, piece := range chunks(c.below(r)) {
		last := len(parts) - 1
		if last < 0 || parts[last].size()+sizeOf(piece) > maxMessage {
			parts, last = append(parts, Part{}), last+1
		}
		parts[last].pieces = append(parts[last].pieces, piece)
	}
	if IsID(r.Mention) {
		if len(parts) == 0 {
			parts = append(parts, Part{})
		}
		parts[0].mention = r.Mention
	}
	if len(parts) > 0 {
		last := &parts[len(parts)-1]
		last.choices, last.acts, last.tries, last.rated = r.Choices, r.Acts(), r.Examples, r.Answer && !r.Asks
		last.small = shorten(r.Small, maxChoice)
		if adapters.Labelled(r.Choices, maxShown) {
			last.listed = listed(r.Choices)
		}
	}
	var files []Part
	for _, batch := range r.Batches(maxFiles, 0) {
		batch = slices.DeleteFunc(batch, func(n int) bool { return r.Files[n].Size == 0 }) // Slack rejects empty files
		if len(batch) > 0 {
			files = append(files, Part{Files: batch})
		}
	}
	return append(files, parts...)
}

// Together returns the number of the part whose files can be sent with the text in one message: the last files, if
// the text is one part. It returns false if there is no such part.
func Together(parts []Part) (files int, ok bool) {
	n := len(parts) - 2
	return n, n >= 0 && len(parts[n].Files) > 0 && len(parts[n+1].Files) == 0
}

// pieces splits a text into pieces that fit into blocks.
func pieces(text string) [][]adapters.Block {
	var all [][]adapters.Block
	for _, piece := range adapters.Split(text, maxBlock, adapters.UTF16Len) {
		all = append(all, adapters.Parse(piece))
	}
	return all
}

// chunks groups lines into pieces that fit into blocks.
func chunks(blocks []adapters.Block) [][]adapters.Block {
	var all [][]adapters.Block
	size := 0
	for _, b := range blocks {
		for _, cut := range fitting(b) {
			n := sizeOf([]adapters.Block{cut})
			if len(all) == 0 || size+n > maxBlock {
				all, size = append(all, nil), 0
			}
			all[len(all)-1] = append(all[len(all)-1], cut)
			size += n
		}
	}
	return all
}

// fitting splits a line of plain text that is longer than a block.
func fitting(b adapters.Block) []adapters.Block {
	if len(b.Spans) != 1 || b.Spans[0].URL != "" || sizeOf([]adapters.Block{b}) <= maxBlock {
		return []adapters.Block{b}
	}
	var all []adapters.Block
	for _, text := range adapters.Split(adapters.Escape(b.Spans[0].Text), maxBlock, adapters.UTF16Len) {
		all = append(all, adapters.Parse(text)...)
	}
	return all
}

// Whispered returns the part as a message that only one person sees, with an id: Slack does not tell the address
// of such a message, so its buttons contain the id.
func (p Part) Whispered(id string) Part {
	p.whisper = id
	return p
}

func (p Part) size() int {
	n := 0
	for _, piece := range p.pieces {
		n += sizeOf(piece)
	}
	return n
}

// sizeOf returns the size of blocks in a message, including URLs.
func sizeOf(blocks []adapters.Block) int {
	n := adapters.UTF16Len(letters(blocks)) + 1
	for _, b := range blocks {
		for _, s := range b.Spans {
			n += len(s.URL)
		}
	}
	return n
}

// Blocks returns the blocks of a part, as Slack has them.
func (c *Composer) Blocks(p Part, language string) []slack.Block {
	var all []slack.Block
	mention := p.mention
	for _, piece := range p.pieces {
		all = append(all, render(piece, mention))
		mention = ""
	}
	if mention != "" {
		all = append(all, render(nil, mention))
	}
	if p.small != "" {
		all = append(all, slack.NewContextBlock("", slack.NewTextBlockObject(slack.PlainTextType, p.small, false, false)))
	}
	if buttons := c.buttons(p, language); len(buttons) > 0 {
		all = append(all, slack.NewActionBlock("", buttons...))
	}
	if p.rated && !c.noFeedback.Load() {
		all = append(all, c.feedback(language))
	}
	return all
}

// RefuseFeedback turns off the feedback buttons: the server does not have them.
func (c *Composer) RefuseFeedback() { c.noFeedback.Store(true) }

// listed returns the choices as lines.
func listed(choices []adapters.Choice) []adapters.Block {
	var all []adapters.Block
	for i, choice := range choices {
		marker := string(rune('1'+i)) + "."
		all = append(all, adapters.Block{Kind: adapters.Item, Marker: marker, Spans: []adapters.Span{{Text: shorten(choice.Text, maxChoice)}}})
	}
	return all
}

func button(id, value, label string) *slack.ButtonBlockElement {
	return slack.NewButtonBlockElement(id, value, slack.NewTextBlockObject(slack.PlainTextType, label, false, false))
}

// fallback returns the text for notifications and screen readers.
func (p Part) fallback() string {
	var texts []string
	for _, piece := range append(slices.Clone(p.pieces), p.smallPrint(), p.listed, p.examples()) {
		texts = append(texts, letters(piece))
	}
	text := Escape.Replace(adapters.Cut(strings.TrimRight(strings.Join(texts, "\n"), "\n"), maxFallback))
	if p.mention != "" {
		text = strings.TrimSpace("<@" + p.mention + "> " + text)
	}
	return text
}

// examples returns the examples as lines, for where there are no buttons.
func (p Part) examples() []adapters.Block {
	return adapters.Parse(strings.TrimPrefix(adapters.Reply{Examples: p.tries}.Listed(), "\n"))
}

// smallPrint returns the small print as a line, for where there are no blocks.
func (p Part) smallPrint() []adapters.Block {
	if p.small == "" {
		return nil
	}
	return []adapters.Block{{Spans: []adapters.Span{{Text: p.small}}}}
}

// plain returns the whole message as plain text. URLs follow the text of their links.
func (p Part) plain() string {
	var b strings.Builder
	if p.mention != "" {
		b.WriteString("<@" + p.mention + "> ")
	}
	for _, piece := range append(slices.Clone(p.pieces), p.smallPrint(), p.listed, p.examples()) {
		for _, block := range piece {
			b.WriteString(Escape.Replace(letters([]adapters.Block{block})))
			for _, s := range block.Spans {
				if s.URL != "" {
					b.WriteString(" <" + strings.ReplaceAll(Escape.Replace(s.URL), "|", "%7C") + ">")
				}
			}
			b.WriteByte('\n')
		}
	}
	return strings.TrimSpace(b.String())
}

// Words is the content of a message.
type Words struct {
	Blocks   []slack.Block
	Fallback string // for notifications and screen readers
	Plain    string // the whole text, used if Slack refuses the blocks
	Feedback bool   // the last block are the feedback buttons
}

// WithoutFeedback returns the content without the feedback buttons.
func (w Words) WithoutFeedback() Words {
	if w.Feedback {
		w.Blocks, w.Feedback = w.Blocks[:len(w.Blocks)-1], false
	}
	return w
}

// Bare returns the content without the feedback buttons and the small print.
func (w Words) Bare() Words {
	w = w.WithoutFeedback()
	w.Blocks = slices.DeleteFunc(slices.Clone(w.Blocks), func(b slack.Block) bool { return b.BlockType() == slack.MBTContext })
	return w
}

// Words returns the content of a part.
func (c *Composer) Words(p Part, language string) Words {
	w := Words{Blocks: c.Blocks(p, language), Fallback: p.fallback(), Plain: p.plain()}
	if n := len(w.Blocks); n > 0 {
		w.Feedback = w.Blocks[n-1].BlockType() == slack.MBTContextActions
	}
	return w
}

// feedback returns the buttons for rating an answer. See
// https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element.
func (c *Composer) feedback(language string) *slack.ContextActionsBlock {
	button := func(text, spoken string, value adapters.Sign) *slack.FeedbackButton {
		label := slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
		return slack.NewFeedbackButton(label, string(value)).WithAccessibilityLabel(spoken)
	}
	return slack.NewContextActionsBlock("", slack.NewFeedbackButtonsBlockElement(
		RateAction, button("👍", c.Phrases.Say(language, "Good answer"), adapters.Good), button("👎", c.Phrases.Say(language, "Bad answer"), adapters.Bad),
	))
}

// buttons returns the buttons of the choices and of the signs.
func (c *Composer) buttons(p Part, language string) []slack.BlockElement {
	var buttons []slack.BlockElement
	for i, choice := range p.choices {
		n := string(rune('1' + i))
		label := n
		if len(p.listed) > 0 {
			label += " · " + shorten(choice.Text, maxLabel)
		}
		buttons = append(buttons, button(ChooseAction+n, choice.ID, label))
	}
	for _, x := range p.tries {
		buttons = append(buttons, button(x.ButtonID(), cmp.Or(p.whisper, x.Key), "▶️ "+shorten(x.Shown(), maxLabel)))
	}
	say := c.Phrases.Say
	for _, sign := range p.acts {
		emoji, label := sign.Button(func(label string) string { return say(language, label) })
		buttons = append(buttons, button(sign.ButtonID(), sign.ButtonID(), emoji+" "+label))
	}
	return buttons
}

// below returns the lines below the text: notes and links of files, and the choices.
func (c *Composer) below(r adapters.Reply) []adapters.Block {
	var all []adapters.Block
	say := func(format string, args ...any) string { return c.Phrases.Say(r.Language, format, args...) }
	plain := func(text string) {
		for l := range strings.Lines(text) {
			all = append(all, adapters.Block{Spans: []adapters.Span{{Text: strings.TrimRight(l, "\r\n")}}})
		}
	}
	for _, f := range r.Files {
		switch {
		case f.Link != "":
			all = append(all, adapters.Block{Spans: []adapters.Span{{Text: f.Name, URL: f.Link}}})
		case f.Size == 0:
			plain(say("The file %s is empty.", f.Name))
		}
		plain(f.Note)
		if f.MarkLink != "" {
			mark := adapters.Block{Spans: []adapters.Span{{Text: say("Mark on the picture"), URL: f.MarkLink}}}
			if len(r.Files) > 1 {
				mark.Spans = append(mark.Spans, adapters.Span{Text: " (" + f.Name + ")"})
			}
			all = append(all, mark)
		}
	}
	switch {
	case len(r.Choices) == 0:
	case r.Asks:
		plain(say("Choose with a reaction or button:"))
	case r.Picks:
		plain(say("Choose which one to use, with a reaction or button:"))
	default:
		plain(say("Alternatives, with a reaction or button:"))
	}
	if !adapters.Labelled(r.Choices, maxShown) {
		all = append(all, listed(r.Choices)...)
	}
	return all
}

// Plainly adds the options that turn off automatic links, previews and notifications.
func Plainly(options ...slack.MsgOption) []slack.MsgOption {
	return append(options,
		slack.MsgOptionLinkNames(false), slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	)
}
