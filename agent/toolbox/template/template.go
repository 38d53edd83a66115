// Package template is what a tool's YAML file declares about the program that it runs ([Argv]), or
// about the service that it calls ([Request]): texts with slots for what the tool is given.
//
//	argv: [ffmpeg, -i, "{video}", -vf, "crop={area.width}:{area.height}", {if: video.sound, then: [-af, areverse]}, "{out:mp4}"]
//	request: {url: "https://stickers.example.com/make/{style}", json: {words: "{text}", width: "{2 * width}"}}
//
// A slot holds a name, or an expression of names, numbers and 'texts' with + - * / = != < <= > >=
// and, or, not, min, max, round, floor, even and if(condition, a, b). Names are those of the tool's
// arguments and what is known of them (see [Scope]), and those that the file gives to expressions
// (see [Recipe]). In a command line, these slots stand for files:
//
//	{video}         the file of a resource, under a name of ours
//	{file:caption}  a file that holds the text of an argument
//	{out:png}       the file to be written
//	{out:pdf*}      files to be written, numbered in order; of ffmpeg pictures alone: {out:png*}
//	{out:format}    the file to be written, whose ending is the value of that setting
//	{made}          what the first command line has written (see [Recipe]); the name of a .trf within a filter
//
// Besides texts, a list of arguments may hold:
//
//	{if: CONDITION, then: [...], else: [...]}
//	{each: videos, then: [-i, "{item}"]}   the arguments once for each of several resources, with its
//	                                       facts as {item.width} and its number, from 0, as {index}
//	{text: [...]}                          one argument made of the texts of a list
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
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
)

// Kind is what a name stands for.
type Kind int

// The kinds.
const (
	Number Kind = iota + 1
	Closed      // a text from a closed list, or of a form of ours
	File        // the file of a resource
	Files       // the files of several resources
	Words       // a person's words
	Texts       // several texts, of people too
	told        // what only sentences may hold: a time as people say it
)

// Value is what a name or an expression gives. The zero value is an argument that is absent.
type Value struct {
	Kind   Kind
	Number float64
	Text   string
	// Logical marks a number that is 1 for true and 0 for false.
	Logical bool
	told    *plan.Message
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

// Opener gives the files of slots.
type Opener interface {
	// In is the file of a resource: the Text of a [Value] of the kind [File].
	In(resource string) (string, error)
	// Words is a file with the text of an argument.
	Words(arg string) (string, error)
	// Out is the file to be written, with that ending; or with many, the pattern of their names.
	Out(ending string, many bool) (string, error)
}

// Written is what a command line may write.
type Written struct {
	// Endings are those of the files that a tool of its type may write.
	Endings []string
	// Choices are the values of settings that an ending may be, by their names.
	Choices map[string][]string
}

// Argv is a command line.
type Argv struct {
	parts []part
	node  *yaml.Node // that it was read from
}

// part is an argument, or arguments with a condition or for each of several resources.
type part struct {
	text      []piece
	condition expression
	each      string
	then      []part
	otherwise []part
	joined    []part // to one argument
}

// piece is a part of an argument: a text, or a slot.
type piece struct {
	text  string
	role  string // file or out; "" is an expression
	many  bool   // of out
	value expression
}

// Program is the program that is run.
func (a *Argv) Program() string {
	if fixed := a.leading(); len(fixed) > 0 {
		return fixed[0]
	}
	return ""
}

// several reports whether one of the parts names several files to be written.
func several(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool {
		out := slices.ContainsFunc(p.text, func(slot piece) bool { return slot.many })
		return out || several(p.then) || several(p.otherwise) || several(p.joined)
	})
}

// UnmarshalYAML reads a list of arguments.
func (a *Argv) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		return unread(node, errors.New("argv is a list of arguments, not a line for a shell"))
	}
	var err error
	a.node = node
	a.parts, err = readParts(node)
	return unread(node, err)
}

