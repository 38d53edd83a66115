// Package effect says what the result of a tool must show, and judges whether it does.
//
// A tool declares its effects in its YAML file, in terms of its arguments and settings:
//
//	effects:
//	  - duration: {of: video, part: range}
//	  - sound: {at_most: video}
//	  - size: {of: video}
//
// or says why it has none:
//
//	effects:
//	  - none: what a label should be cannot be measured
//
// The effects, and their tolerances (a correct result must never be rejected, so that each is
// generous, and what cannot be told counts as right):
//
//   - duration: {of: ARG} lasts as long as the argument, or as all of it together where it
//     takes many. With part: SETTING, as long as that part of it; with divided_by: SETTING, that
//     much shorter; with times: SETTING or a number, so many times as long; with most: 30s, not longer than
//     that. {least: 500ms} lasts at least that long; {of: ARG, is: not longer} sets no lower bound. Exact to 0.15 s, two pictures of each video,
//     and 1 %. There is no lower bound where the pictures of a silent video are unevenly spaced.
//   - size: {of: ARG} has its size in pixels, or with scaled_by, within, turned_by or part: SETTING, the
//     size that follows from it. default: VALUE stands for a setting that is absent. With fits:
//     3840x2160, smaller ones of that shape are taken where it is larger. is: larger, not larger or
//     same shape compare less strictly; with shape: SETTING it has that shape, and no side is smaller.
//     Icons
//     are fitted into 256 × 256 pixels. Exact to 1 pixel, 3 for slanted turns, 2 and 1 % for videos, which have even sides; 3 % for a
//     shape.
//   - shows: {of: ARG} shows the same picture; with part, turned_by or mirrored: SETTING, or
//     boxes: ARG, that part of it or as it looks then. Compared on a grid of at most 16 × 16 means, which
//     may differ by 20 of 255 on average. What is transparent is not compared.
//   - changed: {of: ARG} is not the same picture, pixel by pixel, give or take 2 of 255; with
//     inside: MASK or REGION, within it.
//   - unchanged: {of: ARG, outside: MASK} is the same picture where the mask does not lie, nor next
//     to it: means on a grid of 48 × 48 may differ by 24 of 255 on average. Outside of a REGION, which is a
//     setting, pixels may differ by 4 on average.
//   - colour: none. Mean saturation below 4 of 255, and below 24 in 99.5 % of the pixels.
//   - transparency: some, or {outside: MASK} where the mask leaves something out.
//   - detail: some. It is not of one colour, give or take 3 of 255.
//   - sharpness: {below: ARG} has less of it than the argument, where that has some.
//   - adjusted: {of: ARG, by: SETTING} looks as a single adjustment says: brighter, with less contrast …
//     Only the direction counts, and only where the picture leaves room for it.
//   - frames: {of: ARG} has one picture for each; {like: ARG} is still animated, if it was a GIF; {least: 2}.
//   - format: gif, or {named_by: SETTING}: by its first bytes, and by its codec where one is named.
//   - bytes: {most: SETTING}. Exact.
//   - sound: some, none, {like: ARG} where that has some, {most: ARG} none where that has none.
//   - loudness: audible, above -69 LUFS; {near: -16, of: ARG}, or near: SETTING: within 1.5 LU,
//     or at least half way there.
//   - files: 1, or {most: ARG}: not more than there are entries in the argument's lists.
//   - items: {most: ARG}: the list is not longer.
//   - length: {below: ARG} where that has 600 letters or more; {most: 300} letters.
//   - language: {of: ARG} or {named_by: SETTING}: by its script, and by common words where a text of 12
//     words or more has none of its language and a fifth of them of another.
//   - number: some. A digit, a number in words, or none.
//   - holds: ARG. The words of the argument stand in it.
//   - speech: {of: ARG} lasts long enough for its letters, 50 a second; from 200 letters.
//
// Promises:
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
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: the effects are not a list", node.Line)}}
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
