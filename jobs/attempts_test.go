package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// firstBlocks blocks only the first use of a tool.
func (h *house) firstBlocks(tool string) *gate {
	g := newGate()
	h.planner.set(tool, func(ctx context.Context, _ jobs.Work) (plan.Result, error) {
		if h.planner.count(tool) > 1 {
			return plan.Result{}, nil
		}
		return plan.Result{}, g.pass(ctx)
	})
	return g
}

func TestOneAttemptOfAStepCounts(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		one, two := h.start(), h.start()
		g := h.firstBlocks("pic")
		e := h.says("t", "ann", "pic>caption")
		id := h.handle(one, e)
		<-g.entered
		r, err := two.Show(h.t.Context(), id)
		check(h.t, err)
		check(h.t, two.Rerun(h.t.Context(), id, 0, r.Runs[0].Steps[0].Key))
		check(h.t, one.Rerun(h.t.Context(), id, 0, r.Runs[0].Steps[0].Key)) // another process has noticed it too
		r = h.wait(two, id, 1)
		close(g.open)
		h.log.until(h.t, 3, "stage done", "request="+id, "stage=act")
		if h.planner.count("pic") != 2 || h.planner.count("caption") != 1 || len(h.chat.all()) != 1 {
			h.t.Errorf("drawn %d times, captioned %d times, %d answers", h.planner.count("pic"), h.planner.count("caption"), len(h.chat.all()))
		}
		kept := 0
		for _, w := range h.planner.works {
			if w.Steps[w.At].Action.Tool != "pic" {
				continue
			}
			switch _, err := h.blobs.Stat(h.t.Context(), w.Folder+"/"+r.Runs[0].Made[0].Name); {
			case err == nil:
				kept++
			case !errors.Is(err, storage.ErrNotFound):
				h.t.Error(err)
			}
		}
		body, err := h.blobs.Get(h.t.Context(), r.Runs[0].Made[0].Blob)
		check(h.t, err)
		content, err := io.ReadAll(body)
		check(h.t, errors.Join(err, body.Close()))
		if kept != 1 || string(content) != "PNG by pic" {
			h.t.Errorf("%d are kept, the one that counts is %q", kept, content)
		}
	})
}

// deaf is a state that drops the heartbeats of a worker, as if it had died.
type deaf struct{ storage.State }

func (d deaf) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if strings.HasPrefix(key, "workers/") {
		return errCut
	}
	return d.State.Put(ctx, key, value, expiry)
}

// TestDeadWorkersTasksAreRestarted: a worker without heartbeats is considered dead.
func TestDeadWorkersTasksAreRestarted(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"plan", "act"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			g := h.firstBlocks("blur")
			if stage == "plan" {
				h.planner.plan = func(ctx context.Context, _ plan.Request) (*plan.Plan, error) {
					if h.planner.count("plan") > 1 {
						return read("sharpen"), nil
					}
					return nil, errors.Join(errors.New("it fails after all"), g.pass(ctx))
				}
			}
			quiet := func(c *jobs.Config) { c.Beat = time.Hour } // scan only when called
			dead := h.start(quiet, func(c *jobs.Config) { c.State = deaf{h.state} })
			ctx := t.Context()
			id := h.handle(dead, h.says("t", "ann", "blur"))
			<-g.entered
			j := h.start(quiet)
			orphans := map[string]time.Time{}
			var task string
			look := func(want bool) {
				t.Helper()
				check(t, j.ReapOnce(ctx, orphans))
				if _, is := orphans[task]; is != want && task != "" {
					t.Fatalf("it is an orphan: %v", is)
				}
			}
			for look(true); len(orphans) != 1; { // the previous task may not be marked as done yet
				look(true)
			}
			for task = range orphans {
				orphans[task] = time.Now().Add(-24 * time.Hour)
			}
			b, err := json.Marshal(jobs.Worker{ID: "forged", Tasks: []string{task}})
			check(t, err)
			check(t, h.state.Put(ctx, "workers/forged", b, time.Hour))
			look(false) // the worker is alive
			check(t, h.state.Delete(ctx, "workers/forged"))
			look(true) // orphaned only briefly
			orphans[task] = time.Now().Add(-24 * time.Hour)
			look(true)
			look(true) // passed on already
			if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done || h.told(r) != "Here it is." {
				t.Errorf("the run is %s", r.Runs[0].Status)
			}
			close(g.open) // the worker that was considered dead comes back
			end := map[string]string{"plan": "stage failed", "act": "stage done"}[stage]
			h.log.until(t, 1, end, "request="+id, "stage="+stage, "run=")
			h.ask(j, h.says("t", "ann", "other"))
			if n := h.planner.count(stage) + h.planner.count("blur"); stage == "act" && n != 2 || stage == "plan" && h.planner.count("plan") != 3 {
				t.Errorf("%d attempts, planned %d times", n, h.planner.count("plan"))
			}
			if len(h.chat.all()) != 2 {
				t.Errorf("%d answers", len(h.chat.all()))
			}
		})
	}
}

