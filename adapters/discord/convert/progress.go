package convert

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// Statuses are the emoji that the bot puts on a request.
var Statuses = map[adapters.Status]string{
	adapters.Seen: "👀", adapters.Asking: "❓", adapters.Done: "✅", adapters.Failed: "⚠️", adapters.Cancelled: "🚫",
	adapters.Refused: "⛔",
}

var stepMarks = map[adapters.StepState]string{
	adapters.StepWaiting: "▫️", adapters.StepRunning: "⏳", adapters.StepDone: "✅", adapters.StepFailed: "⚠️", adapters.StepSkipped: "⏭️",
}

// Progress returns the message that shows the progress, with as many steps as fit, and a button that
// stops the work while it runs.
func Progress(p adapters.Progress) Content {
	text := cmp.Or(plain(shorten(p.Title, 200)), "…")
	for i, s := range p.Steps {
		line := "\n" + cmp.Or(stepMarks[s.State], "▫️") + " " + plain(shorten(s.Text, 200))
		if s.Took > 0 {
			line += " · " + adapters.FormatDuration(s.Took)
		}
		more := "\n… +" + strconv.Itoa(len(p.Steps)-i)
		if adapters.UTF16Len(text+line)+adapters.UTF16Len(more) > maxContent {
			text += more
			break
		}
		text += line
	}
	c := NewContent(text)
	if !p.Ended {
		c.Components = rows([]button{{Type: 2, Style: discordgo.DangerButton, Emoji: &discordgo.ComponentEmoji{Name: "🛑"}, ID: StopButton}})
	}
	return c
}

// Request returns the message that shows a request by a command or a form, and its files.
func Request(text string, files []adapters.File) Content {
	var lines []string
	for line := range strings.SplitSeq(shorten(text, 1000), "\n") {
		lines = append(lines, "> "+orBlank(plain(line)))
	}
	for _, f := range files {
		lines = append(lines, "> 📎 "+plain(f.Name))
	}
	return NewContent(cutTo(strings.Join(lines, "\n"), maxContent))
}

// Excuse adds a plain text below a shown request.
func Excuse(shown Content, why string) Content {
	why = "\n\n" + plain(why)
	shown.Text = cutTo(shown.Text, maxContent-adapters.UTF16Len(why)) + why
	return shown
}

// cutTo returns the beginning of a text in markup, of at most that many characters.
func cutTo(s string, most int) string {
	for adapters.UTF16Len(s) > most {
		s = adapters.Cut(s, len(s)-100)
	}
	return s
}
