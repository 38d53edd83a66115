// Package convert turns what Discord sends into the types of the adapters, and replies into
// messages of Discord. It knows no connection.
//
//   - In: Discord's objects (object.go) and their texts (text.go).
//   - Out: replies ([Composer], compose.go) in Discord's markup (render.go), progress and requests
//     (progress.go), commands and forms (command.go).
package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// The limits of a message ("Message" and "Components" in Discord's documentation).
const (
	maxContent     = 2000
	maxLabel       = 80
	maxDescription = 1024
	maxFiles       = 10
	buttonsInRow   = 5
	maxNote        = 500
	maxNameShown   = 100
	maxChoice      = 100 // nine of them fit in one message, even if everything must be escaped
	maxShown       = 35  // characters of a choice that clients show in full after its number
	// maxRequest is the maximum size of all files of a message in bytes.
	maxRequest = 25<<20 - 64<<10
)

// Composer turns replies into messages of Discord.
type Composer struct {
	Phrases adapters.Phrases
	// Guest means that the bot cannot add reactions to choose by.
	Guest bool
}

// Part is a message of a reply.
type Part struct {
	Content  Content
	AnswerTo adapters.MessageRef
	Files    []adapters.Attachment
	Numbers  []int // the indexes of the files in the reply
	// Whole is the whole reply in one message, in case Discord rejects this first part, a voice message.
	Whole *Part

	answer   bool
	buttons  int
	language string
	// explained reports whether the reply has said why it is not in a thread; nil means never say it.
	explained *bool
}

// Content is a message to post or edit. It notifies only the users that it names, and its links have no previews,
// since Discord would open them for that.
type Content struct {
	Text         string                           `json:"content,omitempty"`
	Nonce        string                           `json:"nonce,omitempty"`
	EnforceNonce bool                             `json:"enforce_nonce,omitempty"`
	Mentions     discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Reference    *discordgo.MessageReference      `json:"message_reference,omitempty"`
	Components   []any                            `json:"components"`
	Attachments  []Uploaded                       `json:"attachments,omitempty"`
	Flags        discordgo.MessageFlags           `json:"flags,omitempty"`

	// choices are the lines that the buttons stand for, and heading is the line above the buttons.
	choices, heading string
}

// Uploaded describes an uploaded file.
type Uploaded struct {
	ID          int    `json:"id"`
	Name        string `json:"filename"`
	Title       string `json:"title,omitempty"` // shown instead of the name, without extension
	Description string `json:"description,omitempty"`
	// Seconds and Waveform are those of a voice message.
	Seconds  float64 `json:"duration_secs,omitempty"`
	Waveform []byte  `json:"waveform,omitempty"`
}

// NewContent returns a message with a text in markup.
func NewContent(text string) Content {
	nobody := discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
	return Content{Text: text, Mentions: nobody, Components: []any{}, Flags: discordgo.MessageFlagsSuppressEmbeds}
}

// Ephemeral returns a message with a plain text that only one person sees.
func Ephemeral(text string) Content {
	c := NewContent(plain(text))
	c.Flags = discordgo.MessageFlagsEphemeral
	return c
}

// Plain returns the message without buttons, descriptions and reply, for the same people. It lists the choices
// that had buttons.
func (c Content) Plain() Content {
	c.Text, c.choices = c.Text+c.choices, ""
	c.Reference, c.Components, c.Attachments = nil, []any{}, slices.Clone(c.Attachments)
	for i := range c.Attachments {
		c.Attachments[i].Description = ""
	}
	return c
}

// Compose converts a reply to messages. Each file has at most maxFile bytes.
func (c *Composer) Compose(r adapters.Reply, maxFile int64) []Part {
	parts := c.compose(r, maxFile)
	if len(parts) != 1 || len(r.Files) != 1 || r.Files[0].Voice == nil || r.Files[0].Link != "" || r.Files[0].Voice.Size > maxFile {
		return parts
	}
	return c.spoken(r, &parts[0])
}

