package jobs

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/adapters"
	"atelier/agent/plan"
)

// twoWays is a plan of two ways that share a step.
func twoWays() plan.Plan {
	step := func(tool string) plan.Action { return plan.Action{Tool: tool, Returns: plan.Text} }
	return plan.Plan{Wish: "w", Tasks: []plan.Task{{
		Subtask:   plan.Subtask{Returns: plan.Text},
		Solutions: []plan.Solution{{Actions: []plan.Action{step("a"), step("b")}, Score: 5}, {Actions: []plan.Action{step("a"), step("c")}, Score: 4}},
	}}}
}

// entries draws what a log may hold, in any order.
func entries(t *rapid.T) []*entry {
	p := twoWays()
	var keys []string
	for _, c := range []plan.Choice{{0}, {1}} {
		steps, _, err := p.Steps(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			keys = append(keys, s.Key)
		}
	}
	draw := rapid.Custom(func(t *rapid.T) *entry {
		e := &entry{Version: version, At: time.Unix(rapid.Int64Range(0, 100).Draw(t, "at"), 0).UTC(), Run: rapid.IntRange(0, 4).Draw(t, "run")}
		n := rapid.IntRange(0, 5).Draw(t, "which")
		word := fmt.Sprint("w", n)
		generation, key := rapid.IntRange(-1, 4).Draw(t, "generation"), rapid.SampledFrom(append(keys, "other")).Draw(t, "step")
		switch rapid.SampledFrom([]string{
			"asked", "given", "begun", "begun", "planned", "started", "stopped", "ended", "ended", "halted", "answer", "sent", "over", "outdated",
			"joined", "left", "settled", "present", "marked",
		}).Draw(t, "kind") {
		case "asked":
			e.Asked = &asked{Event: adapters.Event{ID: word, By: adapters.Person{ID: word}}}
		case "given":
			e.Given = &given{Thread: n}
		case "begun":
			e.Begun = &begun{
				taken: taken{Of: rapid.IntRange(-1, 4).Draw(t, "of"), Choice: plan.Choice{n % 2}},
				Event: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "event"), Once: rapid.Bool().Draw(t, "once"),
			}
			if rapid.Bool().Draw(t, "guess") {
				e.Begun.Choice, e.Begun.Guess = nil, word
			}
		case "planned":
			e.Planned = &planned{p}
			e.Planned.Plan.Wish = word
		case "started":
			e.Started = &started{generation, key, word, n % 2}
		case "stopped":
			e.Stopped = &started{generation, key, word, n % 2}
		case "ended":
			status := rapid.SampledFrom([]plan.Status{plan.Done, plan.Failed, plan.Skipped}).Draw(t, "status")
			e.Ended = &stepEnd{Generation: generation, Step: key, Result: plan.Result{Status: status, Problem: word, Output: &plan.Resource{Name: word, Type: plan.Text}}}
		case "halted":
			e.Halted = &halted{Why: rapid.SampledFrom([]Reason{haltCancelled, haltDeleted, haltOverdue, Broken}).Draw(t, "why"), By: word}
		case "answer":
			e.Answer = &Answer{Status: Done, Question: word}
		case "sent":
			e.Sent = &sent{Problem: word}
		case "over":
			e.Over = true
		case "outdated":
			e.outdated = true
		case "joined":
			e.Joined = &joined{Request: word, By: word, Answers: rapid.SampledFrom([]string{"", "w1", "w2"}).Draw(t, "answers")}
		case "left":
			e.Left = &left{Request: word, Run: rapid.IntRange(0, 2).Draw(t, "left"), Turn: &plan.Turn{Wish: word}, Question: &openQuestion{Request: word}}
		case "settled":
			e.Settled = &answered{word, n % 3}
		case "present":
			e.Present = &present{By: word}
		case "marked":
			e.Marked = &adapters.Event{Adapter: "chat", ID: word, Mark: &adapters.Mark{Picture: word}}
		}
		return e
	})
	return rapid.SliceOfN(draw, 1, 60).Draw(t, "entries")
}

// seen is all of a request that can be seen.
func seen(r *request) any {
	if r == nil {
		return nil
	}
	type look struct {
		View   any
		Due    []bool
		Ready  [][]int
		Salts  []string
		Turns  []map[string]int
		Shared []int
	}
	var l look
	if r.asked != nil {
		l.View = r.view(plan.Request{})
	}
	for _, run := range r.runs {
		l.Due, l.Shared = append(l.Due, run.settled(r.generations[run.generation].plan), run.working()), append(l.Shared, run.generation)
		if run.route != nil {
			l.Ready = append(l.Ready, run.route.Ready())
		}
	}
	for _, g := range r.generations {
		l.Salts, l.Turns = append(l.Salts, g.salt), append(l.Turns, g.turns)
	}
	return l
}

