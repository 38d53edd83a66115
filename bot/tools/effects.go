package tools

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/effect"
	"atelier/bot/command"
	"atelier/bot/output"
)

type effectsToolCommand struct{}

// Run lists the effects.
func (*effectsToolCommand) Run(c *command.Call) error {
	var b strings.Builder
	b.WriteString("Effects say how a result is checked: \"name: word\" or \"name: {field: value}\". ARG is an\n" +
		"argument, SETTING a setting. If a result cannot be measured, the check passes. A tool\n" +
		"without effects declares \"none: why\".\n")
	for _, k := range effect.List() {
		head := k.Name
		if fields := slices.DeleteFunc(slices.Clone(k.Fields), func(f string) bool { return f == "is" }); len(fields) > 0 {
			head += " {" + strings.Join(fields, ", ") + "}"
		}
		fmt.Fprintf(&b, "\n%s\n", strings.Join(folded(head+", of "+returned(k.Returns), 100), "\n    "))
		for _, line := range folded(k.About, 100) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return output.Say(c.Stdout, "%s", b.String())
}

// returned lists types; the control maps of pictures count as one.
func returned(types []plan.Type) string {
	if len(types) == len(plan.Types()) {
		return "any result"
	}
	var names []string
	for _, t := range types {
		if name := string(t); !t.ImageMap() || !slices.Contains(types, plan.Image) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// folded wraps a text to lines of a maximum length.
func folded(text string, most int) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last < 0 || len([]rune(lines[last]))+1+len([]rune(word)) > most {
			lines = append(lines, word)
			continue
		}
		lines[last] += " " + word
	}
	return lines
}
