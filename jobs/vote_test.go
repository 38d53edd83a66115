package jobs_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/quota"
)

// votes counts votes.
type votes struct {
	jobs.Metrics

	mu  sync.Mutex
	all []string
}

func (v *votes) Rated(adapter string, good, changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all = append(v.all, fmt.Sprint(adapter, good, changed))
}

// rates is a press of a feedback button.
func (h *house) rates(by string, on adapters.MessageRef, sign adapters.Sign) adapters.Event {
	return adapters.Event{
		Kind: adapters.ReactionAdded, ID: fmt.Sprintf("v%d", h.count.Add(1)), Adapter: "chat", By: adapters.Person{ID: by},
		At: time.Unix(1_800_000_000, 0), Reaction: &adapters.Reaction{On: on, Sign: sign},
	}
}

// TestVotes: ratings of answers are recorded, one per person with access, and counted once.
func TestVotes(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		m := &votes{Metrics: jobs.NoMetrics()}
		j := h.start(held(quota.Config{Deny: denies("eve")}), func(c *jobs.Config) { c.Metrics = m })
		e := h.says("t", "ann", "blur")
		r := h.ask(j, e)
		answer := r.Runs[0].Sent
		good := h.rates("ann", answer, adapters.Good)
		for _, v := range []adapters.Event{
			good, good, h.rates("ann", answer, adapters.Good), // a repeated event, and a second press
			h.rates("bob", answer, adapters.Bad), h.rates("ann", answer, adapters.Bad), // changes her mind
			h.rates("eve", answer, adapters.Bad),                                                             // may not ask
			h.rates("ann", e.Message.Ref, adapters.Good),                                                     // not an answer
			h.rates("ann", adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "unknown"}, adapters.Good), // unknown
		} {
			h.handle(j, v)
		}
		r, err := j.Show(h.t.Context(), r.ID)
		check(h.t, err)
		if want := []jobs.Vote{{By: "ann"}, {By: "bob"}}; !slices.Equal(r.Runs[0].Votes, want) || len(r.Runs) != 1 {
			h.t.Errorf("the votes are %+v", r.Runs[0].Votes)
		}
		if want := []string{"chattrue false", "chatfalse false", "chatfalse true"}; !slices.Equal(m.all, want) {
			h.t.Errorf("counted are %q", m.all)
		}
	})
}

// TestVotesAreLimited so that nobody floods the record of a request.
func TestVotesAreLimited(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := &votes{Metrics: jobs.NoMetrics()}
	j := h.start(func(c *jobs.Config) { c.Metrics = m })
	r := h.ask(j, h.says("t", "ann", "blur"))
	for range 50 {
		h.handle(j, h.rates("ann", r.Runs[0].Sent, adapters.Good))
		h.handle(j, h.rates("ann", r.Runs[0].Sent, adapters.Bad))
	}
	h.handle(j, h.rates("bob", r.Runs[0].Sent, adapters.Good))
	if n := len(m.all); n != 21 {
		t.Errorf("%d votes are counted", n)
	}
}
