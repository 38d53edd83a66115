// Package family chooses among the models of a server if the operator names none.
//
// Guarantees:
//
//   - The choice follows the server's own list and the ordered families in families.yaml. Names
//     change every few months, and nothing depends on a single one. If a server has no list or an
//     empty one, the models that the file names are tried.
//   - If the server does not know the chosen model, the next one is used, and the log says so. A
//     model that has been shut down is not chosen.
//   - The log warns once before each model in use is shut down.
//   - The list is requested at most once in half a minute, for all callers together.
package family

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"atelier/agent/endpoint"
)

// Role is the purpose of a model.
type Role string

// The roles.
const (
	Chat          Role = "chat" // writes, and reads pictures
	Image         Role = "image"
	Speech        Role = "speech"
	Transcription Role = "transcription"
)

// Families are the preferred models for each role, best first.
type Families struct {
	roles map[Role][]pattern
	other []string // words in the names of models that do not chat
}

//go:embed families.yaml
var embedded []byte

// Read parses the built-in families.
func Read() (*Families, error) { return parse(embedded) }

func parse(b []byte) (*Families, error) {
	var file struct {
		Chat          []pattern `yaml:"chat"`
		Image         []pattern `yaml:"image"`
		Speech        []pattern `yaml:"speech"`
		Transcription []pattern `yaml:"transcription"`
		Other         []string  `yaml:"other"`
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("read families.yaml: %w", err)
	}
	f := &Families{
		roles: map[Role][]pattern{Chat: file.Chat, Image: file.Image, Speech: file.Speech, Transcription: file.Transcription},
		other: file.Other,
	}
	for role, patterns := range f.roles {
		if !slices.ContainsFunc(patterns, pattern.plain) {
			return nil, fmt.Errorf("families.yaml: %s needs a name without a * for servers that list no models", role)
		}
	}
	return f, nil
}

// most is how many models are tried for a role: if the server knows none of these, their names are
// not the problem.
const most = 5

// Of returns the models to try for a role, best first: those on the server's list, or the families'
// own names if the list is empty.
func (f *Families) Of(role Role, listed []endpoint.Model, at time.Time) []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) && len(names) < most {
			names = append(names, name)
		}
	}
	for _, p := range f.roles[role] {
		if len(listed) == 0 {
			if p.plain() {
				add(p.text)
			}
			continue
		}
		var alike []endpoint.Model
		for _, m := range listed {
			if p.matches(m.Name) && !m.Ended(at) {
				alike = append(alike, m)
			}
		}
		slices.SortStableFunc(alike, func(a, b endpoint.Model) int { return newer(a.Name, b.Name) })
		for _, m := range alike {
			add(m.Name)
		}
	}
	if len(names) == 0 && role == Chat {
		talkers := slices.DeleteFunc(slices.Clone(listed), func(m endpoint.Model) bool { return m.Ended(at) || !f.Talks(m.Name) })
		if len(talkers) == 1 {
			return []string{talkers[0].Name}
		}
	}
	return names
}

// Talks reports whether the model's name does not rule out chat.
func (f *Families) Talks(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(f.other, w) })
}

// modelName matches plausible model names; others are not repeated.
var modelName = regexp.MustCompile(`^[\w][\w.:/@+-]{0,79}$`)

// Examples returns some models of a list, for people; "" if no name can be shown.
func Examples(listed []endpoint.Model) string {
	const some = 5
	var names []string
	for _, m := range listed {
		if modelName.MatchString(m.Name) && len(names) < some {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

// pattern is an entry of the file.
type pattern struct {
	text string
	re   *regexp.Regexp
}

// version replaces a *; dated may follow a name.
const (
	version = `\d+(?:\.\d+)*[a-z]?`
	dated   = `(?:-\d{4}-\d{2}-\d{2})?`
)

// UnmarshalYAML parses a name or a family.
func (p *pattern) UnmarshalYAML(n *yaml.Node) error {
	p.text = n.Value
	if strings.TrimSpace(p.text) == "" {
		return fmt.Errorf("line %d: expected a model name, or a family such as gpt-*-mini", n.Line)
	}
	var err error
	p.re, err = regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(p.text), `\*`, version) + dated + "$")
	return err //nolint:wrapcheck // the names are quoted: it compiles
}

func (p pattern) plain() bool { return !strings.Contains(p.text, "*") }

func (p pattern) matches(name string) bool { return p.re.MatchString(name) }

var (
	numbers = regexp.MustCompile(`\d+`)
	date    = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}$`)
)

// newer compares two names of a family: higher versions first (4o before 4), then undated names,
// then later dates.
func newer(a, b string) int {
	bareA, bareB := date.ReplaceAllString(a, ""), date.ReplaceAllString(b, "")
	dateA, dateB := date.FindString(a), date.FindString(b)
	return cmp.Or(
		slices.CompareFunc(numbers.FindAllString(bareB, -1), numbers.FindAllString(bareA, -1), byNumber),
		cmp.Compare(bareB, bareA),
		cmp.Compare(min(len(dateA), 1), min(len(dateB), 1)),
		cmp.Compare(dateB, dateA),
	)
}

// byNumber compares numbers by value; too large ones count as the maximum.
func byNumber(a, b string) int {
	x, _ := strconv.ParseUint(a, 10, 64) //nolint:errcheck // out of range is the largest
	y, _ := strconv.ParseUint(b, 10, 64) //nolint:errcheck // the same
	return cmp.Compare(x, y)
}
