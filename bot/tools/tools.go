// Package tools implements the commands that list, write, check, try and keep tools.
package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/bot/output"
	"atelier/bot/settings"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// ListCommand is bot tools.
type ListCommand struct {
	JSON bool `help:"Print JSON: [{name, domain, args, returns, live, by, ways, on, why}], or of servers [{server, kind, state, why, ways, all, running, …}]."`

	Servers bool `help:"List the servers and programs that tools run on, and their health, instead of the tools."`
}

// ToolLine is a tool in the list.
type ToolLine struct {
	Name    string    `json:"name"`
	Domain  string    `json:"domain"`
	Args    []argLine `json:"args"`
	Returns string    `json:"returns"`
	Live    bool      `json:"live"`
	// By is the preferred server. Why says what the tool needs if there is none.
	By string `json:"by,omitempty"`
	// Ways are the candidates that can run it now, in the order in which they are tried.
	Ways []string `json:"ways,omitempty"`
	// On lists the hosts of candidates that only other processes have.
	On  map[string][]string `json:"on,omitempty"`
	Why string              `json:"why,omitempty"`
}

type argLine struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Meaning  string `json:"meaning,omitempty"`
	Optional bool   `json:"optional,omitempty"`
	Many     bool   `json:"many,omitempty"`
	// Schema is the JSON Schema of a setting's value.
	Schema map[string]any `json:"schema,omitempty"`
}

// Run lists the tools.
func (t *ListCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.WorkshopWithModel(ctx, nil) // tools may run on the model's server
	if err != nil {
		return err
	}
	catalogue, err := shop.ReadCatalogue()
	if err != nil {
		return err
	}
	var workers []jobs.Worker
	if !t.Servers {
		if workers, err = LiveWorkers(ctx, shop); err != nil {
			why := fault.SentenceOr(err, "They cannot be reached.")
			_, _ = fmt.Fprintf(c.Stderr, "The tools of other processes are unknown. %s\n", why) //nolint:errcheck // the tools are listed anyway
		}
	}
	shop.Elsewhere = func(context.Context) (map[string][]plan.Candidate, error) { return jobs.ToolsOf(workers), nil }
	tools, err := shop.Toolbox(ctx, catalogue)
	if err != nil {
		return err
	}
	if t.Servers {
		return t.printServers(ctx, c, tools)
	}
	statuses, err := tools.Statuses(ctx)
	if err != nil {
		return err
	}
	here, err := tools.Local(ctx)
	if err != nil {
		return err
	}
	lines := make([]ToolLine, len(statuses))
	for i, s := range statuses {
		lines[i] = newToolLine(s)
		lines[i].place(here, workers)
	}
	if t.JSON {
		return output.JSON(c.Stdout, lines)
	}
	return printTools(c.Stdout, lines)
}

func newToolLine(s toolbox.Status) ToolLine {
	l := ToolLine{
		Name: s.Tool.Name, Domain: s.Tool.Domain, Args: []argLine{},
		Returns: string(s.Tool.Returns), Live: s.Live, By: s.By().Server, Why: s.Why,
	}
	for _, way := range s.Candidates {
		l.Ways = append(l.Ways, way.Name)
	}
	for _, a := range s.Tool.Args {
		line := argLine{Name: a.Name, Type: string(a.Type), Meaning: string(a.Meaning), Optional: a.Optional, Many: a.Many}
		if a.Param != nil {
			line.Type, line.Meaning, line.Schema = string(a.Param.Type), "", a.Param.Schema()
		}
		l.Args = append(l.Args, line)
	}
	return l
}

// LiveWorkers lists the running processes: those on the configured Redis, or else the one on the data
// folder, if any.
func LiveWorkers(ctx context.Context, w workshop.Workshop) ([]jobs.Worker, error) {
	o, done, err := operate.Open(ctx, w)
	if err != nil {
		return nil, err
	}
	workers, err := o.Workers(ctx)
	if _, down := errors.AsType[*control.NotRunningError](err); down {
		err = nil
	}
	return workers, errors.Join(err, done())
}

// Servers lists the servers that can run it, in the order in which they are tried.
func (l *ToolLine) Servers() []string {
	var names []string
	for _, way := range l.Ways {
		name, _, _ := strings.Cut(way, ":")
		if hosts, elsewhere := l.On[way]; elsewhere {
			name += " on " + output.Plain(strings.Join(hosts, " and "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// place sets the hosts of candidates that this process does not have.
func (l *ToolLine) place(here map[string][]plan.Candidate, workers []jobs.Worker) {
	for _, way := range l.Ways {
		named := func(c plan.Candidate) bool { return c.Name == way }
		if slices.ContainsFunc(here[l.Name], named) {
			continue
		}
		if l.On == nil {
			l.On = map[string][]string{}
		}
		for _, w := range workers {
			if slices.ContainsFunc(w.Tools[l.Name], named) && !slices.Contains(l.On[way], w.Host) {
				l.On[way] = append(l.On[way], w.Host)
			}
		}
	}
}

// printServers lists the servers and programs that tools run on.
func (t *ListCommand) printServers(ctx context.Context, c *command.Call, tools *toolbox.Toolbox) error {
	all, err := tools.Health(ctx)
	if err != nil {
		return err
	}
	if t.JSON {
		return output.JSON(c.Stdout, all)
	}
	rows := [][]string{{"SERVER", "KIND", "STATE", "WAYS", "SAYS"}}
	for _, h := range all {
		rows = append(rows, []string{h.Server, h.Kind, string(h.State), fmt.Sprintf("%d of %d", h.Ways, h.All), output.Plain(h.Why)})
	}
	return output.Print(c.Stdout, output.Align(rows))
}

func printTools(w io.Writer, lines []ToolLine) error {
	var b strings.Builder
	live, far := 0, 0
	for _, l := range lines {
		mark := "-"
		if l.Live {
			mark = "+"
			live++
			if len(l.On) == len(l.Ways) {
				far++
			}
		}
		var args []string
		for _, a := range l.Args {
			switch arg := a.Name + " " + a.Type; {
			case a.Optional:
				args = append(args, "["+arg+"]")
			case a.Many:
				args = append(args, arg+"…")
			default:
				args = append(args, arg)
			}
		}
		fmt.Fprintf(&b, "%s %s(%s) → %s", mark, l.Name, strings.Join(args, ", "), l.Returns)
		if l.By != "" && (l.By != settings.BuiltinKind || len(l.On) == len(l.Ways)) {
			fmt.Fprintf(&b, " (%s)", strings.Join(l.Servers(), ", "))
		}
		b.WriteString("\n")
		if l.Why != "" {
			fmt.Fprintf(&b, "    %s\n", l.Why)
		}
	}
	switch far {
	case 0:
		fmt.Fprintf(&b, "\n%d of %d tools can run here (+).\n", live, len(lines))
	default:
		fmt.Fprintf(&b, "\n%d of %d tools can run (+), %d of them only in other processes.\n", live, len(lines), far)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print the tools: %w", err)
	}
	return nil
}
