package discord

import (
	"fmt"
	"strings"

	"atelier/adapters"
)

// The limits of a message, after "Message" and "Components" of the documentation.
const (
	maxContent     = 2000
	maxLabel       = 80
	maxDescription = 1024
	buttonsInRow   = 5
	maxNote        = 500
	maxNameShown   = 100
	maxChoice      = 100 // that nine of them fit in one message, whatever must be escaped
)

// What messages are posted with: links show no preview, for which Discord would follow them.
const (
	flagNoPreview = 1 << 2
	flagSilent    = 1 << 12
)

// part is one message of a reply.
type part struct {
	body     posting
	answerTo adapters.MessageRef
	files    []adapters.Attachment
	numbers  []int // of the files in the reply, from 0
	language string
	// told tells whether the reply has said why it stands in a channel, where no thread could
	// be begun; nil is never to be said.
	told *bool
}

// posting is a message as it is posted or edited.
type posting struct {
	Content      string     `json:"content"`
	Nonce        string     `json:"nonce,omitempty"`
	EnforceNonce bool       `json:"enforce_nonce,omitempty"`
	Mentions     mentions   `json:"allowed_mentions"`
	Reference    *reference `json:"message_reference,omitempty"`
	Components   []any      `json:"components"`
	Attachments  []uploaded `json:"attachments,omitempty"`
	Flags        int        `json:"flags,omitempty"`
}

// plain is what a message says, whom it notifies and who sees it, without all else.
func (p posting) plain() posting {
	return posting{
		Content: p.Content, Nonce: p.Nonce, EnforceNonce: p.EnforceNonce, Mentions: p.Mentions, Components: []any{},
		Flags: p.Flags,
	}
}

// mentions are who is notified: nobody but those who are named.
type mentions struct {
	Parse   []string `json:"parse"`
	Users   []string `json:"users"`
	Replied bool     `json:"replied_user"`
}

// reference is what a message replies to. That this is gone is no fault.
type reference struct {
	Message string `json:"message_id"`
	Fail    bool   `json:"fail_if_not_exists"`
}

type uploaded struct {
	ID          int    `json:"id"`
	Name        string `json:"filename"`
	Description string `json:"description,omitempty"`
}

func nobody() mentions { return mentions{Parse: []string{}, Users: []string{}} }

// compose makes the messages of a reply.
func (d *Discord) compose(r adapters.Reply) []part {
	mention := ""
	if isID(r.Mention) {
		mention = "<@" + r.Mention + ">"
	}
	var contents []string
	for _, text := range adapters.Split(r.Text, maxContent-len(mention)-1, func(s string) int { return length(render(s)) }) {
		contents = append(contents, render(text))
	}
	if len(contents) == 0 {
		contents = []string{""}
	}
	if mention != "" {
		contents[0] = strings.TrimRight(mention+between(r.Text)+contents[0], " \n")
	}
	for i, l := range d.below(r) {
		last := len(contents) - 1
		gap := "\n"
		if i == 0 {
			gap = "\n\n"
		}
		switch {
		case contents[last] == "":
			contents[last] = l
		case length(contents[last]+gap+l) <= maxContent:
			contents[last] += gap + l
		default:
			contents = append(contents, l)
		}
	}
	return d.parts(r, contents, mention)
}

