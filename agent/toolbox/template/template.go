// Package template parses what a tool's YAML file says about the program it runs ([Argv]) or the
// service it calls ([Request]): texts with slots for the tool's inputs.
//
//	argv: [ffmpeg, -i, "{video}", -vf, "crop={area.width}:{area.height}", {if: video.sound, then: [-af, areverse]}, "{out:mp4}"]
//	request: {url: "https://stickers.example.com/make/{style}", json: {words: "{text}", width: "{2 * width}"}}
//
// A slot contains a name, or an expression of names, numbers and 'texts' with + - * / = != < <= > >=
// and, or, not, min, max, round, floor, even, sqrt and if(condition, a, b); given(name) tells whether an optional
// argument is there, letters(words) and lines(words) measure a person's text, and in sentences span(seconds) and
// clock(seconds) write a time. Names are the tool's arguments and facts about them (see [Scope]), and names
// that the file gives to expressions (see [Recipe]).
// In a command line, these slots are files:
//
//	{video}         the file of a resource, under a name of ours
//	{file:caption}  a file with the text of an argument
//	{out:png}       the output file
//	{out:pdf*}      several output files, numbered in order; with ffmpeg only pictures: {out:png*}
//	{out:format}    the output file, with the value of that setting as its extension
//	{stdout:txt}    no argument: the result is the text that the program prints
//	{made}          the output of the first command line (see [Recipe]); for a .trf, its name in a filter
//
// Besides texts, a list of arguments may contain:
//
//	{if: CONDITION, then: [...], else: [...]}
//	{each: videos, then: [-i, "{item}"]}   the arguments repeated for each of several resources, with
//	                                       facts such as {item.width}, and its number from 0 as {index}
//	{text: [...]}                          one argument joined from the texts of a list
//
// Guarantees:
//   - There is no shell, and people's text is never part of an argument: it is passed in a file.
//     Slots are numbers, colours, and texts from fixed lists.
//   - Whatever people write, a request goes to the scheme, host, path and keys of its file: a slot is
//     one path segment, one query value, one form field, or one JSON value.
//   - Every slot is checked when the tool file is parsed.
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

// Kind is the kind of value of a name.
type Kind int

// The kinds.
const (
	Number Kind = iota + 1
	Closed      // a text from a fixed list, or in a form of ours
	File        // the file of a resource
	Files       // the files of several resources
	Words       // a person's text
	Texts       // several texts, possibly people's
	told        // only for sentences: a time formatted for people
)

// Value is the value of a name or an expression. The zero value is an absent argument.
type Value struct {
	Kind   Kind
	Number float64
	Text   string
	// Logical marks a boolean: 1 for true and 0 for false.
	Logical bool
	told    *plan.Message
}

// Num returns a number.
func Num(v float64) Value { return Value{Kind: Number, Number: v} }

// Text returns a value that holds s, which must be one of a fixed list of texts.
func Text(s string) Value { return Value{Kind: Closed, Text: s} }

// Truth returns a boolean.
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

// truth reports whether the value counts as true: it is present and not 0.
func (v Value) truth() bool { return v.Kind != 0 && (v.Kind != Number || v.Number != 0) }

func round6(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 6, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// Scope maps names to their kinds.
type Scope map[string]Kind

// Facts returns the values of names. Its errors are for people: the value is not available for this file.
type Facts func(name string) (Value, error)

// Opener returns the files of slots.
type Opener interface {
	// In returns the file of a resource: the Text of a [Value] of the kind [File].
	In(resource string) (string, error)
	// Words returns a file with the text of an argument.
	Words(arg string) (string, error)
	// Out returns the output file with that extension; with many, the pattern of the file names.
	Out(ending string, many bool) (string, error)
	// Printed says that the result is what the program prints, as a text of that kind.
	Printed(ending string)
}

// Written says which files a command line may write.
type Written struct {
	// Endings are the extensions allowed for the tool's return type.
	Endings []string
	// Choices maps settings to the extensions that they may select.
	Choices map[string][]string
}

// Argv is a command line.
type Argv struct {
	parts []part
	node  *yaml.Node // the parsed node
}

// part is an argument, or a list of arguments with a condition or a repetition.
type part struct {
	text      []piece
	condition expression
	each      string
	then      []part
	otherwise []part
	joined    []part // into one argument
}

// piece is a part of an argument: literal text or a slot.
type piece struct {
	text  string
	role  string // file, out or stdout; "" for an expression
	many  bool   // for out
	value expression
}

// Program returns the program that is run.
func (a *Argv) Program() string {
	if fixed := a.leading(); len(fixed) > 0 {
		return fixed[0]
	}
	return ""
}

// UnmarshalYAML parses a list of arguments.
func (a *Argv) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		return yamlError(node, errors.New("argv must be a list of arguments, not a shell command"))
	}
	var err error
	a.node = node
	a.parts, err = readParts(node)
	return yamlError(node, err)
}

