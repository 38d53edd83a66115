package toolbox

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
)

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
		d := distance(strings.ToLower(word), name)
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

// distance returns how many letters must be added, removed or replaced to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
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
