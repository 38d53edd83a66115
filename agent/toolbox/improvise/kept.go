package improvise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
)

// Check rejects the program of a tool file if it is not Python source.
func Check(source string) error {
	if _, err := parse(source); err == nil {
		return complaint("the program is the JSON of an earlier version; it should be Python: make the tool again with bot tool keep.")
	}
	return nil
}

// Keep converts a stored program for a tool file: its Python source, and its settings as optional
// parameters that default to their values. The source is "" if stored is not a program.
func Keep(stored string) (string, []param.Param) {
	p, err := parse(stored)
	if err != nil || p.Refusal != "" {
		return "", nil
	}
	all := make([]param.Param, len(p.Settings))
	var defaults strings.Builder
	for i, s := range p.Settings {
		all[i] = s.param()
		if all[i].Default == "" {
			fmt.Fprintf(&defaults, "SETTINGS.setdefault(%q, %s)\n", s.Name, s.python())
		}
	}
	at := 0
	if last := futureImport.FindAllStringIndex(p.Source, -1); last != nil {
		at = last[len(last)-1][1] // Python requires these first
	}
	return p.Source[:at] + defaults.String() + p.Source[at:], all
}

// Effects returns the checks of a stored program that also hold for other files, as effects of a tool. What
// depends on the files, such as a size or a duration, is left out.
func Effects(stored string) effect.Effects {
	p, err := parse(stored)
	if err != nil {
		return nil
	}
	var all effect.Effects
	for _, c := range p.Checks {
		e := effect.Effect{Name: c.Measure, Rule: map[string]string{"is": c.Value}}
		switch {
		case c.Measure == "format":
			e.Rule["is"] = formatOf(c.Value)
		case c.Measure == "files" && c.Value == "1":
		case c.Measure == "sound" && c.Value == "yes":
			e.Rule["is"] = "some"
		case c.Measure == "sound":
			e.Rule["is"] = "none"
		case c.Measure == "most_characters":
			e = effect.Effect{Name: "length", Rule: map[string]string{"most": c.Value}}
		default:
			continue
		}
		all = append(all, e)
	}
	return all
}

// futureImport is an import that must be the first statement of a program.
var futureImport = lazyregexp.New(`(?m)^from __future__ import (?:\([^)]*\)|[^(\n]*)[^\n]*\n`)

// param declares a parameter for a setting. It has no default if a tool file cannot express the
// value.
func (s setting) param() param.Param {
	about := strings.Join(strings.Fields(s.About), " ")
	p := param.Param{Name: s.Name, Type: param.Text, About: cmp.Or(about, strings.ReplaceAll(s.Name, "_", " ")), Optional: true}
	value := s.Value
	switch s.Type {
	case "number":
		p.Type = param.Number
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(n, 'f', -1, 64) // without an exponent
		}
	case "colour":
		if p.Type = param.Colour; !p.Reads(value) {
			p.Type = param.Text // in a notation that only the program knows
		}
	}
	if p.Reads(value) {
		p.Default = value
	}
	return p
}

// python returns the value as a Python literal.
func (s setting) python() string {
	if s.Type == "number" {
		return s.Value
	}
	return strconv.Quote(s.Value)
}

// settings returns the parameters of a call for its program, without missing ones. Defaults are
// passed as written in the tool file.
func settings(c toolbox.Candidate, call toolbox.Call) map[string]any {
	values := map[string]any{}
	for _, p := range c.Settings {
		v, ok := call.Params[p.Name]
		if !ok || v.IsZero() {
			continue
		}
		values[p.Name] = v.String()
		if usual := p.DefaultValue(); !usual.IsZero() && usual.String() == v.String() {
			values[p.Name] = p.Default
		}
		if n, ok := param.As[float64](v); ok {
			values[p.Name] = whole(n)
		}
		if n, ok := param.As[int](v); ok {
			values[p.Name] = n
		}
		if yes, ok := param.As[bool](v); ok {
			values[p.Name] = yes
		}
		if d, ok := param.As[time.Duration](v); ok {
			values[p.Name] = whole(d.Seconds())
		}
	}
	return values
}

// described lists the settings of a call, for people: "width 10, colour red".
func described(c toolbox.Candidate, values map[string]any) plan.Message {
	const most = 40
	var all []string
	for _, p := range c.Settings {
		v, ok := values[p.Name]
		if !ok {
			continue
		}
		said := []rune(strings.Join(strings.Fields(fmt.Sprint(v)), " "))
		if len(said) > most {
			said = append(said[:most-1], '…')
		}
		all = append(all, strings.ReplaceAll(p.Name, "_", " ")+" "+string(said))
	}
	if len(all) == 0 {
		return plan.Message{}
	}
	return plan.Quote(strings.Join(all, ", "))
}

// runKept runs the program of a tool file on the inputs of the call.
func (b *Backend) runKept(ctx context.Context, c toolbox.Candidate, call toolbox.Call, m machine) (toolbox.Output, error) {
	j, err := b.newJob(ctx, call, m, strings.Fields(c.Inputs)...)
	if err != nil {
		return toolbox.Output{}, err
	}
	told := settings(c, call)
	out, err := j.run(ctx, program{Source: c.Program}, told, 1)
	out.About = described(c, told)
	if len(out.More) == 0 && out.Path != "" {
		out.File = "" // named after its input, as any tool's result
	}
	if t, ok := errors.AsType[*plan.Trouble](err); ok {
		return out, &plan.Fault{Sentence: plan.Say("The program of this tool did not work."), Err: t}
	}
	return out, err
}
