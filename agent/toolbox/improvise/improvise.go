// Package improvise does what no tool does: a language model writes a short Python program for the
// occasion, and the sandbox runs it on the files of the call.
//
// Guarantees:
//   - A program runs only if the sandbox confines everything. It reads the files of the call, writes
//     into a folder of its own, and reaches no network, no other file and no secret.
//   - The model says what the results must show, and that is measured. A program that fails, or whose
//     results do not show it, goes back to the model, at most twice.
//   - All answers of the model count towards the request's tokens. None is asked for that would exceed
//     the request's budget.
//   - Names, texts and printed output are passed to the model as data. It sees pictures and what programs
//     print only if media may leave.
//   - A program that comes with the call is run as it is, and no model is asked.
//   - So is the program of a tool file, with the settings of the call. It needs no model, and runs even
//     where none may be written. The measurements of its first results are not repeated, since they
//     were about other files.
package improvise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/media/probe"
	"atelier/agent/toolbox/sandbox"
)

// Writer is the language model that writes programs.
type Writer interface {
	// Ready tells why it cannot be asked now; nil if it can.
	Ready(ctx context.Context) error
	// MaySee reports whether media and what is read out of them may be shown to it.
	MaySee() bool
	// Converse asks it for the next turn of a conversation: an object of the schema.
	Converse(ctx context.Context, t Talk) (Reply, error)
}

// Talk is a conversation with a model so far.
type Talk struct {
	Request string // for logs
	Round   int    // from 1
	System  string
	Turns   []string // by turns the job's and the model's; the job begins
	// Pictures are files that belong to the first turn.
	Pictures []string
	Schema   []byte
	// Dir is a folder for what is made on the way.
	Dir string
	// Most is how many tokens the answer may have; 0 leaves that to the model's server.
	Most int
}

// tokens is how many tokens a conversation takes, roughly.
func (t Talk) tokens() int {
	const bytesPerToken, picture, reply = 4, 1500, 8
	n := len(t.System) + len(t.Schema)
	for _, turn := range t.Turns {
		n += len(turn)
	}
	return n/bytesPerToken + picture*len(t.Pictures) + reply*(1+len(t.Turns))
}

// Reply is what a model answered.
type Reply struct {
	Text, Model string
	Usage       plan.Tokens
}

// Config is what the make needs.
type Config struct {
	// Writer writes the programs; nil if nothing here can.
	Writer  Writer
	Sandbox *sandbox.Sandbox
	// Environment is the folder of a Python environment that [Setup] made. Without one, that of the
	// image is used, and then Debian's Python.
	Environment string
	// Films looks into sound and video.
	Films  *ffmpeg.FFmpeg
	Limits media.Limits
	// Timeout is how long a program may run; 2 minutes by default.
	Timeout time.Duration
	// Tokens is how many tokens one request may take of language models until its programs are
	// written; 0 is no limit.
	Tokens int
	// Off forbids writing programs.
	Off bool
	// RunsOnly marks a process that runs what others have written: it needs no Writer.
	RunsOnly bool
}

// Backend is the make of the kind improvise. It is safe for concurrent use.
type Backend struct {
	config Config

	mu      sync.Mutex
	machine machine // what programs find here; zero until it is known
}

var (
	_ toolbox.Backend = (*Backend)(nil)
	_ toolbox.Writing = (*Backend)(nil)
)

// New checks the configuration. It starts nothing.
func New(c Config) (*Backend, error) {
	if c.Sandbox == nil || c.Films == nil {
		return nil, errors.New("programs need a sandbox and ffmpeg")
	}
	if c.Timeout < 0 || c.Tokens < 0 {
		return nil, errors.New("the time and the tokens of programs must not be negative")
	}
	if c.Environment != "" {
		var err error
		if c.Environment, err = filepath.Abs(c.Environment); err != nil {
			return nil, fmt.Errorf("find the Python environment: %w", err)
		}
	}
	c.Limits, c.Timeout = c.Limits.OrDefault(), cmp.Or(c.Timeout, 2*time.Minute)
	return &Backend{config: c}, nil
}

// python is the only run of this make.
const python = "python"

