package composer

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	clock = regexp.MustCompile(`^(\d{1,2}):([0-5]\d)$`)
	// figures is an amount with its unit behind it: "30s", "1.5min", "45秒".
	figures = regexp.MustCompile(`^(\d{1,4}(?:\.\d{1,3})?)(\D+)$`)
	// within is an amount with its unit in a text without spaces: "来一段三十秒的音乐".
	within = regexp.MustCompile(`(\d{1,4}|[一二两三四五六七八九十半]{1,3})个?(分钟|秒)`) //nolint:gosmopolitan // as Chinese says it
	digits = regexp.MustCompile(`^\d{1,4}(?:\.\d{1,3})?$`)
)

// read is the length that a plain text asks for, 0 if it does not say: "ten seconds",
// "half a minute", "30 s", "1:30".
func (l lengths) read(text string) time.Duration {
	amount, given := 1.0, false
	var word float64
	for w := range strings.FieldsSeq(text) {
		if m := clock.FindStringSubmatch(w); m != nil {
			return seconds(60*number(m[1]) + number(m[2]))
		}
		if m := figures.FindStringSubmatch(w); m != nil {
			if unit, ok := l.Units[m[2]]; ok {
				return seconds(number(m[1]) * unit)
			}
		}
		if s := l.joined(w); s > 0 {
			return seconds(s)
		}
		n, named := l.Numbers[w]
		unit, ends := l.Units[w]
		switch {
		case digits.MatchString(w):
			amount, given = number(w), true
		case named && given: // "half a minute", "one and a half" is not worth more
			amount *= n
		case named:
			amount, given = n, true
		case ends && given:
			return seconds(amount * unit)
		default:
			amount, given = 1, false
		}
		if s, ok := l.Words[w]; ok && word == 0 {
			word = s
		}
	}
	return seconds(word)
}

// joined reads a number and a unit that stand within a text without spaces.
func (l lengths) joined(word string) float64 {
	m := within.FindStringSubmatch(word)
	if m == nil {
		return 0
	}
	n, named := l.Numbers[m[1]]
	if !named {
		n = number(m[1])
	}
	return n * l.Units[m[2]]
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
