package adapters

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Reply is a message from the bot.
type Reply struct {
	Thread Thread `json:"thread"`
	// AnswerTo is the message that it replies to, if the platform shows that; it may be zero.
	AnswerTo MessageRef `json:"answer_to,omitzero"`
	// Command is the id of the event of the command that it answers, or "". If the platform can, only the person
	// who gave the command sees the reply.
	Command string `json:"command,omitempty"`
	// Mention is the id of the one person who is notified, or "".
	Mention string `json:"mention,omitempty"`
	// Text is in the small Markdown that [Parse] describes.
	Text string `json:"text,omitempty"`
	// Whole is the full text if Text is only its beginning and a file has the rest, or "". It replaces Text if the
	// file cannot be sent.
	Whole string       `json:"whole,omitempty"`
	Files []Attachment `json:"files,omitempty"`
	// Choices are numbered from 1, at most [MaxChoices].
	Choices []Choice `json:"choices,omitempty"`
	// Asks means that the choices are possible meanings of the request, and nothing was done yet. Otherwise they
	// are alternatives to what was done.
	Asks bool `json:"asks,omitempty"`
	// Picks means that the choices are results, one of which is used from here on.
	Picks bool `json:"picks,omitempty"`
	// Answer means that it answers a request, which can be run again, and that it can be deleted. A platform with
	// buttons has two for that.
	Answer bool `json:"answer,omitempty"`
	// Small is small print, such as the seed: plain text on one line. A platform that shows elsewhere how an answer
	// was made leaves it out.
	Small string `json:"small,omitempty"`
	// Talk means that it is only conversation, such as a greeting, or a notice: running it again would say the same.
	Talk bool `json:"talk,omitempty"`
	// GoOn are the ways in which people can continue from the files.
	GoOn []Sign `json:"go_on,omitempty"`
	// Examples are requests that people can try with a button, at most [MaxChoices]; the text ends by introducing
	// them.
	Examples []Example `json:"examples,omitempty"`
	// Language is the BCP 47 tag of the text, for the few words that an adapter adds, such as button labels; "" is
	// English.
	Language string `json:"language,omitempty"`
}

// Batches groups the indexes of the uploaded files into messages with at most the given number of files and total
// bytes; 0 bytes is no limit. A file that is larger gets a message of its own. If one of the files is left out,
// the messages before it stay the same, so that nothing is posted twice.
func (r Reply) Batches(files int, total int64) [][]int {
	var all [][]int
	var size int64
	for i, f := range r.Files {
		if f.Link != "" {
			continue
		}
		last := len(all) - 1
		if last < 0 || len(all[last]) == files || total > 0 && size+f.Size > total {
			all, size = append(all, nil), 0
			last++
		}
		all[last] = append(all[last], i)
		size += f.Size
	}
	return all
}

// Attachment is a file that the bot made.
type Attachment struct {
	Name string `json:"name"` // shown to people; not a path
	// Resource is its name as a resource of the thread, as used in [Mark.Picture]; "" is Name.
	Resource string `json:"resource,omitempty"`
	Size     int64  `json:"size"` // in bytes
	Type     string `json:"type"` // a media type
	// Alt describes the file for those who cannot see it, in plain text and in the language of the reply.
	Alt string `json:"alt,omitempty"`
	// Note is shown beside the file, such as that it was made smaller. It is plain text.
	Note string `json:"note,omitempty"`
	// Handle is for the adapter's [Opener].
	Handle string `json:"handle,omitempty"`
	// Link, if set, is given to people in place of the file, which is too large for the platform: an http or https
	// URL that expires.
	Link string `json:"link,omitempty"`
	// MarkLink is the page where people can mark the picture, or "".
	MarkLink string `json:"mark_link,omitempty"`
	// Voice is the same as a voice message, if it was read aloud and the platform has voice messages
	// ([Limits.Voice]).
	Voice *Voice `json:"voice,omitempty"`
}

// Voice is a voice message, in Ogg Opus.
type Voice struct {
	Handle   string        `json:"handle"`
	Size     int64         `json:"size"` // in bytes
	Duration time.Duration `json:"duration"`
	// Waveform is the loudness of equal parts of it, at most [MaxWaveform] of them.
	Waveform []byte `json:"waveform"`
}

// MaxWaveform is the maximum number of parts of a waveform, as on Discord.
const MaxWaveform = 256

// Choice is an alternative that people may choose.
type Choice struct {
	// ID is returned in [Reaction.Choice] if the platform has buttons. It has at most [MaxChoiceID] printable
	// ASCII characters, without spaces.
	ID string `json:"id"`
	// Text says what it is, on one line of plain text.
	Text string `json:"text"`
}

// Example is a request that people can try.
type Example struct {
	// Key is returned in [Reaction.Choice]. It has the form of a choice's ID.
	Key string `json:"key"`
	// Text is the request, on one line of plain text, as it may be written.
	Text string `json:"text"`
	// Label is the request in people's language, for a button; "" for Text.
	Label string `json:"label,omitempty"`
	// Needs is the type of file that the request needs, such as "image", or "" if it needs none.
	Needs string `json:"needs,omitempty"`
}

