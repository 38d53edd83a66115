package toolbox

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
)

var (
	// wrongType is how YAML speaks of a value that a field cannot hold.
	wrongType = lazyregexp.New(`^line (\d+): cannot unmarshal (!!\w+)(?: .*)? into (\S+)$`)
	// unknownField is how YAML speaks of a field that a type does not have.
	unknownField = lazyregexp.New(`field (\S+) not found in type \S+`)
	// twice is how YAML speaks of a field that is given again.
	twice = lazyregexp.New(`mapping key "(.+)" already defined at line (\d+)`)
)

// misread is what YAML said of a tool's file, without the types of Go.
func misread(said string, file *yaml.Node) string {
	m := wrongType.FindStringSubmatch(said)
	if m == nil {
		said = unknownField.ReplaceAllString(said, "there is no field $1")
		return twice.ReplaceAllString(said, "$1 is given in line $2 already")
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

// holds reports whether a value of that type can be read from the node.
func holds(t reflect.Type, n *yaml.Node) bool { return n.Decode(reflect.New(t).Interface()) == nil }

// find visits what a node holds for a type, under the names of its fields.
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

// fieldName is the name of a field in a file.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// shapeOf says how a value of the type is written.
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
		return "values, each with the words that mean it: {plain: [plain, quiet], loud: [loud, bright]}"
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
