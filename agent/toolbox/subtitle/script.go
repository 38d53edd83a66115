package subtitle

import (
	"fmt"
	"image/color"
	"strings"
	"time"
)

// Style is the look of subtitles.
type Style struct {
	Colour color.NRGBA
	// Size is the font size relative to the default.
	Size float64
	// Top places them at the top of the frame instead of the bottom.
	Top bool
	// Outline is the colour of the line around the letters; nil for black or white, whichever contrasts.
	Outline *color.NRGBA
	// Box is the colour of a box behind the text, which replaces the outline; nil for none.
	Box *color.NRGBA
}

// Script writes the cues as a script for libass (Advanced SubStation Alpha, v4.00+), for frames of the given size.
func Script(cues []Cue, width, height int, style Style) string {
	var b strings.Builder
	size := max(8, int(float64(min(height/16, width/22))*style.Size))
	place, rim := 2, "000000"
	if style.Top {
		place = 8
	}
	if (299*int(style.Colour.R)+587*int(style.Colour.G)+114*int(style.Colour.B))/1000 < 90 {
		rim = "FFFFFF"
	}
	if style.Outline != nil {
		rim = bgr(*style.Outline)
	}
	border, edge := 1, max(1, size/12)
	if style.Box != nil { // with a border of style 3, the outline fills a box, and its width is the padding
		border, edge, rim = 3, max(2, size/5), bgr(*style.Box)
	}
	fmt.Fprintf(&b, `[Script Info]
ScriptType: v4.00+
PlayResX: %d
PlayResY: %d
WrapStyle: 0
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, Bold, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV
Style: Default,sans-serif,%d,&H00%s,&H00%s,&H80000000,0,%d,%d,0,%d,%d,%d,%d

[Events]
Format: Layer, Start, End, Style, Text
`, width, height, size, bgr(style.Colour), rim, border, edge, place, width/20, width/20, height/20)
	for _, c := range cues {
		fmt.Fprintf(&b, "Dialogue: 0,%s,%s,Default,%s\n", hundredths(c.From), hundredths(c.To), escaped(c.Text))
	}
	return b.String()
}

// bgr formats a colour for a script.
func bgr(c color.NRGBA) string { return fmt.Sprintf("%02X%02X%02X", c.B, c.G, c.R) }

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
