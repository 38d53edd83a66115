package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SourceKind is the kind of a [Source].
type SourceKind string

// The kinds of sources.
const (
	// Blank means that the argument is undecided.
	Blank SourceKind = ""
	// OfResource is a resource of the thread, by name.
	OfResource SourceKind = "resource"
	// OfValue is a literal from the request.
	OfValue SourceKind = "value"
	// OfAction is the output of an earlier action of the same solution, by index.
	OfAction SourceKind = "action"
	// OfSubtask is the result of an earlier subtask, by index.
	OfSubtask SourceKind = "subtask"
	// OfText is a text that quotes other sources: "{0}" in Value stands for the first of Parts,
	// "{1}" for the second. So one question can be asked about the results of two subtasks, like
	// several <GENERATED>s in a text of HuggingGPT.
	OfText SourceKind = "text"
)

// Source says where the value of an argument comes from. The zero Source is blank.
type Source struct {
	Kind  SourceKind `json:"kind,omitempty"`
	Name  string     `json:"name,omitempty"`  // of a resource
	Value string     `json:"value,omitempty"` // of a literal
	Index int        `json:"index,omitempty"` // of an action or a subtask
	Parts []Source   `json:"parts,omitempty"` // of an OfText: resources, actions or subtasks
}

// FromResource returns the source for a resource.
func FromResource(name string) Source { return Source{Kind: OfResource, Name: name} }

// FromValue returns the source for a literal.
func FromValue(v string) Source { return Source{Kind: OfValue, Value: v} }

// FromAction returns the source for the output of action i of the same solution.
func FromAction(i int) Source { return Source{Kind: OfAction, Index: i} }

// FromSubtask returns the source for the result of subtask i.
func FromSubtask(i int) Source { return Source{Kind: OfSubtask, Index: i} }

// FromText returns the source for a text that quotes the parts.
func FromText(template string, parts ...Source) Source {
	return Source{Kind: OfText, Value: template, Parts: parts}
}

// Leaves returns the parts of a text, or else s itself.
func (s Source) Leaves() []Source {
	if s.Kind == OfText {
		return s.Parts
	}
	return []Source{s}
}

// Equal reports whether two sources are the same.
func (s Source) Equal(other Source) bool {
	return s.Kind == other.Kind && s.Name == other.Name && s.Value == other.Value && s.Index == other.Index &&
		slices.EqualFunc(s.Parts, other.Parts, Source.Equal)
}

// Expand returns the text with each part replaced by its value. Values are not expanded again.
func (s Source) Expand(value func(Source) string) string {
	var pairs []string
	for i, p := range s.Parts {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", value(p))
	}
	return strings.NewReplacer(pairs...).Replace(s.Value)
}

// String renders the source for people: a name, a quoted literal or a reference.
func (s Source) String() string {
	switch s.Kind {
	case OfResource:
		return s.Name
	case OfValue:
		return fmt.Sprintf("%q", s.Value)
	case OfAction:
		return fmt.Sprintf("<action %d>", s.Index+1)
	case OfSubtask:
		return fmt.Sprintf("<result %d>", s.Index+1)
	case OfText:
		return fmt.Sprintf("%q", s.Expand(Source.String))
	default:
		return "?"
	}
}

// Binding binds an argument of a tool to a source.
type Binding struct {
	// Arg is the argument's name in the tool's definition.
	Arg string `json:"arg"`
	// Type is the type that the argument requires.
	Type   Type   `json:"type"`
	Source Source `json:"source"`
	// Options are the only sources that may fill a blank. Empty for an optional argument that takes
	// any literal of the request.
	Options []Source `json:"options,omitempty"`
	// Optional arguments may stay blank.
	Optional bool `json:"optional,omitempty"`
	// Setting is the canonical value of a parameter, read from the literal in Source or its default;
	// empty for a resource.
	Setting string `json:"setting,omitempty"`
}

// Repeats reports whether another argument has the same source as argument i.
func Repeats(args []Binding, i int) bool {
	return slices.ContainsFunc(slices.Concat(args[:i], args[i+1:]), func(b Binding) bool {
		return b.Source.Kind != Blank && b.Source.Equal(args[i].Source)
	})
}

// Action is one use of a tool.
type Action struct {
	Tool string `json:"tool"`
	// Candidate names the backend and model that run it, "" if undecided.
	Candidate string `json:"candidate,omitempty"`
	// With is the candidate's name for people, if there was a choice.
	With string `json:"with,omitempty"`
	// Entry is the hash of the tool's file when the action was planned.
	Entry   string    `json:"entry,omitempty"`
	Args    []Binding `json:"args,omitempty"`
	Returns Type      `json:"returns"`
	// Seed is passed to tools that take a seed. 0 means that the step chooses its own.
	Seed int64 `json:"seed,omitempty"`
	// Count is the number of results, made with consecutive seeds. 0 means one.
	Count int `json:"count,omitempty"`
}