// yamlError returns an error after which YAML continues, so that the faults of other parts are reported too.
func yamlError(node *yaml.Node, err error) error {
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

// MarshalYAML writes the list as it was parsed.
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
		return part{}, errors.New("an argument must be a text, or {if: …, then: […]}")
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
			err = fmt.Errorf("%q is unexpected", key)
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
		return part{}, errors.New("this must have the form {if: …, then: […]}, {each: …, then: […]} or {text: […]}")
	}
	return p, nil
}

// readText splits an argument into texts and slots. "{{" and "}}" are literal braces.
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
			return nil, errors.New("unmatched }")
		case s[0] == '{':
			inner, rest, ok := strings.Cut(s[1:], "}")
			if !ok {
				return nil, errors.New("unmatched {")
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

// conditional are the forms of list items other than texts, by their first key.
var conditional = map[string]string{
	"if": "if: CONDITION, then: [ARGUMENT, …], else: [ARGUMENT, …]", "each": "each: ARGUMENTS, then: [ARGUMENT, …]", "text": "text: [PART, …]",
}

func readSlot(inner string) (piece, error) {
	role, rest, ok := strings.Cut(inner, ":")
	if !ok || strings.ContainsFunc(role, func(r rune) bool { return !isLetter(r) }) { // a colon within a text
		e, err := parse(inner)
		return piece{value: e}, err
	}
	switch role {
	case "file", "out", "stdout":
		rest, many := strings.CutSuffix(rest, "*")
		if rest == "" || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || many && role != "out" {
			like := map[string]string{
				"file": "the name of an argument: {file:caption}", "out": "an ending alone: {out:png}", "stdout": "the kind of text: {stdout:txt}",
			}[role]
			return piece{}, fmt.Errorf("{%s} should have %s", inner, like)
		}
		return piece{role: role, text: rest, many: many}, nil
	}
	if role == "if" || role == "each" || role == "text" {
		return piece{}, fmt.Errorf("{%s: …} is a text, because it is in quotation marks; write {%s} without them", role, conditional[role])
	}
	return piece{}, fmt.Errorf("unknown slot {%s}; write {file:…}, {out:…} or {stdout:…}", inner)
}

// IsText reports whether files with the extension hold text.
func IsText(ending string) bool { return ending == "txt" || ending == "srt" || ending == "vtt" }

// Expand returns the arguments, starting with the program.
func (a *Argv) Expand(facts Facts, files Opener) ([]string, error) {
	return expand(a.parts, facts, files)
}

// Always returns the fixed arguments that stand in every run, under no condition.
func (a *Argv) Always() []string {
	var fixed []string
	for _, p := range a.parts {
		if p.condition == nil && p.each == "" && p.joined == nil && len(p.text) == 1 && p.text[0].value == nil && p.text[0].role == "" {
			fixed = append(fixed, p.text[0].text)
		}
	}
	return fixed
}

// leading returns the arguments before the first slot or condition.
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

// alike reports whether two nodes are written the same way.
func alike(a, b *yaml.Node) bool {
	mine, err := yaml.Marshal(a)
	theirs, failed := yaml.Marshal(b)
	return err == nil && failed == nil && string(mine) == string(theirs)
}

// check lists the faults of a command line. With motion, {made} is the output of vidstabdetect.
func (a *Argv) check(s Scope, w Written, motion bool) []error {
	var faults []error
	if a.Program() == "" {
		faults = append(faults, errors.New("argv must start with a program name; each argument is an item of the list"))
	}
	if strings.ContainsAny(a.Program(), " /") {
		faults = append(faults, fmt.Errorf("argv starts with %q; it must be a list that starts with a program name; each argument is an item of the list",
			a.Program()))
	}
	c := check{may: w, program: a.Program(), motion: motion}
	for _, p := range a.all() {
		if c.scope = s; p.every != "" {
			c.scope = s.items(p.every)
		}
		c.part(p)
	}
	switch {
	case c.written == 0:
		c.addf("argv has no {out:…}, so the program could not write a file; write {out:%s} where it expects the name of its output", w.Endings[0])
	case c.written > 1:
		c.addf("argv has {out:…} %d times; write it once", c.written)
	}
	return append(faults, c.faults...)
}

type check struct {
	scope   Scope
	may     Written
	program string
	motion  bool // whether {made} is a .trf
	faults  []error
	written int
}

func (c *check) addf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(format, args...))
}