// Probe reports whether a program could be run here, and written, unless others do that.
func (b *Backend) Probe(ctx context.Context, c toolbox.Candidate) error {
	err := b.allowed(c)
	if err == nil && c.Program == "" && !b.config.RunsOnly {
		err = b.writes(ctx)
	}
	if err == nil {
		_, err = b.found(ctx)
	}
	return err
}

// Run has a program written and runs it, or runs the one that is given.
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	err := b.allowed(c)
	if err == nil && c.Program == "" && call.Program == "" {
		err = b.writes(ctx)
	}
	var m machine
	if err == nil {
		m, err = b.found(ctx)
	}
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	if c.Program != "" {
		return b.runKept(ctx, c, call, m)
	}
	j, err := b.newJob(ctx, call, m, toolbox.ImprovisedInputs)
	if err != nil {
		return toolbox.Output{}, err
	}
	j.note = plan.Say("No tool does this, so I wrote a short program for it.")
	if call.Program != "" {
		out, err := j.attempt(ctx, call.Program, 1)
		return out, forPeople(err)
	}
	return b.write(ctx, j)
}

// Writes tells why no program can be written in this process; nil if it can.
func (b *Backend) Writes(ctx context.Context, c toolbox.Candidate) error {
	if err := b.allowed(c); err != nil {
		return err
	}
	return b.writes(ctx)
}

