// Package improvise does jobs for which there is no tool: a language model writes a short Python
// program, and the sandbox runs it on the files of the call.
//
// Guarantees:
//   - A program runs only if the sandbox can fully confine it. It reads the files of the call, writes
//     to its own folder, and has no access to the network, other files or secrets.
//   - The model declares checks, and the results are measured against them. A program that fails, or
//     whose results fail a check, goes back to the model, at most twice.
//   - All answers of the model count towards the request's tokens. The model is not called if that
//     would exceed the request's budget.
//   - Names, texts and printed output are passed to the model as data. It sees pictures and
//     printed output only if media may be sent to it.
//   - A program that comes with the call is run as it is, without a model.
//   - So is the program of a tool file, with the settings of the call, even where writing programs is
//     forbidden. The checks of its first run are not repeated, since they were about other files.
package improvise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	// Ready returns an error that says why the model cannot be called now, or nil.
	Ready(ctx context.Context) error
	// MaySee reports whether media, and text read from them, may be sent to the model.
	MaySee() bool
	// Converse asks the model for the next turn of a conversation, a JSON object of the schema.
	Converse(ctx context.Context, t Conversation) (Reply, error)
}

// Conversation is a conversation with a model so far.
type Conversation struct {
	Request string // for logs
	Round   int    // from 1
	System  string
	Turns   []string // alternately the job's and the model's, beginning with the job's
	// Pictures are the files shown with the first turn.
	Pictures []string
	Schema   []byte
	// Dir is a folder for temporary files.
	Dir string
	// Most limits the tokens of the answer; 0 uses the server's default.
	Most int
}

// tokens estimates the tokens of a conversation.
func (t Conversation) tokens() int {
	const bytesPerToken, picture, reply = 4, 1500, 8
	n := len(t.System) + len(t.Schema)
	for _, turn := range t.Turns {
		n += len(turn)
	}
	return n/bytesPerToken + picture*len(t.Pictures) + reply*(1+len(t.Turns))
}

// Reply is the model's answer.
type Reply struct {
	Text, Model string
	Usage       plan.Tokens
}

// Config configures a [Backend].
type Config struct {
	// Writer writes the programs; nil if there is no model.
	Writer  Writer
	Sandbox *sandbox.Sandbox
	// Environment is the folder of a Python environment made by [Setup]. If it is empty or
	// incomplete, the image's environment is used, or else Debian's Python.
	Environment string
	// Films probes sound and video.
	Films  *ffmpeg.FFmpeg
	Limits media.Limits
	// Timeout is the maximum run time of a program; 2 minutes by default.
	Timeout time.Duration
	// Tokens is the token budget of a request, including its planning; 0 means no limit.
	Tokens int
	// Off forbids writing programs.
	Off bool
	// Log tells why programs cannot run here; nil discards it.
	Log *slog.Logger
	// RunsOnly marks a process that only runs programs written by others, and so needs no Writer.
	RunsOnly bool
}

// Backend implements the kind improvise. It is safe for concurrent use.
type Backend struct {
	config Config

	mu         sync.Mutex
	inspection *inspection // the current or last one; nil if it failed
	warned     string      // the last failure that was logged
}

var (
	_ toolbox.Backend = (*Backend)(nil)
	_ toolbox.Writing = (*Backend)(nil)
)

