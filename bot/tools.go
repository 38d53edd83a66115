package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"atelier/agent/toolbox"
)

type toolsCommand struct {
	JSON bool `help:"Print JSON: [{name, domain, args, returns, live, by, why}]."`
}

// toolLine is a tool as it is printed.
type toolLine struct {
	Name    string    `json:"name"`
	Domain  string    `json:"domain"`
	Args    []argLine `json:"args"`
	Returns string    `json:"returns"`
	Live    bool      `json:"live"`
	// By is the kind of the backend that runs it, Why what it needs where none does.
	By  string `json:"by,omitempty"`
	Why string `json:"why,omitempty"`
}

type argLine struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Meaning  string `json:"meaning,omitempty"`
	Optional bool   `json:"optional,omitempty"`
	Many     bool   `json:"many,omitempty"`
}

// builtinKind is the kind of the backend that is part of the program.
const builtinKind = "native"

// Run lists the tools.
func (t *toolsCommand) Run(ctx context.Context, c *call) error {
	config, err := c.config(nil)
	if err != nil {
		return err
	}
	catalogue, err := config.catalogue()
	if err != nil {
		return err
	}
	tools, err := config.toolbox(ctx, catalogue)
	if err != nil {
		return err
	}
	statuses, err := tools.Statuses(ctx)
	if err != nil {
		return err
	}
	lines := make([]toolLine, len(statuses))
	for i, s := range statuses {
		lines[i] = newToolLine(s)
	}
	if t.JSON {
		return printJSON(c.Stdout, lines)
	}
	return printTools(c.Stdout, lines)
}

func newToolLine(s toolbox.Status) toolLine {
	l := toolLine{
		Name: s.Tool.Name, Domain: s.Tool.Domain, Args: []argLine{},
		Returns: string(s.Tool.Returns), Live: s.Live, By: s.By().Kind, Why: s.Why,
	}
	for _, a := range s.Tool.Args {
		l.Args = append(l.Args, argLine{a.Name, string(a.Type), string(a.Meaning), a.Optional, a.Many})
	}
	return l
}

func printTools(w io.Writer, lines []toolLine) error {
	var b strings.Builder
	live := 0
	for _, l := range lines {
		mark := "-"
		if l.Live {
			mark = "+"
			live++
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
		if l.By != "" && l.By != builtinKind {
			fmt.Fprintf(&b, " (%s)", l.By)
		}
		b.WriteString("\n")
		if l.Why != "" {
			fmt.Fprintf(&b, "    %s\n", l.Why)
		}
	}
	fmt.Fprintf(&b, "\n%d of %d tools can run here (+).\n", live, len(lines))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print the tools: %w", err)
	}
	return nil
}

// printJSON prints one value.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
