package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/post"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/storage"
)

// admission is where a request begins: it records what an event asks for, sets the request's
// deadline, and enqueues its first stage.
type admission struct {
	store     *record.Store
	early     *early
	index     *record.Index
	state     storage.State
	limits    *limits
	tasks     *queue.Tasks
	flow      *flow
	statuses  *post.Statuses
	shorthand *shorthand
	metrics   Metrics
	say       sayer
	deadline  time.Duration
	now       func() time.Time
	log       *slog.Logger
}

// message handles a new message.
func (d *admission) message(ctx context.Context, e adapters.Event) error {
	of, known, err := d.store.Recall(ctx, e.Message.Ref)
	if err != nil || known && of.Request != record.RequestID(e) {
		return err // the edit arrived before the message
	}
	return d.address(ctx, e)
}

// address handles a message if it is meant for the bot: it mentions the bot, answers an open question,
// follows the person's press of *Use this*, or nobody else is in the thread.
func (d *admission) address(ctx context.Context, e adapters.Event) error {
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	answers := t.Question(d.now())
	if answers != nil && answers.Asker != e.By.ID && !repliesTo(e.Message, answers.Ref) {
		answers = nil
	}
	taken := t.PlaceOf(record.RequestID(e)) != nil // a repeated event: the first may be half recorded
	overheard := e.Message.For == adapters.Overheard && !taken
	selected := t.Selected(e.By.ID)
	awaited := answers != nil || selected != nil && d.now().Before(selected.Until)
	if overheard && (!awaited && !t.Alone(e.By.ID) || !d.limits.Allowed(e.By, e.Thread)) {
		if len(t.By) == 0 || slices.Contains(t.By, e.By.ID) {
			return nil
		}
		_, err := d.store.Logs.Append(ctx, record.ThreadLog(t.ID), record.Entry{Present: &record.Present{By: e.By.ID}})
		return err
	}
	if !taken {
		if done, err := d.shorthand.take(ctx, e, t, answers); done || err != nil {
			return err
		}
	}
	return d.admit(ctx, e, t, origin{answers: answers})
}

// origin is what a request results from.
type origin struct {
	answers  *record.OpenQuestion // nil if the request answers no question
	replaces *record.Replaced     // nil if the request replaces no other
	press    *record.Press        // nil for a message in words
	told     plan.Message         // a fixed answer; zero if the request has to be planned
	shows    []plan.Resource      // the files of a fixed answer
}

func repliesTo(m *adapters.Message, ref adapters.MessageRef) bool {
	return m.ReplyTo != nil && slices.Contains(ref.Keys(), m.ReplyTo.Ref.Key())
}

// command handles a command. Commands have their own rate limit instead of counting as requests.
func (d *admission) command(ctx context.Context, e adapters.Event) error {
	id := record.RequestID(e)
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if !d.limits.Allowed(e.By, e.Thread) {
		return d.admit(ctx, e, t, origin{})
	}
	refused, err := d.limits.Command(ctx, id, e.By, e.Thread)
	if err != nil {
		return fmt.Errorf("count a command: %w", err)
	}
	if refused != nil {
		if tell, err := d.limits.tell(ctx, id, e, e.Thread, refused); err != nil || !tell {
			return err
		}
	}
	_, err = d.record(ctx, e, record.Options{}, t, origin{}, refused)
	return err
}

// mark records a mark on a picture, for the next message of the thread. People mark through a link in an
// answer. The link is the permission: its user is unknown, so only the thread is checked.
func (d *admission) mark(ctx context.Context, e adapters.Event) error {
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if !d.limits.AllowedPlace(e.Thread) {
		return &adapters.Fault{Sentence: "I am not allowed to work for you here. The operator can change that.", Kind: adapters.ErrForbidden}
	}
	if t.FreshMarks >= record.MaxMarks {
		return &adapters.Fault{Sentence: "There are too many marks here. Say in the chat what to do with them.", Kind: adapters.ErrForbidden}
	}
	_, err = d.store.Logs.Append(ctx, record.ThreadLog(t.ID), record.Entry{Marked: &e})
	return err
}

