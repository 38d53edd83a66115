package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Limits of strict schemas (OpenAI guide on structured outputs, supported schemas).
const (
	mostProperties = 5000
	mostDepth      = 10
	mostEnum       = 1000
	mostLetters    = 120000
)

// schema has the keywords of JSON Schema that the bot uses; others are rejected.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Additional *bool             `json:"additionalProperties"` //nolint:tagliatelle // JSON Schema's spelling
	Items      *schema           `json:"items"`
	Enum       []string          `json:"enum"`
}

// schemaCheck walks a schema and counts everything that is limited.
type schemaCheck struct{ properties, enums, letters int }

// checkSchema checks OpenAI's rules for strict schemas.
func checkSchema(raw json.RawMessage) error {
	var root schema
	if err := strict(raw, &root); err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	if root.Type != "object" {
		return errors.New("its root must have type object")
	}
	var c schemaCheck
	if err := c.walk("#", root, 0); err != nil {
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
	if depth > mostDepth {
		return fmt.Errorf("it is nested deeper than %d levels", mostDepth)
	}
	if err := c.node(s); err != nil {
		return fmt.Errorf("at %q: %w", at, err)
	}
	if s.Items != nil {
		return c.walk(at+"/items", *s.Items, depth)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		c.properties++
		c.letters += len(name)
		if err := c.walk(at+"/properties/"+name, s.Properties[name], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// node checks a single schema without its children.
func (c *schemaCheck) node(s schema) error {
	if err := oneOf("its type", s.Type, "string", "number", "boolean", "integer", "object", "array"); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	switch {
	case (s.Type == "array") != (s.Items != nil):
		return errors.New("array schema missing items, or items of something else")
	case s.Type != "object" && s.Properties != nil:
		return errors.New("only objects have properties")
	case s.Type == "object" && (s.Additional == nil || *s.Additional):
		return errors.New("'additionalProperties' is required to be supplied and to be false")
	case s.Type == "object" && !slices.Equal(names, slices.Sorted(slices.Values(s.Required))):
		return fmt.Errorf("'required' is required to be supplied and to be an array including every key in properties: it has %v, not %v",
			s.Required, names)
	}
	return c.countValues(s.Enum)
}

// countValues counts the values of an enum.
func (c *schemaCheck) countValues(enum []string) error {
	if enum != nil && len(enum) == 0 {
		return errors.New("its enum is empty")
	}
	letters := 0
	seen := map[string]bool{}
	for _, v := range enum {
		letters += len(v)
		if seen[v] {
			return fmt.Errorf("its enum has %q twice", v)
		}
		seen[v] = true
	}
	if len(enum) > 250 && letters > 15000 {
		return errors.New("its enum has more than 250 values of more than 15000 characters in all")
	}
	c.enums += len(enum)
	c.letters += letters
	return nil
}