// between returns what separates the mention from a text, which begins a line of its own unless it
// begins with a plain one.
func between(text string) string {
	if blocks := adapters.Parse(text); len(blocks) > 0 && blocks[0].Kind == adapters.Line && strings.TrimSpace(text) == strings.TrimLeft(text, " ") &&
		!strings.HasPrefix(Render(text), `\`) && !strings.HasPrefix(Render(text), blank) {
		return " "
	}
	return "\n"
}

// Explain adds once to a reply why it is not in a thread, if there is room: because of a missing permission, or ""
// for another reason.
func (c *Composer) Explain(p *Part, permission string) {
	if p.explained == nil || *p.explained {
		return
	}
	why := c.Phrases.Say(p.language, "I answer here, because Discord does not let me start a thread.")
	if permission != "" {
		why = c.Phrases.Say(p.language, "I answer here, because I lack the permission to start a thread: %s.", permission)
	}
	text := strings.TrimLeft(strings.TrimSuffix(p.Content.Text, blank)+"\n\n"+plain(why), "\n")
	if adapters.UTF16Len(text+p.Content.choices) <= maxContent {
		p.Content.Text, *p.explained = text, true
	}
}

// compose converts a reply to messages with attached files.
func (c *Composer) compose(r adapters.Reply, maxFile int64) []Part {
	mention := ""
	if IsID(r.Mention) {
		mention = "<@" + r.Mention + ">"
	}
	var texts []string
	for _, text := range adapters.Split(r.Text, maxContent-len(mention)-1, func(s string) int { return adapters.UTF16Len(Render(s)) }) {
		texts = append(texts, Render(text))
	}
	if len(texts) == 0 {
		texts = []string{""}
	}
	if mention != "" {
		texts[0] = strings.TrimRight(mention+between(r.Text)+texts[0], " \n")
	}
	choices, asked := "", ""
	below := c.below(r)
	if len(r.Choices) > 0 {
		heading, listed := c.choices(r)
		below, asked = append(below, heading+listed), heading+listed
		if adapters.Labelled(r.Choices, maxShown) {
			choices, asked = listed, heading
		}
	}
	for i, l := range below {
		last := len(texts) - 1
		gap := "\n"
		if i == 0 {
			gap = "\n\n"
		}
		switch {
		case texts[last] == "":
			texts[last] = l
		case adapters.UTF16Len(texts[last]+gap+l) <= maxContent:
			texts[last] += gap + l
		default:
			texts = append(texts, l)
		}
	}
	last := len(texts) - 1
	texts[last] = strings.TrimSuffix(texts[last], choices)
	if listed := examples(r); adapters.UTF16Len(texts[last]+choices+listed) <= maxContent {
		choices = listed + choices
	}
	parts := c.parts(r, r.Batches(maxFiles, max(maxRequest, maxFile)), texts, mention)
	parts[len(parts)-1].Content.choices, parts[len(parts)-1].Content.heading = choices, asked
	return parts
}

func (c *Composer) parts(r adapters.Reply, batches [][]int, texts []string, mention string) []Part {
	before := max(0, len(batches)-1) // messages of files alone, before the text
	texts = append(make([]string, before), texts...)
	parts, explained := make([]Part, len(texts)), new(bool)
	for i, text := range texts {
		parts[i] = Part{Content: NewContent(text), answer: r.Answer, language: r.Language, explained: explained}
	}
	for i, batch := range batches {
		parts[i].Numbers = batch
		for k, n := range batch {
			f := r.Files[n]
			parts[i].Files = append(parts[i].Files, f)
			described := Uploaded{ID: k, Name: FileName(f.Name), Description: shorten(f.Alt, maxDescription)}
			parts[i].Content.Attachments = append(parts[i].Content.Attachments, described)
		}
	}
	first, last := &parts[before], &parts[len(parts)-1]
	if mention != "" {
		first.Content.Mentions.Users = []string{r.Mention}
	}
	parts[0].AnswerTo = r.AnswerTo
	if first.Content.Text == "" && len(first.Files) == 0 {
		first.Content.Text = blank
	}
	buttons := c.buttons(r)
	last.Content.Components, last.buttons = rows(buttons), len(buttons)
	return parts
}

// below returns the lines below the text: notes and links of files. Each fits into a message.
func (c *Composer) below(r adapters.Reply) []string {
	var lines []string
	for _, a := range r.Files {
		lines = append(lines, c.about(r, a)...)
	}
	if r.Small != "" {
		lines = append(lines, "-# "+plain(shorten(r.Small, maxNote)))
	}
	return lines
}

// choices returns the heading of the choices, and a line for each.
func (c *Composer) choices(r adapters.Reply) (heading, lines string) {
	heading = c.Phrases.Say(r.Language, "Alternatives, with a reaction or button:")
	switch {
	case c.Guest && (r.Asks || r.Picks):
		heading = c.Phrases.Say(r.Language, "Choose with a button:")
	case c.Guest:
		heading = c.Phrases.Say(r.Language, "Alternatives, with a button:")
	case r.Asks:
		heading = c.Phrases.Say(r.Language, "Choose with a reaction or button:")
	case r.Picks:
		heading = c.Phrases.Say(r.Language, "Choose which one to use, with a reaction or button:")
	}
	var all strings.Builder
	for i, choice := range r.Choices {
		fmt.Fprintf(&all, "\n%d\\. %s", i+1, plain(shortenChoice(choice.Text)))
	}
	return plain(heading), all.String()
}

// shortenChoice cuts a choice. A cut explanation in parentheses keeps the closing one.
func shortenChoice(text string) string {
	if adapters.UTF16Len(text) <= maxChoice {
		return text
	}
	short := shorten(text, maxChoice-1)
	if strings.Count(short, "(") > strings.Count(short, ")") {
		short += ")"
	}
	return short
}

// examples returns the examples as lines, for where there are no buttons.
func examples(r adapters.Reply) string {
	if len(r.Examples) == 0 {
		return ""
	}
	return "\n" + Render(strings.TrimPrefix(r.Listed(), r.Text+"\n"))
}

// about returns the lines about a file: a single one, if that fits into a message.
func (c *Composer) about(r adapters.Reply, a adapters.Attachment) []string {
	name := plain(shorten(FileName(a.Name), maxNameShown))
	var lines []string
	add := func(gap, prefix, text string) { // prefix is for a line of its own
		if last := len(lines) - 1; last >= 0 && adapters.UTF16Len(lines[last]+gap+text) <= maxContent {
			lines[last] += gap + text
			return
		}
		lines = append(lines, prefix+text)
	}
	if a.Link != "" {
		line := link(FileName(a.Name), a.Link)
		if adapters.UTF16Len(line) > maxContent {
			line = name + ": " + plain(c.Phrases.Say(r.Language, "The link to this file is too long for Discord."))
		}
		add("", "", line)
	}
	if note := plain(shorten(a.Note, maxNote)); note != "" {
		add(": ", name+": ", note)
	}
	if a.MarkLink != "" && a.Link == "" {
		before := ""
		if len(r.Files) > 1 {
			before = name + " "
		}
		if mark := link("✏️ "+c.Phrases.Say(r.Language, "Mark on the picture"), a.MarkLink); adapters.UTF16Len(before+mark) <= maxContent {
			add(" ", before, mark)
		}
	}
	return lines
}

// link returns a link with a text.
func link(text, address string) string {
	text = strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(text)
	return renderSpans([]adapters.Span{{Text: text, URL: address}})
}

const (
	// ChooseButton is the prefix of the ids of buttons for choices. The number:the choice's id follow.
	ChooseButton = "choose:"
	// StopButton is the id of the button below the progress.
	StopButton = "stop"
)

type button struct {
	Type  int                       `json:"type"`
	Style discordgo.ButtonStyle     `json:"style"`
	Label string                    `json:"label,omitempty"`
	Emoji *discordgo.ComponentEmoji `json:"emoji,omitempty"`
	ID    string                    `json:"custom_id"`
}

// buttons returns the buttons of the choices and of the signs.
func (c *Composer) buttons(r adapters.Reply) []button {
	var all []button
	add := func(emoji, text, id string) {
		b := button{Type: 2, Style: discordgo.SecondaryButton, Label: label(text, maxLabel), ID: id}
		if emoji != "" {
			b.Emoji = &discordgo.ComponentEmoji{Name: emoji}
		}
		all = append(all, b)
	}
	short := adapters.Labelled(r.Choices, maxShown)
	for i, choice := range r.Choices {
		text := strconv.Itoa(i + 1)
		if short {
			text += ". " + choice.Text
		}
		add("", text, fmt.Sprintf("%s%d:%s", ChooseButton, i+1, choice.ID))
	}
	for _, x := range r.Examples {
		add("▶️", x.Shown(), x.ButtonID())
	}
	say := c.Phrases.Say
	for _, sign := range r.Acts() {
		emoji, label := sign.Button(func(label string) string { return say(r.Language, label) })
		add(emoji, label, sign.ButtonID())
	}
	return all
}

// rows arranges buttons in rows of five.
func rows(all []button) []any {
	rows := []any{}
	for row := range slices.Chunk(all, buttonsInRow) {
		rows = append(rows, map[string]any{"type": 1, "components": row})
	}
	return rows
}

// voiceFlag marks a voice message, which has one sound and nothing else ("Message" in Discord's documentation).
const voiceFlag = discordgo.MessageFlags(1 << 13)

// spoken returns a reply as a voice message with what was read aloud, and a message with the rest.
func (c *Composer) spoken(r adapters.Reply, whole *Part) []Part {
	v, file := r.Files[0].Voice, adapters.Attachment{Name: "voice-message.ogg", Type: "audio/ogg"}
	file.Handle, file.Size = v.Handle, v.Size
	voice := Part{AnswerTo: whole.AnswerTo, Files: []adapters.Attachment{file}, Numbers: []int{0}, Whole: whole, language: whole.language}
	voice.Content = NewContent("")
	voice.Content.Flags = voiceFlag
	voice.Content.Attachments = []Uploaded{{Name: file.Name, Seconds: v.Duration.Seconds(), Waveform: v.Waveform}}
	r.Files, r.AnswerTo = nil, adapters.MessageRef{}
	return append([]Part{voice}, c.compose(r, 0)...)
}
