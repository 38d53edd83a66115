package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
)

// Recipe is everything that a tool file says about its command.
type Recipe struct {
	// Let names expressions.
	Let *Let `yaml:"let,omitempty"`
	// Refuse lists refusals: the first one whose condition holds is reported, before anything runs, or
	// afterwards if the condition depends on the output ({written}, {bytes}).
	Refuse *Remarks `yaml:"refuse,omitempty"`
	// First is a command line that runs before Argv, which refers to its output as {made}. A .trf
	// output is written by a filter of ffmpeg, whose regular output is discarded.
	First *Argv `yaml:"first,omitempty"`
	// Argv is the command line.
	Argv *Argv `yaml:"argv,omitempty"`
	// Times is how often Argv runs; the default is once. Each run makes one result, with the number {item}.
	Times *Formula `yaml:"times,omitempty"`
	// Data lists the arguments of {file:…} whose words are only data to the program that reads the file.
	Data []string `yaml:"data,omitempty"`
	// Wrap is the width to which people's texts are wrapped, in small letters; 0 leaves their lines as they are.
	Wrap float64 `yaml:"wrap,omitempty"`
	// Length is the duration of the result in seconds; the default is that of the first input.
	Length *Formula `yaml:"length,omitempty"`
	// About describes the result in a few words: the first sentence that holds. For one of several
	// results, {item} is its number from 1.
	About *Remarks `yaml:"about,omitempty"`
	// Notes are sentences shown with the result: all that hold.
	Notes *Remarks `yaml:"notes,omitempty"`
}

// Names of the first command line's output, the number of characters of a text output, and the size in
// bytes, the duration and the sample rate of an output file.
const madeName, writtenName, bytesName, secondsName, hertzName = "made", "written", "bytes", "seconds", "hertz"

// madeWidth is the width of a picture that the first command line wrote, 0 before it is written.
const madeWidth = madeName + ".width"

// Made is the value of {made}.
var Made = Value{Kind: File, Text: madeName}

// Equal reports whether both are written the same way.
func (r *Recipe) Equal(o *Recipe) bool {
	mine, err := yaml.Marshal(r)
	theirs, failed := yaml.Marshal(o)
	return err == nil && failed == nil && string(mine) == string(theirs)
}

// Programs returns the programs that are run.
func (r *Recipe) Programs() []string {
	if r.First != nil {
		return []string{r.First.Program(), r.Argv.Program()}
	}
	return []string{r.Argv.Program()}
}

// Leading returns the leading fixed arguments of each command line.
func (r *Recipe) Leading() [][]string {
	if r.First != nil {
		return [][]string{r.First.leading(), r.Argv.leading()}
	}
	return [][]string{r.Argv.leading()}
}

// Several reports whether the recipe writes several files.
func (r *Recipe) Several() bool {
	return r.Times != nil || r.Argv.writes(func(out piece) bool { return out.many })
}

// Check lists the faults of a recipe, for a tool with these arguments in scope. choices are the values
// of settings with a fixed list.
func (r *Recipe) Check(s Scope, w Written, choices map[string][]string) []error {
	s = maps.Clone(s)
	faults := r.Let.check(s)
	if r.First != nil {
		faults = append(faults, r.First.check(s, Written{Endings: firstEndings}, false)...)
		s[madeName], s[madeWidth] = File, Number
	}
	motion := r.First.writes(func(out piece) bool { return out.text == motionEnding })
	faults = append(faults, r.Argv.check(s, w, motion)...)
	for name, f := range map[string]*Formula{"length": r.Length, "times": r.Times} {
		if f == nil {
			continue
		}
		if k, err := f.value.kind(s); err != nil || k != Number {
			faults = append(faults, errors.Join(fmt.Errorf("%s must be a number", name), err))
		}
	}
	if r.Wrap < 0 {
		faults = append(faults, errors.New("wrap must be a width in letters, such as 40"))
	}
	s[secondsName], s[hertzName] = Number, Number
	faults = append(faults, r.Notes.check("notes", s)...)
	s[itemName] = Number
	faults = append(faults, r.About.check("about", s)...)
	delete(s, itemName)
	s[writtenName], s[bytesName] = Number, Number
	faults = append(faults, r.Refuse.check("refuse", s)...)
	return withComparisons(faults, r.expressions(), choices)
}

// firstEndings are the extensions that a first command line may write.
var firstEndings = []string{"pdf", "wav", "png", motionEnding}

// motionEnding is the extension of camera motion data, written by ffmpeg's filter vidstabdetect.
const motionEnding = "trf"

// writes reports whether the command line has an {out:…} of that kind.
func (a *Argv) writes(kind func(piece) bool) bool {
	return slices.ContainsFunc(a.all(), func(p placed) bool {
		return slices.ContainsFunc(p.text, func(slot piece) bool { return slot.role == "out" && kind(slot) })
	})
}

// isMade reports whether the slot is the first command line's output.
func (s piece) isMade() bool { return s.value == name(madeName) }

// Sentences returns the formats of all sentences, which are the keys of their translations.
func (r *Recipe) Sentences() []string {
	var all []string
	for _, m := range []*Remarks{r.Refuse, r.About, r.Notes} {
		for _, s := range m.list() {
			all = append(all, s.format)
		}
	}
	return all
}

