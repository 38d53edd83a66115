package jobs_test

import (
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage/storagetest"
)

// soon is a deadline that passes during a test.
func soon(c *jobs.Config) { c.Deadline = 300 * time.Millisecond }

func TestHangingStageIsAnsweredAtDeadline(t *testing.T) {
	t.Parallel()
	for stage, set := range stages() {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			g := newGate()
			set(h, g)
			j := h.start()
			id := h.handle(j, h.says("t", "ann", "pic>blur", h.chat.upload("a.png", "PNG a")))
			<-g.entered
			h.timeIsUp(id)
			r := h.wait(j, id, 1)
			if told := h.told(r); r.Runs[0].Status != jobs.Failed || !strings.Contains(told, "too long") {
				t.Errorf("the run is %s: %q", r.Runs[0].Status, told)
			}
			p, _ := h.chat.post(r.Runs[0].Sent)
			if made := stage == "act" || stage == "compose"; made != (len(p.reply.Files) == 1) {
				t.Errorf("the files are %+v", p.reply.Files)
			}
		})
	}
}

// timeIsUp lets the deadline of a request pass.
func (h *house) timeIsUp(id string) {
	h.t.Helper()
	check(h.t, h.state.Delete(h.t.Context(), "request-"+id+"/time-1"))
	check(h.t, h.inspector().RunTask(jobs.QueuePlan, "deadline:"+id+":1:"))
}

func TestAnswerAfterMissingGatewayReturns(t *testing.T) {
	t.Parallel()
	h := enter(t)
	inner := func(c *jobs.Config) { soon(c); c.Pools = c.Pools[1:] }
	j := h.start(inner)
	id := h.handle(j, h.says("t", "ann", "blur"))
	h.follow(func() bool {
		r, err := j.Show(t.Context(), id)
		check(t, err)
		return r.Runs[0].Answer != nil
	})
	h.start(func(c *jobs.Config) { c.Pools = c.Pools[:1] })
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Failed || !strings.Contains(h.told(r), "too long") {
		t.Errorf("the run is %s", r.Runs[0].Status)
	}
}

// TestWaitingDoesNotCountTowardsDeadline: a request waits longer than its deadline for an answer that cannot be
// sent.
func TestWaitingDoesNotCountTowardsDeadline(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if r.AnswerTo.ID == "m1" && !strings.Contains(h.log.String(), "msg=\"the platform is back\"") {
			return &adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}
		}
		return nil
	}
	j := h.start()
	first := h.handle(j, h.says("t", "ann", "blur"))
	second := h.handle(j, h.says("t", "ann", "blur"))
	h.chat.until(t, "a try to send", func() bool { return h.chat.sends > 0 })
	h.timeIsUp(second)
	h.log.until(t, 1, "stage waits", "request="+second, "stage=deadline")
	if _, err := h.log.Write([]byte("msg=\"the platform is back\"\n")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first, second} {
		if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done {
			t.Errorf("%s is %s", id, r.Runs[0].Status)
		}
	}
}

// TestLostRequestIsAnswered removes the tasks of a request.
func TestLostRequestIsAnswered(t *testing.T) {
	t.Parallel()
	h := enter(t)
	submitter := h.process(soon)
	id := h.handle(submitter, h.says("t", "ann", "blur"))
	check(t, h.inspector().DeleteTask("gateway:chat", "fetch:"+id+":1:"))
	j := h.start(soon)
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Failed || !strings.Contains(h.told(r), "too long") {
		t.Errorf("the run is %s", r.Runs[0].Status)
	}
}

// TestClockJump: the processes' clocks differ by hours, and jump at each reading.
func TestClockJump(t *testing.T) {
	t.Parallel()
	h := enter(t)
	now := storagetest.NewClock()
	jumping := func(by time.Duration) func(c *jobs.Config) {
		return func(c *jobs.Config) {
			c.Now = func() time.Time {
				now.Pass(by)
				return now.Now()
			}
		}
	}
	one, two := h.start(jumping(5*time.Hour)), h.start(jumping(-7*time.Hour))
	var ids []string
	for _, j := range []*jobs.Jobs{one, two, one, two, one} {
		ids = append(ids, h.handle(j, h.says("t", "ann", "first>blur|sharpen")))
	}
	for _, id := range ids {
		if r := h.wait(two, id, 1); r.Runs[0].Status != jobs.Done {
			t.Errorf("the run is %s", r.Runs[0].Status)
		}
	}
	var order []string
	for _, p := range h.chat.all() {
		order = append(order, p.reply.AnswerTo.ID)
	}
	if got := strings.Join(order, " "); got != "m1 m2 m3 m4 m5" || h.planner.count("blur") != 5 {
		t.Errorf("answered were %s, blurred %d times", got, h.planner.count("blur"))
	}
}