// Write has the next draft of a program written, after those that failed. What cannot even be read is a
// draft with its trouble.
func (b *Backend) Write(ctx context.Context, c toolbox.Candidate, call toolbox.Call, drafts []plan.Draft) (plan.Draft, error) {
	if err := b.Writes(ctx, c); err != nil {
		return plan.Draft{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	m, err := b.found(ctx)
	if err != nil {
		m = usualMachine() // another one runs it
	}
	j, err := b.newJob(ctx, call, m, toolbox.ImprovisedInputs)
	if err != nil {
		return plan.Draft{}, err
	}
	return b.draft(ctx, j, drafts, call.Spent)
}

// allowed tells why no program may run.
func (b *Backend) allowed(c toolbox.Candidate) error {
	switch {
	case c.Run != python:
		return &plan.Fault{Sentence: plan.Say("This version does not write programs of that kind."), Err: fmt.Errorf("no run is called %q", c.Run)}
	case c.Program != "":
		if err := Check(c.Program); err != nil {
			return &plan.Fault{Sentence: plan.Say("The program of this tool cannot be read."), Err: err}
		}
	case b.config.Off:
		return &plan.Fault{
			Sentence: plan.Say("I do not write programs here."),
			Operator: plan.Say("ATELIER_PROGRAMS=false: no programs are written for what no tool can do."),
		}
	}
	return nil
}

// writes tells why no program can be written now.
func (b *Backend) writes(ctx context.Context) error {
	if b.config.Writer == nil {
		return &plan.Fault{
			Sentence: plan.Say("It needs a language model, and none is set up here."),
			Operator: plan.Say("It needs a language model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."),
		}
	}
	return b.config.Writer.Ready(ctx)
}

// found is what programs find here, or why none can run.
func (b *Backend) found(ctx context.Context) (machine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.machine.Python != "" {
		return b.machine, nil
	}
	m, err := b.look(ctx)
	if err == nil { // what is missing may be installed later
		b.machine = m
	}
	return m, err
}

// forget looks at the machine anew, since no program could be started. It tells why none can.
func (b *Backend) forget(ctx context.Context) error {
	b.mu.Lock()
	b.machine = machine{}
	b.mu.Unlock()
	_, err := b.found(ctx)
	return err
}

// look finds out what programs find on this machine.
func (b *Backend) look(ctx context.Context) (machine, error) {
	if lacks := b.config.Sandbox.Confinement(ctx).Lacks; lacks != nil {
		return machine{}, &plan.Fault{
			Sentence: plan.Say("I do not write programs here."),
			Operator: plan.Say("Programs are written only where the kernel can fully sandbox them; bot doctor says what is missing."),
			Err:      lacks,
		}
	}
	return b.inspect(ctx)
}

// write has the model write a program and runs it, until one does the job.
func (b *Backend) write(ctx context.Context, j *job) (toolbox.Output, error) {
	var drafts []plan.Draft
	var spent plan.Tokens
	for {
		draft, err := b.draft(ctx, j, drafts, j.call.Spent+spent.Input+spent.Output)
		spent = spent.Plus(draft.Usage)
		if err != nil {
			return toolbox.Output{Usage: spent}, err
		}
		var out toolbox.Output
		if draft.Trouble != nil {
			err = draft.Trouble
		} else {
			out, err = j.attempt(ctx, draft.Program, len(drafts)+1)
		}
		out.Usage, out.Model = spent, draft.Model
		trouble, mendable := errors.AsType[*plan.Trouble](err)
		if drafts = append(drafts, draft); !mendable || len(drafts) == plan.MaxDrafts {
			return out, forPeople(err)
		}
		drafts[len(drafts)-1].Trouble = trouble
	}
}

// leastAnswer is the room in tokens without which no program is asked for.
const leastAnswer = 1024

// draft asks the model for the next program of a request that has taken so many tokens before.
func (b *Backend) draft(ctx context.Context, j *job, drafts []plan.Draft, spent int) (plan.Draft, error) {
	talk, err := j.talk()
	if err != nil {
		return plan.Draft{}, err
	}
	talk.Round = len(drafts) + 1
	for _, d := range drafts {
		talk.Turns = append(talk.Turns, d.Program, forModel(d.Trouble, b.config.Writer.MaySee() || !j.media()))
	}
	if most := b.config.Tokens; most > 0 {
		taken := spent + talk.tokens()
		if talk.Most = most - taken; talk.Most < leastAnswer {
			return plan.Draft{}, plan.TooDear("improvise", taken+leastAnswer, most)
		}
	}
	reply, err := b.config.Writer.Converse(ctx, talk)
	d := plan.Draft{Program: reply.Text, Model: reply.Model, Usage: reply.Usage}
	if err != nil {
		return d, err
	}
	p, err := parse(reply.Text)
	switch {
	case err != nil:
		d.Trouble = &plan.Trouble{What: err.Error()}
	case p.Refusal != "":
		return d, refused(p)
	}
	return d, nil
}

// forPeople is an error with a sentence, where a program did not do the job.
func forPeople(err error) error {
	t, ok := errors.AsType[*plan.Trouble](err)
	if !ok {
		return err
	}
	return &plan.Fault{Sentence: plan.Say("No tool does this, and the program that I wrote for it did not work."), Err: t}
}

// forModel tells the model what to mend. What was printed, and the names of results, may hold what is
// in people's files.
func forModel(t *plan.Trouble, printed bool) string {
	if t == nil {
		t = &plan.Trouble{What: "nobody knows why."}
	}
	text := "That did not do it: " + t.What + "\n"
	if printed && len(t.Left) > 0 {
		var b strings.Builder
		for i, name := range t.Left {
			fmt.Fprintf(&b, "%d. %s\n", i+1, strconv.Quote(name))
		}
		text += "The results were:\n" + quoted(b.String()) + "\n"
	}
	if printed && t.Printed != "" {
		text += "It printed:\n" + quoted(t.Printed) + "\n"
	}
	return text + "Answer with the whole object again, mended."
}

// machine is what programs find here.
type machine struct {
	Python   string // its version
	Modules  []string
	Programs []string

	python interpreter
}

// usualMachine is what programs find where everything is installed.
func usualMachine() machine {
	return machine{Python: "3", Modules: slices.Sorted(maps.Keys(modules)), Programs: programs}
}

// modules are what a program may import, by Debian's package.
var modules = map[string]string{
	"PIL": "python3-pil", "numpy": "python3-numpy", "pypdf": "python3-pypdf", "openpyxl": "python3-openpyxl", "reportlab": "python3-reportlab",
}

// programs are those that a program may start. "convert" is ImageMagick's.
var programs = []string{"convert", "espeak-ng", "ffmpeg", "ffprobe", "gnuplot", "pdftoppm", "pdftotext", "qpdf", "qrencode", "tesseract"}

// font is one that draws most letters.
const font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

// named is the name of a file as people know it.
func named(v toolbox.Value) string {
	if v.Path == "" {
		return v.File
	}
	return filepath.Base(v.Path)
}

func (b *Backend) prober() probe.Prober {
	return probe.Prober{FFmpeg: b.config.Films, Sandbox: b.config.Sandbox}
}