// Let names expressions, which may use the names before them.
type Let struct {
	names  []string
	values map[string]expression
	node   *yaml.Node
}

// UnmarshalYAML parses a mapping of names to expressions.
func (l *Let) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return yamlError(node, errors.New("let must have the form {name: expression}"))
	}
	l.node, l.values = node, map[string]expression{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i].Value
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isLetter(r) }) {
			return yamlError(node.Content[i], fmt.Errorf("the name %q in let must consist of lower-case letters and _", name))
		}
		value, err := parse(node.Content[i+1].Value)
		if err != nil {
			return yamlError(node.Content[i], err)
		}
		l.names, l.values[name] = append(l.names, name), value
	}
	return nil
}

// MarshalYAML writes it as it was parsed.
func (l *Let) MarshalYAML() (any, error) { return l.node, nil }

// check adds the names to a scope.
func (l *Let) check(s Scope) []error {
	var faults []error
	if l == nil {
		return nil
	}
	for _, name := range l.names {
		k, err := l.values[name].kind(s)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("let: %w", err))
		case k != Number && k != Closed:
			faults = append(faults, fmt.Errorf("let: {%s} must be a number or a text from a fixed list", name))
		case s[name] != 0 || slices.Contains([]string{itemName, indexName, madeName, writtenName, bytesName, secondsName, hertzName}, name):
			faults = append(faults, fmt.Errorf("let: {%s} is already defined", name))
		}
		s[name] = k
	}
	return faults
}

// Of returns the facts extended by the names.
func (r *Recipe) Of(facts Facts) Facts {
	if r.Let == nil {
		return facts
	}
	var of Facts
	of = func(name string) (Value, error) {
		if e, ok := r.Let.values[name]; ok {
			return e.eval(of)
		}
		return facts(name)
	}
	return of
}

// Formula is one expression.
type Formula struct {
	value expression
	node  *yaml.Node
}

// UnmarshalYAML parses an expression.
func (f *Formula) UnmarshalYAML(node *yaml.Node) (err error) {
	f.node = node
	f.value, err = parse(node.Value)
	return yamlError(node, err)
}

// MarshalYAML writes it as it was parsed.
func (f *Formula) MarshalYAML() (any, error) { return f.node, nil }

// Number returns its value.
func (f *Formula) Number(facts Facts) (float64, error) {
	v, err := f.value.eval(facts)
	return v.Number, err
}

// Remarks are sentences for people, with conditions.
type Remarks struct {
	all  []remark
	node *yaml.Node
}

type remark struct {
	condition expression // nil means always
	format    string
	args      []expression
}

// UnmarshalYAML parses a sentence, or a list of {if: …, say: …}.
func (m *Remarks) UnmarshalYAML(node *yaml.Node) error {
	m.node = node
	if node.Kind == yaml.ScalarNode {
		s, err := readRemark("", node.Value)
		m.all = []remark{s}
		return yamlError(node, err)
	}
	var list []struct{ If, Say string }
	if err := node.Decode(&list); err != nil {
		return yamlError(node, errors.New("it must be a sentence, or a list of {if: …, say: …}"))
	}
	for _, item := range list {
		s, err := readRemark(item.If, item.Say)
		if err != nil {
			return yamlError(node, err)
		}
		m.all = append(m.all, s)
	}
	return nil
}

// MarshalYAML writes it as it was parsed.
func (m *Remarks) MarshalYAML() (any, error) { return m.node, nil }

func readRemark(condition, say string) (s remark, err error) {
	if condition != "" {
		if s.condition, err = parse(condition); err != nil {
			return s, err
		}
	}
	pieces, err := readText(say)
	for _, p := range pieces {
		switch {
		case p.role != "":
			return s, fmt.Errorf("a sentence cannot contain {%s:…}", p.role)
		case p.value == nil:
			s.format += strings.ReplaceAll(p.text, "%", "%%")
		default:
			s.format, s.args = s.format+"%s", append(s.args, p.value)
		}
	}
	return s, err
}

// Say returns the sentences that hold.
func (m *Remarks) Say(facts Facts) ([]plan.Message, error) {
	var all []plan.Message
	for _, r := range m.list() {
		if r.condition != nil {
			v, err := r.condition.eval(facts)
			if err != nil {
				return nil, err
			}
			if !v.truth() {
				continue
			}
		}
		said := plan.Message{Format: r.format}
		for _, e := range r.args {
			v, err := e.eval(facts)
			if err != nil {
				return nil, err
			}
			var arg any = v.String()
			if v.told != nil {
				arg = *v.told
			}
			said.Args = append(said.Args, arg)
		}
		all = append(all, said)
	}
	return all, nil
}

func (m *Remarks) list() []remark {
	if m == nil {
		return nil
	}
	return m.all
}

func (m *Remarks) check(what string, s Scope) []error {
	var faults []error
	for _, r := range m.list() {
		if r.condition != nil {
			if _, err := r.condition.kind(s); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", what, err))
			}
		}
		for _, e := range r.args {
			k, err := e.kind(s)
			if err == nil && (k == File || k == Files || k == Words || k == Texts) {
				err = fmt.Errorf("{%s} is a file, which a sentence cannot contain", e)
			}
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", what, err))
			}
		}
	}
	return faults
}
