package toolbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// maxToolFile is the maximum size of a catalogue entry, in bytes.
const maxToolFile = 64 << 10

// improviseKind is the kind of backings that run a Python program.
const improviseKind = "improvise"

// origins are the systems that a tool may come from: the papers, ours, and the operator.
var origins = []string{"controlllm", "visualchatgpt", "hugginggpt", "atelier", Own}

// Own is the origin of an operator's own tool.
const Own = "own"

// minExamples is the minimum number of example requests that retrieval needs to find a tool.
const minExamples = 3

// ReadTool reads one catalogue entry. The error lists all its faults, one per line. The further checks are of each backing.
func ReadTool(b []byte, further ...func(Backing) error) (Tool, error) {
	t, faults := readTool(b, &checker{strict: true, further: further})
	return t, errors.Join(faults...)
}

// readTool reads one catalogue entry and returns all its faults, those with a line first.
func readTool(b []byte, c *checker) (Tool, []error) {
	if len(b) > maxToolFile {
		return Tool{}, []error{tooLong(int64(len(b)))}
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var file yaml.Node
	switch err := dec.Decode(&file); {
	case errors.Is(err, io.EOF):
		return Tool{}, []error{errors.New("is empty")}
	case err != nil:
		return Tool{}, []error{notYAML(b, err)}
	}
	unread := unknownFields(file.Content[0], reflect.TypeFor[Tool]())
	var t Tool
	broken := parts{}
	if wrong, ok := errors.AsType[*yaml.TypeError](file.Decode(&t)); ok {
		var faults []error
		faults, broken = partsOf(&file, wrong)
		unread = append(unread, faults...)
		if t.Name == "" && t.Examples == nil { // nothing was parsed, so everything else would be reported as missing
			return Tool{}, byLine(unread)
		}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Tool{}, append(unread, errors.New("contains more than one YAML document"))
	}
	for i := range t.Backends {
		t.Backends[i] = withDefaults(t.Backends[i], t.Name)
		t.Backends[i].Inputs = t.inputs(t.Backends[i])
		if t.Backends[i].Program != "" {
			t.Backends[i].Settings = t.Params
		}
	}
	t.joinLines()
	for i := range t.Params {
		p := &t.Params[i]
		t.Args = append(t.Args, Arg{
			Name: p.Name, Type: plan.Text, Meaning: p.Type.Meaning(), About: p.About, Optional: p.Optional, Param: p,
		})
	}
	c.Tool, c.file, c.broken = &t, file.Content[0], broken
	if all := slices.Concat(unread, c.check()); len(all) > 0 {
		all = byLine(all)
		return Tool{}, slices.CompactFunc(all, func(a, b error) bool { return a.Error() == b.Error() })
	}
	return t, nil
}

// parts holds the top-level keys of a tool file that could not be parsed.
type parts map[string]bool

// whole reports whether all the keys were parsed.
func (p parts) whole(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return p[k] })
}

// partsOf returns the YAML faults and the parts of the file that contain them.
func partsOf(file *yaml.Node, wrong *yaml.TypeError) ([]error, parts) {
	var faults []error
	broken := parts{}
	for _, said := range wrong.Errors {
		faults = append(faults, errors.New(reword(said, file)))
		line := lineOf(said)
		part := ""
		for i, key := range file.Content[0].Content {
			if i%2 == 0 && key.Line <= line {
				part = key.Value
			}
		}
		broken[part] = true
	}
	return faults, broken
}

func tooLong(bytes int64) error {
	return fmt.Errorf("is %d bytes long; the limit is %d", bytes, maxToolFile)
}

