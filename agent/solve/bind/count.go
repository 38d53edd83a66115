package bind

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// counted returns the index of the slot that the words beside a bare number name, or -1. Stray
// means that some settings for numbers are free, but the number is for none of them.
func (f filling) counted(said plan.Said) (at int, stray bool) {
	text := said.Text()
	number := bareNumber(text)
	choice := func(s slot) bool { return f.source(s).Kind == plan.Blank && s.param.Counts(text) } // "2 columns"
	if !param.Type(said.Type).IsNumber() || number == "" || slices.ContainsFunc(f.slots, choice) {
		return -1, false
	}
	after, before := beside(text, number)
	if after == "" && before == "" {
		after, before = beside(f.task, number)
	}
	var free []int // slots of one action
	for i, s := range f.slots {
		if s.param.Type.IsNumber() && f.source(s).Kind == plan.Blank && s.param.Reads(text) {
			free = append(free, i)
		}
		if len(free) == 0 || i+1 < len(f.slots) && f.slots[i+1].action == s.action {
			continue
		}
		settings := make([]param.Param, len(free))
		for k, i := range free {
			settings[k] = f.slots[i].param
		}
		if k := param.Meant(settings, after, before, s.tool.Says); k >= 0 {
			return free[k], false
		}
		free, stray = nil, true
	}
	return -1, stray
}

// bareNumber returns the only number of a text, in figures or spelled out; "" if there are several, or one has a unit.
func bareNumber(text string) string {
	found := quantity.Find(text)
	if len(found) > 1 || len(found) == 1 && found[0].Unit != quantity.Number && found[0].Unit != quantity.Length {
		return ""
	}
	if len(found) == 1 {
		number, _, _ := strings.Cut(text[found[0].Start:found[0].End], " ") // "5 words"
		return number
	}
	words := strings.Fields(text)
	if i := slices.IndexFunc(words, quantity.Spelled); i >= 0 {
		return words[i]
	}
	return ""
}

// beside returns up to three words after and before a number in a text, without those behind a comma or an "and".
func beside(text, number string) (after, before string) {
	const most = 3
	words := strings.Fields(strings.ToLower(text))
	trim := func(w string) string { return strings.TrimRight(w, ",;.:!?") }
	at := slices.IndexFunc(words, func(w string) bool { return trim(w) == strings.ToLower(number) })
	if at < 0 {
		return "", ""
	}
	ends := func(w string) bool {
		return slices.Contains([]string{"and", "with", "or"}, w) || quantity.Find(w) != nil
	}
	var behind, ahead []string
	for i := at + 1; i < len(words) && len(behind) < most && trim(words[i-1]) == words[i-1] && !ends(words[i]); i++ {
		behind = append(behind, trim(words[i]))
	}
	for i := at - 1; i >= 0 && len(ahead) < most && trim(words[i]) == words[i] && !ends(words[i]); i-- {
		ahead = slices.Insert(ahead, 0, words[i])
	}
	return strings.Join(behind, " "), strings.Join(ahead, " ")
}
