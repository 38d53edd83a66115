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
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
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

// Silent reports whether the result has no sound.
func (all Effects) Silent() bool {
	return slices.ContainsFunc(all, func(e Effect) bool { return e.Name == "sound" && e.Rule[lone] == "none" })
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

// spec defines how an effect is declared and judged.
type spec struct {
	// of reports for which result types it can be declared; result is what is measured.
	of     func(plan.Type) bool
	result Measure
	keys   map[string]key
	// needs lists keys of which a rule must have at least one.
	needs []string
	// either lists keys of which a rule may have at most one.
	either []string
	// judge says what the result lacks, or nothing.
	judge func(ctx context.Context, c *Case, rule map[string]string) plan.Message
}

// specs holds the effects by name. It is read-only.
var specs = table()

func table() map[string]spec {
	sideBySide := resource(Pixels, picture)
	return map[string]spec{
		"duration": {of: lasting, result: Head | Played, needs: []string{"of", "least"}, judge: duration, keys: map[string]key{
			"of": resource(Played, heard), "part": parameter(param.TimeRange, param.TimeRanges),
			"divided_by": parameter(param.Factor), "times": orNumber(1, parameter(param.Integer)), "between": parameter(param.Duration),
			"plus": parameter(param.Duration), "set": parameter(param.Duration), "overlapping": parameter(param.Duration), "by": choiceWith("none"),
			"most": aTime(), "least": aTime(), lone: oneOf("not longer", "not shorter"),
		}},
		"size": {of: seen, result: Head | Played, needs: []string{"of"}, judge: size,
			either: []string{"scaled_by", "within", "part", "turned_by"}, keys: map[string]key{
				"of": resource(Head|Played, seen), "scaled_by": parameter(param.Size, param.Sizes), "within": parameter(param.Size),
				"turned_by": parameter(param.Angle), "part": parameter(param.Region), "fits": aSize(), "shape": parameter(param.Aspect),
				lone: oneOf("larger", "not larger", "same shape"),
			}},
		"shape": {of: picture, result: Head, needs: []string{lone}, judge: square, keys: map[string]key{lone: oneOf("square")}},
		"shows": {of: picture, result: Head | Pixels, needs: []string{"of"}, judge: shows,
			either: []string{"boxes", "part", "turned_by", "mirrored"}, keys: map[string]key{
				"of": sideBySide, "part": parameter(param.Region), "boxes": resource(0, listed), "turned_by": parameter(param.Angle),
				"mirrored": choiceOf("horizontal", "vertical", "both"),
			}},
		"changed": {of: picture, result: Pixels, needs: []string{"of"}, judge: changed, keys: map[string]key{
			"of": sideBySide, "inside": resourceOr(Cover, covering, param.Region), "where": parameter(param.Choice),
		}},
		"unchanged": {of: picture, result: Pixels, needs: []string{"outside"}, judge: unchanged, keys: map[string]key{
			"of": sideBySide, "outside": resourceOr(Cover, covering, param.Region), "where": parameter(param.Choice),
		}},
		"colour": {of: picture, result: Pixels, needs: []string{lone}, judge: colour, keys: map[string]key{lone: oneOf("none")}},
		"transparency": {of: picture, result: Pixels, needs: []string{lone, "outside"}, judge: transparency, keys: map[string]key{
			lone: oneOf("some"), "outside": resource(Cover, covering), "unless": parameter(param.Colour),
		}},
		"detail": {of: picture, result: Pixels, needs: []string{lone}, judge: detail, keys: map[string]key{lone: oneOf("some")}},
		"sharpness": {of: picture, result: Head | Pixels, needs: []string{"below"}, judge: sharpness, keys: map[string]key{
			"below": sideBySide,
		}},
		"adjusted": {of: picture, result: Head | Pixels, needs: []string{"by"}, judge: adjusted, keys: map[string]key{
			"of": sideBySide, "by": parameter(param.Adjustment),
		}},
		"frames": {of: seen, result: Head | Played, needs: []string{"of", "like", "least"}, judge: frames, keys: map[string]key{
			"of": resource(0, picture), "like": resource(Head, picture), "least": aNumber(1),
		}},
		"format": {of: written, result: Head | Played, needs: []string{lone, "named_by"}, judge: format, keys: map[string]key{
			lone: aFormat(), "named_by": namedFormat(),
		}},
		"bytes": {of: plan.Type.Media, result: Head, needs: []string{"most", "below"}, judge: bytes, keys: map[string]key{
			"most": parameter(param.FileSize), "below": resource(Head, plan.Type.Media),
		}},
		"sound": {of: heard, result: Played, needs: []string{lone, "like", "most"}, judge: sound, keys: map[string]key{
			lone: oneOf("some", "none"), "like": resource(Played, heard), "most": resource(Played, heard), "unless": parameter(param.TimeRange),
		}},
		"loudness": {of: heard, result: Played | Loudness, needs: []string{lone, "near", "by"},
			judge: loudness, either: []string{"near", "by"}, keys: map[string]key{
				lone: oneOf("audible"), "near": orNumber(-70, parameter(param.Number)), "of": resource(Loudness, heard),
				"by": parameter(param.Volume), "unless": parameter(param.TimeRange),
			}},
		"bit_rate": {of: soundOnly, result: Head | Played, needs: []string{"near"}, judge: bitRate, keys: map[string]key{
			"near": orNumber(1, parameter(param.Number)),
		}},
		"files": {of: anyType, needs: []string{lone, "most"}, judge: files, keys: map[string]key{
			lone: aNumber(1), "most": resource(0, listed),
		}},
		"items":  {of: listed, needs: []string{"most"}, judge: items, keys: map[string]key{"most": resource(0, listed)}},
		"length": {of: worded, needs: []string{"below", "most"}, judge: length, keys: map[string]key{"below": resource(0, worded), "most": aNumber(1)}},
		"language": {of: worded, needs: []string{"of", "named_by"}, judge: inLanguage, keys: map[string]key{
			"of": resource(0, worded), "named_by": parameter(param.Language),
		}},
		"number": {of: worded, needs: []string{lone}, judge: number, keys: map[string]key{lone: oneOf("some")}},
		"holds":  {of: readable, result: Words, needs: []string{lone}, judge: holds, keys: map[string]key{lone: resource(0, worded)}},
		"speech": {of: heard, result: Played, needs: []string{"of"}, judge: speech, keys: map[string]key{"of": resource(0, worded)}},
	}
}

//go:embed effects.txt
var about string

// Known describes an effect that a tool may declare.
type Known struct {
	Name string
	// About says how to write it and when it holds, with its tolerances.
	About string
	// Fields are the keys that its rule may have. "is" is the key of a single-word rule.
	Fields []string
	// Returns are the result types that can have it.
	Returns []plan.Type
}

// List describes all effects.
func List() []Known {
	var all []Known
	for line := range strings.Lines(about) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		s := specs[name]
		k := Known{Name: name, About: text, Fields: slices.Sorted(maps.Keys(s.keys))}
		for _, t := range plan.Types() {
			if s.of != nil && s.of(t) {
				k.Returns = append(k.Returns, t)
			}
		}
		all = append(all, k)
	}
	return all
}
