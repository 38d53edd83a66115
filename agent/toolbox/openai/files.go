package openai

import (
	"errors"
	"maps"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// argument is one value of an argument.
type argument struct {
	toolbox.Value

	arg string
	// at is the position of the value in an argument with several, from 1; 0 if there is only one.
	at int
}

// arguments returns the values of a call, in the order in which the prompt mentions them, then the others by
// name.
func arguments(prompt string, c toolbox.Call) []argument {
	names := toolbox.Placeholders(prompt)
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(c.Args)), slices.Sorted(maps.Keys(c.Params))) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []argument
	for _, name := range names {
		if v, ok := c.Params[name]; ok {
			all = append(all, argument{Value: toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: v.String()}}, arg: name})
		}
		for i, v := range c.Args[name] {
			a := argument{Value: v, arg: name}
			if len(c.Args[name]) > 1 {
				a.at = i + 1
			}
			all = append(all, a)
		}
	}
	return all
}

// files returns the values that are media.
func files(c toolbox.Call) []argument {
	return slices.DeleteFunc(arguments("", c), func(a argument) bool { return a.Path == "" && !a.Type.Media() })
}

// fileOf returns the path of the call's first file of a type.
func fileOf(c toolbox.Call, t plan.Type) (string, error) {
	all := files(c)
	i := slices.IndexFunc(all, func(a argument) bool { return a.Type.Fits(t) && a.Path != "" })
	if i < 0 {
		return "", fault(errors.New("the call has no file of this type"), "The %s to work on is missing.", t)
	}
	return all[i].Path, nil
}

// promptText returns the prompt with the call's texts filled in.
func promptText(b toolbox.Candidate, c toolbox.Call) string { return toolbox.Expand(b.Prompt, c.Text) }