// Solution is one way to do a subtask: actions in execution order. The last one makes the result.
type Solution struct {
	Actions []Action `json:"actions"`
	// Score is between 1 (useless) and 5 (certainly right).
	Score float64 `json:"score"`
	// Left are the words of the request for settings that none of the tools has.
	Left []string `json:"left,omitempty"`
}

// The scores of tools and of solutions (ControlLLM, Tables 7 and 8).
const (
	Worst = 1.0
	// Good is the minimum score at which a plan runs without asking.
	Good = 3.0
	// Fitting is the score of a tool that does exactly what is asked for.
	Fitting = 4.0
	Best    = 5.0
)

// Tools lists the names of the tools that the solution uses, in order.
func (s Solution) Tools() []string {
	names := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		names[i] = a.Tool
	}
	return names
}

// With returns the names of the candidates in which the solution differs from the chosen one; none
// if it does something else ([Solution.Varies]), or if they have no names.
func (s Solution) With(chosen Solution) []string {
	if !s.Varies(chosen) {
		return nil
	}
	var with []string
	for i, a := range s.Actions {
		before := chosen.Actions[i]
		if a.With != "" && a.Candidate != before.Candidate && a.With != before.With && !slices.Contains(with, a.With) {
			with = append(with, a.With)
		}
	}
	return with
}

// Varies reports whether two solutions do the same, possibly with different candidates.
func (s Solution) Varies(other Solution) bool {
	return slices.EqualFunc(s.Actions, other.Actions, func(a, b Action) bool {
		return a.Tool == b.Tool && slices.EqualFunc(a.Args, b.Args, func(x, y Binding) bool {
			return x.Arg == y.Arg && x.Source.Equal(y.Source)
		})
	})
}

// Blanks returns the required arguments without a source, as (action, argument) indexes.
func (s Solution) Blanks() [][2]int {
	var open [][2]int
	for i, a := range s.Actions {
		for j, b := range a.Args {
			if b.Source.Kind == Blank && !b.Optional {
				open = append(open, [2]int{i, j})
			}
		}
	}
	return open
}

// Chain returns the part of the solution that makes the result of action last: that action and the
// ones it depends on, renumbered.
func (s Solution) Chain(last int) Solution {
	actions := s.Actions
	needed := map[int]bool{last: true}
	for i := last; i >= 0; i-- {
		if !needed[i] {
			continue
		}
		for _, b := range actions[i].Args {
			for _, leaf := range b.Source.Leaves() {
				if leaf.Kind == OfAction {
					needed[leaf.Index] = true
				}
			}
		}
	}
	var chain []Action
	place := map[int]int{}
	for i := range last + 1 {
		if !needed[i] {
			continue
		}
		a := actions[i]
		a.Args = slices.Clone(a.Args)
		for j, b := range a.Args {
			a.Args[j].Source = b.Source.Renumbered(place)
		}
		place[i] = len(chain)
		chain = append(chain, a)
	}
	return Solution{Actions: chain}
}

// Renumbered returns the source with the indexes of actions mapped by place.
func (s Source) Renumbered(place map[int]int) Source {
	switch s.Kind {
	case OfAction:
		return FromAction(place[s.Index])
	case OfText:
		parts := slices.Clone(s.Parts)
		for i := range parts {
			parts[i] = parts[i].Renumbered(place)
		}
		return FromText(s.Value, parts...)
	default:
		return s
	}
}

// Candidate is one way to run a tool, as published by processes: a backend, on a server, with a
// model.
type Candidate struct {
	// Name is unique among the candidates of a tool, and the same in every process.
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Run    string `json:"run"`
	Server string `json:"server"`
	// Model is the server's name for the model, "" if unknown. Name includes it only if the
	// candidate is one of several models.
	Model string `json:"model,omitempty"`
	// Device is the device it runs on: cpu or gpu.
	Device      string `json:"device,omitempty"`
	Approximate bool   `json:"approximate,omitempty"`
	// Loading means that the model is loading; a call waits for it.
	Loading bool `json:"loading,omitempty"`
	// Cloud means that it is outside the private network.
	Cloud bool `json:"cloud,omitempty"`
	// Rank orders candidates across processes: the lowest is tried first.
	Rank int `json:"rank,omitempty"`
	// Entry is the hash of the tool's file in the process that publishes the candidate.
	Entry string `json:"entry,omitempty"`
}
