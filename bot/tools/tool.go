package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/verify"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/workshop"
)

// Command helps to write tools.
type Command struct {
	New     NewToolCommand     `cmd:"" help:"Write the file of a new tool, to be filled in."`
	Check   checkToolCommand   `cmd:"" help:"Say what is wrong with the files of tools."`
	Try     tryToolCommand     `cmd:"" help:"Run a tool from its file, and check what its result must show."`
	Effects effectsToolCommand `cmd:"" help:"List the effects that a tool may declare, with their fields and tolerances."`
	Keep    keepToolCommand    `cmd:"" help:"Make a tool of the program that was written for a request."`
	Setup   setupToolCommand   `cmd:"" help:"Install the Python packages that programs written for a request may use."`
}

// checkToolName rejects what no tool of an operator may be called.
func checkToolName(c *command.Call, name string) error {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return fault.Usage("%q is no name of a tool: lower-case letters, digits and _ are expected.", name)
	}
	builtin, err := c.Builtin()
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	if _, there := builtin.Tool(name); there {
		return fault.Usage("%s.", toolbox.BuiltinNameError(name))
	}
	return nil
}

// writeTool writes the file of a tool, which must not be there yet.
func writeTool(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a file to be read by others
	if errors.Is(err, fs.ErrExist) {
		return fault.Usage("%s is there already.", path)
	}
	if err == nil {
		_, err = f.Write(content)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fault.Usage("%s cannot be written: %s.", path, fault.Reason(err))
	}
	return nil
}

// readTool reads the file of a tool.
func readTool(file string) (toolbox.Tool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return toolbox.Tool{}, fault.Usage("%s cannot be read: %s.", file, fault.Reason(err))
	}
	tool, err := toolbox.ReadTool(b)
	if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); err == nil && name != tool.Name {
		err = fmt.Errorf("it holds the tool %s, so it must be called %s.yaml", tool.Name, tool.Name)
	}
	for _, backing := range tool.Backends {
		if backing.Program != "" && err == nil {
			err = improvise.Check(backing.Program)
		}
	}
	if err != nil {
		return toolbox.Tool{}, fault.Usage("%s is wrong:\n  %s", file, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return tool, nil
}

type tryToolCommand struct {
	Tool string            `arg:"" help:"The tool's file."`
	Told map[string]string `arg:"" optional:"" help:"Texts and settings: NAME=VALUE."`
	File []string          `help:"A file for the tool's next resource, in their order." placeholder:"FILE"`
	Out  string            `help:"The folder for results. It is out if none is named." default:"out" placeholder:"DIR"`
}

// Run runs the tool once.
func (t *tryToolCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	tool, err := readTool(t.Tool)
	if err != nil {
		return err
	}
	use, err := t.use(ctx, shop, tool)
	if err != nil {
		return err
	}
	if shop.Films, err = shop.FFmpeg(); err != nil {
		return err
	}
	tools, err := shop.Toolbox(ctx, toolbox.NewCatalogue([]toolbox.Tool{tool}))
	if err != nil {
		return err
	}
	use.Dir, err = os.MkdirTemp("", "atelier-tool-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer os.RemoveAll(use.Dir) //nolint:errcheck // the system clears it too
	v := verify.New(verify.Config{Call: use, Effects: tool.Effects, Memory: shop.Memory, Player: shop.Films})
	made, err := tools.Run(ctx, tool.Name, "", use, func(o toolbox.Output) error { return v.Verify(ctx, o) })
	if err != nil {
		return failedRun(c, tool.Name, err)
	}
	return t.keep(c, tool.Name, made.Output)
}

// failedRun says why a run failed: what a program said itself comes first.
func failedRun(c *command.Call, name string, err error) error {
	said := plan.OperatorSentence(err, plan.Quote(err.Error())).String()
	var b strings.Builder
	program, ok := errors.AsType[*sandbox.FailedError](err)
	switch {
	case ok && strings.TrimSpace(program.Said) != "":
		fmt.Fprintf(&b, "bot: %s failed: %s ended with %s and said:\n\n", name, program.Program, program.Status())
		for line := range strings.Lines(strings.TrimSpace(program.Said)) {
			fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, "\n"))
		}
		fmt.Fprintf(&b, "\nPeople are told: %s\n", plan.Sentence(err, plan.Message{}))
	default:
		fmt.Fprintf(&b, "bot: %s failed: %s\n", name, said)
		for line := range strings.Lines(plan.ForOperator(err)) {
			line = strings.ReplaceAll(strings.TrimSpace(line), toolbox.ErrDown.Error()+": ", "")
			if !strings.HasSuffix(line, toolbox.ErrDown.Error()) && line != toolbox.ErrElsewhere.Error() {
				fmt.Fprintf(&b, "  %s\n", line)
			}
		}
	}
	if _, err := io.WriteString(c.Stderr, b.String()); err != nil {
		return fmt.Errorf("say why it failed: %w", err)
	}
	return fault.ExitError(fault.StatusFailed)
}

