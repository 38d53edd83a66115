package subtitle

import (
	"fmt"
	"strings"
	"time"
)

// Script writes the cues as a script for libass (Advanced SubStation Alpha, v4.00+): white text with a
// black outline at the bottom of frames of the given size.
func Script(cues []Cue, width, height int) string {
	var b strings.Builder
	size := max(8, min(height/16, width/22))
	fmt.Fprintf(&b, `[Script Info]
ScriptType: v4.00+
PlayResX: %d
PlayResY: %d
WrapStyle: 0
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, Bold, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV
Style: Default,sans-serif,%d,&H00FFFFFF,&H00000000,&H80000000,0,1,%d,0,2,%d,%d,%d

[Events]
Format: Layer, Start, End, Style, Text
`, width, height, size, max(1, size/12), width/20, width/20, height/20)
	for _, c := range cues {
		fmt.Fprintf(&b, "Dialogue: 0,%s,%s,Default,%s\n", hundredths(c.From), hundredths(c.To), escaped(c.Text))
	}
	return b.String()
}

// hundredths formats a time for a script.
func hundredths(d time.Duration) string {
	n := d.Milliseconds() / 10
	return fmt.Sprintf("%d:%02d:%02d.%02d", n/360000, n/6000%60, n/100%60, n%100)
}

// escapes makes text literal in a script. An invisible word joiner after a backslash keeps it from
// forming an escape sequence.
var escapes = strings.NewReplacer(`\`, "\\\u2060", "{", `\{`, "}", `\}`, "\n", `\N`, "\r", "")

func escaped(text string) string { return escapes.Replace(text) }

// SRT writes the cues as a SubRip file.
func SRT(cues []Cue) string {
	var b strings.Builder
	for i, c := range cues {
		fmt.Fprintf(&b, "%d\n%s --> %s\n%s\n\n", i+1, thousandths(c.From), thousandths(c.To), strings.Join(strings.FieldsFunc(c.Text, newLine), "\n"))
	}
	return b.String()
}

// newLine reports whether a character ends a line. Used to drop empty lines, which would end a
// cue.
func newLine(r rune) bool { return r == '\n' || r == '\r' }

// thousandths formats a time for SubRip: "01:02:03,500".
func thousandths(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d:%02d,%03d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, d.Milliseconds()%1000)
}
