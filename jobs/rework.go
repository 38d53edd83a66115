package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// Reworker is an [Agent] that can continue from the results of a run at the press of a button.
type Reworker interface {
	// Reworks returns the reworks that can run now, here or in another process.
	Reworks(ctx context.Context, made *plan.Route) ([]plan.Rework, error)
	// Rework plans one of them. For [plan.Smaller], limits are the maximum sizes of the files in bytes, by name. Its
	// errors are like those of Plan.
	Rework(ctx context.Context, r plan.Request, made *plan.Route, how plan.Rework, limits map[string]int64) (*plan.Plan, error)
}

// reworker handles the signs under answers that continue from their results. A sign starts a request of its own, or
// selects results for the person's next message.
type reworker struct {
	store     *record.Store
	blobs     storage.Blobs
	agent     Agent
	admission *admission
	limits    *limits
	adapters  map[string]adapters.Adapter
	limitsOf  func(t adapters.Thread) adapters.Limits
	say       sayer
	now       func() time.Time
}

// press handles a sign on an answer, if the answer offers that sign.
func (w *reworker) press(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run) error {
	sign := e.Reaction.Sign
	if run == nil || run.Answer == nil || run.Route == nil || !slices.Contains(run.Answer.Reply.GoOn, sign) {
		return nil
	}
	if sign == adapters.Use {
		return w.use(ctx, e, r, run, results(run)...)
	}
	how := plan.Rework(sign)
	gone, err := w.gone(ctx, r, run, how == plan.Vary)
	if err != nil {
		return err
	}
	if gone {
		return w.tell(ctx, e, r, deletedResult)
	}
	press := &record.Press{How: how, Of: record.RunRef{Request: r.ID, Run: run.N}, Root: r.ID, Message: r.Ref()}
	if before := r.Asked.Press; before != nil {
		press.Root = before.Root
	}
	files, err := w.called(ctx, r, run, run.Route.Ends())
	if err != nil {
		return err
	}
	press.Wish = w.say(r, wishFor(how, files))
	return w.begin(ctx, e, r, press)
}

// begin begins the request of a press in the thread of the answer. An example that the answer to a command offers may begin a
// thread of its own.
func (w *reworker) begin(ctx context.Context, e adapters.Event, r *record.Request, press *record.Press) error {
	shared, err := w.shared(ctx, e, press)
	if err != nil {
		return err
	}
	e.Thread = r.Asked.Event.Thread
	t, err := w.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if shared {
		return w.admission.whisper(ctx, e, t, inProgress, nil)
	}
	if press.Tries() && e.Thread.ID == "" && !e.Thread.Direct {
		err := w.beginThread(ctx, &e, r, press)
		if fault, ok := errors.AsType[*adapters.Fault](err); ok && adapters.Final(err) {
			return w.admission.whisper(ctx, e, t, plan.Message{Format: fault.Sentence, Args: fault.Args}, nil)
		}
		if err == nil {
			t, err = w.store.Thread(ctx, record.ThreadID(e.Thread))
		}
		if err != nil {
			return err
		}
	}
	return w.admission.admit(ctx, e, t, origin{press: press})
}

// beginThread begins a thread for the example that a person tries, if the platform has threads and the quota allows it.
func (w *reworker) beginThread(ctx context.Context, e *adapters.Event, r *record.Request, press *record.Press) error {
	to, ok := w.adapters[e.Thread.Adapter].(adapters.Beginner)
	if !ok {
		return nil
	}
	id := record.RequestID(*e)
	switch before, err := w.store.Request(ctx, id); {
	case err == nil: // a repeated event
		e.Thread = before.Asked.Event.Thread
		return nil
	case !errors.Is(err, record.ErrUnknown):
		return err
	}
	if refused, err := w.limits.refusal(ctx, id, *e, e.Thread); refused != nil || err != nil {
		return err // admit tells the person why
	}
	said := w.say(r, plan.Say("%s tries “%s”.", e.By.Name, w.say(r, plan.Sample{Wish: press.Wish}.Label())))
	at, err := to.Begin(ctx, record.SendKey(id, 0), e.Thread, adapters.Escape(said))
	if err != nil {
		return errors.Join(fmt.Errorf("begin a thread: %w", err), w.admission.unrecorded(ctx, id, *e))
	}
	if !at.IsZero() {
		e.Thread.ID, press.Message = at.ID, at
	}
	return nil
}