// unread is an error with which YAML reads on, so that the faults of other parts are told too.
func unread(node *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	said := strings.Split(err.Error(), "\n")
	for i, line := range said {
		if !strings.HasPrefix(line, "line ") {
			said[i] = fmt.Sprintf("line %d: %s", node.Line, line)
		}
	}
	return &yaml.TypeError{Errors: said}
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
	for i := 0; i+1 < len(item.Content); i += 2 {
		key, value := item.Content[i].Value, item.Content[i+1]
		var err error
		switch {
		case key == "if" && value.Kind == yaml.ScalarNode:
			p.condition, err = parse(value.Value)
		case key == "each" && value.Kind == yaml.ScalarNode:
			p.each = value.Value
		case key == "then" && value.Kind == yaml.SequenceNode:
			p.then, err = readParts(value)
		case key == "else" && value.Kind == yaml.SequenceNode:
			p.otherwise, err = readParts(value)
		case key == "text" && value.Kind == yaml.SequenceNode:
			p.joined, err = readParts(value)
		default:
			err = fmt.Errorf("%q is not expected there", key)
		}
		if err != nil {
			return part{}, err
		}
	}
	forms := 0
	for _, is := range []bool{
		p.condition != nil && len(p.then) > 0, p.each != "" && len(p.then) > 0 && p.otherwise == nil, len(p.joined) > 0 && p.then == nil,
	} {
		if is {
			forms++
		}
	}
	if forms != 1 {
		return part{}, errors.New("this has the form {if: …, then: […]}, {each: …, then: […]} or {text: […]}")
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

// conditional are the parts of a list of arguments that are no texts, by how they begin.
var conditional = map[string]string{
	"if": "if: CONDITION, then: [ARGUMENT, …], else: [ARGUMENT, …]", "each": "each: ARGUMENTS, then: [ARGUMENT, …]", "text": "text: [PART, …]",
}

func readSlot(inner string) (piece, error) {
	role, rest, ok := strings.Cut(inner, ":")
	if !ok || strings.ContainsFunc(role, func(r rune) bool { return !isLetter(r) }) { // a : within a text
		e, err := parse(inner)
		return piece{value: e}, err
	}
	switch role {
	case "file", "out":
		rest, many := strings.CutSuffix(rest, "*")
		if rest == "" || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || many && role != "out" {
			like := map[string]string{"file": "the name of an argument: {file:caption}", "out": "an ending alone: {out:png}"}[role]
			return piece{}, fmt.Errorf("{%s} should have %s", inner, like)
		}
		return piece{role: role, text: rest, many: many}, nil
	}
	if role == "if" || role == "each" || role == "text" {
		return piece{}, fmt.Errorf("{%s: …} is a text, because it is in quotation marks; write {%s} without them", role, conditional[role])
	}
	return piece{}, fmt.Errorf("{%s} is not known; write {file:…} or {out:…}", inner)
}

// Expand gives the arguments, the program first.
func (a *Argv) Expand(facts Facts, files Opener) ([]string, error) {
	return expand(a.parts, facts, files)
}

// leading are the arguments up to the first that has a slot or a condition.
func (a *Argv) leading() []string {
	var fixed []string
	for _, p := range a.parts {
		if len(p.text) != 1 || p.text[0].value != nil || p.text[0].role != "" {
			break
		}
		fixed = append(fixed, p.text[0].text)
	}
	return fixed
}

// alike reports whether two nodes are written alike.
func alike(a, b *yaml.Node) bool {
	mine, err := yaml.Marshal(a)
	theirs, failed := yaml.Marshal(b)
	return err == nil && failed == nil && string(mine) == string(theirs)
}

// check lists what is wrong with a command line. With motion, {made} is what vidstabdetect has written.
func (a *Argv) check(s Scope, w Written, motion bool) []error {
	var faults []error
	if a.Program() == "" {
		faults = append(faults, errors.New("argv does not begin with the name of a program"))
	}
	if strings.ContainsAny(a.Program(), " /") {
		faults = append(faults, fmt.Errorf("argv begins with %q; it is a list of arguments that begins with the name of a program", a.Program()))
	}
	c := check{scope: s, may: w, program: a.Program(), motion: motion}
	c.parts(a.parts)
	switch {
	case c.written == 0:
		c.addf("argv has no {out:…}, and so the program could write no file; write {out:%s} where it expects the name of its output", w.Endings[0])
	case c.written > 1:
		c.addf("argv has {out:…} %d times; write it once", c.written)
	}
	return append(faults, c.faults...)
}

type check struct {
	scope   Scope
	may     Written
	program string
	motion  bool // what {made} is
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
		}
		c.each(p)
		c.parts(p.otherwise)
		c.parts(p.joined)
		for _, piece := range p.text {
			c.piece(p, piece)
		}
	}
}

// each checks what stands in a part, which may know an item.
func (c *check) each(p part) {
	outer := c.scope
	defer func() { c.scope = outer }()
	if p.each != "" {
		if outer[p.each] != Files {
			c.addf("argv: {each: %s} names no argument with many: true", p.each)
		}
		if outer[itemName] != 0 {
			c.addf("argv: {each: %s} is within another one", p.each)
		}
		c.scope = maps.Clone(outer)
		c.scope[itemName], c.scope[indexName] = File, Number
		for name, kind := range outer {
			if fact, ok := strings.CutPrefix(name, p.each+"."); ok {
				c.scope[itemName+"."+fact] = kind
			}
		}
	}
	c.parts(p.then)
}

