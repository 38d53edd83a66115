// Package subtitle reads subtitles as people hand them in, and writes them as a script
// for libass, which draws them into a video.
//
// Promises:
//   - It is pure: nothing of ours imported, no I/O, and no input makes it panic.
//   - Cues come in the order of time; each has text, is longer than nothing and begins
//     within the video. They are at most [Most].
//   - What people wrote is never an instruction in the script: it is drawn as it is.
package subtitle

import (
	"cmp"
	"slices"
	"time"
)

// Most is how many cues are taken; what comes after them is dropped.
const Most = 5000

// Cue is a text and when it is shown.
type Cue struct {
	From, To time.Duration
	// Text may have several lines, without markup.
	Text string
}

// Of are the cues that a text gives for a video of that length: those of SRT, of WebVTT or
// of lines that begin with a time; and a plain text is spread over the whole.
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