// TestAFoldedLogGoesOnAsTheWholeOne folds a beginning and then the rest.
func TestAFoldedLogGoesOnAsTheWholeOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries(t)
		whole, err := foldRequest("r", all)
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(1, len(all)).Draw(t, "cut")
		part, err := foldRequest("r", all[:n])
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all[n:] {
			part.apply(e)
			if e.outdated {
				part.outdate()
			}
		}
		for _, run := range part.runs {
			run.route = nil
			if err := part.lay(run); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(seen(whole), seen(part)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTheFirstEntryOfItsKindCounts writes a log twice over: the second time changes nothing
// of what was said, but for what each says anew.
func TestTheFirstEntryOfItsKindCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries(t)
		before, err := foldRequest("r", all)
		if err != nil {
			t.Fatal(err)
		}
		more := entries(t)
		after, err := foldRequest("r", slices.Concat(all, more))
		if err != nil {
			t.Fatal(err)
		}
		if before.asked != nil && after.asked != before.asked || before.given != nil && after.given != before.given {
			t.Error("the request is another one")
		}
		for i, run := range before.runs {
			then := after.runs[i]
			if run.generation != then.generation || run.event != then.event || run.answer != nil && run.answer != then.answer ||
				run.sent != nil && run.sent != then.sent || run.halted != nil && run.halted.Why != then.halted.Why || run.over && !then.over {
				t.Errorf("run %d is another one", run.n)
			}
		}
		for i, g := range before.generations {
			then := after.generations[i]
			if g.plan != nil && g.plan != then.plan {
				t.Errorf("the plan of generation %d is another one", i)
			}
			for n, end := range g.ends {
				if then.ends[n] != end {
					t.Errorf("generation %d: what came of step %s is another thing", i, end.Step)
				}
			}
		}
	})
}

// TestAThreadsLineIsOneForAll reads a thread's log in parts.
func TestAThreadsLineIsOneForAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries(t)
		whole := foldThread("t", all)
		part := foldThread("t", all[:rapid.IntRange(0, len(all)).Draw(t, "cut")])
		for i, p := range part.line {
			if whole.line[i].request != p.request || p.left && !whole.line[i].left {
				t.Errorf("place %d is %s and then %s", i, p.request, whole.line[i].request)
			}
		}
		places := map[string]bool{}
		for _, p := range whole.line {
			if places[p.request] {
				t.Errorf("%s stands twice", p.request)
			}
			places[p.request] = true
		}
		if head := whole.head(); head != "" && whole.placeOf(head).left {
			t.Error("the head has left")
		}
		for _, turn := range whole.turns {
			if !places[turn.request] {
				t.Error("somebody left who was not there")
			}
		}
		events := map[string]bool{}
		for _, p := range append(whole.line, &place{request: "none"}) {
			for _, e := range whole.pointed(p.request) {
				if p.request != "none" && events[e.ID] {
					t.Errorf("mark %s is taken twice", e.ID)
				}
				events[e.ID] = p.request != "none"
			}
		}
		whole.memory()
		whole.question(time.Unix(50, 0))
	})
}

// FuzzEntries reads logs of any bytes, a line an entry.
func FuzzEntries(f *testing.F) {
	p := twoWays()
	var log [][]byte
	for _, e := range []entry{
		{Asked: &asked{Event: adapters.Event{ID: "m"}}}, {Given: &given{Thread: 1}}, {Run: 1, Planned: &planned{p}},
		{Started: &started{0, "k", "w", 0}}, {Ended: &stepEnd{Step: "k", Result: plan.Result{Status: plan.Done}}}, {Begun: &begun{taken: taken{Of: 1, Choice: plan.Choice{1}}}},
		{Begun: &begun{taken: taken{Of: 1, Guess: "blur it"}, By: "p", Once: true}}, {TakenBack: &takenBack{taken: taken{Of: 1, Guess: "blur it"}, By: "p"}},
		{Run: 1, Halted: &halted{Why: Broken}}, {Run: 1, Answer: &Answer{}}, {Run: 1, Sent: &sent{}}, {Run: 1, Over: true},
		{Joined: &joined{Request: "r"}}, {Left: &left{Request: "r", Run: 1}}, {Settled: &answered{"r", 1}}, {Present: &present{By: "p"}}, {Marked: &adapters.Event{ID: "x"}},
	} {
		e.Version = version
		b, err := e.encode()
		if err != nil {
			f.Fatal(err)
		}
		log = append(log, b)
		f.Add(b)
	}
	f.Add(bytes.Join(log, []byte("\n")))
	f.Add([]byte("{\"v\":0}\n{\"v\":99}\n{\n\n{\"v\":1,\"run\":-1,\"over\":true}"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		var all []*entry
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			if e, err := decodeEntry(line); err == nil {
				all = append(all, e)
			}
		}
		foldThread("t", all).memory()
		if r, err := foldRequest("r", all); err == nil {
			seen(r)
		}
	})
}
