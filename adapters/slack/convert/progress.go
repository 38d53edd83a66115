package convert

import (
	"cmp"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	maxTitle = 300 // characters of the title
	maxStep  = 150
	maxSteps = 2600 // characters of all steps
)

var stepMarks = map[adapters.StepState]string{
	adapters.StepWaiting: "◻️", adapters.StepRunning: "⏳", adapters.StepDone: "✅", adapters.StepFailed: "⚠️", adapters.StepSkipped: "➖",
}

// progressLines are the title and the steps, as many as fit.
func progressLines(p adapters.Progress) []adapters.Block {
	var lines []adapters.Block
	if title := shorten(p.Title, maxTitle); title != "" {
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: title, Bold: true}}})
	}
	room, left := maxSteps, 0
	for _, step := range p.Steps {
		text := stepMarks[step.State] + " " + shorten(step.Text, maxStep)
		if step.Took > 0 {
			text += " (" + step.Took.Round(100*time.Millisecond).String() + ")"
		}
		if room -= adapters.UTF16Len(text) + 1; room < 0 {
			left++
			continue
		}
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: strings.TrimSpace(text)}}})
	}
	if left > 0 || len(lines) == 0 {
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: "…"}}})
	}
	return lines
}

// Progress is the message that shows the progress, with a button that stops the work
// while it runs.
func Progress(p adapters.Progress, stop string) Words {
	lines := progressLines(p)
	text, blocks := Escape.Replace(CutBytes(letters(lines), maxFallback)), []slack.Block{render(lines, "")}
	if _, named := ParseTime(p.Request); named && !p.Ended {
		blocks = append(blocks, slack.NewActionBlock("", button(StopAction, p.Request, "🛑 "+stop)))
	}
	return Words{Blocks: blocks, Fallback: text, Plain: text}
}

// Request is the message that shows a request made by a command or a shortcut: who asks, and for
// what.
func Request(user, name, asks, text string) Words {
	section := slack.NewRichTextSection(
		slack.NewRichTextSectionUserElement(user, nil),
		slack.NewRichTextSectionTextElement(" "+asks+"\n"+cmp.Or(clip(Printable(text), maxQuoted), "🔁"), nil),
	)
	fallback := Escape.Replace(cmp.Or(name, user) + " " + asks + " " + clip(text, maxFallback))
	return Words{Blocks: []slack.Block{slack.NewRichTextBlock("", section)}, Fallback: fallback, Plain: fallback}
}

// maxQuoted is how many bytes of a request are shown.
const maxQuoted = 2500
