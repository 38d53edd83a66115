package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"

	"atelier/agent/plan"
)

// Made is what a tool made, and how. Its Usage counts the attempts that failed too.
type Made struct {
	Output
	// Candidate names the backing that made it.
	Candidate   string
	Approximate bool
	// Failed are sentences on the backings that ran before it in vain.
	Failed []plan.Message
	// Tried are the names of the candidates that this process has tried, or could not
	// just now, the one that made it among them.
	Tried []string
}

// ErrElsewhere is in the error of a tool that no backing of this process can run: it has
// not been tried, and a process that can may take it.
var ErrElsewhere = errors.New("no backing of the tool is live in this process")

// Run uses a tool in this process: with the named candidate first, "" for the
// first of all, and with each other candidate in turn when one fails. Those that
// are not live here are passed over. Every attempt works in an empty folder of its own
// inside the call's. check judges the output, with all that belongs to it, before it is
// accepted; one that it refuses is a failure of the backing; nil accepts everything. So is an output outside of the
// attempt's folder.
//
// The error says in its sentence why the last attempt failed, or what is missing where
// none could be made; then it is [ErrElsewhere]. It is the context's error when that
// ended. After one that is final ([plan.Fault]) nothing else is tried: another backing
// might do something else than what was asked for. With an error, Made holds the Usage
// and what was tried alone.
func (t *Toolbox) Run(ctx context.Context, tool, candidate string, c Call, check func(Output) error) (Made, error) {
	entry, ok := t.catalogue.Tool(tool)
	if !ok {
		return Made{}, &plan.Fault{Sentence: plan.Say("There is no tool called %s.", tool)}
	}
	if tool != c.Tool {
		return Made{}, fmt.Errorf("a call of %s was given to %s", c.Tool, tool)
	}
	c, err := entry.Typed(c)
	if err != nil {
		return Made{}, err
	}
	var failed []plan.Message
	var last, absent *plan.Fault // how the last attempt failed, and why the last one was none
	var errs []error
	var spent plan.Tokens
	var tried []string
	inVain := func(err error) (Made, error) { return Made{Output: Output{Usage: spent}, Tried: tried}, err }
	for i, b := range inOrder(t.byTool[entry.Name], candidate) {
		if err := ctx.Err(); err != nil {
			return inVain(err)
		}
		tried = append(tried, b.Name())
		if err := t.ready(ctx, tool, b); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", b.Name(), err))
			absent = faces(err, plan.Say("The service behind this tool does not answer."))
			continue
		}
		attempt := c
		attempt.Dir = filepath.Join(c.Dir, "try-"+strconv.Itoa(i+1))
		out, err := t.try(ctx, b, attempt, check)
		if errors.Is(err, ErrAlone) { // others came before to see whether it works again
			errs = append(errs, err)
			absent = faces(err, plan.Message{})
			continue
		}
		spent = spent.Plus(out.Usage)
		out.Usage = spent
		if err == nil {
			return Made{Output: out, Candidate: b.Name(), Approximate: b.Approximate, Failed: failed, Tried: tried}, nil
		}
		if ctx.Err() != nil {
			return inVain(ctx.Err())
		}
		errs = append(errs, fmt.Errorf("%s: %w", b.Name(), err))
		if plan.Final(err) {
			last = faces(err, plan.Say("That cannot be done."))
			last.Err, last.Final = errors.Join(errs...), true
			return inVain(last)
		}
		last = faces(err, plan.Say("It failed for an unknown reason."))
		failed = append(failed, last.Sentence)
	}
	if len(failed) == 0 {
		errs = append(errs, ErrElsewhere)
	}
	for _, b := range entry.Backends {
		if len(t.byTool[tool]) == 0 {
			l := newLack(b)
			absent = &plan.Fault{Sentence: notSetUp(l.needs), Operator: l.sentence()}
		}
	}
	why := cmp.Or(last, absent)
	why.Err = errors.Join(errs...)
	return inVain(why)
}

// faces is a Fault with what people and the operator are told of err.
func faces(err error, otherwise plan.Message) *plan.Fault {
	return &plan.Fault{Sentence: plan.Sentence(err, otherwise), Operator: plan.OperatorSentence(err, otherwise)}
}

// ready reports whether a candidate can be tried now: it is not left alone, and its probe,
// which is asked anew where it is not known to be live, says so.
func (t *Toolbox) ready(ctx context.Context, tool string, c Candidate) error {
	if err := t.health.alone(c); err != nil {
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

// try makes one attempt, as soon as the server has room for it. A panic of the make is its
// failure. With an error, only the Usage of the Output counts.
func (t *Toolbox) try(ctx context.Context, b Candidate, c Call, check func(Output) error) (out Output, err error) {
	leave, err := t.health.enter(ctx, b)
	if err != nil {
		return Output{}, err
	}
	defer func() {
		if ctx.Err() != nil { // whatever the make says of that, it is not its fault
			err = ctx.Err()
		}
		leave(err)
	}()
	if err := os.Mkdir(c.Dir, 0o700); err != nil {
		return Output{}, fmt.Errorf("make the folder of an attempt: %w", err)
	}
	patience := cmp.Or(b.Timeout, t.patience)
	mine, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			out, err = Output{}, &plan.Fault{
				Sentence: plan.Say("The service behind this tool crashed on this input."),
				Err:      fmt.Errorf("panic: %s\n%s", panicked(p), debug.Stack()),
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
				Err:      fmt.Errorf("%s wrote outside of its folder: %s", b.Name(), o.Path),
			}
		}
	}
	if check == nil {
		return out, nil
	}
	return out, check(out)
}

// panicked says for the operator what a panic was about. Only the runtime's own words
// are repeated: others may quote a user.
func panicked(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// inside reports whether a file lies in the folder, links followed. One that does not
// exist is placed by its name alone: the check of outputs tells that it is missing.
func inside(dir, file string) bool {
	if root, err := filepath.EvalSymlinks(dir); err == nil {
		if behind, err := filepath.EvalSymlinks(file); err == nil {
			dir, file = root, behind
		}
	}
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel) && rel != "."
}

// inOrder puts the wanted candidate first.
func inOrder(ways []Candidate, candidate string) []Candidate {
	i := slices.IndexFunc(ways, func(c Candidate) bool { return c.Name() == candidate })
	if i <= 0 {
		return ways
	}
	return slices.Concat(ways[i:i+1], ways[:i], ways[i+1:])
}
