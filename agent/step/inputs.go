package step

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// prepared is a step whose inputs have been fetched.
type prepared struct {
	inputs inputs
	call   toolbox.Call
	tool   toolbox.Tool
}

// remove removes the step's folder.
func (p prepared) remove() error {
	if err := os.RemoveAll(p.call.Dir); err != nil {
		return fmt.Errorf("remove the folder of the step: %w", err)
	}
	return nil
}

// prepare fetches the inputs of a step into a new folder.
func (a *Actor) prepare(ctx context.Context, w Work) (_ prepared, err error) {
	if err := ctx.Err(); err != nil {
		return prepared{}, err
	}
	if a.config.Blobs == nil {
		return prepared{}, errors.New("Blobs is required")
	}
	dir, err := os.MkdirTemp(a.config.Scratch, "atelier-step-")
	if err != nil {
		return prepared{}, fmt.Errorf("make a folder for the step: %w", err)
	}
	step := w.Steps[w.At]
	p := prepared{inputs: inputs{blobs: a.config.Blobs, work: w, dir: filepath.Join(dir, "in")}}
	p.tool, _ = a.config.Toolbox.Catalogue().Tool(step.Action.Tool)
	p.call = toolbox.Call{
		Tool: step.Action.Tool, Returns: step.Action.Returns, Request: w.Request.ID,
		Dir: dir, Seed: cmp.Or(step.Action.Seed, seed(w.identity())), Now: w.Request.At, Program: w.Program, Spent: w.Spent,
		Progress: w.Progress,
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.remove())
		}
	}()
	if p.call.Args, err = p.inputs.resolve(ctx, step.Action); err != nil {
		return p, err
	}
	if p.call.Now.IsZero() {
		p.call.Now = a.config.Clock()
	}
	typed, err := p.tool.Typed(p.call)
	if err == nil {
		p.call = typed
		if !w.Again && step.Action.Seed == 0 {
			p.call.Seed = cmp.Or(told(typed, toolbox.SeedParam), typed.Seed)
		}
	}
	return p, err
}

// told returns an integer parameter of a call, 0 if it is not set.
func told(c toolbox.Call, name string) int64 {
	n, _ := toolbox.Param[int](c, name)
	return int64(n)
}

// seed returns the same number for the same step, at most 30 bits of it: with the seeds after it for further results,
// it stays within the 31 bits that people can ask for.
func seed(identity string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(identity)) // never fails
	return int64(h.Sum64()>>34) + 1
}

// inputs resolves the arguments of one step to values and local files.
type inputs struct {
	blobs Blobs
	work  Work
	dir   string // folder of the local files, made for the first one
	files int    // number of fetched files
	// corrected are sentences about arguments of the wrong type that were replaced.
	corrected []plan.Message
}

// resolve returns the values of each argument. An argument bound to a step with several results
// gets all of them.
func (in *inputs) resolve(ctx context.Context, a plan.Action) (map[string][]toolbox.Value, error) {
	args := map[string][]toolbox.Value{}
	for _, b := range a.Args {
		if b.Setting != "" {
			args[b.Arg] = []toolbox.Value{{Resource: plan.Resource{Type: b.Type, Value: b.Setting}}}
			continue
		}
		if b.Source.Kind == plan.Blank {
			if !b.Optional {
				return nil, fmt.Errorf("argument %q of %s is blank", b.Arg, a.Tool)
			}
			continue
		}
		found, err := in.resources(b)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			v := toolbox.Value{Resource: r}
			switch {
			case r.Blob != "":
				if v.Path, err = in.fetch(ctx, r); err != nil {
					return nil, err
				}
			case r.Type.Media():
				return nil, &plan.Fault{Sentence: plan.Say("The file %s no longer exists.", r.Name)}
			}
			args[b.Arg] = append(args[b.Arg], v)
		}
	}
	return args, nil
}

// inputNames returns the names of the resources used by a call, files first, without duplicates.
func inputNames(a plan.Action, call toolbox.Call) []string {
	var files, small []string
	for _, b := range a.Args {
		for _, v := range call.Args[b.Arg] {
			switch {
			case slices.Contains(files, v.Name) || slices.Contains(small, v.Name):
			case v.Blob != "":
				files = append(files, v.Name)
			case v.Name != "":
				small = append(small, v.Name)
			}
		}
	}
	return append(files, small...)
}

