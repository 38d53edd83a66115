// Package template is what a tool's YAML file declares about the program that it runs ([Argv]), or
// about the service that it calls ([Request]): texts with slots for what the tool is given.
//
//	argv: [ffmpeg, -i, "{video}", -vf, "crop={area.width}:{area.height}", {if: video.sound, then: [-af, areverse]}, "{out:mp4}"]
//	request: {url: "https://stickers.example.com/make/{style}", json: {words: "{text}", width: "{2 * width}"}}
//
// A slot holds a name, or an expression of names, numbers and 'texts' with + - * / = != < <= > >=
// and, or, not, min, max, round, floor, even and if(condition, a, b). Names are those of the tool's
// arguments and what is known of them (see [Scope]). In a command line, three slots stand for files:
//
//	{video}         the file of a resource, under a name of ours
//	{file:caption}  a file that holds the text of an argument
//	{out:png}       the file to be written
//
// Guarantees:
//   - There is no shell, and no text of a person is ever part of an argument: it is handed over in a
//     file. Slots give numbers, colours, and texts from closed lists.
//   - Whatever people write, a request goes to the scheme, host, path and keys of its file: a slot is
//     one segment of the path, one value of the query, one field of a form, or one value in JSON.
//   - Each slot is checked when the tool's file is read.
//   - It is pure.
package template

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is what a name stands for.
type Kind int

// The kinds.
const (
	Number Kind = iota + 1
	Closed      // a text from a closed list, or of a form of ours
	File        // the file of a resource
	Words       // a person's words
)

// Value is what a name or an expression gives. The zero value is an argument that is absent.
type Value struct {
	Kind   Kind
	Number float64
	Text   string
	// Logical marks a number that is 1 for true and 0 for false.
	Logical bool
}

// Num is a number.
func Num(v float64) Value { return Value{Kind: Number, Number: v} }

// Text is a text from a closed list.
func Text(s string) Value { return Value{Kind: Closed, Text: s} }

// Truth is 1 for true and 0 for false.
func Truth(b bool) Value {
	v := Value{Kind: Number, Logical: true}
	if b {
		v.Number = 1
	}
	return v
}

func (v Value) String() string {
	if v.Kind == Number {
		return strconv.FormatFloat(round6(v.Number), 'f', -1, 64)
	}
	return v.Text
}

// truth reports whether the value counts as true: it is there, and not 0.
func (v Value) truth() bool { return v.Kind != 0 && (v.Kind != Number || v.Number != 0) }

func round6(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 6, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// Scope tells what each name stands for.
type Scope map[string]Kind

// Facts gives the values of names. The error is one for people: the value cannot be had of this file.
type Facts func(name string) (Value, error)

// Files gives the files of slots.
type Files interface {
	// In is the file of a resource.
	In(arg string) (string, error)
	// Words is a file with the text of an argument.
	Words(arg string) (string, error)
	// Out is the file to be written, with that ending.
	Out(ending string) (string, error)
}

// Argv is a command line.
type Argv struct {
	parts []part
	node  *yaml.Node // that it was read from
}

// part is an argument, or arguments with a condition.
type part struct {
	text      []piece
	condition expression
	then      []part
	otherwise []part
}

// piece is a part of an argument: a text, or a slot.
type piece struct {
	text  string
	role  string // file or out; "" is an expression
	value expression
}

// Program is the program that is run.
func (a *Argv) Program() string {
	if len(a.parts) == 0 || len(a.parts[0].text) != 1 || a.parts[0].text[0].value != nil || a.parts[0].text[0].role != "" {
		return ""
	}
	return a.parts[0].text[0].text
}

// UnmarshalYAML reads a list of arguments.
func (a *Argv) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		return fmt.Errorf("line %d: argv is a list of arguments, not a line for a shell", node.Line)
	}
	var err error
	a.node = node
	a.parts, err = readParts(node)
	return err
}

// MarshalYAML writes the list as it was read.
func (a *Argv) MarshalYAML() (any, error) { return a.node, nil }

