package output

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Plain makes untrusted text safe for a terminal: control characters, and those that change the direction
// of text, are printed as escapes.
func Plain(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r), r == '\u200c', r == '\u200d': // the joiners of letters and emoji
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		s = s[size:]
	}
	return b.String()
}

// OneLine puts a text on one line and cuts it after a number of characters.
func OneLine(s string, most int) string {
	letters := []rune(Plain(strings.Join(strings.Fields(s), " ")))
	if len(letters) > most {
		letters = append(letters[:most-1], '…')
	}
	return string(letters)
}

// Lines splits a text into lines, each plain, without empty lines at the end.
func Lines(s string) []string {
	var all []string
	for line := range strings.Lines(strings.TrimRight(s, " \r\n\t")) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		all = append(all, Plain(line))
	}
	return all
}

// Align pads the cells of rows to columns, two spaces apart.
func Align(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	aligned := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		aligned[n] = strings.TrimRight(b.String(), " ")
	}
	return aligned
}

// Print prints lines.
func Print(w io.Writer, lines []string) error {
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Brief formats a duration briefly: 12 ms, 3.4 s, 5m07s, 2h05m, 3d4h.
func Brief(d time.Duration) string {
	minutes, hours := d/time.Minute, d/time.Hour
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", minutes, (d%time.Minute)/time.Second)
	case hours < 24:
		return fmt.Sprintf("%dh%02dm", hours, minutes%60)
	}
	return fmt.Sprintf("%dd%dh", hours/24, hours%24)
}