// heard is a state that signals the heartbeat of a worker with tools.
type heard struct {
	storage.State

	workers chan string
}

func (l heard) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	err := l.State.Put(ctx, key, value, expiry)
	if strings.HasPrefix(key, "workers/") && contains(value, `"able"`) && err == nil {
		select {
		case l.workers <- key:
		default:
		}
	}
	return err
}

func lacks(tool string) func(context.Context, jobs.Work) (plan.Result, error) {
	return func(context.Context, jobs.Work) (plan.Result, error) {
		return plan.Result{}, errors.Join(errors.New(tool), jobs.ErrLacking)
	}
}

func TestStepRunsWhereItsToolIs(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.set("rare", lacks("rare"))
	able := h.planner.other()
	able.has = map[string][]plan.Candidate{"rare": {{Name: "native:rare"}}}
	workers := make(chan string, 1)
	h.start(func(c *jobs.Config) {
		c.Agent, c.State, c.Pools = able, heard{h.state, workers}, []jobs.Pool{{Queues: map[string]int{jobs.QueueCPU: 1}, Concurrency: 1}}
	})
	<-workers
	all, err := j.Workers(t.Context())
	check(t, err)
	if len(all) == 0 {
		t.Fatal("nobody lives")
	}
	elsewhere, err := j.Elsewhere(t.Context())
	check(t, err)
	if len(elsewhere["rare"]) != 1 || elsewhere["rare"][0].Name != "native:rare" {
		t.Errorf("elsewhere are %v", elsewhere)
	}
	r := h.ask(j, h.says("t", "ann", "rare|blur"))
	if r.Runs[0].Status != jobs.Done || able.count("rare") != 1 || h.planner.count("blur") != 0 || len(r.Runs[0].Made) != 1 {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, h.told(r))
	}
}

// TestPartlyDone: a partial result differs from a full one and from none.
func TestPartlyDone(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.fails("smudge", "No ink.", true)
	for wish, want := range map[string]jobs.Status{"blur": jobs.Done, "blur; smudge": jobs.Partial, "smudge": jobs.Failed} {
		if r := h.ask(j, h.says("t "+wish, "ann", wish)); r.Runs[0].Status != want {
			t.Errorf("%q is %s, want %s: %q", wish, r.Runs[0].Status, want, h.told(r))
		}
	}
	h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		p := read(r.Wish)
		p.Left = []plan.Unhandled{{Part: "glaze it", Unknown: []string{"glaze"}}}
		return p, nil
	}
	wish := h.says("t", "ann", "blur|sharpen")
	if r := h.ask(j, wish); r.Runs[0].Status != jobs.Partial {
		t.Errorf("the run is %s", r.Runs[0].Status)
	}
	h.chat.untilShown(t, wish.Message.Ref.ID, adapters.Seen, adapters.Failed)
}

