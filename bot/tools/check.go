package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/workshop"
)

type checkToolCommand struct {
	Files []string `arg:"" help:"The files."`
}

// Help returns the detailed help.
func (*checkToolCommand) Help() string {
	return `If a file has mistakes, the exit status is 2. These are warnings, and do not change the exit status: an
example that the built-in rules do not understand or that another tool matches, an unused argument, an
unknown domain, a program whose Debian package is not installed, a host that may not be called, or no
effects.`
}

// Run checks the files and prints what is wrong.
func (k *checkToolCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	// Compare only with the built-in tools, since files in the operator's folder may be wrong.
	others, err := c.Builtin()
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	if own, err := shop.ReadCatalogue(); err == nil {
		others = own
	}
	var wrong []error
	for _, file := range k.Files {
		if err := k.check(ctx, c, shop, others, file); err != nil {
			wrong = append(wrong, err)
		}
	}
	return joined(wrong)
}

// joined returns one error for several files; another kind of error than wrong usage alone.
func joined(wrong []error) error {
	var all []string
	for _, err := range wrong {
		if _, usage := errors.AsType[*fault.UsageError](err); !usage {
			return err
		}
		all = append(all, err.Error())
	}
	if len(all) == 0 {
		return nil
	}
	return fault.Usage("%s", strings.Join(all, "\n"))
}

// check checks one file.
func (k *checkToolCommand) check(ctx context.Context, c *command.Call, shop workshop.Workshop, others *toolbox.Catalogue, file string) error {
	if err := isToolFile(c, shop, file); err != nil {
		return err
	}
	tool, err := readTool(file)
	if err != nil {
		return err
	}
	if tool.Origins == nil || slices.Contains(tool.Origins, toolbox.Own) {
		if err := checkToolName(c, tool.Name); err != nil {
			return err
		}
	}
	warnings, err := toolWarnings(ctx, others, shop.Backends.Hosts.Allow, tool)
	if err != nil {
		return err
	}
	if err := output.Say(c.Stdout, "%s: the tool %s is valid.\n", file, tool.Name); err != nil {
		return err
	}
	for _, w := range warnings {
		if err := output.Say(c.Stdout, "  warning: %s\n", w); err != nil {
			return err
		}
	}
	return nil
}

// toolWarnings lists what is probably a mistake in a tool's file.
func toolWarnings(ctx context.Context, others *toolbox.Catalogue, mayCall func(url string) bool, tool toolbox.Tool) ([]string, error) {
	all := tool.Warnings()
	if known := others.Domains(); !slices.Contains(known, tool.Domain) {
		all = append(all, fmt.Sprintf("no other tool has the domain %s; the domains are %s", tool.Domain, strings.Join(known, ", ")))
	}
	for _, b := range tool.Backends {
		if b.Request != nil && !mayCall(b.Request.Base()) {
			all = append(all, fmt.Sprintf("tools are not allowed to call %s: to allow it, add it to ATELIER_HTTP_HOSTS", b.Request.Host()))
		}
		if b.Recipe == nil {
			continue
		}
		for _, program := range b.Recipe.Programs() {
			if !installed(program) {
				all = append(all, fmt.Sprintf("the program %s is not installed here, so the tool cannot run yet: apt-get install %s", program, b.Debian))
			}
		}
	}
	tools := slices.DeleteFunc(slices.Clone(others.All()), func(t toolbox.Tool) bool { return t.Name == tool.Name })
	planner, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(append(tools, tool), others.Models()...)})
	if err != nil {
		return nil, fmt.Errorf("plan the examples: %w", err)
	}
	for _, example := range tool.Examples {
		problem, err := misunderstood(ctx, planner, tool, example)
		if err != nil {
			return nil, err
		}
		if problem != "" {
			all = append(all, fmt.Sprintf("the example %q %s", example, problem))
		}
	}
	return all, nil
}

// installed reports whether a program is on this machine.
func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// unknownPrograms reports programs of a backing that are neither installed nor in a Debian package that the file names.
// That a program is missing from argv is reported elsewhere.
func unknownPrograms(b toolbox.Backing) error {
	if b.Recipe == nil || b.Debian != "" {
		return nil
	}
	for _, program := range b.Recipe.Programs() {
		if program != "" && !installed(program) {
			return fmt.Errorf("the program %s is not installed: correct its name, "+
				"or say which Debian package has it, with debian: PACKAGE below argv", program)
		}
	}
	return nil
}