// Shown returns what a button for the example says.
func (x Example) Shown() string { return cmp.Or(x.Label, x.Text) }

// Listed returns the text with its examples as lines, for places without buttons.
func (r Reply) Listed() string {
	lines := []string{r.Text}
	for _, x := range r.Examples {
		lines = append(lines, "- "+Escape(x.Text))
	}
	return strings.Join(lines, "\n")
}

const (
	// MaxChoices is the maximum number of choices of a reply: there are nine digits to react with.
	MaxChoices = 9
	// MaxChoiceID is the maximum length of a choice's id: a Discord button holds 100 characters in all.
	MaxChoiceID = 80
)

// Sign is the meaning of a reaction.
type Sign string

// The signs. Asking to stop the work is a [Cancel], not a sign.
const (
	Choose Sign = "choose" // 1️⃣ to 9️⃣: that alternative
	Again  Sign = "again"  // 🔁: run the request again
	Remove Sign = "remove" // 🗑️: delete the answer
	// Good and Bad are votes on an answer, cast with buttons: a thumb reaction may mean anything. The last vote
	// counts.
	Good Sign = "good"
	Bad  Sign = "bad"

	Use     Sign = "use"     // 📌: the person's next message works on the answer's files
	Vary    Sign = "vary"    // 🎲: make them several times, with other seeds
	Larger  Sign = "larger"  // 🔍: give them more pixels
	Smaller Sign = "smaller" // 🗜️: give them fewer bytes

	Try Sign = "try" // run one of [Reply.Examples], by a button
)

// Button returns the emoji and the label, translated by say, of the sign's button; "" if the sign has none.
func (s Sign) Button(say func(label string) string) (emoji, label string) {
	switch s {
	case Use:
		return "📌", say("Use this")
	case Vary:
		return "🎲", say("Vary")
	case Larger:
		return "🔍", say("Larger")
	case Smaller:
		return "🗜️", say("Smaller file")
	case Again:
		return "🔁", say("Again")
	case Remove:
		return "🗑️", say("Delete")
	case Choose, Try, Good, Bad: // the first two have texts of their own, and each platform asks for votes in its own way
	}
	return "", ""
}

// deleteButton is the id of the button of [Remove]. tryButton is the prefix of an example's button id; its key follows.
const (
	deleteButton = "delete"
	tryButton    = "try:"
)

// ButtonID returns the id of the sign's button.
func (s Sign) ButtonID() string {
	if s == Remove {
		return deleteButton
	}
	return string(s)
}

// ButtonID returns the id of the example's button.
func (x Example) ButtonID() string { return tryButton + x.Key }

// Pressed returns the reaction for a press of a sign's or an example's button below a message, given the button's
// id. It returns nil for other buttons.
func Pressed(on MessageRef, button string) *Reaction {
	if key, ok := strings.CutPrefix(button, tryButton); ok {
		return &Reaction{On: on, Sign: Try, Choice: key}
	}
	sign := Sign(button)
	if button == deleteButton {
		sign = Remove
	}
	if emoji, _ := sign.Button(func(label string) string { return label }); emoji == "" {
		return nil
	}
	return &Reaction{On: on, Sign: sign}
}

// Acts returns the signs shown as buttons below a reply, in order.
func (r Reply) Acts() []Sign {
	acts := slices.Clone(r.GoOn)
	if r.Answer && !r.Talk {
		acts = append(acts, Again)
	}
	if r.Answer {
		acts = append(acts, Remove)
	}
	return acts
}

// Reacted completes an event for a reaction that was added to a message or removed from it; the caller sets the
// fields other than Kind, Reaction and Cancel. The emoji is Unicode; skin tones and variation selectors are
// ignored. It returns false if the emoji has no meaning to the bot, and for a stop sign that is removed.
func Reacted(e Event, on MessageRef, emoji string, added bool) (_ Event, ok bool) {
	emoji = strings.Map(func(r rune) rune {
		if r == '\ufe0e' || r == '\ufe0f' || r >= 0x1f3fb && r <= 0x1f3ff {
			return -1
		}
		return r
	}, emoji)
	e.Kind = ReactionRemoved
	if added {
		e.Kind = ReactionAdded
	}
	r := Reaction{On: on}
	switch emoji {
	case "🔁", "🔄":
		r.Sign = Again
	case "🗑":
		r.Sign = Remove
	case "📌":
		r.Sign = Use
	case "🎲":
		r.Sign = Vary
	case "🔍":
		r.Sign = Larger
	case "🗜":
		r.Sign = Smaller
	case "🛑", "❌", "⏹":
		e.Kind, e.Cancel = CancelAsked, &Cancel{On: on}
		return e, added
	default:
		n, isKeycap := strings.CutSuffix(emoji, "\u20e3")
		if !isKeycap || len(n) != 1 || n[0] < '1' || n[0] > '9' {
			return e, false
		}
		r.Sign, r.Number = Choose, int(n[0]-'0')
	}
	e.Reaction = &r
	return e, true
}

// Digit returns the keycap emoji for the nth choice, from 1 to [MaxChoices].
func Digit(n int) string { return strconv.Itoa(n) + "\ufe0f\u20e3" }
