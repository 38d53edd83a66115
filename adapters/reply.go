package adapters

import (
	"strings"
	"time"
)

// Reply is what the bot has to say.
type Reply struct {
	Thread Thread `json:"thread"`
	// AnswerTo is the message to which it replies, where a platform shows that; zero is
	// none.
	AnswerTo MessageRef `json:"answer_to,omitzero"`
	// Command is the id of the event of the command that it answers, or "". A platform that
	// can shows it to who gave the command, and to nobody else.
	Command string `json:"command,omitempty"`
	// Mention is the id of the one person who is notified, or "".
	Mention string `json:"mention,omitempty"`
	// Text is in the little Markdown that [Parse] tells.
	Text string `json:"text,omitempty"`
	// Whole is the text where a file has the rest of what Text only begins, or "". It stands in for
	// Text if the file cannot be sent.
	Whole string       `json:"whole,omitempty"`
	Files []Attachment `json:"files,omitempty"`
	// Choices are offered as 1, 2 and so on, at most [MaxChoices].
	Choices []Choice `json:"choices,omitempty"`
	// Asks tells that the choices are what may be meant, of which nothing is done yet. Without it
	// they are other ways to do what was done.
	Asks bool `json:"asks,omitempty"`
	// Picks tells that the choices are results, of which one is gone on with.
	Picks bool `json:"picks,omitempty"`
	// Answer tells that it answers a request, which can be repeated, and that it can be deleted. A
	// platform with buttons has two for that.
	Answer bool `json:"answer,omitempty"`
	// GoOn is how people can go on from the files.
	GoOn []Sign `json:"go_on,omitempty"`
	// Examples are requests that people can try by a press, at most [MaxChoices]; the text ends with what they are.
	Examples []Example `json:"examples,omitempty"`
	// Language is the BCP 47 tag of the text, for the few words that an adapter adds,
	// such as a button's; "" is English.
	Language string `json:"language,omitempty"`
}

// Batches groups the files that are uploaded, by their index, into messages of at most so
// many files and so many bytes together; 0 bytes is no limit. A file that is larger has a
// message of its own. Where one of the files is left out, the messages before its own stay
// the same, so that what was posted is not posted again.
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
	Name string `json:"name"` // what people see; no path
	// Resource is the name that it has as a resource of the thread, by which it is pointed at
	// ([Mark.Picture]); "" is Name.
	Resource string `json:"resource,omitempty"`
	Size     int64  `json:"size"` // in bytes
	Type     string `json:"type"` // a media type
	// Alt says what the file shows or holds, for those who cannot see it. It is plain text,
	// in the language of the reply.
	Alt string `json:"alt,omitempty"`
	// Note stands beside the file, such as that it was made smaller. It is plain text.
	Note string `json:"note,omitempty"`
	// Handle is what the adapter's [Opener] takes.
	Handle string `json:"handle,omitempty"`
	// Link, where it is set, is given to people in the place of the file, which is too
	// large for the platform: an http or https address for a time.
	Link string `json:"link,omitempty"`
	// MarkLink is where people can point at things on the picture, or "".
	MarkLink string `json:"mark_link,omitempty"`
	// Voice is the same as a voice message, if it was read aloud and the platform has these ([Limits.Voice]).
	Voice *Voice `json:"voice,omitempty"`
}

// Voice is what was spoken, in Ogg Opus.
type Voice struct {
	Handle   string        `json:"handle"`
	Size     int64         `json:"size"` // in bytes
	Duration time.Duration `json:"duration"`
	// Waveform is how loud it is in equal parts of it, at most [MaxWaveform] of them.
	Waveform []byte `json:"waveform"`
}

// MaxWaveform is the most parts of a waveform: what Discord shows.
const MaxWaveform = 256

// Choice is something else that people may have instead.
type Choice struct {
	// ID comes back in [Reaction.Choice] where the platform has buttons. It is at most
	// [MaxChoiceID] printable ASCII characters, without space.
	ID string `json:"id"`
	// Text says what it is, on one line of plain text.
	Text string `json:"text"`
}

// Example is a request that can be tried.
type Example struct {
	// Key comes back in [Reaction.Choice]. It is like a choice's id.
	Key string `json:"key"`
	// Text is the request, on one line of plain text.
	Text string `json:"text"`
	// Needs is the type of file that the request needs, such as "image", or "" if it needs none.
	Needs string `json:"needs,omitempty"`
}

// Listed is the text with its examples as lines, for where there are no buttons.
func (r Reply) Listed() string {
	lines := []string{r.Text}
	for _, x := range r.Examples {
		lines = append(lines, "- "+Escape(x.Text))
	}
	return strings.Join(lines, "\n")
}

const (
	// MaxChoices is the most choices of a reply: there are so many digits to react with.
	MaxChoices = 9
	// MaxChoiceID is the most characters of a choice's id: Discord takes 100 for all that
	// a button has to remember.
	MaxChoiceID = 80
)