func readParts(node *yaml.Node) ([]part, error) {
	var parts []part
	for _, item := range node.Content {
		p, err := readPart(item)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", item.Line, err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func readPart(item *yaml.Node) (part, error) {
	switch item.Kind {
	case yaml.ScalarNode:
		text, err := readText(item.Value)
		return part{text: text}, err
	case yaml.MappingNode:
	default:
		return part{}, errors.New("an argument is a text, or {if: …, then: […]}")
	}
	var p part
	for i := 0; i < len(item.Content); i += 2 {
		key, value := item.Content[i].Value, item.Content[i+1]
		var err error
		switch {
		case key == "if" && value.Kind == yaml.ScalarNode:
			p.condition, err = parse(value.Value)
		case key == "then" && value.Kind == yaml.SequenceNode:
			p.then, err = readParts(value)
		case key == "else" && value.Kind == yaml.SequenceNode:
			p.otherwise, err = readParts(value)
		default:
			err = fmt.Errorf("%q is not expected there", key)
		}
		if err != nil {
			return part{}, err
		}
	}
	if p.condition == nil || len(p.then) == 0 {
		return part{}, errors.New("a condition has the form {if: …, then: […]}")
	}
	return p, nil
}

// readText splits an argument into texts and slots. "{{" and "}}" are braces.
func readText(s string) ([]piece, error) {
	if s == "" {
		return nil, errors.New("an argument is empty")
	}
	var pieces []piece
	text := ""
	for s != "" {
		switch {
		case strings.HasPrefix(s, "{{"), strings.HasPrefix(s, "}}"):
			text, s = text+s[:1], s[2:]
		case s[0] == '}':
			return nil, errors.New("a } has no {")
		case s[0] == '{':
			inner, rest, ok := strings.Cut(s[1:], "}")
			if !ok {
				return nil, errors.New("a { has no }")
			}
			slot, err := readSlot(inner)
			if err != nil {
				return nil, err
			}
			if text != "" {
				pieces, text = append(pieces, piece{text: text}), ""
			}
			pieces, s = append(pieces, slot), rest
		default:
			text, s = text+s[:1], s[1:]
		}
	}
	if text != "" {
		pieces = append(pieces, piece{text: text})
	}
	return pieces, nil
}

func readSlot(inner string) (piece, error) {
	role, rest, ok := strings.Cut(inner, ":")
	if !ok || strings.ContainsFunc(role, func(r rune) bool { return !isLetter(r) }) { // a : within a text
		e, err := parse(inner)
		return piece{value: e}, err
	}
	switch role {
	case "file", "out":
		if rest == "" || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return piece{}, fmt.Errorf("{%s} names nothing", inner)
		}
		return piece{role: role, text: rest}, nil
	}
	return piece{}, fmt.Errorf("{%s} is not known; write {file:…} or {out:…}", inner)
}

// Equal reports whether both are written alike.
func (a *Argv) Equal(o *Argv) bool {
	if a == nil || o == nil {
		return a == o
	}
	return alike(a.node, o.node)
}

// alike reports whether two nodes are written alike.
func alike(a, b *yaml.Node) bool {
	mine, err := yaml.Marshal(a)
	theirs, failed := yaml.Marshal(b)
	return err == nil && failed == nil && string(mine) == string(theirs)
}

// Check lists what is wrong with a command line, for a tool whose arguments are in the scope.
// Endings are those of the files that a tool of its type may write.
func (a *Argv) Check(s Scope, endings []string) []error {
	var faults []error
	if a.Program() == "" {
		faults = append(faults, errors.New("argv does not begin with the name of a program"))
	}
	if strings.ContainsAny(a.Program(), " /") {
		faults = append(faults, fmt.Errorf("argv begins with %q; it is a list of arguments that begins with the name of a program", a.Program()))
	}
	c := check{scope: s, endings: endings}
	c.parts(a.parts)
	if c.written != 1 {
		c.addf("argv has %d times {out:…}, and one file is to be written", c.written)
	}
	return append(faults, c.faults...)
}

type check struct {
	scope   Scope
	endings []string
	faults  []error
	written int
}

func (c *check) addf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(format, args...))
}

func (c *check) parts(parts []part) {
	for _, p := range parts {
		if p.condition != nil {
			if _, err := p.condition.kind(c.scope); err != nil {
				c.addf("argv: %w", err)
			}
			c.parts(p.then)
			c.parts(p.otherwise)
		}
		for _, piece := range p.text {
			c.piece(p, piece)
		}
	}
}

func (c *check) piece(p part, slot piece) {
	switch slot.role {
	case "out":
		c.written++
		if slices.Contains(c.endings, slot.text) {
			return
		}
		c.addf("argv writes a .%s, and the tool returns one of these: %s", slot.text, strings.Join(c.endings, ", "))
	case "file":
		if c.scope[slot.text] != Words {
			c.addf("argv: {file:%s} is no argument that is a text", slot.text)
		}
	default:
		if slot.value == nil {
			return
		}
		switch k, err := slot.value.kind(c.scope); {
		case err != nil:
			c.addf("argv: %w", err)
		case k == Words:
			c.addf("argv: {%s} holds words of people, which may only be handed over as {file:%s}", slot.value, slot.value)
		case k == File && len(p.text) > 1:
			c.addf("argv: the file {%s} must be an argument of its own", slot.value)
		}
	}
}

// Expand gives the arguments, the program first.
func (a *Argv) Expand(facts Facts, files Files) ([]string, error) {
	return expand(a.parts, facts, files)
}

func expand(parts []part, facts Facts, files Files) ([]string, error) {
	var args []string
	for _, p := range parts {
		if p.condition == nil {
			text, err := p.expand(facts, files)
			if err != nil {
				return nil, err
			}
			args = append(args, text)
			continue
		}
		v, err := p.condition.eval(facts)
		if err != nil {
			return nil, err
		}
		branch := p.otherwise
		if v.truth() {
			branch = p.then
		}
		more, err := expand(branch, facts, files)
		if err != nil {
			return nil, err
		}
		args = append(args, more...)
	}
	return args, nil
}

func (p part) expand(facts Facts, files Files) (string, error) {
	var b strings.Builder
	for _, slot := range p.text {
		text, err := slot.expand(facts, files)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (s piece) expand(facts Facts, files Files) (string, error) {
	switch s.role {
	case "out":
		return files.Out(s.text)
	case "file":
		return files.Words(s.text)
	}
	if s.value == nil {
		return s.text, nil
	}
	v, err := s.value.eval(facts)
	switch {
	case err != nil:
		return "", err
	case v.Kind == File:
		return files.In(v.Text)
	case v.Kind == Words || v.Kind == 0:
		return "", fmt.Errorf("{%s} has no value", s.value)
	}
	return v.String(), nil
}