// The names of one of several resources, and of its number.
const itemName, indexName = "item", "index"

func (c *check) piece(p part, slot piece) {
	switch slot.role {
	case "out":
		c.written++
		if slot.many && c.program == "ffmpeg" && slot.text != "png" {
			c.addf("argv: several files of ffmpeg are {out:png*}, and not {out:%s*}", slot.text)
		}
		if slot.text == motionEnding && c.program != "ffmpeg" {
			c.addf("argv: {out:trf} is written by the filter vidstabdetect of ffmpeg, and not by %s", c.program)
		}
		endings, ok := c.may.Choices[slot.text]
		if !ok {
			endings = []string{slot.text}
		}
		for _, e := range endings {
			if !slices.Contains(c.may.Endings, e) {
				c.addf("argv: no .%s can be written here; write one of {out:%s}", e, strings.Join(c.may.Endings, "}, {out:"))
			}
		}
	case "file":
		if c.scope[slot.text] != Words {
			c.addf("argv: {file:%s} needs an argument of the type text that is called %s", slot.text, slot.text)
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
		case k == Texts:
			c.addf("argv: {%s} are several texts, which no command line can take", slot.value)
		case k == Files:
			c.addf("argv: {%s} are several; write {each: %s, then: […]}", slot.value, slot.value)
		case k == told:
			c.addf("argv: {%s} is for people, and has its place in a sentence", slot.value)
		case c.motion && slot.isMade():
			if len(p.text) == 1 || c.program != "ffmpeg" {
				c.addf("argv: {made} is a .trf here, which only a filter of ffmpeg reads: vidstabtransform=input={made}")
			}
		case k == File && len(p.text) > 1:
			c.addf("argv: the file {%s} must be an argument of its own", slot.value)
		}
	}
}

func expand(parts []part, facts Facts, files Opener) ([]string, error) {
	var args []string
	for _, p := range parts {
		more, err := p.args(facts, files)
		if err != nil {
			return nil, err
		}
		args = append(args, more...)
	}
	return args, nil
}

func (p part) args(facts Facts, files Opener) ([]string, error) {
	switch {
	case p.each != "":
		return p.repeat(facts, files)
	case p.joined != nil:
		all, err := expand(p.joined, facts, files)
		return []string{strings.Join(all, "")}, err
	case p.condition == nil:
		text, err := p.expand(facts, files)
		return []string{text}, err
	}
	v, err := p.condition.eval(facts)
	if err != nil {
		return nil, err
	}
	if v.truth() {
		return expand(p.then, facts, files)
	}
	return expand(p.otherwise, facts, files)
}

// repeat gives the arguments once for each resource.
func (p part) repeat(facts Facts, files Opener) ([]string, error) {
	count, err := facts(p.each + ".count")
	if err != nil {
		return nil, err
	}
	var args []string
	for i := range int(count.Number) {
		of := func(name string) (Value, error) {
			fact, isFact := strings.CutPrefix(name, itemName+".")
			switch {
			case name == indexName:
				return Num(float64(i)), nil
			case name == itemName:
				return Value{Kind: File, Text: Item(p.each, i)}, nil
			case isFact:
				return facts(Item(p.each, i) + "." + fact)
			}
			return facts(name)
		}
		more, err := expand(p.then, of, files)
		if err != nil {
			return nil, err
		}
		args = append(args, more...)
	}
	return args, nil
}

// ErrNoValue is the error of a slot that needs what a call does not have.
var ErrNoValue = errors.New("it has no value")

// Item is the name by which facts and files know one of several resources, counted from 0.
func Item(arg string, i int) string { return arg + "#" + strconv.Itoa(i) }

func (p part) expand(facts Facts, files Opener) (string, error) {
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

func (s piece) expand(facts Facts, files Opener) (string, error) {
	switch s.role {
	case "out":
		if v, err := facts(s.text); err != nil || v.Kind == Closed { // the value of a setting
			return s.out(v.Text, files, err)
		}
		return s.out(s.text, files, nil)
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
		return "", fmt.Errorf("{%s}: %w", s.value, ErrNoValue)
	}
	return v.String(), nil
}

func (s piece) out(ending string, files Opener, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return files.Out(ending, s.many)
}