// misunderstood says how the rules misunderstand an example; "" if they choose its tool.
func misunderstood(ctx context.Context, planner *rules.Planner, tool toolbox.Tool, example string) (string, error) {
	var problem string
	for _, r := range exampleRequests(tool, example) {
		d, err := planner.Decompose(ctx, r, nil)
		if err != nil {
			return "", fmt.Errorf("plan the examples: %w", err)
		}
		var takers []string
		for _, t := range d.Subtasks {
			takers = append(takers, t.Tool)
		}
		switch {
		case len(d.Left) > 0 && d.Question == "":
			problem = fmt.Sprintf("is understood only in part, without “%s”", strings.Join(d.Left[0].Unknown, ", "))
		case slices.Contains(takers, tool.Name):
			return "", nil
		case len(takers) > 0:
			problem = "is understood as a request for " + strings.Join(takers, " and ")
		default:
			problem = "is not understood: " + strings.TrimSuffix(d.Question+d.Reply, " Or did you mean one of these?") + unitHint(tool, r.Wish)
		}
	}
	return problem, nil
}

// unitHint names the types of settings for the first quantity of a request whose unit no setting of the tool takes.
func unitHint(tool toolbox.Tool, wish string) string {
	for _, q := range quantity.Find(wish) {
		if q.Unit == quantity.Number || slices.ContainsFunc(tool.Params, func(p param.Param) bool { return p.Takes(q.Unit) }) {
			continue
		}
		takes := slices.DeleteFunc(param.Types(), func(t string) bool { return !param.Type(t).Takes(q.Unit) })
		if len(takes) > 0 {
			return fmt.Sprintf(" No setting takes %q: that needs the type %s.", wish[q.Start:q.End], strings.Join(takes, " or "))
		}
	}
	return ""
}

// exampleRequests returns the requests that an example may stand for, with the files of its slots and one
// for each other required argument. A text may be a file or part of the request.
func exampleRequests(tool toolbox.Tool, example string) []plan.Request {
	r := plan.Request{Wish: toolbox.Wish(example)}
	missing, texts := map[plan.Type]int{}, false
	for _, a := range tool.Args {
		switch {
		case a.Param != nil || a.Optional:
		case a.Type == plan.Text:
			texts = true
		case slices.Contains(foundOnPictures, a.Type):
			missing[plan.Image] = max(1, missing[plan.Image])
		default:
			missing[a.Type]++
		}
		if a.Many {
			missing[a.Type]++
		}
	}
	for _, slot := range toolbox.Slots(example) {
		typ := retrieve.FileType(slot)
		if typ == "" && fileName.MatchString(slot) && len(missing) == 1 { // of an unknown format
			typ = slices.Collect(maps.Keys(missing))[0]
		}
		if typ != "" {
			r.Given = append(r.Given, sample(slot, typ))
			missing[typ]--
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(missing)) {
		for n := range max(0, missing[typ]) {
			if ending, ok := sampleEndings[typ]; ok {
				r.Given = append(r.Given, sample(fmt.Sprintf("sample-%s-%d.%s", typ, n+1, ending), typ))
			}
		}
	}
	all := []plan.Request{r}
	if texts {
		r.Given = append(slices.Clone(r.Given), sample("sample.txt", plan.Text))
		all = append(all, r)
	}
	return all
}

// sampleEndings are the extensions of the sample files.
var sampleEndings = map[plan.Type]string{
	plan.Image: "png", plan.Video: "mp4", plan.Audio: "mp3", plan.Document: "pdf", plan.AnyFile: "png",
	plan.Edge: "png", plan.Line: "png", plan.HED: "png", plan.Scribble: "png", plan.Pose: "png", plan.Depth: "png", plan.Normal: "png",
}

// foundOnPictures are types that only other tools produce, from pictures.
var foundOnPictures = []plan.Type{plan.BBox, plan.Points, plan.Category, plan.Mask, plan.Segmentation}

// fileName matches a text that looks like a file name.
var fileName = regexp.MustCompile(`^\S+\.[a-z0-9]{2,5}$`)

func sample(name string, typ plan.Type) plan.Resource {
	r := plan.Resource{Name: name, Type: typ, File: name}
	if typ == plan.AnyFile {
		r.Type = plan.Image
	}
	if typ == plan.Text {
		r.Value = "name,price\nA tree,12\nA house,1200\n"
	}
	return r
}