// TestDoubtfulPlanIsOffered: nothing is run until a person chooses, and then only the choice.
func TestDoubtfulPlanIsOffered(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		p := read(r.Wish)
		for i := range p.Tasks[0].Solutions {
			p.Tasks[0].Solutions[i].Score = 2 - float64(i)*0.5
		}
		return p, nil
	}
	wish := h.says("t", "ann", "speed|loop")
	r := h.ask(j, wish)
	if r.Runs[0].Status != jobs.Asking || h.planner.count("speed") != 0 || !strings.HasPrefix(h.told(r), "I am not sure what you want") {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, h.told(r))
	}
	h.chat.untilShown(t, wish.Message.Ref.ID, adapters.Seen, adapters.Asking)
	var offered []string
	for _, c := range r.Runs[0].Answer.Reply.Choices {
		offered = append(offered, c.Text)
	}
	if want := []string{"speed", "loop"}; !slices.Equal(offered, want) || !r.Runs[0].Answer.Reply.Asks {
		t.Errorf("offered are %q, want %q", offered, want)
	}
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(2), true))
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done || h.planner.count("loop") != 1 || h.planner.count("speed") != 0 {
		t.Errorf("the run is %s: %q", r.Runs[1].Status, h.told(r))
	}
}

func TestUnavailableToolIsReplaced(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.set("rare", lacks("rare"))
	if r := h.ask(j, h.says("t", "ann", "rare|blur")); r.Runs[0].Status != jobs.Done || !strings.Contains(h.told(r), "Something that this needs is no longer available. Please ask again.") {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, h.told(r))
	}
	if r := h.ask(j, h.says("t", "ann", "rare")); r.Runs[0].Status != jobs.Failed {
		t.Errorf("the run is %s", r.Runs[0].Status)
	}
}

// elsewhere publishes another process that can run the tool on a device, but takes no tasks.
func (h *house) elsewhere(tool, device string) {
	h.t.Helper()
	b, err := json.Marshal(jobs.Worker{ID: "forged", Tools: map[string][]plan.Candidate{tool: {{Name: "far:" + tool, Device: device}}}})
	check(h.t, err)
	check(h.t, h.state.Put(h.t.Context(), "workers/forged", b, time.Hour))
}

// roughly is an agent that leaves a tool to others, unless Anyhow is set.
func roughly(_ context.Context, w jobs.Work) (plan.Result, error) {
	if !w.Anyhow {
		return plan.Result{}, jobs.ErrLacking
	}
	return plan.Result{}, nil
}

// TestStepIsLeftToBetterProcess: of two processes on a queue, the one that can only approximate a step leaves it to the
// other.
func TestStepIsLeftToBetterProcess(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"speakgpu", "speak"} { // the second is handed over to cpu
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.planner.set(tool, roughly)
			able := h.planner.other()
			able.has = map[string][]plan.Candidate{tool: {{Name: "toolserver:speak@kokoro", Device: jobs.QueueGPU}}}
			workers := make(chan string, 1)
			h.start(func(c *jobs.Config) {
				c.Agent, c.State, c.Pools = able, heard{h.state, workers}, []jobs.Pool{{Queues: map[string]int{jobs.QueueGPU: 1}, Concurrency: 1}}
			})
			<-workers
			j := h.start(func(c *jobs.Config) { c.Patience = time.Hour })
			r := h.ask(j, h.says("t", "ann", tool))
			if r.Runs[0].Status != jobs.Done || able.count(tool) != 1 {
				t.Errorf("the run is %s: %q, done %d times by who does it well", r.Runs[0].Status, h.told(r), able.count(tool))
			}
		})
	}
}

// TestStepIsLeftToOthersForLimitedTime: the better process may be busy for a long time.
func TestStepIsLeftToOthersForLimitedTime(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.elsewhere("speakgpu", jobs.QueueGPU)
	h.planner.set("speakgpu", roughly)
	j := h.start(func(c *jobs.Config) { c.Patience = time.Millisecond })
	if r := h.ask(j, h.says("t", "ann", "speakgpu")); r.Runs[0].Status != jobs.Done || h.planner.count("speakgpu") < 3 {
		t.Errorf("the run is %s: %q, after %d looks", r.Runs[0].Status, h.told(r), h.planner.count("speakgpu"))
	}
}

// TestNoWaitForToolOfUnservedQueue, since its process never takes steps of this queue.
func TestNoWaitForToolOfUnservedQueue(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.elsewhere("raregpu", "cpu")
	h.planner.set("raregpu", lacks("raregpu"))
	j := h.start()
	if r := h.ask(j, h.says("t", "ann", "raregpu|blur")); r.Runs[0].Status != jobs.Done || h.planner.count("blur") != 1 {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, h.told(r))
	}
}
