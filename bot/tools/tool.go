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

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/verify"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/workshop"
)

// Command is bot tool.
type Command struct {
	New     NewToolCommand     `cmd:"" help:"Write the file of a new tool, for you to complete."`
	Check   checkToolCommand   `cmd:"" help:"Check tools' files."`
	Try     tryToolCommand     `cmd:"" help:"Run a tool from its file, and check its effects."`
	Effects effectsToolCommand `cmd:"" help:"List the effects that a tool may declare, with their fields and tolerances."`
	Keep    keepToolCommand    `cmd:"" help:"Turn the program that was written for a request into a tool."`
	Setup   setupToolCommand   `cmd:"" help:"Install the Python packages that programs written for a request may use."`
}

// checkToolName rejects invalid names for a tool, and those of built-in tools.
func checkToolName(c *command.Call, name string) error {
	if bare, ok := strings.CutSuffix(name, ".yaml"); ok {
		return fault.Usage("%s is a file: expected a tool name, such as %s.", name, filepath.Base(bare))
	}
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return fault.Usage("Invalid tool name %q: expected lower-case letters, digits and _.", name)
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

// writeTool writes the file of a tool, which must not exist yet.
func writeTool(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a file to be read by others
	if errors.Is(err, fs.ErrExist) {
		return fault.Usage("%s already exists.", path)
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

// isToolFile rejects anything but the file of a tool, and suggests which file may be meant.
func isToolFile(c *command.Call, shop workshop.Workshop, given string) error {
	_, err := os.Stat(given)
	switch {
	case err == nil && filepath.Ext(given) == ".yaml":
		return nil
	case err == nil:
		return fault.Usage("%s is not a tool file, NAME.yaml. Give a file to work on with --file %s.", given, given)
	case !errors.Is(err, fs.ErrNotExist) || filepath.Ext(given) != "":
		return fault.Usage("%s cannot be read: %s.", given, fault.Reason(err))
	}
	for _, folder := range []string{"", shop.Catalogue} {
		if file := filepath.Join(folder, given+".yaml"); readable(file) {
			return fault.Usage("%s is a tool name: expected a file, such as %s.", given, file)
		}
	}
	builtin, err := c.Builtin()
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	if _, there := builtin.Tool(given); there {
		return fault.Usage("%s is a built-in tool: expected the file of your own tool, NAME.yaml.", given)
	}
	return fault.Usage("There is no file %s. Give a tool file, NAME.yaml; bot tool new NAME writes one.", given)
}

// readable reports whether a file exists.
func readable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// readTool reads the file of a tool.
func readTool(file string) (toolbox.Tool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return toolbox.Tool{}, fault.Usage("%s cannot be read: %s.", file, fault.Reason(err))
	}
	tool, err := toolbox.ReadTool(b, unknownPrograms, func(b toolbox.Backing) error {
		if b.Program == "" {
			return nil
		}
		return improvise.Check(b.Program)
	})
	var called struct{ Name string }
	named := yaml.Unmarshal(b, &called) == nil && called.Name != ""
	if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); named && name != called.Name {
		err = errors.Join(err, fmt.Errorf("it contains the tool %s, so it must be called %s.yaml", called.Name, called.Name))
	}
	if err != nil {
		return toolbox.Tool{}, fault.Usage("%s is invalid:\n  %s", file, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return tool, nil
}

type tryToolCommand struct {
	Tool string   `arg:"" help:"The tool's file: NAME.yaml."`
	Told []string `arg:"" optional:"" name:"name=value" help:"A text or setting for the tool, by its name in the tool's file."`
	File []string `sep:"none" help:"A file to work on. Repeat it for several files, in the order of the tool's args." placeholder:"FILE"`
	Out  string   `help:"The folder for the result, by default out." default:"out" placeholder:"DIR"`
}

// Help returns the detailed help.
func (*tryToolCommand) Help() string {
	return `The first line writes a tool to start with, and the second runs it on clip.mp4:

  bot tool new dim --takes video --returns video
  bot tool try dim.yaml --file clip.mp4 brightness=-20

A file is given with --file and its path, without the name of the arg. A tool whose args are a video and then
an image takes --file clip.mp4 --file logo.png. Texts and settings are given as NAME=VALUE, without dashes and
in any order; a value with spaces needs quotes: colour="dark red".

The result is out/dim.mp4; an older one is replaced. A text is printed. The effects that the file declares are
measured. If one is missing or a program fails, the error and the program's output are printed, and the exit
status is 1.`
}

// Run runs the tool once.
func (t *tryToolCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	if err := isToolFile(c, shop, t.Tool); err != nil {
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
		return fmt.Errorf("make a working folder: %w", err)
	}
	defer os.RemoveAll(use.Dir) //nolint:errcheck // the system clears it too
	v := verify.New(verify.Config{Call: use, Effects: tool.Effects, Memory: shop.Memory, Player: shop.Films})
	made, err := tools.Run(ctx, tool.Name, "", use, func(o toolbox.Output) error { return v.Verify(ctx, o) })
	if err != nil {
		return failedRun(c, tool.Name, err)
	}
	return t.keep(c, tool, made.Output)
}

// failedRun prints why a run failed, beginning with the output of the program.
func failedRun(c *command.Call, name string, err error) error {
	said := plan.OperatorSentence(err, plan.Quote(err.Error())).String()
	var b strings.Builder
	quote := func(printed string) {
		for line := range strings.Lines(strings.TrimSpace(printed)) {
			fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, "\n"))
		}
		fmt.Fprintf(&b, "\nPeople see: %s\n", plan.Sentence(err, plan.Message{}))
	}
	program, ran := errors.AsType[*sandbox.FailedError](err)
	python, kept := errors.AsType[*plan.Trouble](err)
	switch {
	case ran && strings.TrimSpace(program.Said) != "":
		fmt.Fprintf(&b, "bot: %s failed: %s ended with %s and said:\n\n", name, program.Program, program.Status())
		quote(program.Said)
	case kept && strings.TrimSpace(python.Printed) != "":
		fmt.Fprintf(&b, "bot: %s failed: %s Its program printed:\n\n", name, python.What)
		quote(python.Printed)
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
		return fmt.Errorf("print the error: %w", err)
	}
	return fault.ExitError(fault.StatusFailed)
}

// use returns a call of the tool with the arguments of the command line.
func (t *tryToolCommand) use(ctx context.Context, shop workshop.Workshop, tool toolbox.Tool) (toolbox.Call, error) {
	use := toolbox.Call{Tool: tool.Name, Returns: tool.Returns, Args: map[string][]toolbox.Value{}, Now: time.Now(), Seed: 1}
	values, err := t.values(tool)
	if err != nil {
		return use, err
	}
	for _, file := range t.File {
		if err := notNamed(tool, file); err != nil {
			return use, err
		}
	}
	files := t.File
	for i, a := range tool.Args {
		text, told := values[a.Name]
		switch {
		case told && a.Type.Media():
			return use, fault.Usage("%s is a file, which is given without its name: --file %s", a.Name, text)
		case told:
			use.Args[a.Name] = []toolbox.Value{{Resource: plan.Resource{Name: a.Name, Type: plan.Text, Value: text}}}
		case a.Param == nil && (a.Type.Media() || a.Type == plan.Text) && len(files) > 0:
			n := 1
			if a.Many {
				n = max(1, len(files)-filesAfter(tool, i))
			}
			for _, file := range files[:n] {
				v, err := fileFor(ctx, file, a, shop.Limits())
				if err != nil {
					return use, err
				}
				use.Args[a.Name] = append(use.Args[a.Name], v)
			}
			files = files[n:]
		case !a.Optional:
			return use, notGiven(a)
		}
	}
	if len(files) > 0 {
		return use, fault.Usage("Too many files for %s: %s is not used.", tool.Name, files[0])
	}
	typed, err := tool.Typed(use)
	if err != nil {
		return use, fault.Usage("%s", plan.Sentence(err, plan.Message{}))
	}
	return typed, nil
}

// notNamed rejects a file given as NAME=VALUE, the form for texts and settings.
func notNamed(tool toolbox.Tool, file string) error {
	name, value, ok := strings.Cut(file, "=")
	i := slices.IndexFunc(tool.Args, func(a toolbox.Arg) bool { return a.Name == name })
	switch {
	case !ok || i < 0 || readable(file):
		return nil
	case tool.Args[i].Type.Media():
		return fault.Usage("--file takes a path without a name: --file %s. Files are assigned to the tool's args in order.", value)
	}
	return fault.Usage("%s is not a file: give it without --file, as %s=VALUE.", name, name)
}

// values returns the texts and settings of the command line by name.
func (t *tryToolCommand) values(tool toolbox.Tool) (map[string]string, error) {
	values := map[string]string{}
	for _, told := range t.Told {
		name, text, ok := strings.Cut(told, "=")
		if _, err := os.Stat(told); err == nil && !ok {
			return nil, fault.Usage("%s is a file: give it with --file %s.", told, told)
		}
		if !ok {
			return nil, fault.Usage("%s must have the form NAME=VALUE.", told)
		}
		var names []string
		for _, a := range tool.Args {
			names = append(names, a.Name)
		}
		if !slices.Contains(names, name) {
			return nil, fault.Usage("%s has no argument %s: expected one of %s.", tool.Name, name, strings.Join(names, ", "))
		}
		if p, ok := tool.Param(name); ok && text != "" {
			if _, err := p.Read(text); err != nil {
				return nil, fault.Usage("%s: %s", name, plan.Sentence(err, plan.Message{}))
			}
		}
		if values[name] = text; text == "" {
			delete(values, name)
		}
	}
	return values, nil
}

// notGiven is the usage error for a missing argument.
func notGiven(a toolbox.Arg) error {
	switch {
	case a.Param != nil:
		bounds := ""
		if a.Param.Min != nil && a.Param.Max != nil {
			bounds = fmt.Sprintf(" It can be %s.", a.Param.Possible())
		}
		return fault.Usage("%s (%s) is missing: give it as %s=VALUE, with %s.%s", a.Name, a.About, a.Name, a.Param.Explain(), bounds)
	case a.Type == plan.Text:
		return fault.Usage("%s (%s) is missing: give it as %s=TEXT, or as a file with --file FILE.", a.Name, a.About, a.Name)
	case a.Type.Media():
		return fault.Usage("%s (%s) is missing: give a file of type %s with --file FILE.", a.Name, a.About, a.Type)
	}
	return fault.Usage("%s (%s) is missing: give it as %s=VALUE.", a.Name, a.About, a.Name)
}

// fileFor returns a file as the value of an argument; a text argument gets its content.
func fileFor(ctx context.Context, path string, a toolbox.Arg, l media.Limits) (toolbox.Value, error) {
	path, err := filepath.Abs(path) // programs run in another folder
	if err != nil {
		return toolbox.Value{}, fault.Usage("%s cannot be found: %s.", path, err)
	}
	v := toolbox.Value{Resource: plan.Resource{Name: filepath.Base(path), Type: a.Type}, Path: path}
	info, err := media.Inspect(ctx, path, l)
	switch {
	case err != nil:
		return v, fault.Usage("%s", cmp.Or(plan.Sentence(err, plan.Message{}).String(), err.Error()))
	case !info.Type.Fits(a.Type):
		return v, fault.Usage("%s has type %s, but %s expects type %s.", path, info.Type, a.Name, a.Type)
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

// filesAfter counts the files that arguments after the i-th require.
func filesAfter(tool toolbox.Tool, i int) int {
	n := 0
	for _, a := range tool.Args[i+1:] {
		if a.Type.Media() && !a.Optional {
			n++
		}
	}
	return n
}

// keep writes the results into the folder under the tool's name, or prints a text.
func (t *tryToolCommand) keep(c *command.Call, tool toolbox.Tool, made toolbox.Output) error {
	checked := "and its effects were checked"
	if len(tool.Effects) == 0 || tool.Effects[0].Name == effect.None { // none stands alone
		checked = "but not checked, since the tool declares no effects"
	}
	for i, o := range append([]toolbox.Output{made}, made.More...) {
		if o.Path == "" {
			if err := output.Say(c.Stdout, "%s\n", o.Value); err != nil {
				return err
			}
			continue
		}
		file := tool.Name
		if i > 0 {
			file = fmt.Sprintf("%s-%d", tool.Name, i+1)
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
		if err := output.Say(c.Stdout, "%s was written, %s.\n", to, checked); err != nil {
			return err
		}
	}
	return nil
}