// resources returns the resources of a binding. If they have the wrong type, the latest resource of
// the right type is used instead.
func (in *inputs) resources(b plan.Binding) ([]plan.Resource, error) {
	switch b.Source.Kind {
	case plan.OfValue:
		return []plan.Resource{{Type: b.Type, Value: b.Source.Value}}, nil
	case plan.OfText:
		r, err := in.text(b)
		return []plan.Resource{r}, err
	default: // a resource of the thread, or a step's results
	}
	found, err := in.lookUp(b.Source)
	if err != nil {
		return nil, err
	}
	r := found[0] // all results of a step have the same type
	if r.Type.Fits(b.Type) {
		return found, nil
	}
	right, ok := in.work.Memory.Latest(b.Type)
	if !ok {
		return nil, &plan.Fault{Sentence: plan.Say("A resource of type %s was needed, but %s has type %s.", b.Type, r.Name, r.Type)}
	}
	in.corrected = append(in.corrected,
		plan.Say("%s has type %s, but %s was needed, so %s was used.", r.Name, r.Type, b.Type, right.Name))
	return []plan.Resource{right}, nil
}

// text expands a text that quotes results.
func (in *inputs) text(b plan.Binding) (plan.Resource, error) {
	var errs []error
	text := b.Source.Expand(func(s plan.Source) string {
		if s.Kind == plan.OfValue {
			return s.Value
		}
		found, err := in.lookUp(s)
		if err != nil {
			errs = append(errs, err)
		}
		var values []string
		for _, r := range found {
			values = append(values, r.Value)
		}
		return strings.Join(values, "\n")
	})
	return plan.Resource{Type: b.Type, Value: text}, errors.Join(errs...)
}

// lookUp returns the resource that a source names, or all results of a step.
func (in *inputs) lookUp(s plan.Source) ([]plan.Resource, error) {
	switch s.Kind {
	case plan.OfResource:
		if r, ok := in.work.Memory.Resource(s.Name); ok {
			return []plan.Resource{r}, nil
		}
		return nil, &plan.Fault{Sentence: plan.Say("There is nothing called %s.", s.Name)}
	case plan.OfAction:
		if s.Index < 0 || s.Index >= len(in.work.Steps) {
			return nil, fmt.Errorf("step %d does not exist", s.Index+1)
		}
		before := in.work.Steps[s.Index]
		if result, ok := in.work.Memory.Result(before.Key); ok && result.Output != nil {
			return result.Outputs(), nil
		}
		return nil, &plan.Fault{Sentence: plan.Say("The result of an earlier step is missing.")}
	default:
		return nil, fmt.Errorf("invalid step source: %s", s)
	}
}

// fetch copies a blob to a file in a new folder, under the name that people know, since tools
// mention files by that name.
func (in *inputs) fetch(ctx context.Context, r plan.Resource) (_ string, err error) {
	gone := func(err error) error {
		return &plan.Fault{Sentence: plan.Say("The file %s could not be read.", r.Name), Err: err}
	}
	in.files++
	dir := filepath.Join(in.dir, strconv.Itoa(in.files))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", gone(err)
	}
	blob, err := in.blobs.Get(ctx, r.Blob)
	if err != nil {
		return "", gone(err)
	}
	defer func() { err = errors.Join(err, blob.Close()) }()
	path := filepath.Join(dir, known(r))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", gone(err)
	}
	_, err = io.Copy(f, blob)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", gone(err)
	}
	return path, nil
}

// maxKnown is the maximum length of a local file name in bytes.
const maxKnown = 100

// known returns the name that people know for a resource, preferably the user's own, made safe as a
// file name: without folders and special characters, keeping a short extension.
func known(r plan.Resource) string {
	name := strings.ToValidUTF8(cmp.Or(r.File, r.Name), "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(c rune) rune {
		switch {
		case c == ' ' || unicode.IsPrint(c) && !strings.ContainsRune(`<>:"|?*`, c):
			return c
		case unicode.IsSpace(c):
			return ' '
		}
		return -1
	}, name)
	ext := filepath.Ext(name)
	if len(ext) > maxKnown/4 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	if most := maxKnown - len(ext); len(stem) > most {
		stem = strings.ToValidUTF8(stem[:most], "")
	}
	stem = strings.Trim(stem, " .-")
	return strings.TrimRight(cmp.Or(stem, "file")+ext, " .")
}
