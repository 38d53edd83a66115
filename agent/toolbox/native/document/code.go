package document

import (
	"context"
	"image/color"
	"path/filepath"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/prose"
)

// Limits for legible pictures of text.
const (
	maxTextLines = 300
	textColumns  = 100
	fewColumns   = 30
)

// codeToPicture draws a text as is, in a monospaced font.
func codeToPicture(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := strings.Trim(prose.Clean(strings.ReplaceAll(c.Text("text"), "\t", "    ")), "\n")
	if strings.TrimSpace(text) == "" {
		return toolbox.Output{}, operation.Problem("There is no text to draw. Please write it in the message or attach it.")
	}
	lines, wide := brokenLines(text)
	if len(lines) > maxTextLines {
		return toolbox.Output{}, operation.Problem("A picture can show at most %d lines, and the text has %d.", maxTextLines, len(lines))
	}
	letters, err := canvas.NewLetters(canvas.Mono, 24)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The text cannot be drawn."), Err: err}
	}
	paper, ink := color.NRGBA{15, 23, 42, 255}, color.NRGBA{226, 232, 240, 255}
	if style, _ := toolbox.Param[string](c, "style"); style == "light" {
		paper, ink = color.NRGBA{255, 255, 255, 255}, canvas.Ink
	}
	const height, margin = 34, 40
	d := canvas.New(int(float64(max(wide, fewColumns))*letters.Width("0"))+2*margin, height*len(lines)+2*margin, paper)
	for i, line := range lines {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		d.Write(letters, line, margin, float64(margin+height*i)+height/2, 0, ink)
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "text.png"), About: plan.Say("the text as a picture")}
	if !canvas.Has(canvas.Mono, text) {
		out.Note = plan.Say("Some characters are missing from the font and appear as boxes.")
	}
	return out, media.EncodeImage(ctx, out.Path, d.NRGBA, media.PNG)
}

// brokenLines splits a text into lines of at most textColumns, and returns the length of the longest.
func brokenLines(text string) (lines []string, wide int) {
	for line := range strings.SplitSeq(text, "\n") {
		left := []rune(strings.TrimRight(line, " "))
		for len(left) > textColumns {
			at := textColumns
			for i := textColumns; i > textColumns/2; i-- { // at a space, if possible
				if left[i] == ' ' {
					at = i
					break
				}
			}
			lines, wide = append(lines, string(left[:at])), max(wide, at)
			left = []rune(strings.TrimLeft(string(left[at:]), " "))
		}
		lines, wide = append(lines, string(left)), max(wide, len(left))
	}
	return lines, wide
}