// joinLines puts every text for people and models on one line.
func (t *Tool) joinLines() {
	texts := []*string{&t.Description, &t.When, &t.Made, &t.MadeMany, &t.Planned, &t.Suffix}
	for i := range t.Examples {
		texts = append(texts, &t.Examples[i])
	}
	for i := range t.Args {
		texts = append(texts, &t.Args[i].About)
	}
	for i := range t.Params {
		texts = append(texts, &t.Params[i].About)
	}
	for i := range t.Backends {
		texts = append(texts, &t.Backends[i].Needs)
	}
	for i := range t.Backends { // prompts keep their line breaks
		t.Backends[i].Prompt = strings.TrimSpace(strings.ToValidUTF8(t.Backends[i].Prompt, "?"))
	}
	for _, s := range texts {
		*s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(*s, "?"), blank), " ")
	}
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// inputs returns the names of the resources passed to the backing's program, or of the files that its request needs.
func (t *Tool) inputs(b Backing) string {
	var names []string
	for _, a := range t.Args {
		if b.Program != "" || b.Request != nil && a.Type != plan.Text && !a.Optional {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, " ")
}

var (
	// wrongType matches the YAML error for a value of the wrong type.
	wrongType = lazyregexp.New(`^line (\d+): cannot unmarshal (!!\w+)(?: .*)? into (\S+)$`)
	// twice matches the YAML error for a duplicate field.
	twice = lazyregexp.New(`mapping key "(.+)" already defined at line (\d+)`)
)

// reword rewords a YAML error about a tool file without Go types.
func reword(said string, file *yaml.Node) string {
	m := wrongType.FindStringSubmatch(said)
	if m == nil {
		return twice.ReplaceAllString(said, "$1 is already given in line $2")
	}
	field, shape := "this", "something else"
	find(file.Content[0], reflect.TypeFor[Tool](), "", func(n *yaml.Node, t reflect.Type, name string) {
		if strconv.Itoa(n.Line) == m[1] && n.ShortTag() == m[2] && t.String() == m[3] && !holds(t, n) {
			field, shape = strings.TrimPrefix(name, "."), shapeOf(t)
		}
	})
	if field == "" {
		field = "the file"
	}
	return fmt.Sprintf("line %s: %s should be %s", m[1], field, shape)
}

// holds reports whether the node can be decoded into the type.
func holds(t reflect.Type, n *yaml.Node) bool { return n.Decode(reflect.New(t).Interface()) == nil }

// find calls visit for a node and everything in it, with the Go types and field names.
func find(n *yaml.Node, t reflect.Type, name string, visit func(*yaml.Node, reflect.Type, string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	visit(n, t, name)
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, item := range n.Content {
			find(item, t.Elem(), name, visit)
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			find(n.Content[i+1], t.Elem(), name+"."+n.Content[i].Value, visit)
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		for i := 0; i+1 < len(n.Content); i += 2 {
			for f := range t.Fields() {
				if key := n.Content[i].Value; key == fieldName(f) {
					find(n.Content[i+1], f.Type, name+"."+key, visit)
				}
			}
		}
	}
}

// fieldName returns the YAML name of a field.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// shapeOf describes how a value of the type is written.
func shapeOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() { //nolint:exhaustive // no field is anything else
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Float64:
		return "a number"
	case reflect.Map:
		return "values, each with its synonyms: {plain: [plain, quiet], loud: [loud, bright]}"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of texts: [one, two]"
		}
		return "a list, each item " + shapeOf(t.Elem())
	case reflect.Struct:
		return fmt.Sprintf("of the form {%s: …, …}", fieldName(t.Field(0)))
	}
	return "something else"
}

var (
	// atLine matches the line number of a fault.
	atLine = lazyregexp.New(`^line (\d+): `)
	// yamlLead matches the beginning of a YAML syntax error.
	yamlLead = lazyregexp.New(`^yaml: (?:line \d+: )?`)
)

// lineOf returns the line of a fault; 0 if it has none.
func lineOf(said string) int {
	m := atLine.FindStringSubmatch(said)
	if m == nil {
		return 0
	}
	line, _ := strconv.Atoi(m[1]) //nolint:errcheck // the pattern matches only digits
	return line
}