// use is a call of the tool with what the command line gives it.
func (t *tryToolCommand) use(ctx context.Context, shop workshop.Workshop, tool toolbox.Tool) (toolbox.Call, error) {
	use := toolbox.Call{Tool: tool.Name, Returns: tool.Returns, Args: map[string][]toolbox.Value{}, Now: time.Now(), Seed: 1}
	for name := range t.Told {
		if !slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool { return a.Name == name }) {
			return use, fault.Usage("%s has no argument %s.", tool.Name, name)
		}
	}
	files := t.File
	for _, a := range tool.Args {
		text, told := t.Told[a.Name]
		switch {
		case told && a.Type.Media():
			return use, fault.Usage("%s is a file: give it with --file %s.", a.Name, text)
		case told:
			use.Args[a.Name] = []toolbox.Value{{Resource: plan.Resource{Name: a.Name, Type: plan.Text, Value: text}}}
		case a.Param == nil && (a.Type.Media() || a.Type == plan.Text) && len(files) > 0:
			v, err := fileFor(ctx, files[0], a, shop.Limits())
			if err != nil {
				return use, err
			}
			use.Args[a.Name] = []toolbox.Value{v}
			files = files[1:]
		case !a.Optional:
			return use, fault.Usage("%s must be given: --file FILE for media or a text, %s=VALUE for anything else.", a.Name, a.Name)
		}
	}
	if len(files) > 0 {
		return use, fault.Usage("%s takes no further file: %s is left over.", tool.Name, files[0])
	}
	typed, err := tool.Typed(use)
	if err != nil {
		return use, fault.Usage("%s", plan.Sentence(err, plan.Message{}))
	}
	return typed, nil
}

// fileFor is the file as the argument takes it: a text by its content.
func fileFor(ctx context.Context, path string, a toolbox.Arg, l media.Limits) (toolbox.Value, error) {
	v := toolbox.Value{Resource: plan.Resource{Name: filepath.Base(path), Type: a.Type}, Path: path}
	info, err := media.InspectContext(ctx, path, l)
	switch {
	case err != nil:
		return v, fault.Usage("%s", cmp.Or(plan.Sentence(err, plan.Message{}).String(), err.Error()))
	case !info.Type.Fits(a.Type):
		return v, fault.Usage("%s is of the type %s, and %s is of the type %s.", path, info.Type, a.Name, a.Type)
	case a.Type != plan.Text:
		return v, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return v, fault.Usage("%s cannot be read: %s.", path, err)
	}
	v.Path, v.Value = "", string(content)
	return v, nil
}

// keep puts the results into the folder under the tool's name, or prints a text.
func (t *tryToolCommand) keep(c *command.Call, name string, made toolbox.Output) error {
	for i, o := range append([]toolbox.Output{made}, made.More...) {
		if o.Path == "" {
			if err := output.Say(c.Stdout, "%s\n", o.Value); err != nil {
				return err
			}
			continue
		}
		file := name
		if i > 0 {
			file = fmt.Sprintf("%s-%d", name, i+1)
		}
		to := filepath.Join(t.Out, file+filepath.Ext(o.Path))
		b, err := os.ReadFile(o.Path)
		if err == nil {
			err = os.MkdirAll(t.Out, 0o750)
		}
		if err == nil {
			err = os.WriteFile(to, b, 0o644) //nolint:gosec // a result to be looked at
		}
		if err != nil {
			return fault.Usage("%s cannot be written: %s.", to, fault.Reason(err))
		}
		if err := output.Say(c.Stdout, "%s was written: it shows what it must.\n", to); err != nil {
			return err
		}
	}
	return nil
}
