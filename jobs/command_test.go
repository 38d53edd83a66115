package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/jobs/quota"
)

// commands is a command in a thread; "" means the channel.
func (h *house) commands(thread, by, name string) adapters.Event {
	e := h.says(thread, by, "")
	e.Kind, e.Message, e.Command = adapters.CommandGiven, nil, &adapters.Command{Name: name}
	return e
}

// stops is a person's command to stop their latest request.
func (h *house) stops(thread, by string) adapters.Event {
	e := h.says(thread, by, "")
	e.Kind, e.Message, e.Cancel = adapters.CancelAsked, nil, &adapters.Cancel{}
	return e
}

// TestCommandDoesNotWait: commands are answered while requests run and wait.
func TestCommandDoesNotWait(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start(func(c *jobs.Config) {
			c.Command = func(_ context.Context, e adapters.Event, language string) (string, []plan.Sample, error) {
				return e.Command.Name + " in " + language, nil, nil
			}
		})
		g := h.planner.blocks("把图片变慢")
		first := h.handle(j, h.says("t", "ann", "把图片变慢"))
		<-g.entered
		second := h.handle(j, h.says("t", "ann", "给它写标题"))
		for _, c := range []struct{ thread, by, told string }{
			{"t", "bob", "status in zh-Hans"}, {"elsewhere", "bob", "status in en"}, {"", "ann", "status in zh-Hans"},
		} {
			r := h.ask(j, h.commands(c.thread, c.by, "status"))
			if h.told(r) != c.told || r.Runs[0].Status != jobs.Done {
				h.t.Errorf("the reply is %q, not %q", h.told(r), c.told)
			}
		}
		close(g.open)
		h.wait(j, first, 1)
		h.wait(j, second, 1)
		r := h.ask(j, h.overhears("ann", "blur")) // nobody else has written here
		if asked := h.planner.request(r.ID); len(asked.Turns) != 2 {
			h.t.Errorf("the turns are %+v", asked.Turns)
		}
		n, err := j.Forget(h.t.Context(), jobs.ThreadID(place1("t")))
		check(h.t, err)
		if n != 4 { // the command too
			h.t.Errorf("%d requests are forgotten", n)
		}
	})
}

func TestFloodOfCommands(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(func(c *jobs.Config) {
		c.Command = func(context.Context, adapters.Event, string) (string, []plan.Sample, error) { return "Help.", nil, nil }
	})
	var last string
	for i := range 100 {
		e := h.commands("t", "ann", "help")
		h.handle(j, e)
		if i == 60 {
			last = jobs.RequestID(e)
		}
	}
	r := h.wait(j, last, 1)
	if told := h.told(r); !strings.Contains(told, "Ask again in") {
		t.Errorf("the reply to the first excess request is %q", told)
	}
	if all, err := j.Requests(t.Context(), 200); err != nil || len(all) != 61 {
		t.Errorf("%d were answered: %v", len(all), err)
	}
}

// TestStopLatestFromChannel stops one request after the other, latest first, in all threads.
func TestStopLatestFromChannel(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		g := h.planner.blocks("slow")
		defer close(g.open)
		one := h.handle(j, h.says("t1", "ann", "slow"))
		two := h.handle(other, h.says("t2", "ann", "slow"))
		bobs := h.handle(j, h.says("t3", "bob", "slow"))
		for range 3 {
			<-g.entered
		}
		done := h.handle(j, h.says("t4", "ann", "!done"))
		h.wait(j, done, 1)
		for _, id := range []string{two, one} {
			h.handle(other, h.stops("", "ann"))
			if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Cancelled {
				h.t.Errorf("hers is %s", r.Runs[0].Status)
			}
		}
		h.handle(j, h.stops("", "ann")) // nothing is left
		h.handle(j, h.stops("t1", "bob"))
		if r, err := j.Show(h.t.Context(), bobs); err != nil || r.Runs[0].Status != jobs.Running {
			h.t.Errorf("his is %s: %v", r.Runs[0].Status, err)
		}
		h.handle(j, h.stops("t3", "bob"))
		if r := h.wait(j, bobs, 1); r.Runs[0].Status != jobs.Cancelled {
			h.t.Errorf("his is %s", r.Runs[0].Status)
		}
	})
}

// TestStopLatestIncludesChoicesOfOthersRequests: the other runs of that request continue.
func TestStopLatestIncludesChoicesOfOthersRequests(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|slow|late"))
	slow, late := h.planner.blocks("slow"), h.planner.blocks("late")
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, adapters.Digit(1), true))
	<-slow.entered
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(2), true))
	<-late.entered
	h.handle(j, h.stops("", "bob"))
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Cancelled {
		t.Errorf("his is %s", r.Runs[1].Status)
	}
	close(late.open)
	if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done {
		t.Errorf("hers is %s", r.Runs[2].Status)
	}
}

func TestStatusCommand(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 5, Bytes: 1000}))
	g := h.planner.blocks("slow")
	h.ask(j, h.says("t1", "ann", "!done"))
	h.handle(j, h.says("t1", "ann", "slow"))
	<-g.entered
	h.handle(j, h.says("t1", "ann", "waits"))
	h.handle(j, h.says("t2", "ann", "slow"))
	<-g.entered
	for _, c := range []struct {
		by, thread string
		want       []string
		requests   int
	}{
		{"ann", "", []string{"slow running", "waits waiting", "slow running"}, 1},
		{"ann", "t1", []string{"slow running", "waits waiting"}, 1},
		{"ann", "t3", nil, 1},
		{"bob", "", nil, 5},
	} {
		s, err := j.Standing(t.Context(), adapters.Person{ID: c.by}, place1(c.thread))
		check(t, err)
		var got []string
		for _, r := range s.Requests {
			got = append(got, r.Wish+" "+string(r.Runs[0].Status))
		}
		if strings.Join(got, ", ") != strings.Join(c.want, ", ") || s.Left != (quota.Left{Requests: c.requests, Limit: 5, Bytes: 1000, DayLimit: 1000}) {
			t.Errorf("%s in %q: %v, left is %s", c.by, c.thread, got, fmt.Sprintf("%+v", s.Left))
		}
	}
	close(g.open)
}
