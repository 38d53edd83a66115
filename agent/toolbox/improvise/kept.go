package improvise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// Check tells what is wrong with a stored program.
func Check(stored string) error {
	p, err := parse(stored)
	if err == nil && p.Refusal != "" {
		err = complaint("the answer is a refusal, and no program.")
	}
	return err
}

// Params declares the settings of a stored program as a tool takes them: each may be left out, and is
// then what it was.
func Params(stored string) []param.Param {
	p, err := parse(stored)
	if err != nil {
		return nil
	}
	all := make([]param.Param, len(p.Settings))
	for i, s := range p.Settings {
		all[i] = s.param()
	}
	return all
}

// param declares a setting.
func (s setting) param() param.Param {
	about := strings.Join(strings.Fields(s.About), " ")
	p := param.Param{Name: s.Name, Type: param.Text, About: cmp.Or(about, strings.ReplaceAll(s.Name, "_", " ")), Optional: true}
	switch s.Type {
	case "number":
		p.Type = param.Number
	case "colour":
		if p.Type = param.Colour; !p.Reads(s.Value) {
			p.Type = param.Text // said in a way that only the program knows
		}
	}
	if p.Reads(s.Value) {
		p.Default = s.Value
	}
	return p
}

// with is the program with settings of a call. One that means what is there already stays as it was
// written.
func (p program) with(values map[string]param.Value) program {
	settings := make([]setting, len(p.Settings))
	for i, s := range p.Settings {
		if v, ok := values[s.Name]; ok {
			if was, err := s.param().Read(s.Value); err != nil || was.String() != v.String() {
				s.Value = v.String()
			}
		}
		settings[i] = s
	}
	p.Settings = settings
	return p
}

// runKept runs the program of a tool file over the resources of the call.
func (b *Backend) runKept(ctx context.Context, c toolbox.Candidate, call toolbox.Call, m machine) (toolbox.Output, error) {
	p, err := parse(c.Program)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("read the program of %s: %w", call.Tool, err)
	}
	j, err := b.newJob(ctx, call, m, strings.Fields(c.Inputs)...)
	if err != nil {
		return toolbox.Output{}, err
	}
	p.About, p.Checks = "", nil // they were said of the first results
	out, err := j.run(ctx, p.with(call.Params), 1)
	if t, ok := errors.AsType[*plan.Trouble](err); ok {
		return out, &plan.Fault{Sentence: plan.Say("The program of this tool did not work."), Err: t}
	}
	return out, err
}
