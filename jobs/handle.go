package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/storage"
)

// Handle takes an event of an adapter: it is an [adapters.Handler]. What it returns nil for
// is recorded. What is not meant for the bot is passed over.
func (j *Jobs) Handle(ctx context.Context, e adapters.Event) error {
	if err := e.Validate(); err != nil {
		return err
	}
	switch e.Kind {
	case adapters.MessageSent:
		return j.hear(ctx, e)
	case adapters.CommandGiven:
		return j.commanded(ctx, e)
	case adapters.PictureMarked:
		return j.pointed(ctx, e)
	case adapters.ReactionAdded:
		return j.reacted(ctx, e)
	case adapters.ReactionRemoved:
		return j.unreacted(ctx, e)
	case adapters.CancelAsked:
		return j.cancelAsked(ctx, e)
	}
	return fmt.Errorf("%w: an event of kind %q", adapters.ErrInvalid, e.Kind)
}

// hear takes a message if it is meant for the bot: by its address, because it answers an
// open question, or because nobody else is in the thread.
func (j *Jobs) hear(ctx context.Context, e adapters.Event) error {
	t, err := j.thread(ctx, ThreadID(e.Thread), -1)
	if err != nil {
		return err
	}
	answers := t.question(j.config.Now())
	if answers != nil && answers.Asker != e.By.ID && !repliesTo(e.Message, answers.Ref) {
		answers = nil
	}
	taken := t.placeOf(RequestID(e)) != nil // it came before, and may have been recorded by half
	overheard := e.Message.For == adapters.Overheard && !taken
	if overheard && (answers == nil && !t.alone(e.By.ID) || !j.quota.Allowed(e.By, e.Thread)) {
		if len(t.by) == 0 || slices.Contains(t.by, e.By.ID) {
			return nil
		}
		_, err := j.logs.append(ctx, threadLog(t.id), entry{At: j.config.Now(), Present: &present{By: e.By.ID}})
		return err
	}
	return j.admit(ctx, e, t, answers)
}

func repliesTo(m *adapters.Message, ref adapters.MessageRef) bool {
	return m.ReplyTo != nil && slices.Contains(ref.Keys(), m.ReplyTo.Ref.Key())
}

// acknowledge shows how a request stands, where the platform can. It is a courtesy: the
// request does not wait for it.
func (j *Jobs) acknowledge(ctx context.Context, e adapters.Event, s adapters.Status) {
	a, ok := j.adapters[e.Thread.Adapter].(adapters.Acknowledger)
	if !ok || e.Message == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	j.after.run(func() {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		if err := a.Acknowledge(ctx, e.Message.Ref, s); err != nil && !errors.Is(err, adapters.ErrGone) {
			j.log.WarnContext(ctx, "a sign could not be shown", "request", RequestID(e), "status", string(s), "error", forOperator(err))
		}
	})
}

// advanceThread lets the thread's next request begin, if one waits.
func (j *Jobs) advanceThread(ctx context.Context, id string) error {
	t, err := j.thread(ctx, id, -1)
	if err != nil {
		return err
	}
	return j.beginNext(ctx, t)
}

func (j *Jobs) beginNext(ctx context.Context, t *thread) (err error) {
	id, head := t.id, t.head()
	if head == "" || !j.logs.queue(threadLog(id), head) {
		return nil
	}
	defer func() {
		if err != nil {
			j.logs.unqueue(threadLog(id), head)
		}
	}()
	r, err := j.request(ctx, head)
	if errors.Is(err, ErrUnknown) { // its time had come, or it was being forgotten
		entries, _, err := j.logs.added(ctx, threadLog(id), entry{At: j.config.Now(), Left: &left{Request: head, Run: 1}})
		if err != nil {
			return err
		}
		return j.beginNext(ctx, foldThread(id, entries))
	}
	if err != nil {
		return err
	}
	if err := j.turn(ctx, r); err != nil {
		return err
	}
	return j.enqueue(ctx, task{Kind: kindFetch, Request: head, Run: 1, queue: gatewayQueue(r.asked.Event.Adapter)}, 0)
}

// turn begins the time of a request whose turn has come: once, whoever finds it. The
// deadline is handed over again, since it may have been recorded by half.
func (j *Jobs) turn(ctx context.Context, r *request) error {
	if r.given == nil {
		first, err := j.config.State.PutOnce(ctx, requestTurn(r.id), []byte{'t'}, j.config.Retention)
		if err == nil && first {
			err = j.config.State.Put(ctx, requestTime(r.id, 1), []byte{'w'}, j.config.Deadline)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("set the deadline: %w", err), j.config.State.Delete(ctx, requestTurn(r.id)))
		}
	}
	return j.enqueue(ctx, task{Kind: kindDeadline, Request: r.id, Run: 1, queue: QueuePlan}, j.config.Deadline)
}

// request reads a request; it is an error if there is none.
func (j *Jobs) request(ctx context.Context, id string) (*request, error) {
	entries, err := j.logs.read(ctx, requestLog(id))
	if err != nil {
		return nil, err
	}
	r, err := foldRequest(id, entries)
	if err == nil && (r == nil || r.asked == nil) {
		err = fmt.Errorf("request %s: %w", id, ErrUnknown)
	}
	return r, err
}

// write adds an entry to a request's log, and gives the request as it is then.
func (j *Jobs) write(ctx context.Context, id string, e entry) (*request, error) {
	e.At = j.config.Now()
	entries, _, err := j.logs.added(ctx, requestLog(id), e)
	if err != nil {
		return nil, err
	}
	r, err := foldRequest(id, entries)
	if err == nil && (r == nil || r.asked == nil) { // it was forgotten meanwhile
		err = fmt.Errorf("request %s: %w", id, ErrUnknown)
	}
	return r, err
}

// thread reads a thread as it was after so many entries; all of them if n is negative.
func (j *Jobs) thread(ctx context.Context, id string, n int) (*thread, error) {
	entries, err := j.logs.read(ctx, threadLog(id))
	if err != nil {
		return nil, err
	}
	if n >= 0 && n < len(entries) {
		entries = entries[:n]
	}
	return foldThread(id, entries), nil
}

// answered is what a message of the bot's belongs to.
type answered struct {
	Request string `json:"request"`
	Run     int    `json:"run"`
}

// remember notes what the messages of an answer, or of a wish, belong to.
func (j *Jobs) remember(ctx context.Context, ref adapters.MessageRef, of answered) error {
	b, err := json.Marshal(of)
	if err != nil {
		return fmt.Errorf("encode a message's note: %w", err)
	}
	for _, key := range ref.Keys() {
		if err := j.config.State.Put(ctx, messageKey(key), b, j.config.Retention); err != nil {
			return fmt.Errorf("note a message: %w", err)
		}
	}
	return nil
}

// recall finds what a message belongs to. It is not ok where that is nothing known.
func (j *Jobs) recall(ctx context.Context, ref adapters.MessageRef) (of answered, ok bool, err error) {
	b, err := j.config.State.Get(ctx, messageKey(ref.Key()))
	if errors.Is(err, storage.ErrNotFound) {
		return of, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &of)
	}
	if err != nil {
		return of, false, fmt.Errorf("look up a message: %w", err)
	}
	return of, true, nil
}
