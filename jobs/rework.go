package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
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
	limitsOf  func(t adapters.Thread) adapters.Limits
	say       sayer
	// patience is how long a person's next message needs no mention.
	patience time.Duration
	now      func() time.Time
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
	act := &record.Act{How: how, Of: record.RunRef{Request: r.ID, Run: run.N}, Root: r.ID, Message: r.Ref()}
	if before := r.Asked.Act; before != nil {
		act.Root = before.Root
	}
	files, err := w.called(ctx, r, run, run.Route.Ends())
	if err != nil {
		return err
	}
	act.Wish = w.say(r, wishFor(how, files))
	e.Thread = r.Asked.Event.Thread
	t, err := w.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	return w.admission.admit(ctx, e, t, origin{act: act})
}

var deletedResult = plan.Say("That result was deleted. Please send your request again.")

// gone reports whether the answer of a run was deleted, or for variations, any answer that they derive from.
func (w *reworker) gone(ctx context.Context, r *record.Request, run *record.Run, back bool) (bool, error) {
	for run != nil && !run.Deleted {
		act := r.Asked.Act
		if !back || act == nil || act.Tries() {
			return false, nil
		}
		var err error
		if r, err = w.store.Request(ctx, act.Of.Request); err != nil {
			return true, record.IgnoreUnknown(err)
		}
		run = r.Run(act.Of.Run)
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
		w.admission.acks.Show(ctx, e.MessageRef(), adapters.Done)
		return nil // the person was told
	}
	came, err := w.store.Logs.Read(ctx, record.RequestLog(record.RequestID(e)))
	if err != nil {
		return err
	}
	if len(came) == 0 { // otherwise this is a repeated event and the selection may be used up
		selected := record.Selected{By: e.By.ID, Resources: names, Until: w.now().Add(w.patience)}
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
		return w.tell(ctx, e, r, plan.Say("Your next message here works on number %d, %s.", n, shown))
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

// tell posts a notice about a press in its thread, for the person who pressed.
func (w *reworker) tell(ctx context.Context, e adapters.Event, r *record.Request, said plan.Message) error {
	e.Thread = r.Asked.Event.Thread
	t, err := w.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	_, err = w.admission.record(ctx, e, record.Options{}, t, origin{told: said}, nil)
	return err
}

// plan plans an act.
func (w *reworker) plan(ctx context.Context, act *record.Act, asked plan.Request) (*plan.Plan, error) {
	agent, ok := w.agent.(Reworker)
	if !ok {
		return nil, fmt.Errorf("%s: %w", act.How, ErrLacking)
	}
	of, err := w.store.Request(ctx, act.Of.Request)
	if err == nil {
		of, err = w.store.Unpacked(ctx, of)
	}
	if record.IgnoreUnknown(err) != nil {
		return nil, err
	}
	if err != nil || of.Run(act.Of.Run) == nil || of.Run(act.Of.Run).Route == nil {
		return nil, &plan.Fault{Sentence: deletedResult, Err: err}
	}
	made := of.Run(act.Of.Run).Route
	limits := map[string]int64{}
	if act.How == plan.Smaller {
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
	return agent.Rework(ctx, asked, made, act.How, limits)
}

// leastSmaller is the minimum size in bytes of a file that the bot offers to make smaller.
const leastSmaller = 20_000

// goOn adds the signs for continuing from an answer. An answer with variations shows only their grid, and offers a
// choice between them.
func (c *composer) goOn(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run) {
	if act := r.Asked.Act; act != nil && act.How == plan.Vary {
		c.offerVariations(a, r, run)
	}
	if len(a.Reply.Files) == 0 || len(run.Route.Ends()) == 0 {
		return
	}
	a.Reply.GoOn = []adapters.Sign{adapters.Use}
	agent, ok := c.agent.(Reworker)
	if !ok {
		return
	}
	hows, err := agent.Reworks(ctx, run.Route)
	if err != nil { // the signs are optional
		c.log.WarnContext(ctx, "an answer lacks signs", "request", r.ID, "error", plan.ForOperator(err))
	}
	for _, how := range hows {
		small := func(f adapters.Attachment) bool { return f.Size < leastSmaller }
		if how != plan.Smaller || !slices.ContainsFunc(a.Reply.Files, small) {
			a.Reply.GoOn = append(a.Reply.GoOn, adapters.Sign(how))
		}
	}
}

// variations describes a grid of variations, and which are missing; "" if the request made none.
func (c *composer) variations(r *record.Request, route *plan.Route) string {
	if act := r.Asked.Act; act == nil || act.How != plan.Vary || route == nil || !route.Done() {
		return ""
	}
	made := route.Results()[0]
	text := c.say(r, plan.Say("Here is one variation."))
	if n := len(made.Outputs()); n != 1 {
		text = c.say(r, plan.Say("Here are %d variations.", n))
	}
	return strings.TrimSpace(text + "\n" + adapters.Escape(made.Note))
}

// offerVariations offers the pictures of a grid by number.
func (c *composer) offerVariations(a *record.Answer, r *record.Request, run *record.Run) {
	if !run.Route.Done() {
		return
	}
	shown := run.Route.Ends()
	a.Reply.Files = slices.DeleteFunc(a.Reply.Files, func(f adapters.Attachment) bool {
		return !slices.ContainsFunc(shown, func(m plan.Resource) bool { return m.Name == f.Resource })
	})
	a.Reply.Picks = true
	a.Offers, a.Reply.Choices = nil, nil
	for _, m := range run.Route.Made() {
		if m.Seed == 0 || len(a.Offers) == adapters.MaxChoices {
			continue
		}
		a.Offers = append(a.Offers, plan.Offer{Use: m.Name, Task: -1})
		a.Reply.Choices = append(a.Reply.Choices, adapters.Choice{
			ID: r.ID + "-" + strconv.Itoa(run.N) + "-" + strconv.Itoa(len(a.Offers)), Text: c.say(r, plan.Say("seed %s", strconv.FormatInt(m.Seed, 10))),
		})
	}
	if n := len(a.Offers); n > 1 && len(a.Reply.Files) == 1 { // the grid
		a.Reply.Files[0].Alt = c.say(r, plan.Say("%d numbered variations in one picture", n))
	}
}