// shared reports whether the same press of the same person is in progress, which a further one shares.
func (w *reworker) shared(ctx context.Context, e adapters.Event, press *record.Press) (bool, error) {
	if e.Message != nil { // in words, it is asked for once more
		return false, nil
	}
	root, err := w.store.Request(ctx, press.Root)
	if err != nil {
		return false, record.IgnoreUnknown(err)
	}
	before, err := w.started(ctx, root, e.By.ID, func(other *record.Press) bool {
		return other.How == press.How && other.Of == press.Of && other.Wish == press.Wish
	})
	return before != nil && before.ID != record.RequestID(e) && slices.ContainsFunc(before.Runs, (*record.Run).Active), err
}

// started returns the last request that a person started from the results of a request, by a press that is meant; nil if there
// is none.
func (w *reworker) started(ctx context.Context, root *record.Request, by string, meant func(*record.Press) bool) (*record.Request, error) {
	for _, id := range slices.Backward(root.ContinuedBy) {
		further, err := w.store.Request(ctx, id)
		if errors.Is(err, record.ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if further.Asked.Event.By.ID == by && meant(further.Asked.Press) {
			return further, nil
		}
	}
	return nil, nil //nolint:nilnil // callers check for nil
}

var deletedResult = plan.Say("That result was deleted. Please send your request again.")

// gone reports whether the answer of a run was deleted, or for variations, any answer that they derive from.
func (w *reworker) gone(ctx context.Context, r *record.Request, run *record.Run, back bool) (bool, error) {
	for run != nil && !run.Deleted {
		press := r.Asked.Press
		if !back || press == nil || press.Tries() {
			return false, nil
		}
		var err error
		if r, err = w.store.Request(ctx, press.Of.Request); err != nil {
			return true, record.IgnoreUnknown(err)
		}
		run = r.Run(press.Of.Run)
	}
	return true, nil
}

// wishFor is the request in words that is equivalent to a rework of files.
func wishFor(how plan.Rework, files string) plan.Message {
	switch how {
	case plan.Larger:
		return plan.Say("Make %s twice as large.", files)
	case plan.Smaller:
		return plan.Say("Make the file %s smaller.", files)
	default:
		return plan.Say("Make variations of %s.", files)
	}
}

// maxCalled is the maximum number of files that a sentence names.
const maxCalled = 3

// called joins the names under which people know the files of a run.
func (w *reworker) called(ctx context.Context, r *record.Request, run *record.Run, files []plan.Resource) (string, error) {
	known, err := w.store.NameFiles(ctx, r, run)
	if err != nil {
		return "", err
	}
	var names []string
	for _, f := range files[:min(len(files), maxCalled)] {
		names = append(names, cmp.Or(known[f.Name], f.File, f.Name))
	}
	if len(files) > maxCalled {
		names = append(names, "…")
	}
	return strings.Join(names, ", "), nil
}

// use selects results of a run for the person's next message in the thread, and says so.
func (w *reworker) use(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, names ...string) error {
	in := r.Asked.Event.Thread
	if refused, err := w.refused(ctx, e, in); refused || err != nil {
		return err
	}
	if run.Deleted {
		return w.tell(ctx, e, r, deletedResult)
	}
	id := record.ThreadID(in)
	t, err := w.store.Thread(ctx, id)
	if err != nil {
		return err
	}
	if s := t.Selected(e.By.ID); s != nil && slices.Equal(s.Resources, names) && w.now().Before(s.Until) {
		w.admission.statuses.Show(ctx, e.MessageRef(), adapters.Done)
		return nil // the person was told
	}
	came, err := w.store.Logs.Read(ctx, record.RequestLog(record.RequestID(e)))
	if err != nil {
		return err
	}
	if len(came) == 0 { // otherwise this is a repeated event and the selection may be used up
		selected := record.Selected{By: e.By.ID, Resources: names, Until: w.now().Add(questionExpiry)}
		if _, err := w.store.Logs.Append(ctx, record.ThreadLog(id), record.Entry{Selected: &selected}); err != nil {
			return err
		}
	}
	var files []plan.Resource
	for _, m := range run.Route.Made() {
		if slices.Contains(names, m.Name) {
			files = append(files, m)
		}
	}
	shown, err := w.called(ctx, r, run, files)
	if err != nil {
		return err
	}
	if n := variation(run, names); n > 0 {
		told := plan.Say("Your next message here works on number %d, %s.", n, shown)
		if slices.ContainsFunc(run.Answer.Reply.Files, func(f adapters.Attachment) bool { return f.Resource == names[0] }) {
			return w.tell(ctx, e, r, told)
		}
		files[0].File = shown // so far, people have seen only a grid
		return w.tell(ctx, e, r, told, files...)
	}
	return w.tell(ctx, e, r, plan.Say("Your next message here works on %s.", shown))
}

// variation is the number under which an answer offers a result, 0 if it does not.
func variation(run *record.Run, names []string) int {
	if run.Answer == nil || len(names) != 1 {
		return 0
	}
	return 1 + slices.IndexFunc(run.Answer.Offers, func(o plan.Offer) bool { return o.Use == names[0] })
}

// refused counts a press that is only answered with a notice, and reports whether there were too many.
func (w *reworker) refused(ctx context.Context, e adapters.Event, in adapters.Thread) (bool, error) {
	why, err := w.limits.Command(ctx, record.RequestID(e), e.By, in)
	switch {
	case err != nil:
		return false, fmt.Errorf("count a press: %w", err)
	case why != nil:
		return true, w.admission.refuse(ctx, e, in, why)
	}
	return false, nil
}

// notice tells something that is counted like a command.
func (w *reworker) notice(ctx context.Context, e adapters.Event, r *record.Request, said plan.Message) error {
	if refused, err := w.refused(ctx, e, r.Asked.Event.Thread); refused || err != nil {
		return err
	}
	return w.tell(ctx, e, r, said)
}

// tell posts a notice about a press in its thread, with files, for the person who pressed.
func (w *reworker) tell(ctx context.Context, e adapters.Event, r *record.Request, said plan.Message, files ...plan.Resource) error {
	e.Thread = r.Asked.Event.Thread
	t, err := w.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	_, err = w.admission.record(ctx, e, record.Options{}, t, origin{told: said, shows: files}, nil)
	return err
}

// plan plans what a press asks for.
func (w *reworker) plan(ctx context.Context, press *record.Press, asked plan.Request) (*plan.Plan, error) {
	agent, ok := w.agent.(Reworker)
	if !ok {
		return nil, fmt.Errorf("%s: %w", press.How, ErrLacking)
	}
	of, err := w.store.Request(ctx, press.Of.Request)
	if err == nil {
		of, err = w.store.Unpacked(ctx, of)
	}
	if record.IgnoreUnknown(err) != nil {
		return nil, err
	}
	if err != nil || of.Run(press.Of.Run) == nil || of.Run(press.Of.Run).Route == nil {
		return nil, &plan.Fault{Sentence: deletedResult, Err: err}
	}
	made := of.Run(press.Of.Run).Route
	limits := map[string]int64{}
	if press.How == plan.Smaller {
		most := w.limitsOf(of.Asked.Event.Thread).File
		for _, f := range made.Ends() {
			info, err := w.blobs.Stat(ctx, f.Blob)
			if err != nil {
				return nil, &plan.Fault{Sentence: plan.Say("The file %s no longer exists.", cmp.Or(f.File, f.Name)), Err: err}
			}
			limits[f.Name] = info.Size / 2
			if most > 0 {
				limits[f.Name] = min(limits[f.Name], most)
			}
		}
	}
	return agent.Rework(ctx, asked, made, press.How, limits)
}

// leastSmaller is the minimum size in bytes of a file that the bot offers to make smaller.
const leastSmaller = 20_000

// unuse clears the selection of a run's results, if it is the person's latest.
func (w *reworker) unuse(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, names ...string) error {
	id := record.ThreadID(r.Asked.Event.Thread)
	t, err := w.store.Thread(ctx, id)
	if err != nil || run == nil {
		return err
	}
	if s := t.Selected(e.By.ID); s == nil || len(s.Resources) == 0 || !slices.Equal(s.Resources, names) {
		return nil
	}
	_, err = w.store.Logs.Append(ctx, record.ThreadLog(id), record.Entry{Selected: &record.Selected{By: e.By.ID}})
	return err
}

// results returns the names of a run's final results.
func results(run *record.Run) (names []string) {
	if run == nil || run.Route == nil {
		return nil
	}
	for _, f := range run.Route.Ends() {
		names = append(names, f.Name)
	}
	return names
}