// New checks the configuration. It starts nothing.
func New(c Config) (*Backend, error) {
	if c.Sandbox == nil || c.Films == nil {
		return nil, errors.New("a sandbox and ffmpeg are required")
	}
	if c.Timeout < 0 || c.Tokens < 0 {
		return nil, errors.New("the program timeout and token limit must not be negative")
	}
	if c.Environment != "" {
		var err error
		if c.Environment, err = filepath.Abs(c.Environment); err != nil {
			return nil, fmt.Errorf("find the Python environment: %w", err)
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Limits, c.Timeout = c.Limits.OrDefault(), cmp.Or(c.Timeout, 2*time.Minute)
	c.Limits.Office = true // also as the input of a later request
	return &Backend{config: c}, nil
}

// python is the only run of this backend.
const python = "python"

// Probe reports whether programs can run here and, unless others write them, be written here.
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

// Run runs the given program, or has one written and runs it.
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

// Writes returns an error that says why this process cannot write programs, or nil.
func (b *Backend) Writes(ctx context.Context, c toolbox.Candidate) error {
	if err := b.allowed(c); err != nil {
		return err
	}
	return b.writes(ctx)
}

// Write has the model write the next draft after those that failed. An answer that cannot be
// parsed is returned as a draft with its trouble.
func (b *Backend) Write(ctx context.Context, c toolbox.Candidate, call toolbox.Call, drafts []plan.Draft) (plan.Draft, error) {
	if err := b.Writes(ctx, c); err != nil {
		return plan.Draft{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	m, err := b.found(ctx)
	if err != nil {
		m = usualMachine() // another process runs it
	}
	j, err := b.newJob(ctx, call, m, toolbox.ImprovisedInputs)
	if err != nil {
		return plan.Draft{}, err
	}
	return b.draft(ctx, j, drafts, call.Spent)
}

// allowed returns an error if the candidate's programs may not run here.
func (b *Backend) allowed(c toolbox.Candidate) error {
	switch {
	case c.Run != python:
		return &plan.Fault{Sentence: plan.Say("This version cannot write programs of that kind."), Err: fmt.Errorf("unknown run %q", c.Run)}
	case c.Program != "":
		if err := Check(c.Program); err != nil {
			return &plan.Fault{Sentence: plan.Say("The program of this tool cannot be read."), Err: err}
		}
	case b.config.Off:
		return &plan.Fault{
			Sentence: plan.Say("I cannot write programs here."),
			Operator: plan.Say("ATELIER_PROGRAMS=false: no programs are written for what no tool can do."),
		}
	}
	return nil
}

// writes returns an error that says why no program can be written now, or nil.
func (b *Backend) writes(ctx context.Context) error {
	if b.config.Writer == nil {
		return &plan.Fault{
			Sentence: plan.Say("It needs an AI model that is not connected to me."),
			Operator: plan.Say("It needs a language model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."),
		}
	}
	return b.config.Writer.Ready(ctx)
}

// startTime is how long Python may take to start and look for its modules. A loaded machine needs long.
const startTime = 2 * time.Minute

// inspection describes the machine once it is done.
type inspection struct {
	done    chan struct{}
	machine machine
	err     error
}

// found describes the machine, from the cache if it was inspected before. Inspecting it goes on when ctx ends, so that the
// next call finds the result; the error is [toolbox.ErrLoading] meanwhile.
func (b *Backend) found(ctx context.Context) (machine, error) {
	b.mu.Lock()
	i := b.inspection
	if i == nil {
		i = &inspection{done: make(chan struct{})}
		b.inspection = i
		go b.examine(context.WithoutCancel(ctx), i)
	}
	b.mu.Unlock()
	select {
	case <-i.done:
		return i.machine, i.err
	case <-ctx.Done():
		return machine{}, &plan.Fault{Sentence: plan.Say("Python is still being started here."), Err: errors.Join(toolbox.ErrLoading, ctx.Err())}
	}
}

// examine inspects the machine. Failures are not cached: the missing part may be installed later.
func (b *Backend) examine(ctx context.Context, i *inspection) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	defer close(i.done)
	begin := time.Now()
	i.machine, i.err = b.look(ctx)
	switch took := time.Since(begin).Round(time.Second); {
	case i.err != nil:
		b.mu.Lock()
		if b.inspection == i {
			b.inspection = nil
		}
		known := b.warned == i.err.Error()
		b.warned = i.err.Error()
		b.mu.Unlock()
		if !known { // it is tried again with every probe
			b.config.Log.Warn("programs cannot run here", "error", plan.ForOperator(i.err))
		}
	case took >= Slow:
		b.config.Log.Warn("Python is slow to start", "took", took)
	}
}

// Slow is a start of Python that operators should know of.
const Slow = 10 * time.Second

// forget inspects the machine again after a program could not be started. It returns why none can
// run.
func (b *Backend) forget(ctx context.Context) error {
	b.mu.Lock()
	b.inspection = nil
	b.mu.Unlock()
	_, err := b.found(ctx)
	return err
}

// look inspects the machine, if the sandbox can confine programs here.
func (b *Backend) look(ctx context.Context) (machine, error) {
	if lacks := b.config.Sandbox.Confinement(ctx).Lacks; lacks != nil {
		return machine{}, &plan.Fault{
			Sentence: plan.Say("I cannot write programs here."),
			Operator: plan.Say("Programs are written only where the kernel can fully sandbox them; bot doctor says what is missing."),
			Err:      lacks,
		}
	}
	return b.inspect(ctx)
}

// write has the model write programs and runs them until one does the job.
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

// leastAnswer is the minimum number of tokens left for an answer; with fewer the model is not
// called.
const leastAnswer = 1024

// draft asks the model for the next program. spent is the number of tokens that the request has
// used so far.
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
			return plan.Draft{}, plan.OverBudget("improvise", taken+leastAnswer, most)
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

// forPeople gives an error of a program a sentence for people.
func forPeople(err error) error {
	t, ok := errors.AsType[*plan.Trouble](err)
	if !ok {
		return err
	}
	return &plan.Fault{Sentence: plan.Say("No tool does this, and the program that I wrote for it did not work."), Err: t}
}

// forModel tells the model what to fix. Printed output and names of results may contain data from
// people's files, so they are included only if printed is true.
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

// machine describes the Python, modules and programs available here.
type machine struct {
	Python   string // its version
	Modules  []string
	Programs []string
	Fonts    []string

	python interpreter
}

// usualMachine describes a machine on which everything is installed.
func usualMachine() machine {
	return machine{Python: "3", Modules: slices.Sorted(maps.Keys(modules)), Programs: slices.Sorted(maps.Keys(programs)), Fonts: fonts[:1]}
}

// modules maps the Python modules that a program may import to their Debian packages.
var modules = map[string]string{
	"PIL": "python3-pil", "numpy": "python3-numpy", "pypdf": "python3-pypdf", "openpyxl": "python3-openpyxl", "reportlab": "python3-reportlab",
}

// programs maps the programs that a program may start to their Debian packages.
var programs = map[string]string{
	"convert": "imagemagick", "espeak-ng": "espeak-ng", "ffmpeg": "ffmpeg", "ffprobe": "ffmpeg", "gnuplot": "gnuplot",
	"pdftoppm": "poppler-utils", "pdftotext": "poppler-utils", "qpdf": "qpdf", "qrencode": "qrencode", "tesseract": "tesseract-ocr",
}

// fonts are those of Debian for most alphabets, and for Chinese, Japanese and Korean.
var fonts = []string{
	"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
	"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
	"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
}

// named returns the file name that people know.
func named(v toolbox.Value) string {
	if v.Path == "" {
		return v.File
	}
	return filepath.Base(v.Path)
}

func (b *Backend) prober() probe.Prober {
	return probe.Prober{FFmpeg: b.config.Films, Sandbox: b.config.Sandbox}
}
