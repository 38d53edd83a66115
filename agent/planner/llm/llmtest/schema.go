package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of strict schemas (OpenAI guide on structured outputs, supported schemas).
const (
	mostProperties = 5000
	mostDepth      = 10
	mostEnum       = 1000
	mostLetters    = 120000
)

// keywords are the keywords supported in strict mode. The guide lists some others as unsupported
// (allOf, not, if, …), and the server's errors list more (minLength, uniqueItems, default, …).
var keywords = []string{
	"$schema", "$defs", "$ref", "definitions", "title", "description",
	"type", "enum", "const", "anyOf",
	"properties", "required", "additionalProperties", "items",
	"pattern", "format",
	"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"minItems", "maxItems",
}

var (
	schemaTypes   = []string{"string", "number", "boolean", "integer", "object", "array", "null"}
	schemaFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)

// schema contains the checked keywords of a JSON schema.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        json.RawMessage   `json:"type"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Additional  json.RawMessage   `json:"additionalProperties"` //nolint:tagliatelle // JSON Schema's spelling
	Items       *schema           `json:"items"`
	AnyOf       []schema          `json:"anyOf"` //nolint:tagliatelle // JSON Schema's spelling
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Format      *string           `json:"format"`
	Defs        map[string]schema `json:"$defs"`
	Definitions map[string]schema `json:"definitions"`

	keys []string
}

// UnmarshalJSON also records the names of all keywords.
func (s *schema) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("a schema must be an object: %w", err)
	}
	type plain schema
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err //nolint:wrapcheck // the caller adds the context
	}
	s.keys = slices.Sorted(maps.Keys(all))
	return nil
}

// schemaCheck walks a strict schema and counts everything that is limited.
type schemaCheck struct {
	root                       schema
	properties, enums, letters int
}

// checkSchema checks OpenAI's rules for schemas; most apply only in strict mode.
func checkSchema(raw json.RawMessage, strictly bool) error {
	var root schema
	if err := json.Unmarshal(raw, &root); err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	types, err := root.types()
	if err != nil {
		return err
	}
	if !slices.Equal(types, []string{"object"}) {
		return errors.New("its root must have type object")
	}
	if !strictly {
		return nil
	}
	if root.AnyOf != nil {
		return errors.New("its root is an anyOf")
	}
	c := schemaCheck{root: root}
	if err := c.walk("", root, 0); err != nil {
		return err
	}
	switch {
	case c.properties > mostProperties:
		return fmt.Errorf("%d properties, more than %d", c.properties, mostProperties)
	case c.enums > mostEnum:
		return fmt.Errorf("%d enum values, more than %d", c.enums, mostEnum)
	case c.letters > mostLetters:
		return fmt.Errorf("its names and values have %d characters, more than %d", c.letters, mostLetters)
	}
	return nil
}

func (c *schemaCheck) walk(at string, s schema, depth int) error {
	if err := c.node(s, depth); err != nil {
		return fmt.Errorf("at %q: %w", "#"+at, err)
	}
	below := func(at string, s schema, deeper int) error { return c.walk(at, s, depth+deeper) }
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		c.properties++
		c.letters += len(name)
		if err := below(at+"/properties/"+name, s.Properties[name], 1); err != nil {
			return err
		}
	}
	if s.Items != nil {
		if err := below(at+"/items", *s.Items, 0); err != nil {
			return err
		}
	}
	for i, one := range s.AnyOf {
		if err := below(fmt.Sprintf("%s/anyOf/%d", at, i), one, 0); err != nil {
			return err
		}
	}
	for key, defs := range map[string]map[string]schema{"$defs": s.Defs, "definitions": s.Definitions} {
		for _, name := range slices.Sorted(maps.Keys(defs)) {
			c.letters += len(name)
			if err := c.walk(at+"/"+key+"/"+name, defs[name], 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// node checks a single schema without its children.
func (c *schemaCheck) node(s schema, depth int) error {
	for _, key := range s.keys {
		if !slices.Contains(keywords, key) {
			return fmt.Errorf("'%s' is not permitted", key)
		}
	}
	if depth > mostDepth {
		return fmt.Errorf("it is nested deeper than %d levels", mostDepth)
	}
	if err := c.countValues(s); err != nil {
		return err
	}
	if s.Format != nil {
		if err := oneOf("format", s.Format, schemaFormats...); err != nil {
			return err
		}
	}
	if s.Ref != "" {
		return c.ref(s)
	}
	types, err := s.types()
	switch {
	case err != nil:
		return err
	case len(types) == 0 && s.AnyOf == nil:
		return errors.New("schema must have a 'type' key")
	case slices.Contains(types, "array") && s.Items == nil:
		return errors.New("array schema missing items")
	case slices.Contains(types, "object"):
		return s.object()
	case s.Properties != nil:
		return errors.New("only objects have properties")
	}
	return nil
}

func (s schema) object() error {
	if string(s.Additional) != "false" {
		return errors.New("'additionalProperties' is required to be supplied and to be false")
	}
	if names := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(names, slices.Sorted(slices.Values(s.Required))) {
		return fmt.Errorf("'required' is required to be supplied and to be an array including every key in properties: it has %v, not %v",
			s.Required, names)
	}
	return nil
}

// ref checks that a reference stands alone and can be resolved.
func (c *schemaCheck) ref(s schema) error {
	if len(s.keys) > 1 {
		return fmt.Errorf("$ref cannot have other keywords: %v", s.keys)
	}
	if s.Ref == "#" {
		return nil
	}
	for prefix, defs := range map[string]map[string]schema{"#/$defs/": c.root.Defs, "#/definitions/": c.root.Definitions} {
		if name, ok := strings.CutPrefix(s.Ref, prefix); ok {
			if _, ok := defs[name]; ok {
				return nil
			}
		}
	}
	return fmt.Errorf("the reference %q cannot be resolved", s.Ref)
}

// countValues counts the values of enum and const.
func (c *schemaCheck) countValues(s schema) error {
	if s.Enum != nil && len(s.Enum) == 0 {
		return errors.New("its enum is empty")
	}
	c.enums += len(s.Enum)
	letters := 0
	seen := map[string]bool{}
	for _, v := range s.Enum {
		letters += len(v)
		if seen[string(v)] {
			return fmt.Errorf("its enum has %s twice", v)
		}
		seen[string(v)] = true
	}
	if len(s.Enum) > 250 && letters > 15000 {
		return errors.New("its enum has more than 250 values of more than 15000 characters in all")
	}
	c.letters += letters + len(s.Const)
	return nil
}

// types returns the types of a schema, which may be a word or a list of words.
func (s schema) types() ([]string, error) {
	if len(s.Type) == 0 {
		return nil, nil
	}
	var one string
	var many []string
	if json.Unmarshal(s.Type, &one) == nil {
		many = []string{one}
	} else if json.Unmarshal(s.Type, &many) != nil || len(many) == 0 {
		return nil, errors.New("its type must be a string or a list of strings")
	}
	for _, t := range many {
		if err := oneOf("its type", &t, schemaTypes...); err != nil {
			return nil, err
		}
	}
	return many, nil
}
