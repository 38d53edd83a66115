package tools

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/param"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/bot/output"
	"atelier/bot/settings"
	"atelier/jobs"
)

//go:embed tool_kept.yaml.tmpl
var keptToolFile string

type keepToolCommand struct {
	Request string `arg:"" help:"The request's ID, or its first letters."`
	Name    string `arg:"" help:"The tool's name: lower-case letters, digits and _."`
}

// Help returns the detailed help.
func (*keepToolCommand) Help() string {
	return `The file goes into the folder that ATELIER_CATALOGUE names. It holds the program, with an argument
for each of its files and a parameter for each of its settings. The tool asks no model. Its words and
examples come from the request: edit them as you like, check the file with bot tool check, and
restart bot serve.`
}

// Run writes NAME.yaml.
func (k *keepToolCommand) Run(ctx context.Context, c *command.Call) error {
	if err := checkToolName(c, k.Name); err != nil {
		return err
	}
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	if shop.Catalogue == "" {
		return fault.Usage("ATELIER_CATALOGUE is not set: set it to the folder for your own tools.")
	}
	catalogue, err := shop.ReadCatalogue()
	if err != nil {
		return err
	}
	if _, there := catalogue.Tool(k.Name); there {
		return fault.Usage("The tool %s already exists: choose another name.", k.Name)
	}
	return operate.With(ctx, c, func(o control.Jobs) error {
		id, err := operate.WholeID(ctx, o, k.Request)
		if err != nil {
			return err
		}
		r, err := o.Show(ctx, id)
		if err != nil {
			return operate.IfUnknown(err, "The request %s no longer exists.", id)
		}
		return k.keep(c, shop.Catalogue, r)
	})
}

// keep writes the tool of a request into the folder.
func (k *keepToolCommand) keep(c *command.Call, folder string, r jobs.Request) error {
	run, step, ok := Improvised(r)
	if !ok {
		return fault.Usage("The request %s has no working program.", r.ID)
	}
	kept := NewKept(r, run, step)
	content, err := kept.File(k.Name)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, k.Name+".yaml")
	if err := writeTool(path, content); err != nil {
		return err
	}
	return output.Say(c.Stdout, "%s", kept.introduction(k.Name, path))
}