// between is what stands between the mention and the text: what is no plain line begins one
// of its own.
func between(text string) string {
	if blocks := adapters.Parse(text); len(blocks) > 0 && blocks[0].Kind == adapters.Line && strings.TrimSpace(text) == strings.TrimLeft(text, " ") &&
		!strings.HasPrefix(render(text), `\`) && !strings.HasPrefix(render(text), blank) {
		return " "
	}
	return "\n"
}

func (d *Discord) parts(r adapters.Reply, contents []string, mention string) []part {
	batches := r.Batches(maxFiles, d.maxTotal())
	before := max(0, len(batches)-1) // messages of files alone, before the text
	contents = append(make([]string, before), contents...)
	parts, told := make([]part, len(contents)), new(bool)
	for i, c := range contents {
		parts[i].language, parts[i].told = r.Language, told
		parts[i].body = posting{Content: c, Mentions: nobody(), Components: []any{}, Flags: flagNoPreview}
	}
	for i, batch := range batches {
		parts[i].numbers = batch
		for _, n := range batch {
			parts[i].files = append(parts[i].files, r.Files[n])
		}
	}
	first, last := &parts[before], &parts[len(parts)-1]
	if mention != "" {
		first.body.Mentions.Users = []string{r.Mention}
	}
	parts[0].answerTo = r.AnswerTo
	if first.body.Content == "" && len(first.files) == 0 {
		first.body.Content = blank
	}
	if len(r.Choices) > 0 {
		last.body.Components = d.buttons(r)
	}
	return parts
}

// below are the lines that stand below the text: what is to be said of files, links in the
// place of files, links to mark by, and the choices. Each fits into a message.
func (d *Discord) below(r adapters.Reply) []string {
	var lines []string
	for _, a := range r.Files {
		lines = append(lines, d.about(r, a)...)
	}
	var choices []string
	for i, c := range r.Choices {
		choices = append(choices, fmt.Sprintf(`%d\. %s`, i+1, plain(fitted(c.Text, maxChoice))))
	}
	if len(choices) > 0 { // they stay together, above their buttons
		heading := d.say(r.Language, "Other ways, by reaction or button:")
		if r.Asks {
			heading = d.say(r.Language, "Choose by reaction or button:")
		}
		lines = append(lines, plain(heading)+"\n"+strings.Join(choices, "\n"))
	}
	return lines
}

// about are the lines about a file: one, where Discord takes as much in a message.
func (d *Discord) about(r adapters.Reply, a adapters.Attachment) []string {
	name := plain(fitted(fileName(a.Name), maxNameShown))
	var lines []string
	add := func(gap, otherwise, text string) { // otherwise is what stands before it on a line of its own
		if last := len(lines) - 1; last >= 0 && length(lines[last]+gap+text) <= maxContent {
			lines[last] += gap + text
			return
		}
		lines = append(lines, otherwise+text)
	}
	if a.Link != "" {
		line := link(fileName(a.Name), a.Link)
		if length(line) > maxContent {
			line = name + ": " + plain(d.say(r.Language, "The link to this file is too long for Discord."))
		}
		add("", "", line)
	}
	if note := fitted(a.Note, maxNote); plain(note) != "" {
		add(": ", name+": ", plain(note))
	}
	if a.MarkLink != "" && a.Link == "" {
		before := ""
		if len(r.Files) > 1 {
			before = name + " "
		}
		if mark := link("✏️ "+d.say(r.Language, "Mark on the picture"), a.MarkLink); length(before+mark) <= maxContent {
			add(" ", before, mark)
		}
	}
	return lines
}

// link leads to an address by a text.
func link(text, address string) string {
	text = strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(text)
	return renderSpans([]adapters.Span{{Text: text, URL: address}})
}

// What a button remembers, before what it is about.
const (
	buttonChoose = "choose:" // number:choice's id
	buttonAgain  = "again"
	buttonStop   = "stop:" // the request's channel:its id
)

const (
	styleSecondary = 2
	styleDanger    = 4
)

type button struct {
	Type  int         `json:"type"`
	Style int         `json:"style"`
	Label string      `json:"label,omitempty"`
	Emoji *emojiShown `json:"emoji,omitempty"`
	ID    string      `json:"custom_id"`
}

type emojiShown struct {
	Name string `json:"name"`
}

// buttons are those of the choices, and one to do it again.
func (d *Discord) buttons(r adapters.Reply) []any {
	var all []button
	for i, c := range r.Choices {
		label := shortened(fmt.Sprintf("%d. %s", i+1, c.Text), maxLabel/2)
		all = append(all, button{Type: 2, Style: styleSecondary, Label: label, ID: fmt.Sprintf("%s%d:%s", buttonChoose, i+1, c.ID)})
	}
	all = append(all, button{Type: 2, Style: styleSecondary, Label: shortened(d.say(r.Language, "Again"), maxLabel), Emoji: &emojiShown{"🔁"}, ID: buttonAgain})
	return rows(all)
}

// rows are buttons as Discord takes them: five in a row.
func rows(all []button) []any {
	rows := []any{}
	for len(all) > 0 {
		n := min(buttonsInRow, len(all))
		rows = append(rows, map[string]any{"type": 1, "components": all[:n]})
		all = all[n:]
	}
	return rows
}

// shortened is a text on one line, of at most so many characters.
func shortened(s string, most int) string {
	return fitted(printable(strings.Join(strings.Fields(s), " ")), most)
}