// notYAML rewords a syntax error. Its line is the first one without which the lines before it can be read, as YAML often
// names the beginning of the block.
func notYAML(b []byte, err error) error {
	lines := strings.SplitAfter(string(b), "\n")
	good := len(lines) - 1
	for good > 0 && yaml.Unmarshal([]byte(strings.Join(lines[:good], "")), new(yaml.Node)) != nil {
		good--
	}
	return fmt.Errorf("line %d: this is not YAML: %s; texts with braces, brackets or a colon need quotes, and tabs may not indent",
		good+1, yamlLead.ReplaceAllString(err.Error(), ""))
}

// byLine sorts faults by their lines; those without one come last.
func byLine(faults []error) []error {
	order := func(err error) int { return cmp.Or(lineOf(err.Error()), maxToolFile) }
	slices.SortStableFunc(faults, func(a, b error) int { return cmp.Compare(order(a), order(b)) })
	return faults
}

// unknownFields reports the fields of a mapping, and of everything in it, that the type does not have. It removes them,
// or renames them to the fields that are probably meant, so that they cause no other faults.
func unknownFields(n *yaml.Node, t reflect.Type) []error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]()) {
		return nil // it checks its own fields
	}
	var faults []error
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, item := range n.Content {
			faults = append(faults, unknownFields(item, t.Elem())...)
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		known := fieldsOf(t)
		var content []*yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if _, ok := known[key.Value]; !ok && key.Kind == yaml.ScalarNode && key.Value != "<<" {
				meant, hint := nearest(key.Value, known), ""
				if meant != "" {
					hint = "; did you mean " + meant + "?"
				}
				faults = append(faults, fmt.Errorf("line %d: there is no field %s%s", key.Line, key.Value, hint))
				if meant == "" || given(n, meant) {
					continue
				}
				key.Value = meant
			}
			if typ, ok := known[key.Value]; ok {
				faults = append(faults, unknownFields(value, typ)...)
			}
			content = append(content, key, value)
		}
		n.Content = content
	}
	return faults
}

// given reports whether a mapping has the key.
func given(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// fieldsOf returns the types of the YAML fields of a struct, including embedded ones.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for f := range t.Fields() {
		switch name := fieldName(f); {
		case strings.HasSuffix(f.Tag.Get("yaml"), ",inline"):
			inner := f.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			maps.Copy(all, fieldsOf(inner))
		case name != "" && name != "-":
			all[name] = f.Type
		}
	}
	return all
}

// nearest returns the key that a misspelt word probably means, or "".
func nearest[V any](word string, known map[string]V) string {
	best, at := "", 1+len(word)/4
	for _, name := range slices.Sorted(maps.Keys(known)) {
		d := EditDistance([]byte(strings.ToLower(word)), []byte(name))
		if lead := lead(word, name); lead > 2 { // "arguments" are args
			d = min(d, 1-lead)
		}
		if d < at || d == at && best == "" {
			best, at = name, d
		}
	}
	return best
}

// lead returns how many letters two words have in common at the beginning.
func lead(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// EditDistance returns how many elements must be added, removed or replaced to turn a into b.
func EditDistance[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		corner := row[0]
		row[0] = i + 1
		for j := range b {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// at sets the place of the faults that follow: the keys and indexes that lead to it, as far as the file has them.
func (c *checker) at(path ...any) {
	n := c.file
	c.line = 0
	for _, step := range path {
		next := (*yaml.Node)(nil)
		switch step := step.(type) {
		case int:
			if n.Kind == yaml.SequenceNode && step < len(n.Content) {
				next = n.Content[step]
				c.line = next.Line
			}
		case string:
			for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == step {
					next = n.Content[i+1]
					c.line = n.Content[i].Line
				}
			}
		}
		if next == nil {
			return
		}
		n = next
	}
}

// add adds faults at the current place.
func (c *checker) add(faults ...error) {
	for _, err := range faults {
		if c.line > 0 {
			err = fmt.Errorf("line %d: %w", c.line, err)
		}
		c.faults = append(c.faults, err)
	}
}

func (c *checker) addf(format string, args ...any) { c.add(fmt.Errorf(format, args...)) }
