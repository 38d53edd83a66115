package improvise

import (
	"encoding/json"
	"fmt"
	"math"

	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
)

// program is the model's answer; it is also stored in this form.
type program struct {
	Refusal  string    `json:"refusal"`
	About    string    `json:"about"`
	Settings []setting `json:"settings"`
	Checks   []check   `json:"checks"`
	Source   string    `json:"program"`
}

// setting is a value that can be changed when the program is used again.
type setting struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // number, text or colour
	Value string `json:"value"`
	About string `json:"about"`
}

const (
	mostSource   = 32 << 10
	mostSettings = 6
	mostAbout    = 200
	mostRefusal  = 500
)

var settingName = lazyregexp.New(`^[a-z][a-z0-9_]{0,39}$`)

// complaint tells the model what is wrong with an answer or a result: a sentence, or the end of
// one.
type complaint string

func (c complaint) Error() string { return string(c) }

// parse parses the model's answer. Its errors are complaints.
func parse(answer string) (program, error) {
	answer = strings.TrimSpace(answer)
	if rest, ok := strings.CutPrefix(answer, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		answer = strings.TrimSuffix(strings.TrimSpace(rest), "```")
	}
	var p program
	if err := json.Unmarshal([]byte(answer), &p); err != nil {
		return p, complaint(fmt.Sprintf("the answer is not one JSON object: %s.", err))
	}
	if p.Refusal = strings.TrimSpace(p.Refusal); p.Refusal != "" {
		if len(p.Refusal) > mostRefusal {
			p.Refusal = strings.ToValidUTF8(p.Refusal[:mostRefusal], "") + "…"
		}
		return p, nil
	}
	switch {
	case strings.TrimSpace(p.Source) == "":
		return p, complaint("the program is empty.")
	case len(p.Source) > mostSource:
		return p, complaint(fmt.Sprintf("the program has %d bytes, and at most %d are taken.", len(p.Source), mostSource))
	case len(p.Settings) > mostSettings:
		return p, complaint(fmt.Sprintf("there are %d settings, and at most %d are taken.", len(p.Settings), mostSettings))
	}
	if len(p.About) > mostAbout {
		p.About = ""
	}
	p.About = strings.TrimSpace(strings.TrimRightFunc(p.About, func(c rune) bool { return c == '.' || unicode.IsSpace(c) }))
	for i, s := range p.Settings {
		n, err := strconv.ParseFloat(s.Value, 64)
		switch {
		case !settingName.MatchString(s.Name) || slices.ContainsFunc(p.Settings[:i], func(o setting) bool { return o.Name == s.Name }):
			return p, complaint(fmt.Sprintf("the setting %q has no name of its own in lower-case letters.", s.Name))
		case !slices.Contains([]string{"number", "text", "colour"}, s.Type):
			return p, complaint(fmt.Sprintf("the setting %s is of the type %q, and it must be number, text or colour.", s.Name, s.Type))
		case s.Type == "number" && (err != nil || math.IsInf(n, 0) || math.IsNaN(n)):
			return p, complaint(fmt.Sprintf("the setting %s is a number, and its value is %q.", s.Name, s.Value))
		}
	}
	for _, c := range p.Checks {
		if err := c.check(); err != nil {
			return p, err
		}
	}
	return p, nil
}

// String returns the program as it is stored.
func (p program) String() string {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // it is plain data
	}
	return string(b)
}

// values returns the settings as the program reads them.
func (p program) values() map[string]any {
	values := map[string]any{}
	for _, s := range p.Settings {
		values[s.Name] = s.Value
		if n, err := strconv.ParseFloat(s.Value, 64); s.Type == "number" && err == nil {
			values[s.Name] = whole(n)
		}
	}
	return values
}

// whole returns a number as an int64 if it is whole, since Python's range rejects 3.0.
func whole(n float64) any {
	if n == float64(int64(n)) {
		return int64(n)
	}
	return n
}

// Source returns the Python source of a stored program, or "" if it is not one.
func Source(stored string) string {
	p, err := parse(stored)
	if err != nil {
		return ""
	}
	return p.Source
}
