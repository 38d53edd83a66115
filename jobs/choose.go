package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// chooser starts further runs of a request: an alternative, a repeat, or a guess.
//
// A question may come with guesses at what was meant. A guess is picked like any other offer, or by
// answering with its number. It is planned and run as if the person had written it, with the same
// files, and closes the question. If its run is taken back or fails, the question stays open.
type chooser struct {
	store    *record.Store
	index    *record.Index
	limits   *limits
	tasks    *queue.Tasks
	flow     *flow
	deadline time.Duration
	now      func() time.Time
	log      *slog.Logger
}

// choose is [Jobs.Choose].
func (h *chooser) choose(ctx context.Context, id string, of int, c plan.Choice, by string) (int, error) {
	r, err := h.store.Request(ctx, id)
	if err != nil {
		return 0, err
	}
	run := r.Run(of)
	if run == nil || r.Generations[run.Generation].Plan == nil {
		return 0, fmt.Errorf("run %d: %w", of, record.ErrUnknown)
	}
	if _, err := plan.NewRoute(r.Generations[run.Generation].Plan, c); err != nil {
		return 0, fmt.Errorf("choose: %w", err)
	}
	return h.start(ctx, r, record.Begun{Pick: record.Pick{Of: of, Choice: c}, By: by})
}

// chooseGuess is [Jobs.ChooseGuess].
func (h *chooser) chooseGuess(ctx context.Context, id string, of, guess int, by string) (int, error) {
	r, err := h.store.Request(ctx, id)
	if err != nil {
		return 0, err
	}
	run := r.Run(of)
	if run == nil || run.Answer == nil || guess < 1 || guess > len(run.Answer.Guesses()) {
		return 0, fmt.Errorf("run %d, guess %d: %w", of, guess, record.ErrUnknown)
	}
	return h.start(ctx, r, record.Begun{Pick: run.Pick(guess - 1), By: by})
}

// again is [Jobs.Again].
func (h *chooser) again(ctx context.Context, id, by string) (int, error) {
	r, err := h.store.Request(ctx, id)
	if err != nil {
		return 0, err
	}
	if r.Waits() {
		return 0, fmt.Errorf("the request has not started: %w", record.ErrUnknown)
	}
	return h.start(ctx, r, record.Begun{By: by})
}

// start starts a further run, in parallel with the others, and returns its number.
func (h *chooser) start(ctx context.Context, r *record.Request, b record.Begun) (int, error) {
	at, err := h.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Begun: &b})
	if err != nil {
		return 0, err
	}
	entries, err := h.store.Logs.Read(ctx, record.RequestLog(r.ID))
	if err != nil {
		return 0, err
	}
	before, err := record.FoldRequest(r.ID, entries[:min(at+1, len(entries))])
	if err != nil {
		return 0, err
	}
	n := len(before.Runs)
	for _, run := range before.Runs { // the event may be a repeat
		if b.Event != "" && run.Event == b.Event {
			n = run.N
		}
	}
	if shared := before.Runs.Of(b.Pick); b.Once && b.Refused == "" && shared != nil {
		n = shared.N
	}
	if err := h.index.AddAsker(ctx, r.ID, b.By, r.Asked.Event.Thread); err != nil {
		return 0, err
	}
	if b.Guess != "" && b.Of != 0 && b.Refused == "" {
		if err := h.closeQuestion(ctx, r, b.Of); err != nil {
			return 0, err
		}
	}
	h.log.InfoContext(ctx, "run begun", "request", r.ID, "run", n)
	after, err := record.FoldRequest(r.ID, entries)
	if err != nil {
		return 0, err
	}
	// A shared run keeps its deadline.
	if err := h.store.EnsureTime(ctx, r.ID, n); err != nil {
		return 0, err
	}
	if err := h.tasks.Enqueue(ctx, queue.DeadlineOf(r.ID, n), h.deadline); err != nil {
		return 0, err
	}
	if run := after.Run(n); run != nil && run.Event == b.Event {
		if err := h.limits.hold(ctx, after, run); err != nil {
			return 0, err
		}
	}
	return n, h.flow.advance(ctx, after)
}

// closeQuestion records in the thread that the question of a run is answered.
func (h *chooser) closeQuestion(ctx context.Context, r *record.Request, of int) error {
	id := record.ThreadID(r.Asked.Event.Thread)
	t, err := h.store.Thread(ctx, id)
	if err != nil || t.ClosedQuestions[record.RunRef{Request: r.ID, Run: of}] {
		return err
	}
	_, err = h.store.Logs.Append(ctx, record.ThreadLog(id), record.Entry{QuestionClosed: &record.RunRef{Request: r.ID, Run: of}})
	return err
}

// whyClosed is why the offers of a run's answer, or the guesses of its question, can no longer be picked; zero
// if they can.
func (h *chooser) whyClosed(r *record.Request, asking *record.Run, guess bool) plan.Message {
	switch {
	case asking.Deleted:
		return plan.Say("That answer was deleted, and its numbers with it. Please send your request again.")
	case !guess:
	case r.QuestionAnswered(asking):
		return plan.Say("That question has already been answered. If you want something else, please send a new request.")
	case asking.Over && h.now().After(asking.OverAt.Add(questionExpiry)):
		return plan.Say("That question has expired. Please ask again.")
	}
	return plan.Message{}
}
