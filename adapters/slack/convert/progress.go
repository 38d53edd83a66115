package convert

import (
	"cmp"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	maxTitle = 300 // characters of the title
	maxStep  = 150
	maxSteps = 2600 // characters of all steps
	// MaxTasks is the maximum number of task cards of a plan. See
	// https://docs.slack.dev/reference/block-kit/blocks/plan-block.
	MaxTasks = 50
)

var stepMarks = map[adapters.StepState]string{
	adapters.StepWaiting: "◻️", adapters.StepRunning: "⏳", adapters.StepDone: "✅", adapters.StepFailed: "⚠️", adapters.StepSkipped: "➖",
}

// taskStatuses are the statuses of task cards. Slack has none for steps that will not run.
var taskStatuses = map[adapters.StepState]slack.TaskCardStatus{
	adapters.StepWaiting: slack.TaskCardStatusPending, adapters.StepRunning: slack.TaskCardStatusInProgress,
	adapters.StepDone: slack.TaskCardStatusComplete, adapters.StepFailed: slack.TaskCardStatusError, adapters.StepSkipped: slack.TaskCardStatusPending,
}

// progressLines returns the title and the steps, as many as fit.
func progressLines(p adapters.Progress) []adapters.Block {
	var lines []adapters.Block
	if title := shorten(p.Title, maxTitle); title != "" {
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: title, Bold: true}}})
	}
	room, left := maxSteps, 0
	for _, step := range p.Steps {
		text := stepMarks[step.State] + " " + stepText(step)
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

// stepText describes a step, and how long it took.
func stepText(step adapters.ProgressStep) string {
	text := shorten(step.Text, maxStep)
	if step.Took > 0 {
		text += " (" + adapters.FormatDuration(step.Took) + ")"
	}
	return text
}

// PlanTitle returns the title of the task cards.
func PlanTitle(p adapters.Progress) string { return cmp.Or(shorten(p.Title, maxStep), "…") }

// Tasks returns the steps as task cards of a stream.
func Tasks(p adapters.Progress) []slack.TaskUpdateChunk {
	var all []slack.TaskUpdateChunk
	for _, step := range p.Steps {
		title := cmp.Or(stepText(step), "…")
		if step.State == adapters.StepSkipped {
			title = stepMarks[step.State] + " " + title
		}
		task := slack.NewTaskUpdateChunk(Digest(step.Key), title)
		task.Status = taskStatuses[step.State]
		all = append(all, task)
	}
	return all
}

// Ended returns the final message of a stream: its task cards, without the button.
func Ended(p adapters.Progress) Words {
	w := Progress(p, "")
	var cards []*slack.TaskCardBlock
	for _, task := range Tasks(p) {
		cards = append(cards, slack.NewTaskCardBlock(task.ID, task.Title).WithStatus(task.Status))
	}
	if len(cards) > 0 {
		w.Blocks = []slack.Block{slack.NewPlanBlock(PlanTitle(p)).WithTasks(cards...)}
	}
	return w
}

// StopButton returns the block with the button that stops the work that a message shows.
func StopButton(label, blockID string) *slack.ActionBlock {
	return slack.NewActionBlock(blockID, button(StopAction, "", "🛑 "+label))
}

// Progress returns the message that shows the progress, with a button that stops the work while it runs.
func Progress(p adapters.Progress, stop string) Words {
	lines := progressLines(p)
	text, blocks := Escape.Replace(adapters.Cut(letters(lines), maxFallback)), []slack.Block{render(lines, "")}
	if !p.Ended {
		blocks = append(blocks, StopButton(stop, ""))
	}
	return Words{Blocks: blocks, Fallback: text, Plain: text}
}

// Request returns the message that shows a request made by a command or a shortcut: the person, and the request.
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

// maxPrompts is how many requests can be suggested. See
// https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts.
const maxPrompts = 4

// Prompts returns the requests that a reply suggests: its examples, in people's language where they choose one.
func Prompts(r adapters.Reply) []slack.AssistantThreadsPrompt {
	var all []slack.AssistantThreadsPrompt
	for _, x := range r.Examples[:min(len(r.Examples), maxPrompts)] {
		all = append(all, slack.AssistantThreadsPrompt{Title: x.Shown(), Message: x.Text})
	}
	return all
}
