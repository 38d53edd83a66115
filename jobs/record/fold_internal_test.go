package record

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

// twoWays is a plan with two solutions that share a step.
func twoWays() plan.Plan {
	step := func(tool string) plan.Action { return plan.Action{Tool: tool, Returns: plan.Text} }
	return plan.Plan{Wish: "w", Tasks: []plan.Task{{
		Subtask:   plan.Subtask{Returns: plan.Text},
		Solutions: []plan.Solution{{Actions: []plan.Action{step("a"), step("b")}, Score: 5}, {Actions: []plan.Action{step("a"), step("c")}, Score: 4}},
	}}}
}

// entries generates random log entries, in any order.
func entries(t *rapid.T) []*Entry {
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
	draw := rapid.Custom(func(t *rapid.T) *Entry {
		e := &Entry{Version: Version, At: time.Unix(rapid.Int64Range(0, 100).Draw(t, "at"), 0).UTC(), Run: rapid.IntRange(0, 4).Draw(t, "run")}
		n := rapid.IntRange(0, 5).Draw(t, "which")
		word := fmt.Sprint("w", n)
		generation, key := rapid.IntRange(-1, 4).Draw(t, "generation"), rapid.SampledFrom(append(keys, "other")).Draw(t, "step")
		switch rapid.SampledFrom([]string{
			"asked", "given", "begun", "begun", "planned", "started", "stopped", "ended", "ended", "halted", "answer", "sent", "over", "outdated",
			"joined", "left", "settled", "present", "marked",
		}).Draw(t, "kind") {
		case "asked":
			e.Asked = &Asked{Event: adapters.Event{ID: word, By: adapters.Person{ID: word}}}
		case "given":
			e.Given = &Given{Thread: n}
		case "begun":
			e.Begun = &Begun{
				Pick:  Pick{Of: rapid.IntRange(-1, 4).Draw(t, "of"), Choice: plan.Choice{n % 2}},
				Event: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "event"), Once: rapid.Bool().Draw(t, "once"),
			}
			if rapid.Bool().Draw(t, "guess") {
				e.Begun.Choice, e.Begun.Guess = nil, word
			}
		case "planned":
			e.Planned = &Planned{p}
			e.Planned.Plan.Wish = word
		case "started":
			e.Started = &StepTurn{generation, key, word, n % 2}
		case "stopped":
			e.Stopped = &StepTurn{generation, key, word, n % 2}
		case "ended":
			status := rapid.SampledFrom([]plan.Status{plan.Done, plan.Failed, plan.Skipped}).Draw(t, "status")
			e.Ended = &StepEnd{Generation: generation, Step: key, Result: plan.Result{Status: status, Problem: word, Output: &plan.Resource{Name: word, Type: plan.Text}}}
		case "halted":
			e.Halted = &Halted{Why: rapid.SampledFrom([]Reason{HaltCancelled, HaltDeleted, HaltOverdue, Broken}).Draw(t, "why"), By: word}
		case "answer":
			e.Answer = &Answer{Status: Done, Question: word}
		case "sent":
			e.Sent = &Sent{Problem: word}
		case "over":
			e.Over = true
		case "outdated":
			e.outdated = true
		case "joined":
			e.Joined = &Joined{Request: word, By: word, Answers: rapid.SampledFrom([]string{"", "w1", "w2"}).Draw(t, "answers")}
		case "left":
			e.Left = &Left{Request: word, Run: rapid.IntRange(0, 2).Draw(t, "left"), Turn: &plan.Turn{Wish: word}, Question: &OpenQuestion{Request: word}}
		case "settled":
			e.QuestionClosed = &RunRef{word, n % 3}
		case "present":
			e.Present = &Present{By: word}
		case "marked":
			e.Marked = &adapters.Event{Adapter: "chat", ID: word, Mark: &adapters.Mark{Picture: word}}
		}
		return e
	})
	return rapid.SliceOfN(draw, 1, 60).Draw(t, "entries")
}

// seen returns all visible state of a request.
func seen(r *Request) any {
	if r == nil {
		return nil
	}
	type step struct {
		plan.Step

		Status         plan.Status
		Started, Ended time.Time
	}
	type way struct {
		N                     int
		By, Event             string
		Began, Answered, Over time.Time
		Status                Status
		Halted                *Halted
		Answer                *Answer
		Sent                  *Sent
		Plan                  *plan.Plan
		Planned               time.Time
		Guess                 string
		Choice                plan.Choice
		Results               map[string]plan.Result
		Made                  []plan.Resource
		Steps                 []step
		Usage                 plan.Tokens
	}
	type look struct {
		Asked  *Asked
		At     time.Time
		Wish   string
		Ways   []way
		Due    []bool
		Ready  [][]int
		Salts  []string
		Turns  []map[string]int
		Shared []int
	}
	var l look
	if r.Asked != nil {
		l.Asked, l.At, l.Wish = r.Asked, r.AskedAt, r.Wish()
	}
	for _, run := range r.Runs {
		if r.Asked != nil {
			g := r.Generations[run.Generation]
			w := way{
				N: run.N, By: run.By, Event: run.Event, Began: run.BeganAt, Answered: run.AnswerAt, Over: run.OverAt,
				Status: run.Status(r, g), Halted: run.Halted, Answer: run.Answer, Sent: run.Sent, Plan: g.Plan, Planned: g.PlannedAt, Guess: g.Guess,
			}
			for _, end := range g.Ends[g.Inherited:] {
				w.Usage = w.Usage.Plus(end.Result.Usage)
			}
			if run.Route != nil {
				w.Choice, w.Results, w.Made = run.Route.Choice(), run.Route.All(), run.Route.Made()
				for _, s := range run.Route.Steps() {
					w.Steps = append(w.Steps, step{s, run.Route.Status(s.Key), g.Started[s.Key], g.Ended[s.Key]})
				}
			}
			l.Ways = append(l.Ways, w)
		}
		l.Due, l.Shared = append(l.Due, run.Answerable(r.Generations[run.Generation].Plan), run.Active()), append(l.Shared, run.Generation)
		if run.Route != nil {
			l.Ready = append(l.Ready, run.Route.Ready())
		}
	}
	for _, g := range r.Generations {
		l.Salts, l.Turns = append(l.Salts, g.Salt), append(l.Turns, g.Turns)
	}
	return l
}

