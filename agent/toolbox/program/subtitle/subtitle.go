// Package subtitle parses subtitles in the forms that people use, and writes scripts for libass, which
// draws them into a video.
//
// Guarantees:
//   - It is pure: it does no I/O, and no input makes it panic.
//   - Cues are in order of time. Each has text and a positive length, and begins within the video.
//     There are at most [Most].
//   - People's text is never an instruction in the script: it is drawn literally.
package subtitle

import (
	"cmp"
	"slices"
	"time"
)

// Most is the maximum number of cues; the rest is dropped.
const Most = 5000

// Cue is a text with the time at which it is shown.
type Cue struct {
	From, To time.Duration
	// Text may have several lines, without markup.
	Text string
}

// Of returns the cues for a video of the given length. The text may be SRT, WebVTT or lines that
// begin with a time; a plain text is spread over the video.
func Of(text string, length time.Duration) []Cue {
	text = plain(text)
	cues := parsed(text)
	if len(cues) == 0 {
		cues = timed(text, length)
	}
	if len(cues) == 0 {
		cues = spread(text, length)
	}
	cues = slices.DeleteFunc(cues, func(c Cue) bool { return c.From >= length || c.To <= c.From || c.Text == "" })
	for i := range cues {
		cues[i].To = min(cues[i].To, length)
	}
	slices.SortStableFunc(cues, func(a, b Cue) int { return cmp.Compare(a.From, b.From) })
	return cues[:min(len(cues), Most)]
}
