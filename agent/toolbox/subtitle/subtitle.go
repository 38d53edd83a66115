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

// longest is the assumed length of a video that is not given.
const longest = 24 * time.Hour

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
	cues := withTimes(text, length)
	if len(cues) == 0 {
		cues = spread(plain(text), length)
	}
	cues = slices.DeleteFunc(cues, func(c Cue) bool { return c.From >= length || c.To <= c.From || c.Text == "" })
	for i := range cues {
		cues[i].To = min(cues[i].To, length)
	}
	slices.SortStableFunc(cues, func(a, b Cue) int { return cmp.Compare(a.From, b.From) })
	return cues[:min(len(cues), Most)]
}

// withTimes parses a text with times; a last line without an end lasts until the given length.
func withTimes(text string, length time.Duration) []Cue {
	text = plain(text)
	if cues := parsed(text); len(cues) > 0 {
		return cues
	}
	return timed(text, length)
}

// Shifted returns the cues of a text with times (SRT, WebVTT or lines that begin with a time), moved by a time. Those that
// would end before the start are dropped, and counted in lost.
func Shifted(text string, by time.Duration) (cues []Cue, lost int) {
	for _, c := range withTimes(text, longest) {
		c.From, c.To = max(0, c.From+by), c.To+by
		switch {
		case c.Text == "":
		case c.To <= c.From:
			lost++
		default:
			cues = append(cues, c)
		}
	}
	return cues, lost
}
