package improvise

import (
	"cmp"
	"context"
	_ "embed" // what runs a program
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/magick"
	"atelier/agent/toolbox/sandbox"
)

//go:embed run.py
var harness []byte

// saidFile receives the output of the program; run.py creates it as soon as it starts.
const saidFile = "said.txt"

// The limits of a program.
const (
	mostMemory  = 1 << 30
	mostResults = 40
	mostText    = 1 << 20 // of a result, in bytes
)

// job is one call.
type job struct {
	*Backend

	call    toolbox.Call
	machine machine
	inputs  []input
	note    plan.Message // tells people how it was done
}

// input is an input of a program, as run.py passes it on.
type input struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Type string `json:"type"`
	Text string `json:"text"`

	facts string
}

// newJob makes a job from a call. The named arguments are its inputs.
func (b *Backend) newJob(ctx context.Context, call toolbox.Call, m machine, names ...string) (*job, error) {
	j := &job{Backend: b, call: call, machine: m}
	for _, name := range names {
		for _, v := range call.Args[name] {
			in, err := b.input(ctx, v)
			if err != nil {
				return nil, err
			}
			j.inputs = append(j.inputs, in)
		}
	}
	return j, nil
}

// media reports whether any input is a file rather than a text.
func (j *job) media() bool {
	return slices.ContainsFunc(j.inputs, func(in input) bool { return in.Path != "" })
}

// attempt parses the model's answer and runs its program.
func (j *job) attempt(ctx context.Context, answer string, round int) (toolbox.Output, error) {
	p, err := parse(answer)
	if err != nil {
		return toolbox.Output{}, &plan.Trouble{What: err.Error()}
	}
	if p.Refusal != "" {
		return toolbox.Output{}, refused(p)
	}
	return j.run(ctx, p, p.values(), round)
}

// refused is the error for a model that declined to write a program.
func refused(p program) error {
	return &plan.Fault{Sentence: plan.Say("It cannot be done here: %s", p.Refusal), Err: errors.New("the model wrote no program")}
}

// run runs a program with its settings in a new folder, and measures its results.
func (j *job) run(ctx context.Context, p program, settings map[string]any, round int) (toolbox.Output, error) {
	dir, err := filepath.Abs(filepath.Join(j.call.Dir, "program-"+strconv.Itoa(round)))
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("find the program's folder: %w", err)
	}
	if err := j.lay(dir, p.Source, settings); err != nil {
		return toolbox.Output{}, fmt.Errorf("write a program: %w", err)
	}
	c := j.machine.python.command("-I", "-B", "-u", "run.py")
	c.Dir, c.Timeout, c.Memory, c.File = dir, j.config.Timeout, mostMemory, j.config.Limits.Bytes
	c.Env = []string{"HOME=" + dir, "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1"}
	env, err := magick.WritePolicy(dir)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("write ImageMagick's policy: %w", err)
	}
	c.Env = append(c.Env, env)
	for _, in := range j.inputs {
		if in.Path != "" {
			c.Read = append(c.Read, in.Path)
		}
	}
	_, err = j.config.Sandbox.Run(ctx, c)
	if ctx.Err() != nil {
		return toolbox.Output{}, err
	}
	if err := j.unstarted(ctx, dir, err); err != nil {
		return toolbox.Output{}, err
	}
	said := j.withoutPaths(dir, printed(filepath.Join(dir, saidFile)))
	if err != nil {
		what := plan.Sentence(err, plan.Message{}).String()
		if _, ok := errors.AsType[*exec.ExitError](err); ok {
			what = "it ended with an error."
		}
		return toolbox.Output{}, &plan.Trouble{What: what, Printed: said}
	}
	return j.results(ctx, filepath.Join(dir, "out"), p, said)
}

// unstarted returns an error if the run failed with err because the program did not even start: the
// sandbox or Python is gone, which no model can fix.
func (j *job) unstarted(ctx context.Context, dir string, err error) error {
	refused := errors.Is(err, sandbox.ErrUnstarted)
	_, silent := os.Lstat(filepath.Join(dir, saidFile))
	if err == nil || !refused && silent == nil {
		return nil
	}
	why := j.forget(ctx)
	if why == nil && !refused {
		return nil // the program itself removed its output
	}
	return fmt.Errorf("%w: %w", toolbox.ErrDown, cmp.Or(why, err))
}

// withoutPaths removes this machine's folders from the output, since they differ on each run.
func (j *job) withoutPaths(dir, said string) string {
	for _, in := range j.inputs {
		if in.Path != "" {
			said = strings.ReplaceAll(said, in.Path, in.Name)
		}
	}
	return strings.ReplaceAll(said, dir+string(filepath.Separator), "")
}

// lay writes the program, its inputs and its settings into a new folder.
func (j *job) lay(dir, source string, settings map[string]any) error {
	given, err := json.Marshal(map[string]any{"inputs": j.inputs, "settings": settings})
	if err != nil {
		return fmt.Errorf("encode its inputs: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o700); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"run.py": harness, "main.py": []byte(source), "job.json": given} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// printed returns the program's output; of a long one the beginning and the end.
func printed(path string) string {
	const head, tail = 1000, 2000
	f, err := os.Open(path)
	if err != nil {
		return "" // the program did not start
	}
	defer f.Close() //nolint:errcheck // it was read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text := make([]byte, min(info.Size(), head+tail))
	if info.Size() <= head+tail {
		n, _ := f.ReadAt(text, 0) //nolint:errcheck // a part is better than nothing
		return string(text[:n])
	}
	first, _ := f.ReadAt(text[:head], 0)               //nolint:errcheck // the same
	last, _ := f.ReadAt(text[head:], info.Size()-tail) //nolint:errcheck // the same
	return string(text[:first]) + "\n[…]\n" + string(text[head:head+last])
}

// results checks and returns the files in the folder OUT, sorted by name.
func (j *job) results(ctx context.Context, dir string, p program, said string) (toolbox.Output, error) {
	var left []string
	missed := func(format string, args ...any) (toolbox.Output, error) {
		return toolbox.Output{}, &plan.Trouble{What: fmt.Sprintf(format, args...), Printed: said, Left: left}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return missed("the folder OUT is gone.")
	case len(entries) == 0:
		return missed("it left no file in OUT.")
	case len(entries) > mostResults:
		return missed("it left %d files in OUT, and at most %d are taken.", len(entries), mostResults)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	var made []result
	for i, e := range entries {
		if !e.Type().IsRegular() {
			return missed("result %d is no regular file.", i+1)
		}
		r, err := j.measure(ctx, filepath.Join(dir, e.Name()))
		if why, ok := errors.AsType[complaint](err); ok {
			return missed("result %d %s", i+1, why)
		}
		if err != nil {
			return toolbox.Output{}, err
		}
		made = append(made, r)
	}
	for _, c := range p.Checks {
		if why := c.miss(made); why != "" {
			return missed("%s", why)
		}
	}
	about := plan.Message{}
	if p.About != "" {
		about = plan.Say("%s", p.About)
	}
	out := made[0].output(about)
	for _, r := range made[1:] {
		out.More = append(out.More, r.output(plan.Message{}))
	}
	out.Note, out.Program = j.note, p.String()
	return out, nil
}