func (c *check) part(p placed) {
	if p.condition != nil {
		if _, err := p.condition.kind(c.scope); err != nil {
			c.addf("argv: %w", err)
		}
	}
	if p.each != "" && c.scope[p.each] != Files {
		c.addf("argv: {each: %s} does not name an argument with many: true", p.each)
	}
	if p.each != "" && p.every != "" {
		c.addf("argv: {each: %s} is nested in another one", p.each)
	}
	for _, slot := range p.text {
		c.piece(p.part, slot)
	}
}

// items returns the scope within an {each: …}. It has the facts of each item ("videos.width") and those
// that only an item has ("videos#.start").
func (s Scope) items(each string) Scope {
	inner := maps.Clone(s)
	inner[itemName], inner[indexName] = File, Number
	for name, kind := range s {
		if fact, ok := strings.CutPrefix(strings.Replace(name, "#", "", 1), each+"."); ok {
			inner[itemName+"."+fact] = kind
		}
	}
	return inner
}

// Names of one of several resources, and of its number.
const itemName, indexName = "item", "index"

func (c *check) piece(p part, slot piece) {
	switch slot.role {
	case "out", "stdout":
		c.written++
		if slot.role == "stdout" && (c.program == "ffmpeg" || len(p.text) > 1 || !IsText(slot.text)) {
			c.addf("argv: {stdout:%s} must be an argument of its own, for a text that another program than ffmpeg prints: {stdout:txt}", slot.text)
		}
		if slot.many && c.program == "ffmpeg" && slot.text != "png" {
			c.addf("argv: ffmpeg can only write several files as {out:png*}, not {out:%s*}", slot.text)
		}
		if slot.text == motionEnding && c.program != "ffmpeg" {
			c.addf("argv: {out:trf} is written by the filter vidstabdetect of ffmpeg, not by %s", c.program)
		}
		endings, ok := c.may.Choices[slot.text]
		if !ok {
			endings = []string{slot.text}
		}
		for _, e := range endings {
			if !slices.Contains(c.may.Endings, e) {
				c.addf("argv: .%s cannot be written here; use one of {out:%s}", e, strings.Join(c.may.Endings, "}, {out:"))
			}
		}
	case "file":
		if c.scope[slot.text] != Words {
			c.addf("argv: {file:%s} needs an argument called %s of the type text", slot.text, slot.text)
		}
	default:
		if slot.value == nil {
			return
		}
		switch k, err := slot.value.kind(c.scope); {
		case err != nil:
			c.addf("argv: %w", err)
		case k == Words:
			c.addf("argv: {%s} is a person's text, which may only be passed as {file:%s}", slot.value, slot.value)
		case k == Texts:
			c.addf("argv: {%s} has several texts, which a command line cannot use", slot.value)
		case k == Files:
			c.addf("argv: {%s} has several files; write {each: %s, then: […]}", slot.value, slot.value)
		case k == told:
			c.addf("argv: {%s} is for people and may only be used in a sentence", slot.value)
		case c.motion && slot.isMade():
			if len(p.text) == 1 || c.program != "ffmpeg" {
				c.addf("argv: {made} is a .trf here, which can only be used in a filter of ffmpeg: vidstabtransform=input={made}")
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
	case p.condition == nil && len(p.text) == 1 && p.text[0].role == "stdout":
		files.Printed(p.text[0].text)
		return nil, nil
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

// repeat repeats the arguments for each resource.
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

// ErrNoValue is returned for a slot whose value is absent from the call.
var ErrNoValue = errors.New("it has no value")

// Item returns the name of one of several resources for Facts and Opener, counted from 0.
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
