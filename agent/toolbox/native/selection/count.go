package selection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

// tally counts the items with one label.
type tally struct {
	label string
	count int
}

func tallies(items []item) []tally {
	var all []tally
	for _, it := range items {
		label := single(prose.OneLine(strings.ReplaceAll(prose.Clean(it.label), "_", " "))) // models repeat labels as requested: "balls"
		i := slices.IndexFunc(all, func(t tally) bool { return strings.EqualFold(t.label, label) })
		if i < 0 {
			all = append(all, tally{label, 1})
			continue
		}
		all[i].count++
	}
	slices.SortStableFunc(all, func(a, b tally) int { return b.count - a.count })
	return all
}

// String formats a tally for people: "2 dogs", "1 cat", "3 without a label".
func (t tally) String() string {
	switch {
	case t.label == "":
		return fmt.Sprintf("%d without a label", t.count)
	case t.count == 1:
		return "1 " + t.label
	}
	return fmt.Sprintf("%d %s", t.count, plural(t.label))
}

// told returns the tally as a message. Labels are quoted as models gave them, not translated.
func (t tally) told() plan.Message {
	if t.label == "" {
		return plan.Say("%d without a label", t.count)
	}
	return plan.Quote(t.String())
}

// maxKinds is the maximum number of labels in a sentence.
const maxKinds = 12

// inventory lists the items by label: "2 dogs and 1 cat".
func inventory(items []item) plan.Message {
	all := tallies(items)
	var parts []plan.Message
	for i, t := range all {
		if i == maxKinds {
			parts = append(parts, plan.Say("%d other kinds", len(all)-i))
			break
		}
		parts = append(parts, t.told())
	}
	if len(parts) == 0 {
		return plan.Message{}
	}
	last := len(parts) - 1
	return plan.Join("%s and %s", plan.Join("%s, %s", parts[:last]...), parts[last])
}

// countSentence says how many items there are; noun is the name for unlabelled items.
func countSentence(items []item, noun string) string {
	all := tallies(items)
	verb := "are"
	if len(items) == 1 {
		verb = "is"
	}
	switch {
	case len(items) == 0:
		return "There is none."
	case len(all) == 1 && all[0].label == "":
		return fmt.Sprintf("There %s %s.", verb, tally{noun, len(items)})
	case len(all) == 1:
		return fmt.Sprintf("There %s %s.", verb, all[0])
	}
	return fmt.Sprintf("There %s %d: %s.", verb, len(items), inventory(items))
}

// countObjects counts boxes by label.
func countObjects(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	_, items, err := boxItems(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	return counted(items, "object"), nil
}

// countCategories counts classes.
func countCategories(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	classes, items, err := classItems(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(tallies(items)) < len(items) || len(items) < 2 {
		return counted(items, "category"), nil
	}
	var names []string
	for i, k := range classes {
		if i == maxKinds {
			names = append(names, fmt.Sprintf("%d others", len(classes)-i))
			break
		}
		names = append(names, k.Label)
	}
	return toolbox.Output{
		Value: fmt.Sprintf("There are %d: %s.", len(classes), prose.Join(names, "and")),
		About: plan.Say("the count"),
	}, nil
}

func counted(items []item, noun string) toolbox.Output {
	return toolbox.Output{Value: countSentence(items, noun), About: plan.Say("the count")}
}