// admit handles a message that is meant for the bot. If the quota forbids it, the answer says so; if the
// person was told recently, the message only gets a status.
func (d *admission) admit(ctx context.Context, e adapters.Event, t *record.Thread, from origin) error {
	id := record.RequestID(e)
	entries, err := d.store.Logs.Read(ctx, record.RequestLog(id))
	if err != nil {
		return err
	}
	var refused *quota.Refusal
	if len(entries) == 0 { // a repeated event is answered already, or in progress
		if refused, err = d.limits.refusal(ctx, id, e, e.Thread); err != nil {
			return err
		}
	}
	if refused != nil {
		tell, err := d.limits.tell(ctx, id, e, e.Thread, refused)
		if err != nil {
			return err
		}
		if !tell {
			return d.refuseAgain(ctx, e, t, refused)
		}
		if d.statuses.Can(e) {
			refused.Sentence = plan.Sentences(refused.Sentence, plan.Say("If you write here again soon, I only mark your message with ⛔."))
		}
	}
	if _, err = d.record(ctx, e, record.Options{}, t, from, refused); err != nil && refused == nil {
		return errors.Join(err, d.unrecorded(ctx, id, e))
	}
	return err
}

// refuse tells a person in a thread why their action has no effect, unless they were told recently. A press is answered in
// private if the platform can.
func (d *admission) refuse(ctx context.Context, e adapters.Event, in adapters.Thread, why *quota.Refusal) error {
	e.Thread = in
	tell, err := d.limits.tell(ctx, record.RequestID(e), e, in, why)
	if err != nil {
		return err
	}
	t, err := d.store.Thread(ctx, record.ThreadID(in))
	if err != nil {
		return err
	}
	if !tell {
		return d.refuseAgain(ctx, e, t, why)
	}
	post := func(ctx context.Context) error {
		_, err := d.record(ctx, e, record.Options{}, t, origin{}, why)
		return err
	}
	if e.Message == nil && (e.Kind == adapters.ReactionAdded || e.Kind == adapters.CancelAsked) {
		return d.whisper(ctx, e, t, why.Sentence, post)
	}
	return post(ctx)
}

// refuseAgain marks a refused message whose author was told why recently. A press has no message to mark, so the person is
// told in private.
func (d *admission) refuseAgain(ctx context.Context, e adapters.Event, t *record.Thread, why *quota.Refusal) error {
	d.statuses.Show(ctx, e.MessageRef(), adapters.Refused)
	return d.whisper(ctx, e, t, why.Sentence, nil)
}

// whisper tells a person in private why a press or a command has no effect, and calls otherwise if it cannot. Commands that
// nobody typed, such as that of an opened page, stay without a word.
func (d *admission) whisper(ctx context.Context, e adapters.Event, t *record.Thread, why plan.Message, otherwise func(context.Context) error) error {
	untyped := e.Command != nil && !slices.Contains(adapters.AnsweredCommands(), e.Command.Name)
	if e.Message != nil || e.Kind == adapters.ReactionRemoved || untyped {
		return nil
	}
	a, err := d.newAsked(ctx, e, record.Options{}, t, origin{told: why}, nil)
	if err == nil {
		d.statuses.Whisper(ctx, e, e.Thread, a.Told, otherwise)
	}
	return err
}

// new is [Jobs.Submit].
func (d *admission) new(ctx context.Context, e adapters.Event, o record.Options) (id string, err error) {
	if err := e.Validate(); err != nil {
		return "", err
	}
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return "", err
	}
	answers := t.Question(d.now())
	if answers != nil && (e.Message == nil || answers.Asker != e.By.ID) {
		answers = nil
	}
	return d.record(ctx, e, o, t, origin{answers: answers}, nil)
}

// record records a request and enqueues its first stage. If it is refused, the refusal is its answer.
func (d *admission) record(
	ctx context.Context, e adapters.Event, o record.Options, t *record.Thread, from origin, refused *quota.Refusal,
) (string, error) {
	id, threadID := record.RequestID(e), t.ID
	a, err := d.newAsked(ctx, e, o, t, from, refused)
	if err != nil {
		return "", err
	}
	at, err := d.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: 1, Asked: &a})
	if err != nil {
		return "", err
	}
	join := at == 0
	if !join { // a repeated event: the first may be half recorded
		r, err := d.store.Request(ctx, id)
		if err != nil {
			return "", err
		}
		if r.Runs[0].Over {
			return id, nil
		}
		a = *r.Asked // the recorded version counts
		t, err := d.store.Thread(ctx, threadID)
		if err != nil {
			return "", err
		}
		join = t.PlaceOf(id) == nil
	}
	newThread := false
	if join {
		if newThread, err = d.join(ctx, id, a); err != nil {
			return "", err
		}
	}
	if err := d.link(ctx, id, a); err != nil {
		return "", err
	}
	if e.Message != nil {
		if err := d.store.Remember(ctx, e.Message.Ref, record.RunRef{Request: id, Run: 1}); err != nil {
			return "", err
		}
	}
	if err := d.setDeadline(ctx, id, at == 0); err != nil {
		return "", err
	}
	if s, ok := d.state.(storage.Syncer); ok {
		if err := s.Sync(ctx); err != nil {
			return "", fmt.Errorf("record the event: %w", err)
		}
	}
	switch {
	case newThread:
		d.store.Logs.MarkQueued(record.ThreadLog(threadID), id)
		if err = d.tasks.Enqueue(ctx, queue.FetchOf(id, 1, e.Adapter), 0); err != nil {
			d.store.Logs.UnmarkQueued(record.ThreadLog(threadID), id)
		}
	case a.Aside():
		err = d.flow.beginAside(ctx, id)
	default:
		err = d.flow.nextInThread(ctx, threadID)
	}
	if err == nil && e.Message != nil {
		err = d.early.release(ctx, e.Message.Ref)
	}
	if err != nil {
		return "", err
	}
	if a.Refused != "" || a.Told != "" {
		return id, nil
	}
	if at == 0 && a.Event.Command == nil { // neither a repeated event nor a command
		d.metrics.Accepted(e.Adapter)
	}
	d.log.InfoContext(ctx, "request accepted", "request", id, "thread", threadID, "adapter", e.Adapter)
	d.statuses.Show(ctx, e.MessageRef(), adapters.Seen)
	return id, nil
}

