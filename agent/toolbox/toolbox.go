package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"atelier/agent/plan"
)

// Config configures a toolbox.
type Config struct {
	Catalogue *Catalogue
	// Servers run the backings of this process, in the order they are tried for the same backing.
	// Backings of a kind without a server are reported as not live.
	Servers []Server
	// Ways lists, for the tools it names, the only candidates, in order. An empty list means no candidate.
	Ways map[string][]Way
	// Here reports whether this process serves what a candidate needs, such as the queue of its
	// device. Other candidates are not reported to anyone. Nil accepts all.
	Here func(c plan.Candidate) bool
	// Elsewhere returns what other processes can run now: the candidates by tool, as from their
	// [Toolbox.Local]. Tools that are not in the catalogue are ignored. While it fails, only local
	// candidates are live. It must be safe for concurrent use. Nil means that there are no other
	// processes.
	Elsewhere func(ctx context.Context) (map[string][]plan.Candidate, error)
	// Fresh is how long a successful probe is valid. Zero means 30 s. Failed probes are retried sooner
	// at first, with backoff.
	Fresh time.Duration
	// Patience is the timeout of one call. Zero means 10 minutes.
	Patience time.Duration
	// Clock returns the time. Nil means time.Now.
	Clock func() time.Time
	// Log receives messages for operators. Nil logs nothing.
	Log *slog.Logger
}

// Toolbox runs the tools of a catalogue with the backends of this process, and knows what other
// processes can run. It is safe for concurrent use.
type Toolbox struct {
	*ways   // Candidate, Capacity, Writes, Write
	*survey // Live, Statuses, Health, Watch, Local

	patience time.Duration
}

// New checks the configuration. It probes nothing.
func New(c Config) (*Toolbox, error) {
	if c.Catalogue == nil {
		return nil, errors.New("Catalogue is required")
	}
	if err := check(c); err != nil {
		return nil, err
	}
	c.Fresh, c.Patience = cmp.Or(c.Fresh, 30*time.Second), cmp.Or(c.Patience, 10*time.Minute)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Clock == nil {
		c.Clock = time.Now
	}
	w := &ways{catalogue: c.Catalogue, servers: slices.Clone(c.Servers), byTool: map[string][]Candidate{}}
	for _, tool := range c.Catalogue.All() {
		w.byTool[tool.Name] = candidates(tool, c)
	}
	health := newHealth(w.servers, func(server, model string, open bool) {
		if open {
			c.Log.Warn("a backend failed several times in a row and is paused for a while", "server", server, "model", model)
		} else {
			c.Log.Info("a backend that failed works again", "server", server, "model", model)
		}
	})
	return &Toolbox{ways: w, patience: c.Patience, survey: &survey{
		ways: w, answers: newAnswers(w, c.Fresh, c.Clock), health: health, probers: newProbers(w),
		here: c.Here, elsewhere: c.Elsewhere, clock: c.Clock, log: c.Log,
	}}, nil
}

// Catalogue returns the toolbox's catalogue.
func (t *Toolbox) Catalogue() *Catalogue { return t.catalogue }

// check validates the servers and the ways.
func check(c Config) error {
	for i, s := range c.Servers {
		switch {
		case s.Backend == nil:
			return fmt.Errorf("the backend of the server %q is nil", s.name())
		case slices.ContainsFunc(c.Servers[:i], func(o Server) bool { return o.name() == s.name() && o.Kind == s.Kind }):
			return fmt.Errorf("duplicate server %q", s.name())
		}
	}
	for name, ways := range c.Ways {
		tool, ok := c.Catalogue.Tool(name)
		if !ok {
			return fmt.Errorf("unknown tool %s", name)
		}
		for _, w := range ways {
			if len(listed(tool, c.Servers, []Way{w})) == 0 {
				return fmt.Errorf("the tool %s cannot run on %q as %q", name, w.Server, w.Run)
			}
		}
	}
	return nil
}

// Made is a result with how it was made. Its Usage includes failed attempts.
type Made struct {
	Output
	// Candidate names the candidate that made it.
	Candidate   string
	Approximate bool
	// Failed describes the failed attempts before it, one sentence each.
	Failed []plan.Message
	// Tried names the candidates that this process has tried or found unavailable, including the one that succeeded.
	Tried []string
}

// ErrElsewhere marks errors of a tool that no backing of this process can run. Nothing was tried;
// another process may run it.
var ErrElsewhere = errors.New("no backend of the tool is available in this process")