// shellQuoted quotes a text for a shell, if necessary.
func shellQuoted(text string) string {
	switch {
	case text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,") == "":
		return text
	case !strings.ContainsAny(text, "\"$`\\!"):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Improvised returns the last step of a request that was done by a program written for it.
func Improvised(r jobs.Request) (jobs.Run, jobs.Step, bool) {
	for _, run := range slices.Backward(r.Runs) {
		for _, step := range slices.Backward(run.Steps) {
			result := run.Results[step.Key]
			written := slices.ContainsFunc(step.Action.Args, func(b plan.Binding) bool { return b.Arg == toolbox.ImprovisedTask })
			if written && result.Status == plan.Done && improvise.Source(result.Program) != "" {
				return run, step, true
			}
		}
	}
	return jobs.Run{}, jobs.Step{}, false
}

// Kept is a program to turn into a tool.
type Kept struct {
	request, wish, task, stored string
	inputs                      []plan.Type
	returns                     plan.Type
	several                     bool // whether it made several results
}

// NewKept returns the program of a step.
func NewKept(r jobs.Request, run jobs.Run, step jobs.Step) Kept {
	result := run.Results[step.Key]
	k := Kept{
		request: r.ID, wish: output.OneLine(cmp.Or(run.Guess, operate.WishOf(r)), 200), stored: result.Program,
		returns: step.Action.Returns, several: len(result.Outputs()) > 1,
	}
	if run.Plan != nil && step.Task < len(run.Plan.Tasks) {
		k.task = output.OneLine(run.Plan.Tasks[step.Task].Subtask.Description, 200)
	}
	names := func(b plan.Binding) bool { return b.Source.Name != "" && strings.Contains(k.task, b.Source.Name) }
	if slices.ContainsFunc(step.Action.Args, names) {
		k.task = "" // it is about that one file
	}
	for _, b := range step.Action.Args {
		if b.Arg == toolbox.ImprovisedInputs {
			k.inputs = append(k.inputs, b.Type)
		}
	}
	return k
}

// File returns the tool's file, which was validated.
func (k Kept) File(name string) ([]byte, error) {
	file, err := template.New("tool").Funcs(template.FuncMap{"yaml": scalar}).Parse(keptToolFile)
	if err != nil {
		return nil, fmt.Errorf("read a kept tool: %w", err)
	}
	d := keptDraft{Tool: k.tool(name), Request: k.request, Kind: settings.ImproviseKind}
	program, _ := improvise.Keep(k.stored)
	var b bytes.Buffer
	for _, d.Program = range []string{literal(program, "      "), strconv.Quote(program)} {
		b.Reset()
		if err := file.Execute(&b, d); err != nil {
			return nil, fmt.Errorf("write a kept tool: %w", err)
		}
		var tool toolbox.Tool
		if tool, err = toolbox.ReadTool(b.Bytes()); err == nil && tool.Backends[0].Program == program {
			return b.Bytes(), nil
		}
	}
	if err == nil {
		err = errors.New("YAML cannot represent it exactly")
	}
	return nil, fault.Usage("The program cannot be kept as a tool:\n  %s", strings.ReplaceAll(err.Error(), "\n", "\n  "))
}

// keptDraft is the data for the template of the file.
type keptDraft struct {
	toolbox.Tool

	Request, Kind, Program string
}

// introduction tells how to use the tool in the file at path.
func (k Kept) introduction(name, path string) string {
	t := k.tool(name)
	var files []string
	for _, typ := range k.inputs {
		files = append(files, "--file "+samplesOf(typ)[0])
	}
	line := func(words ...string) string {
		return "  " + strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ") + "\n"
	}
	given, wish := strings.Join(files, " "), cmp.Or(k.wish, strings.ReplaceAll(name, "_", " "))
	var b strings.Builder
	fmt.Fprintf(&b, "The program of the request %s is now your tool %s: %s\n\nAsk for it, or run it from its file:\n", k.request, name, path)
	b.WriteString(line("bot ask", given, shellQuoted(wish)))
	told := ""
	if len(t.Params) > 0 {
		told = t.Params[0].Name + "=" + shellQuoted(cmp.Or(t.Params[0].Default, t.Params[0].Explain()))
	}
	b.WriteString(line("bot tool try", path, given, told))
	if len(t.Params) > 0 {
		b.WriteString("\nIts settings:\n")
	}
	for _, p := range t.Params {
		usual := ""
		if p.Default != "" {
			usual = fmt.Sprintf(" (%s if nothing is said)", p.Default)
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", p.Name, p.About, usual)
	}
	if i := slices.IndexFunc(t.Params, func(p param.Param) bool { return p.Type == param.Number && p.Default != "" }); i >= 0 {
		p := t.Params[i]
		said := fmt.Sprintf("%s, with %s %s", wish, strings.ReplaceAll(p.Name, "_", " "), p.Default)
		b.WriteString("To say one:\n" + line("bot ask", given, shellQuoted(said)))
	}
	fmt.Fprintf(&b, "\nA running bot serve has the tool after a restart. To change its words, its program or its checks, edit the file, "+
		"and then: bot tool check %s\nTo remove the tool, delete the file.\n", path)
	return b.String()
}

// tool is the tool, without what runs it.
func (k Kept) tool(name string) toolbox.Tool {
	_, params := improvise.Keep(k.stored)
	words := strings.ReplaceAll(name, "_", " ")
	t := toolbox.Tool{
		Name: name, Description: sentenceOf(cmp.Or(k.task, k.wish, words)), When: "For requests like: " + cmp.Or(k.wish, words),
		Examples: k.examples(words), Domain: "general", Params: params, Returns: k.returns,
		Made:   "the " + cmp.Or(nounsOf[string(k.returns)].noun, "result") + " that " + words + " made",
		Suffix: strings.ReplaceAll(name, "_", "-"), Parts: k.several,
	}
	for _, e := range improvise.Effects(k.stored) {
		if (effect.Effects{e}).Check(k.returns, nil) == nil {
			t.Effects = append(t.Effects, e)
		}
	}
	t.Args = k.args(t)
	if len(t.Args) > 0 {
		t.Made += " from {" + t.Args[0].Name + "}"
	}
	if slices.ContainsFunc(params, func(p param.Param) bool { return p.Default != "" }) {
		t.Planned = t.Made
		t.Made += " ({" + toolbox.About + "})" // its settings
	}
	t.Moves = k.returns == plan.Image && slices.Contains(k.inputs, plan.Image)
	return t
}

// scalar returns a text as a YAML scalar on one line.
func scalar(text string) string {
	b, err := yaml.Marshal(text)
	line := strings.TrimSuffix(string(b), "\n")
	if err != nil || strings.Contains(line, "\n") {
		return strconv.Quote(text)
	}
	return line
}

// literal returns a text as an indented YAML block. Not every text can be written like this.
func literal(text, indent string) string {
	head := "|"
	if strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\n") {
		head += "2" // an explicit indentation indicator is needed
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		head += "-"
	case strings.HasSuffix(text, "\n\n"):
		head += "+"
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// args declares an argument for each type of file that the program was given.
func (k Kept) args(t toolbox.Tool) []toolbox.Arg {
	var all []toolbox.Arg
	for i, typ := range k.inputs {
		name := kindOf(typ)
		alike := func(o plan.Type) bool { return kindOf(o) == name }
		if slices.ContainsFunc(slices.Delete(slices.Clone(k.inputs), i, i+1), alike) {
			n := 1
			for _, before := range k.inputs[:i] {
				if alike(before) {
					n++
				}
			}
			name = fmt.Sprintf("%s_%d", name, n)
		}
		if _, taken := t.Param(name); taken {
			name += "_file"
		}
		a := toolbox.Arg{Name: name, Type: typ, About: "the " + strings.ReplaceAll(name, "_", " ") + " that is worked on"}
		if typ == plan.Text {
			a.Meaning = plan.Content
		}
		all = append(all, a)
	}
	return all
}

// kindOf is the name of an argument of the type.
func kindOf(t plan.Type) string {
	if t.ImageMap() {
		return string(plan.Image)
	}
	return string(t)
}

// these matches words for a file, such as "this picture".
var these = regexp.MustCompile(`(?i)\b(?:this|the|my|these|that) (?:picture|photo|photograph|image|drawing|scan|video|clip|film|recording|song|sound|track|` +
	`document|pdf|text|table|csv|file)s?( file)?\b`)

// samples are file names by type, for examples.
var samples = map[string][2]string{
	"image": {"photo.jpg", "picture.png"}, "video": {"clip.mp4", "film.mp4"}, "audio": {"song.mp3", "recording.wav"},
	"document": {"report.pdf", "letter.pdf"}, "text": {"notes.txt", "table.csv"},
}

// samplesOf returns two names for files of the type.
func samplesOf(t plan.Type) [2]string {
	if files, ok := samples[kindOf(t)]; ok {
		return files
	}
	return samples["image"]
}

// examples returns the request, and two requests that name a file.
func (k Kept) examples(words string) []string {
	wish := strings.NewReplacer("{", "(", "}", ")").Replace(cmp.Or(k.wish, words))
	files := samplesOf(append(slices.Clone(k.inputs), k.returns)[0])
	first := wish + ": {" + files[0] + "}"
	if at := these.FindStringIndex(wish); at != nil {
		first = wish[:at[0]] + "{" + files[0] + "}" + wish[at[1]:]
	}
	return []string{wish, first, words + ": {" + files[1] + "}"}
}

// sentenceOf adds a capital letter and a full stop.
func sentenceOf(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[n:]
	if last, _ := utf8.DecodeLastRuneInString(text); unicode.IsPunct(last) {
		return text
	}
	return text + "."
}
