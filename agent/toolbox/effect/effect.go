// Package effect declares what the result of a tool must show, and checks whether it does.
//
// A tool declares its effects in its YAML file, in terms of its arguments and settings:
//
//	effects:
//	  - duration: {of: video, part: range}
//	  - sound: {most: video}
//	  - size: {of: video}
//
// or gives the reason why it has none:
//
//	effects:
//	  - none: what a label should be cannot be measured
//
// effects.txt describes the effects with their tolerances, for people too ([List]). Tolerances are
// generous, since a correct result must never be rejected.
//
// Guarantees:
//   - It is pure: it reads no files and runs nothing. It gets the measurements from its caller.
//   - What was not measured, or cannot be decided, counts as correct.
//   - A faulty declaration is rejected when it is parsed, with every fault named.
package effect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Effect is one property that a result must have.
type Effect struct {
	// Name is the name of an effect in effects.txt: duration, size …
	Name string
	// Rule is what is expected, by key. The key of a single word is "is".
	Rule map[string]string
}

// None is the name of the effect of a tool that declares nothing; its rule is the reason.
const None = "none"

// lone is the key of a single-word rule: "sound: none".
const lone = "is"

// Effects are all effects that a tool declares.
type Effects []Effect

// Number reports whether the result holds a number: a count, a sum.
func (all Effects) Number() bool {
	return slices.ContainsFunc(all, func(e Effect) bool { return e.Name == "number" })
}

// UnmarshalYAML reads a list of effects.
func (all *Effects) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: effects should be a list: - size: {of: image}", node.Line)}}
	}
	*all = nil
	var faults []string
	for _, item := range node.Content {
		e, err := read(item)
		if err != nil {
			faults = append(faults, fmt.Sprintf("line %d: %s", item.Line, err))
		}
		*all = append(*all, e)
	}
	if faults != nil {
		return &yaml.TypeError{Errors: faults} // of a kind after which YAML continues
	}
	return nil
}

// read parses one effect: a name with a word or with a rule of several keys.
func read(item *yaml.Node) (Effect, error) {
	if item.Kind != yaml.MappingNode || len(item.Content) != 2 {
		return Effect{}, errors.New(`an effect must have the form "name: rule"`)
	}
	e := Effect{Name: item.Content[0].Value, Rule: map[string]string{}}
	switch rule := item.Content[1]; rule.Kind {
	case yaml.ScalarNode:
		e.Rule[lone] = strings.TrimSpace(rule.Value)
	case yaml.MappingNode:
		for i := 0; i < len(rule.Content); i += 2 {
			key, value := rule.Content[i], rule.Content[i+1]
			if value.Kind != yaml.ScalarNode {
				return Effect{}, fmt.Errorf("the %s of the effect %s must be a word", key.Value, e.Name)
			}
			if _, twice := e.Rule[key.Value]; twice {
				return Effect{}, fmt.Errorf("the effect %s has the key %q twice", e.Name, key.Value)
			}
			e.Rule[key.Value] = strings.TrimSpace(value.Value)
		}
	default:
		return Effect{}, fmt.Errorf("the rule of the effect %s must be a word or a mapping", e.Name)
	}
	return e, nil
}

// MarshalYAML writes the effect as it is parsed.
func (e Effect) MarshalYAML() (any, error) {
	if word, ok := e.word(); ok {
		return map[string]string{e.Name: word}, nil
	}
	return map[string]map[string]string{e.Name: e.Rule}, nil
}

// String returns the effect as written in a tool file.
func (e Effect) String() string {
	if word, ok := e.word(); ok {
		return e.Name + ": " + word
	}
	var parts []string
	for key, value := range e.Rule {
		parts = append(parts, key+": "+value)
	}
	slices.Sort(parts)
	return e.Name + ": {" + strings.Join(parts, ", ") + "}"
}

// word returns a single-word rule; false if the rule has keys.
func (e Effect) word() (string, bool) {
	word, ok := e.Rule[lone]
	return word, ok && len(e.Rule) == 1
}