// Run runs a tool in this process: first with the named candidate ("" means the first), then, after a
// failure, with each other candidate in turn. Candidates that are not live here are skipped. Every
// attempt gets its own empty subfolder of the call's folder. check validates the output and its extras
// before it is accepted; nil accepts everything. A rejected output, or one outside the attempt's
// folder, counts as a failure of the backing.
//
// The error's sentence says why the last attempt failed, or what is missing if nothing could be tried;
// then it is [ErrElsewhere]. If the context ended, its error is returned. After a final error
// ([plan.Fault]) nothing else is tried: another backing might do something that was not asked for. On
// error, Made only holds Usage and Tried.
func (t *Toolbox) Run(ctx context.Context, tool, candidate string, c Call, check func(Output) error) (Made, error) {
	entry, ok := t.catalogue.Tool(tool)
	if !ok {
		return Made{}, &plan.Fault{Sentence: plan.Say("There is no tool called %s.", tool)}
	}
	if tool != c.Tool {
		return Made{}, fmt.Errorf("a call to %s was sent to %s", c.Tool, tool)
	}
	c, err := entry.Typed(c)
	if err != nil {
		return Made{}, err
	}
	var failed []plan.Message
	var last, absent *plan.Fault // why the last attempt failed, and why the last unavailable candidate was skipped
	var errs []error
	var spent plan.Tokens
	var tried []string
	failedWith := func(err error) (Made, error) { return Made{Output: Output{Usage: spent}, Tried: tried}, err }
	for i, b := range inOrder(t.byTool[entry.Name], candidate) {
		if err := ctx.Err(); err != nil {
			return failedWith(err)
		}
		tried = append(tried, b.Name())
		if err := t.ready(ctx, tool, b); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", b.Name(), err))
			absent = faultOf(err, plan.Say("The service behind this tool does not answer."))
			continue
		}
		attempt := c
		attempt.Dir = filepath.Join(c.Dir, "try-"+strconv.Itoa(i+1))
		out, err := t.try(ctx, b, attempt, check)
		if errors.Is(err, ErrPaused) { // other calls are already testing whether it works again
			errs = append(errs, err)
			absent = faultOf(err, plan.Message{})
			continue
		}
		spent = spent.Plus(out.Usage)
		out.Usage = spent
		if err == nil {
			return Made{Output: out, Candidate: b.Name(), Approximate: b.Approximate, Failed: failed, Tried: tried}, nil
		}
		if ctx.Err() != nil {
			return failedWith(ctx.Err())
		}
		errs = append(errs, fmt.Errorf("%s: %w", b.Name(), err))
		if plan.Final(err) {
			last = faultOf(err, plan.Say("That cannot be done."))
			last.Err, last.Final = errors.Join(errs...), true
			return failedWith(last)
		}
		last = faultOf(err, plan.Say("It failed for an unknown reason."))
		failed = append(failed, last.Sentence)
	}
	if len(failed) == 0 {
		errs = append(errs, ErrElsewhere)
	}
	for _, b := range entry.Backends {
		if len(t.byTool[tool]) == 0 {
			l := newLack(b)
			absent = &plan.Fault{Sentence: l.people, Operator: l.sentence()}
		}
	}
	why := cmp.Or(last, absent)
	why.Err = errors.Join(errs...)
	return failedWith(why)
}

// faultOf returns a Fault with the sentences of err for people and for the operator.
func faultOf(err error, otherwise plan.Message) *plan.Fault {
	return &plan.Fault{Sentence: plan.Sentence(err, otherwise), Operator: plan.OperatorSentence(err, otherwise)}
}

// ready reports whether a candidate can be tried now: it is not paused, and its probe succeeds. It is
// probed again unless known to be live.
func (t *Toolbox) ready(ctx context.Context, tool string, c Candidate) error {
	if err := t.health.paused(c); err != nil {
		return err
	}
	if t.answers.liveNow(t.catalogue.byName[tool], c) {
		return nil
	}
	err := t.probe(ctx, c)
	if errors.Is(err, ErrLoading) {
		return nil
	}
	return err
}

// try makes one attempt once the server has a free place. A panic of the backend counts as its
// failure. On error, only the Usage of the Output counts.
func (t *Toolbox) try(ctx context.Context, b Candidate, c Call, check func(Output) error) (out Output, err error) {
	leave, err := t.health.enter(ctx, b)
	if err != nil {
		return Output{}, err
	}
	defer func() {
		if ctx.Err() != nil { // whatever the backend returns then is not its fault
			err = ctx.Err()
		}
		leave(err)
	}()
	if err := os.Mkdir(c.Dir, 0o700); err != nil {
		return Output{}, fmt.Errorf("make a folder for the attempt: %w", err)
	}
	patience := cmp.Or(b.Timeout, t.patience)
	mine, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			out, err = Output{}, &plan.Fault{
				Sentence: plan.Say("The service behind this tool crashed on this input."),
				Err:      fmt.Errorf("panic: %s\n%s", panicText(p), debug.Stack()),
			}
		}
	}()
	out, err = t.server(b).Backend.Run(mine, b, c)
	if err != nil {
		if mine.Err() != nil && ctx.Err() == nil {
			said := plan.Say("It took longer than %s and was stopped.", plan.Span(patience))
			return out, &plan.Fault{Sentence: said, Err: fmt.Errorf("%w: %w", ErrDown, err)}
		}
		return out, err
	}
	for _, o := range append([]Output{out}, out.More...) {
		if o.Path != "" && !inside(c.Dir, o.Path) {
			return out, &plan.Fault{
				Sentence: plan.Say("The result was not delivered."),
				Err:      fmt.Errorf("%s wrote outside its folder: %s", b.Name(), o.Path),
			}
		}
	}
	if check == nil {
		return out, nil
	}
	return out, check(out)
}

// panicText describes a panic for the operator. Only runtime errors are quoted: others may contain user data.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// inside reports whether a file is in the folder, with links resolved. A missing file is judged by its
// path; the output check reports it as missing.
func inside(dir, file string) bool {
	if root, err := filepath.EvalSymlinks(dir); err == nil {
		if behind, err := filepath.EvalSymlinks(file); err == nil {
			dir, file = root, behind
		}
	}
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel) && rel != "."
}

// inOrder moves the wanted candidate to the front.
func inOrder(ways []Candidate, candidate string) []Candidate {
	i := slices.IndexFunc(ways, func(c Candidate) bool { return c.Name() == candidate })
	if i <= 0 {
		return ways
	}
	return slices.Concat(ways[i:i+1], ways[:i], ways[i+1:])
}
