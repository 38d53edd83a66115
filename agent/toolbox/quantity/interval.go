package quantity

import (
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

const (
	howMany  = `(\d{1,6}(?:[.,]\d{1,6})?|half|an?|` + spelled + `|fifteen|sixty)`
	howLong  = `(hours?|hrs?|minutes?|mins?|m|milliseconds?|ms|seconds?|secs?|s)\b`
	eachTime = `(?:(?:per|an?|each|every) |/ ?)`
)

var (
	// recurring matches how often something happens: "every 5 seconds", "one frame per second", "2 fps".
	recurring = lazyregexp.New(`(?i)\b(?:every|each) (?:` + howMany + `(?: an?)?[ -]?)?` + howLong + `|` +
		`\b(?:` + howMany + `|once) ?(?:\pL+ )?` + eachTime + `(?:` + howMany + `(?: an?)? ?)?` + howLong + `|` +
		`\b` + howMany + ` ?fps\b`)
	// ofFrames matches nouns after a count of frames rather than of time: "every second frame".
	ofFrames = lazyregexp.New(`(?i)^ (?:frames?|stills?|pictures?|images?|shots?|one)\b`)
)

// FindInterval returns the byte range of an interval in a text, zeros if there is none.
func FindInterval(text string) (start, end int) {
	m := recurring.FindStringIndex(text)
	if m == nil || ofFrames.MatchString(text[m[1]:]) {
		return 0, 0
	}
	return m[0], m[1]
}

// Interval parses how often something happens: "every 5 seconds", "one frame per second", "once a
// minute", "2 fps". It returns the time between repetitions.
func Interval(text string) (time.Duration, bool) {
	start, end := FindInterval(text)
	m := recurring.FindStringSubmatch(text[start:end])
	if m == nil {
		return 0, false
	}
	count, each, unit := m[3], m[1]+m[4], m[2]+m[5]
	if m[6] != "" {
		count, unit = m[6], "s"
	}
	often := amountOr1(count)
	every := amountOr1(each) * float64(lengthOf(strings.ToLower(unit)))
	if often <= 0 || every <= 0 || every/often > float64(maxTime) {
		return 0, false
	}
	return time.Duration(every / often), true
}

// amountOr1 parses a number in figures or words; the default is 1.
func amountOr1(said string) float64 {
	said = strings.ToLower(strings.Replace(said, ",", ".", 1))
	switch said {
	case "", "a", "an":
		return 1
	case "half":
		return 0.5
	}
	if figure, ok := words[said]; ok {
		said = figure
	}
	return float(said)
}
