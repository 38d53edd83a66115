// Package effect says what the result of a tool must show, and judges whether it does.
//
// A tool declares its effects in its YAML file, in terms of its arguments and settings:
//
//	effects:
//	  - duration: {of: video, part: range}
//	  - sound: {most: video}
//	  - size: {of: video}
//
// or says why it has none:
//
//	effects:
//	  - none: what a label should be cannot be measured
//
// effects.txt lists the effects with their tolerances, for people too ([List]). A correct result must never be
// rejected, so each tolerance is generous, and what cannot be told counts as right.
//
// Guarantees:
//   - It is pure: it reads no file and runs nothing. What is measured is handed to it.
//   - What was not measured, or cannot be told, counts as right.
//   - A faulty declaration is refused when it is read, each fault by name.
package effect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Effect is one thing that a result must show.
type Effect struct {
	// Name is that of an entry of the package's list: duration, size …
	Name string
	// Rule says what is expected, by key. The key of a lone word is "is".
	Rule map[string]string
}

// None is the name of the effect of a tool that declares nothing; its rule gives the reason.
const None = "none"

// lone is the key of a rule that is one word: "sound: none".
const lone = "is"

// Effects are all that a tool declares.
type Effects []Effect

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
		return &yaml.TypeError{Errors: faults} // with which YAML reads on
	}
	return nil
}

// read reads one effect: a name with a word, or with a rule of several keys.
func read(item *yaml.Node) (Effect, error) {
	if item.Kind != yaml.MappingNode || len(item.Content) != 2 {
		return Effect{}, errors.New(`an effect is not of the form "name: rule"`)
	}
	e := Effect{Name: item.Content[0].Value, Rule: map[string]string{}}
	switch rule := item.Content[1]; rule.Kind {
	case yaml.ScalarNode:
		e.Rule[lone] = strings.TrimSpace(rule.Value)
	case yaml.MappingNode:
		for i := 0; i < len(rule.Content); i += 2 {
			key, value := rule.Content[i], rule.Content[i+1]
			if value.Kind != yaml.ScalarNode {
				return Effect{}, fmt.Errorf("the %s of the effect %s is not a word", key.Value, e.Name)
			}
			if _, twice := e.Rule[key.Value]; twice {
				return Effect{}, fmt.Errorf("the effect %s has %s twice", e.Name, key.Value)
			}
			e.Rule[key.Value] = strings.TrimSpace(value.Value)
		}
	default:
		return Effect{}, fmt.Errorf("the rule of the effect %s is neither a word nor a list of keys", e.Name)
	}
	return e, nil
}

// MarshalYAML writes the effect as it is read.
func (e Effect) MarshalYAML() (any, error) {
	if word, ok := e.word(); ok {
		return map[string]string{e.Name: word}, nil
	}
	return map[string]map[string]string{e.Name: e.Rule}, nil
}

// String is the effect as it is written in a tool's file.
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

// word is the rule of one word; false if the rule has keys.
func (e Effect) word() (string, bool) {
	word, ok := e.Rule[lone]
	return word, ok && len(e.Rule) == 1
}
