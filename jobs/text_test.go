package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// long returns a text of a million bytes, different for each word.
func long(word string) string { return strings.Repeat(word+"\n", 1_000_000/(len(word)+1)) }

// TestLongTextsAreStoredSeparately has inputs and results larger than an entry may be.
func TestLongTextsAreStoredSeparately(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		t := h.t
		for _, tool := range []string{"a", "b", "c", "d"} {
			h.planner.set(tool, func(context.Context, jobs.Work) (plan.Result, error) {
				return plan.Result{
					Status: plan.Done, Output: &plan.Resource{Name: tool + ".txt", Type: plan.Text, Value: long(tool)},
					More: []plan.Resource{{Name: tool + "-more.txt", Type: plan.Text, Value: long(tool + " more")}},
				}, nil
			})
		}
		h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
			p := read(r.Wish)
			p.Resources = r.Resources()
			return p, nil
		}
		j := h.start()
		given := h.chat.upload("<&>.txt", long("<&>"))
		r := h.ask(j, h.says("t", "ann", "a>e;b;c;d", given))
		if r.Runs[0].Status != jobs.Done || h.planner.count("respond") != 1 {
			t.Errorf("it is %s, worded %d times", r.Runs[0].Status, h.planner.count("respond"))
		}
		made := func(what string, all []plan.Resource) {
			t.Helper()
			if len(all) != 9 || all[0].Value != long("a") || all[1].Value != long("a more") || all[0].Blob != "" {
				t.Errorf("%s are %d resources, the first of %d bytes", what, len(all), len(all[0].Value))
			}
		}
		made("shown", r.Runs[0].Made)
		made("told", h.planner.told[0].Route.Made())
		for name, all := range map[string][]plan.Resource{
			"asked": h.planner.request(r.ID).Given, "told": h.planner.told[0].Request.Given, "shown": r.Asked.Given, "planned": r.Runs[0].Plan.Resources,
			"worked with": h.planner.works[0].Resources,
		} {
			if len(all) != 1 || all[0].Value != long("<&>") || all[0].Blob != "" {
				t.Errorf("%s: %d resources", name, len(all))
			}
		}
		for _, w := range h.planner.works {
			if s := w.Steps[w.At]; s.Action.Tool == "e" && w.Results[w.Steps[s.Inputs()[0]].Key].Output.Value != long("a") {
				t.Error("the step has another input")
			}
		}
		again := h.ask(j, h.says("t", "ann", "a", given)) // the file is known
		if asked := h.planner.request(again.ID); len(asked.Given) != 1 || asked.Given[0].Name != r.Asked.Given[0].Name || asked.Given[0].Value != long("<&>") {
			t.Errorf("given are %d", len(asked.Given))
		}
		for _, log := range []string{"request-" + r.ID, "request-" + again.ID, "thread-" + r.ThreadID} {
			entries, err := h.state.Read(t.Context(), log+"/log", 0)
			check(t, err)
			for _, e := range entries {
				if len(e) > 100_000 {
					t.Errorf("an entry of %s has %d bytes", log, len(e))
				}
			}
		}
	})
}

// TestThreadTextLimit sends texts until the first ones are dropped.
func TestThreadTextLimit(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	const messages = 10
	for i := range messages {
		name := fmt.Sprintf("f%d.txt", i)
		r := h.ask(j, h.says("t", "ann", fmt.Sprintf("edge%d", i), h.chat.upload(name, long(name))))
		if r.Runs[0].Status != jobs.Done {
			t.Fatalf("message %d is %s: %s", i, r.Runs[0].Status, h.told(r))
		}
	}
	asked := h.planner.request(h.ask(j, h.says("t", "ann", "last")).ID)
	texts, small := []string{}, 0
	for _, e := range asked.Earlier {
		if e.File == "" {
			small++
			continue
		}
		texts = append(texts, e.File)
		if e.Value != long(e.File) {
			t.Errorf("%s has another text", e.Name)
		}
	}
	if small != messages || len(texts) != 8 || texts[0] != "f2.txt" || texts[7] != "f9.txt" {
		t.Errorf("remembered are %v and %d that were made", texts, small)
	}
}

func TestTextsTooLongTogether(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	var files []adapters.File
	for i := range 9 {
		files = append(files, h.chat.upload(fmt.Sprintf("f%d.txt", i), long(strconv.Itoa(i))))
	}
	if told := h.told(h.ask(j, h.says("t", "ann", "edge", files...))); !strings.Contains(told, "the limit is 8 MB") {
		t.Errorf("the reply is %q", told)
	}
}