// link records in the earlier request that this one answers its question or builds on its results.
func (d *admission) link(ctx context.Context, id string, a record.Asked) (err error) {
	if a.Answers != "" {
		_, err = d.store.Logs.Append(ctx, record.RequestLog(a.Answers), record.Entry{AnsweredBy: id})
	}
	if a.Press != nil && err == nil {
		_, err = d.store.Logs.Append(ctx, record.RequestLog(a.Press.Root), record.Entry{ContinuedBy: id})
	}
	return record.IgnoreUnknown(err)
}

// newAsked returns the record of an event.
func (d *admission) newAsked(
	ctx context.Context, e adapters.Event, o record.Options, t *record.Thread, from origin, refused *quota.Refusal,
) (a record.Asked, err error) {
	a = record.Asked{Event: e, Options: o, Language: t.LanguageOf(e.Message, from.answers), Replaces: from.replaces, Press: from.press}
	if e.Message == nil && a.Language == "" {
		if a.Language, err = d.index.LanguageOf(ctx, e.By.ID, e.Thread); err != nil {
			return a, err
		}
	}
	if !from.told.IsZero() {
		a.Told, a.Shows = d.say(&record.Request{Asked: &a}, from.told), from.shows
	}
	switch {
	case refused != nil: // the question stays open
		a.Refused = d.say(&record.Request{Asked: &a}, refused.Sentence)
	case from.answers != nil:
		a.Answers, a.Guess = from.answers.Request, from.answers.PickedGuess(e.Message)
	}
	return a, nil
}

// join adds a request to its thread's line, and reports whether it is the first entry of a new thread, so that
// its fetch is enqueued without reading the thread again.
func (d *admission) join(ctx context.Context, id string, a record.Asked) (newThread bool, err error) {
	e := a.Event
	position, err := d.store.Logs.Append(ctx, record.ThreadLog(record.ThreadID(e.Thread)), record.Entry{Joined: &record.Joined{
		Request: id, By: e.By.ID, Answers: a.Answers, Language: a.Language, Aside: a.Aside(), Press: a.Press != nil,
	}})
	if err != nil {
		return false, err
	}
	if err := d.index.AddAsker(ctx, id, e.By.ID, e.Thread); err != nil {
		return false, err
	}
	if !a.Aside() {
		if err := d.limits.Hold(ctx, id, e.By, e.Thread); err != nil {
			return false, err
		}
	}
	return position == 0 && !a.Aside(), d.index.Add(ctx, id)
}

// setDeadline sets the deadline of a request, which is reset when its turn comes. A request that was
// recorded before keeps its deadline.
func (d *admission) setDeadline(ctx context.Context, id string, fresh bool) error {
	set := d.store.EnsureTime
	if fresh {
		set = d.store.ResetTime
	}
	if err := set(ctx, id, 1); err != nil {
		return err
	}
	return d.tasks.Enqueue(ctx, queue.DeadlineOf(id, 1), d.deadline)
}

// unrecorded refunds the quota of a request that could not be recorded.
func (d *admission) unrecorded(ctx context.Context, id string, e adapters.Event) error {
	entries, err := d.store.Logs.Read(ctx, record.RequestLog(id))
	if err != nil || len(entries) > 0 {
		return err
	}
	return d.limits.Withdraw(ctx, id, e.By, e.Thread)
}
