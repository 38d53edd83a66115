package workshop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// located is a platform whose threads have addresses.
type located struct{ adapters.Adapter }

func (located) Name() string { return "chat" }

func (located) Locate(_ context.Context, t adapters.Thread) (string, error) {
	return "https://chat.example.com/" + t.ID, nil
}

// TestRecentOf: only answered requests of that person in that workspace, which made something.
func TestRecentOf(t *testing.T) {
	t.Parallel()
	ann := adapters.Person{ID: "ann"}
	in := func(workspace, id string) adapters.Thread {
		return adapters.Thread{Adapter: "chat", Workspace: workspace, Channel: "c", ID: id}
	}
	done := []jobs.Run{{Made: []plan.Resource{{Name: "a.png"}}, Sent: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "1"}}}
	all := []jobs.Request{
		{By: ann, Thread: in("w", "t1"), Wish: "make it\n blue", Runs: done},
		{By: adapters.Person{ID: "bob"}, Thread: in("w", "t2"), Wish: "of another person", Runs: done},
		{By: ann, Thread: in("elsewhere", "t3"), Wish: "in another workspace", Runs: done},
		{By: ann, Thread: in("w", "t4"), Wish: "not answered yet", Runs: []jobs.Run{{}}},
		{By: ann, Thread: in("w", "t5"), Wish: "made nothing", Runs: []jobs.Run{{Sent: done[0].Sent}}},
		{By: ann, Thread: in("w", "t6"), Wish: strings.Repeat("long ", 50), Runs: done},
	}
	for range 2 * maxShown {
		all = append(all, jobs.Request{By: ann, Thread: in("w", "t7"), Wish: "earlier", Runs: done})
	}
	var failure error
	latest := func(context.Context, int) ([]jobs.Request, error) { return all, failure }
	got, err := recentOf(t.Context(), latest, []adapters.Adapter{located{}}, ann, in("w", ""))
	if err != nil || len(got) != maxShown || got[0] != (answered{"make it blue", "https://chat.example.com/t1"}) ||
		len([]rune(got[1].wish)) != maxWish || !slices.Contains(got, answered{"earlier", "https://chat.example.com/t7"}) {
		t.Errorf("they are %q: %v", got, err)
	}
	if got, err = recentOf(t.Context(), latest, nil, ann, in("w", "")); err != nil || got[0] != (answered{wish: "make it blue"}) {
		t.Errorf("without the platform they are %q: %v", got, err)
	}
	failure = errors.New("it is away")
	if _, err = recentOf(t.Context(), latest, nil, ann, in("w", "")); !errors.Is(err, failure) {
		t.Errorf("it fails with %v", err)
	}
}