// TestMissingText lets a text expire.
func TestMissingText(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.planner.set("a", func(context.Context, jobs.Work) (plan.Result, error) {
		return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "a.txt", Type: plan.Text, Value: long("a")}}, nil
	})
	r := h.ask(h.start(), h.says("t", "ann", "a>e|a>f"))
	check(t, h.blobs.DeleteAll(t.Context(), jobs.ThreadFolder(r.ThreadID)))
	j := h.start() // empty cache
	if shown, err := j.Show(t.Context(), r.ID); err != nil || len(shown.Runs[0].Made) != 2 {
		t.Errorf("shown are %+v, %v", shown, err)
	}
	if asked := h.planner.request(h.ask(j, h.says("t", "ann", "last")).ID); len(asked.Earlier) > 2 {
		t.Errorf("remembered are %+v", asked.Earlier)
	}
}

// TestRejectedLogEntryIsReported has results too large for an entry in fields other than texts.
func TestRejectedLogEntryIsReported(t *testing.T) {
	t.Parallel()
	const most = storage.MaxValue + 1
	t.Run("of a step", func(t *testing.T) {
		t.Parallel()
		h := enter(t)
		h.planner.set("a", func(context.Context, jobs.Work) (plan.Result, error) {
			return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "a", Type: plan.Text, Value: "v"}, Note: strings.Repeat("n", most)}, nil
		})
		r := h.ask(h.start(), h.says("t", "ann", "a"))
		if told := h.told(r); h.planner.count("a") != 1 || !strings.Contains(told, "too large to store") {
			t.Errorf("the reply is %q", told)
		}
	})
	t.Run("of a plan", func(t *testing.T) {
		t.Parallel()
		h := enter(t)
		h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) {
			return &plan.Plan{Reply: strings.Repeat("n", most)}, nil
		}
		r := h.ask(h.start(), h.says("t", "ann", "a"))
		if told := h.told(r); h.planner.count("plan") != 1 || !strings.Contains(told, "too much to plan at once") {
			t.Errorf("the reply is %q", told)
		}
	})
	t.Run("of an answer", func(t *testing.T) {
		t.Parallel()
		h := enter(t)
		h.planner.respond = func(context.Context, jobs.Account) (string, error) { return strings.Repeat("n", most), nil }
		r := h.ask(h.start(), h.says("t", "ann", "a"))
		if told := h.told(r); h.planner.count("respond") != 1 || !strings.Contains(told, "answer is too long to store") {
			t.Errorf("the reply is %q", told)
		}
	})
}

// TestKnownFileIsFetchedAgain sends an expired file again.
func TestKnownFileIsFetchedAgain(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	file := h.chat.upload("a.png", "PNG a")
	first := h.ask(j, h.says("t", "ann", "edge", file)).Asked.Given[0]
	check(t, h.blobs.Delete(t.Context(), first.Blob))
	again := h.ask(j, h.says("t", "ann", "edge", file)).Asked.Given
	if len(again) != 1 || again[0] != first {
		t.Errorf("given are %+v", again)
	}
	if _, err := h.blobs.Stat(t.Context(), first.Blob); err != nil {
		t.Errorf("it is not there: %v", err)
	}
}

// endless fails a number of times to write the end of a step.
type endless struct {
	storage.State

	times atomic.Int64
	err   error
}

func (s *endless) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if contains(value, `"ended"`) && s.times.Add(-1) >= 0 {
		return 0, s.err
	}
	return s.State.Append(ctx, key, value, expiry)
}

// TestStepIsNotRepeatedAfterFullStorage has a log that cannot be written for a moment.
func TestStepIsNotRepeatedAfterFullStorage(t *testing.T) {
	t.Parallel()
	for _, err := range []error{storage.ErrFull, storage.ErrUnreachable} {
		h := enter(t)
		state := &endless{State: h.state, err: fmt.Errorf("append: %w", err)}
		state.times.Store(8)
		h.state = state
		r := h.ask(h.start(), h.says("t", "ann", "pic"))
		if r.Runs[0].Status != jobs.Done || h.planner.count("pic") != 1 {
			t.Errorf("it is %s, done %d times", r.Runs[0].Status, h.planner.count("pic"))
		}
	}
}

// TestFullStorageLeavesNothing has a log that cannot be written for a long time.
func TestFullStorageLeavesNothing(t *testing.T) {
	t.Parallel()
	h := enter(t)
	state := &endless{State: h.state, err: fmt.Errorf("append: %w", storage.ErrFull)}
	state.times.Store(15)
	h.state = state
	r := h.ask(h.start(), h.says("t", "ann", "pic"))
	if r.Runs[0].Status != jobs.Done || len(h.planner.works) != 2 {
		t.Fatalf("it is %s, done %d times", r.Runs[0].Status, len(h.planner.works))
	}
	picture := filepath.Base(r.Runs[0].Made[0].Blob)
	if _, err := h.blobs.Stat(t.Context(), h.planner.works[0].Folder+"/"+picture); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the first attempt's picture is there: %v", err)
	}
	if _, err := h.blobs.Stat(t.Context(), h.planner.works[1].Folder+"/"+picture); err != nil {
		t.Errorf("the second one's is not: %v", err)
	}
}
