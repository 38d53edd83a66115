package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// TestAnswerHasCostOfFailedPlanning has a planner that uses a model and fails.
func TestAnswerHasCostOfFailedPlanning(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) {
		thinking := plan.Thinking{Jobs: []plan.Job{{Name: "decompose", Calls: 2, Input: 900, Output: 100}}}
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: &plan.Fault{Sentence: plan.Say("Please rephrase that.")}}
	}
	run := h.ask(h.start(), h.says("t", "ann", "blur")).Runs[0]
	if run.Answer.Thinking.Tokens() != 1000 || run.Stopped != jobs.Broken || run.Answer.Reply.Text != "Please rephrase that." {
		t.Errorf("it took %+v, stopped is %q, the reply is %q", run.Answer.Thinking, run.Stopped, run.Answer.Reply.Text)
	}
}

// TestToolCostBelongsToRun: it includes failed steps, but not those of an earlier run.
func TestToolCostBelongsToRun(t *testing.T) {
	t.Parallel()
	h := enter(t)
	takes := func(tool string, status plan.Status, tokens int) {
		h.planner.set(tool, func(ctx context.Context, w jobs.Work) (plan.Result, error) {
			r, err := h.planner.make(ctx, w)
			if status == plan.Failed {
				r = plan.Result{Status: plan.Failed, Problem: "No."}
			}
			r.Usage = plan.Tokens{Calls: 1, Input: tokens}
			return r, err
		})
	}
	takes("first", plan.Done, 1)
	takes("blur", plan.Failed, 10)
	takes("sharpen", plan.Done, 100)
	takes("soften", plan.Done, 1000)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "first>blur|first>sharpen|first>soften"))
	n, err := j.Choose(t.Context(), r.ID, 1, plan.Choice{2}, "ann")
	check(t, err)
	r = h.wait(j, r.ID, n)
	if one, two := r.Runs[0].Usage.Sum(), r.Runs[1].Usage.Sum(); one != 111 || two != 1000 {
		t.Errorf("the first run took %d, the second %d", one, two)
	}
}

// TestRejectionNamesFile: rejections name the file.
func TestRejectionNamesFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 300)
	for name, want := range map[string]string{
		"My photo.PNG":      "My photo.PNG",
		`C:\photos\one.png`: "one.png",
		"../../up.png":      "up.png",
		"..":                "file",
		long + ".png":       strings.Repeat("ü", 98) + ".png",
		long:                strings.Repeat("ü", 100),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			var mu sync.Mutex
			var seen string
			j := h.start(func(c *jobs.Config) {
				c.Inspect = func(ctx context.Context, file string) (jobs.File, error) {
					mu.Lock()
					defer mu.Unlock()
					seen = filepath.Base(file)
					return inspect(ctx, file)
				}
			})
			sent := h.chat.upload("sent", "PNG")
			sent.Name = name
			r := h.ask(j, h.says("t", "ann", "blur", sent))
			mu.Lock()
			defer mu.Unlock()
			if seen != want || r.Runs[0].Status != jobs.Done {
				t.Errorf("it is called %q, the run is %s: %s", seen, r.Runs[0].Status, r.Runs[0].Answer.Reply.Text)
			}
		})
	}
}

// goneFiles is a platform whose files are gone, with its own sentence for that.
type goneFiles struct {
	adapters.Adapter

	err error
}

func (g goneFiles) Fetch(context.Context, adapters.File) (io.ReadCloser, error) { return nil, g.err }

func TestPlatformsFileErrorIsNotLogged(t *testing.T) {
	t.Parallel()
	h := enter(t)
	said := &adapters.Fault{Sentence: `There is no file called "my aunt.png".`, Kind: adapters.ErrGone, Err: errors.New("the detail")}
	platform := goneFiles{Adapter: h.chat, err: said}
	j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	r := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("my aunt.png", "PNG")))
	if told := r.Runs[0].Answer.Reply.Text; told != said.Sentence {
		t.Errorf("the reply is %q", told)
	}
	if log := h.log.String(); strings.Contains(log, "aunt") || !strings.Contains(log, "the detail") {
		t.Errorf("logged is %s", log)
	}
}

// full is a state that rejects all writes once it is full.
type full struct {
	storage.State

	mu   sync.Mutex
	full bool
}

func (f *full) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return 0, fmt.Errorf("append: %w", storage.ErrFull)
	}
	return f.State.Append(ctx, key, value, expiry)
}

// TestImpatientProcessReportsFullDisk: a person at a terminal is told of a full disk.
func TestImpatientProcessReportsFullDisk(t *testing.T) {
	t.Parallel()
	h := enter(t)
	state := &full{State: h.state}
	h.state = state
	h.planner.set("blur", func(context.Context, jobs.Work) (plan.Result, error) {
		state.mu.Lock()
		defer state.mu.Unlock()
		state.full = true
		return plan.Result{}, nil
	})
	j := h.process(func(c *jobs.Config) { c.Impatient = true })
	_, err := j.Submit(t.Context(), h.says("t", "ann", "blur"), jobs.Options{})
	check(t, err)
	if err := j.Run(t.Context()); !errors.Is(err, storage.ErrFull) {
		t.Errorf("it ended with %v", err)
	}
}