// TestFoldedLogContinues checks that folding a prefix and then the rest equals folding the whole log.
func TestFoldedLogContinues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries(t)
		whole, err := FoldRequest("r", all)
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(1, len(all)).Draw(t, "cut")
		part := fold("r", all[:n])
		for _, e := range all[n:] {
			part.apply(e)
			if e.outdated {
				part.outdate()
			}
		}
		for _, run := range part.Runs {
			run.Route = nil
			if err := part.layOut(run); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(seen(whole), seen(part.Request)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestFirstEntryCounts appends a log to itself: repeated entries change nothing, except those that count each time.
func TestFirstEntryCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries(t)
		before, err := FoldRequest("r", all)
		if err != nil {
			t.Fatal(err)
		}
		more := entries(t)
		after, err := FoldRequest("r", slices.Concat(all, more))
		if err != nil {
			t.Fatal(err)
		}
		if before.Asked != nil && after.Asked != before.Asked || before.Given != nil && after.Given != before.Given {
			t.Error("the request is another one")
		}
		for i, run := range before.Runs {
			then := after.Runs[i]
			if run.Generation != then.Generation || run.Event != then.Event || run.Answer != nil && run.Answer != then.Answer ||
				run.Sent != nil && run.Sent != then.Sent || run.Halted != nil && run.Halted.Why != then.Halted.Why || run.Over && !then.Over {
				t.Errorf("run %d is another one", run.N)
			}
		}
		for i, g := range before.Generations {
			then := after.Generations[i]
			if g.Plan != nil && g.Plan != then.Plan {
				t.Errorf("the plan of generation %d is another one", i)
			}
			for n, end := range g.Ends {
				if then.Ends[n] != end {
					t.Errorf("generation %d: what came of step %s is another thing", i, end.Step)
				}
			}
		}
	})
}

// TestThreadQueueIsStable folds a thread's log in parts.
func TestThreadQueueIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries(t)
		whole := FoldThread("t", all)
		part := FoldThread("t", all[:rapid.IntRange(0, len(all)).Draw(t, "cut")])
		for i, p := range part.Line {
			if whole.Line[i].Request != p.Request || p.Left && !whole.Line[i].Left {
				t.Errorf("place %d is %s and then %s", i, p.Request, whole.Line[i].Request)
			}
		}
		places := map[string]bool{}
		for _, p := range whole.Line {
			if places[p.Request] {
				t.Errorf("%s occurs twice", p.Request)
			}
			places[p.Request] = true
		}
		if head := whole.Head(); head != "" && whole.PlaceOf(head).Left {
			t.Error("the head has left")
		}
		for _, turn := range whole.turns {
			if !places[turn.request] {
				t.Error("somebody left who was not there")
			}
		}
		events := map[string]bool{}
		for _, p := range append(whole.Line, &Place{Request: "none"}) {
			for _, e := range whole.MarksFor(p.Request) {
				if p.Request != "none" && events[e.ID] {
					t.Errorf("mark %s is taken twice", e.ID)
				}
				events[e.ID] = p.Request != "none"
			}
		}
		whole.Memory(&Request{Asked: &Asked{}})
		whole.Question(time.Unix(50, 0))
	})
}

// FuzzEntries decodes logs of arbitrary bytes, one entry per line.
func FuzzEntries(f *testing.F) {
	p := twoWays()
	var log [][]byte
	for _, e := range []Entry{
		{Asked: &Asked{Event: adapters.Event{ID: "m"}}}, {Given: &Given{Thread: 1}}, {Run: 1, Planned: &Planned{p}},
		{Started: &StepTurn{0, "k", "w", 0}}, {Ended: &StepEnd{Step: "k", Result: plan.Result{Status: plan.Done}}}, {Begun: &Begun{Pick: Pick{Of: 1, Choice: plan.Choice{1}}}},
		{Begun: &Begun{Pick: Pick{Of: 1, Guess: "blur it"}, By: "p", Once: true}}, {TakenBack: &TakenBack{Pick: Pick{Of: 1, Guess: "blur it"}, By: "p"}},
		{Run: 1, Halted: &Halted{Why: Broken}}, {Run: 1, Answer: &Answer{}}, {Run: 1, Sent: &Sent{}}, {Run: 1, Over: true},
		{Joined: &Joined{Request: "r"}}, {Left: &Left{Request: "r", Run: 1}}, {QuestionClosed: &RunRef{"r", 1}}, {Deleted: &RunRef{"r", 1}}, {Present: &Present{By: "p"}}, {Marked: &adapters.Event{ID: "x"}},
	} {
		e.Version = Version
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
		var all []*Entry
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			if e, err := decodeEntry(line); err == nil {
				all = append(all, e)
			}
		}
		FoldThread("t", all).Memory(&Request{Asked: &Asked{}})
		if r, err := FoldRequest("r", all); err == nil {
			seen(r)
		}
	})
}
