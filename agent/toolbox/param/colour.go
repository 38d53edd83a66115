package param

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"atelier/agent/lazyregexp"
)

var (
	hexColour = lazyregexp.New(`#([0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b`)
	rgbColour = lazyregexp.New(`\brgb ?\( ?(\d{1,3}) ?, ?(\d{1,3}) ?, ?(\d{1,3}) ?\)`)
)

// darkGrey is darker than grey, other than the colour that CSS calls so.
var darkGrey = color.NRGBA{R: 0x40, G: 0x40, B: 0x40, A: 0xff}

// parseHex parses "#ffcc00" or, with opacity, "#ffcc0080".
func parseHex(s string) (color.NRGBA, bool) {
	if len(s) != 7 && len(s) != 9 || s[0] != '#' {
		return color.NRGBA{}, false
	}
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return color.NRGBA{}, false
	}
	if len(s) == 7 {
		v = v<<8 | 0xff
	}
	return color.NRGBA{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}, true //nolint:gosec // one byte each
}

func parseColour(p Param, s string) (any, bool) {
	c, ok := parseHex(s)
	return c, ok && (c.A > 0 || p.Clear)
}

func printColour(data any) string {
	c := as[color.NRGBA](data)
	if c.A == 0xff {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("#%02x%02x%02x%02x", c.R, c.G, c.B, c.A)
}

// readColour parses CSS names ("red", "dark blue"), "#fc0", "#ffcc00", "rgb(255, 204, 0)", and
// "transparent" where allowed. The longest name wins: "light sea green".
func readColour(p Param, text string) (any, bool) {
	if c, ok := colourIn(text); ok {
		return c, c.A > 0 || p.Clear
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	return color.NRGBA{}, p.Clear && slices.Contains(words, "transparent")
}

func colourIn(text string) (color.NRGBA, bool) {
	s := strings.ToLower(text)
	if m := hexColour.FindStringSubmatch(s); m != nil {
		digits := m[1]
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		return parseHex("#" + digits)
	}
	if m := rgbColour.FindStringSubmatch(s); m != nil {
		var c [3]uint8
		for i := range c {
			v, err := strconv.ParseUint(m[i+1], 10, 8)
			if err != nil {
				return color.NRGBA{}, false
			}
			c[i] = uint8(v)
		}
		return color.NRGBA{R: c[0], G: c[1], B: c[2], A: 0xff}, true
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
	for n := min(3, len(words)); n > 0; n-- {
		for i := range len(words) - n + 1 {
			name := strings.Join(words[i:i+n], "")
			if name == "darkgrey" || name == "darkgray" {
				return darkGrey, true
			}
			if c, ok := colornames.Map[name]; ok {
				return color.NRGBA(c), true
			}
		}
	}
	return color.NRGBA{}, false
}
