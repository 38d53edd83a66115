package fallback_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/fallback"
)

// fake does every job and notes its name, or fails at one of them.
type fake struct {
	name  string
	fails string
	err   error
	calls []string
}

var _ planner.Planner = (*fake)(nil)

func (f *fake) Decompose(_ context.Context, _ plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	return planner.Decomposition{Reply: f.name}, f.do("decompose", t)
}

func (f *fake) Assess(_ context.Context, _ plan.Request, _ []planner.Assessment, t *plan.Thinking) ([][]float64, error) {
	return [][]float64{{float64(len(f.name))}}, f.do("assess", t)
}

func (f *fake) Settle(_ context.Context, _ plan.Request, _ []planner.Contest, t *plan.Thinking) ([]planner.Settlement, error) {
	return []planner.Settlement{{Solutions: []plan.Solution{{Score: float64(len(f.name))}}}}, f.do("settle", t)
}

func (f *fake) Respond(_ context.Context, _ planner.Account, t *plan.Thinking) (string, error) {
	return f.name, f.do("respond", t)
}

func (f *fake) do(job string, t *plan.Thinking) error {
	f.calls = append(f.calls, job)
	t.Jobs = append(t.Jobs, plan.Job{Name: job, Model: f.name})
	if f.fails == job {
		return f.err
	}
	return nil
}

var jobs = []string{"decompose", "assess", "settle", "respond"}

// all does the jobs of a request in order until one fails, and returns who did them.
func all(ctx context.Context, m planner.Planner, t *plan.Thinking) (who []string, err error) {
	names := map[float64]string{5: "first", 6: "second"}
	d, err := m.Decompose(ctx, plan.Request{ID: "r1", Wish: "a secret wish"}, t)
	if err != nil {
		return who, err
	}
	who = append(who, d.Reply)
	scores, err := m.Assess(ctx, plan.Request{ID: "r1", Wish: "a secret wish"}, nil, t)
	if err != nil {
		return who, err
	}
	who = append(who, names[scores[0][0]])
	settled, err := m.Settle(ctx, plan.Request{ID: "r1", Wish: "a secret wish"}, nil, t)
	if err != nil {
		return who, err
	}
	who = append(who, names[settled[0].Solutions[0].Score])
	text, err := m.Respond(ctx, planner.Account{Request: plan.Request{ID: "r1", Wish: "a secret wish"}}, t)
	if err != nil {
		return who, err
	}
	return append(who, text), nil
}

func newPlanner(t *testing.T, first, second planner.Planner, log *bytes.Buffer) *fallback.Planner {
	t.Helper()
	c := fallback.Config{First: first, Second: second}
	if log != nil {
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	m, err := fallback.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// down returns the error of an endpoint that does not answer.
func down(kind endpoint.Kind) error {
	return fmt.Errorf("decompose: %w", &plan.Fault{
		Sentence: plan.Say("A sentence about a secret wish."),
		Err:      &endpoint.Error{Kind: kind, Err: errors.New("the operator's detail")},
	})
}

func TestFirstPlannerDoesEverything(t *testing.T) {
	t.Parallel()
	first, second := &fake{name: "first"}, &fake{name: "second"}
	var log bytes.Buffer
	var thinking plan.Thinking
	who, err := all(t.Context(), newPlanner(t, first, second, &log), &thinking)
	if err != nil || !slices.Equal(who, []string{"first", "first", "first", "first"}) {
		t.Errorf("%q, %v", who, err)
	}
	if len(second.calls) != 0 || thinking.StoodIn != "" || log.Len() > 0 {
		t.Errorf("the second did %q, %q, log %q", second.calls, thinking.StoodIn, log.String())
	}
}

// TestSecondPlannerTakesOver checks that the second planner does all jobs from the one at which the first failed.
func TestSecondPlannerTakesOver(t *testing.T) {
	t.Parallel()
	const why = "The language model does not answer, so I "
	for at, job := range jobs {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			first, second := &fake{name: "first", fails: job, err: down(endpoint.Down)}, &fake{name: "second"}
			var log bytes.Buffer
			var thinking plan.Thinking
			who, err := all(t.Context(), newPlanner(t, first, second, &log), &thinking)
			if err != nil {
				t.Fatal(err)
			}
			for i := range jobs {
				if want := map[bool]string{true: "first", false: "second"}[i < at]; who[i] != want {
					t.Errorf("%s was done by %s", jobs[i], who[i])
				}
			}
			if !slices.Equal(first.calls, jobs[:at+1]) || !slices.Equal(second.calls, jobs[at:]) {
				t.Errorf("the first was asked for %q, the second for %q", first.calls, second.calls)
			}
			what := []string{
				"read this with my built-in rules, which understand only English.",
				"chose the tools with my built-in rules, which understand only English.",
				"chose the tools with my built-in rules, which understand only English.",
				"wrote this answer with my built-in rules.",
			}[at]
			if thinking.StoodIn != why+what {
				t.Errorf("people are told %q", thinking.StoodIn)
			}
			if len(thinking.Jobs) != len(jobs)+1 {
				t.Errorf("what the first took is lost: %v", thinking.Jobs)
			}
			for _, part := range []string{"level=WARN", "request=r1", "job=" + job, "the operator's detail"} {
				if !strings.Contains(log.String(), part) {
					t.Errorf("%s is not in the log: %s", part, log.String())
				}
			}
			if strings.Contains(log.String(), "secret") || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// TestLaterStageKnowsFallback checks that a later stage, in another process, continues with the planner of the
// earlier one.
func TestLaterStageKnowsFallback(t *testing.T) {
	t.Parallel()
	first, second := &fake{name: "first"}, &fake{name: "second"}
	thinking := plan.Thinking{StoodIn: "It was down."}
	text, err := newPlanner(t, first, second, nil).Respond(t.Context(), planner.Account{}, &thinking)
	if err != nil || text != "second" || len(first.calls) != 0 || thinking.StoodIn != "It was down." {
		t.Errorf("%q, %v, the first did %q, %q", text, err, first.calls, thinking.StoodIn)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	const what = ", so I read this with my built-in rules, which understand only English."
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"key", down(endpoint.KeyRefused), "The language model refused access"},
		{"forbidden", down(endpoint.Forbidden), "The language model refused access"},
		{"model", down(endpoint.ModelUnknown), "The language model that is set up does not exist"},
		{"limit", down(endpoint.Limited), "The language model is getting too many requests at the moment"},
		{"quota", down(endpoint.Quota), "The quota of the language model is used up"},
		{"length", down(endpoint.TooLong), "This is too long for the language model"},
		{"rejected", down(endpoint.Rejected), "The language model did not accept the request"},
		{"down", down(endpoint.Down), "The language model does not answer"},
		{"time", down(endpoint.TimedOut), "The language model took too long to answer"},
		{"malformed", down(endpoint.Malformed), "The language model's answer could not be read"},
		{"no answer of use", &plan.Fault{Sentence: plan.Say("Twice."), Err: errors.New("wrong shape")}, "The language model gave no answer that I could use"},
		{"a refusal of the second kind", &plan.Fault{Sentence: plan.Say("No.")}, "The language model gave no answer that I could use"},
		// the deadline of one attempt, not of the request
		{"a deadline of its own", fmt.Errorf("ask: %w", context.DeadlineExceeded), "The language model gave no answer that I could use"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first, second := &fake{name: "first", fails: "decompose", err: c.err}, &fake{name: "second"}
			var thinking plan.Thinking
			d, err := newPlanner(t, first, second, nil).Decompose(t.Context(), plan.Request{}, &thinking)
			if err != nil || d.Reply != "second" || thinking.StoodIn != c.want+what {
				t.Errorf("%q, %v: %q", d.Reply, err, thinking.StoodIn)
			}
		})
	}
}

// TestSecondPlannerIsNotAsked checks that a request that the first planner declines is not passed on, nor is any
// once the context has ended.
func TestSecondPlannerIsNotAsked(t *testing.T) {
	t.Parallel()
	declined := fmt.Errorf("decompose: %w", &plan.Fault{Sentence: plan.Say("I decline."), Err: errors.New("refused"), Final: true})
	for _, job := range jobs {
		for name, cancelled := range map[string]bool{"declined": false, "cancelled": true} {
			t.Run(job+" "+name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				first, second := &fake{name: "first", fails: job, err: declined}, &fake{name: "second"}
				if cancelled {
					first.err = fmt.Errorf("asking: %w", context.Canceled)
					cancel()
				}
				var log bytes.Buffer
				var thinking plan.Thinking
				_, err := all(ctx, newPlanner(t, first, second, &log), &thinking)
				if !errors.Is(err, first.err) {
					t.Errorf("%v", err)
				}
				if len(second.calls) != 0 || thinking.StoodIn != "" || log.Len() > 0 {
					t.Errorf("the second did %q, %q, log %q", second.calls, thinking.StoodIn, log.String())
				}
			})
		}
	}
}

// TestBothFail checks that if both planners fail, the second one's error is returned.
func TestBothFail(t *testing.T) {
	t.Parallel()
	first := &fake{name: "first", fails: "settle", err: down(endpoint.Down)}
	second := &fake{name: "second", fails: "settle", err: errors.New("no rule")}
	var thinking plan.Thinking
	if _, err := all(t.Context(), newPlanner(t, first, second, nil), &thinking); !errors.Is(err, second.err) {
		t.Errorf("%v", err)
	}
}

func TestNewNeedsTwo(t *testing.T) {
	t.Parallel()
	for _, c := range []fallback.Config{{}, {First: &fake{}}, {Second: &fake{}}} {
		if _, err := fallback.New(c); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
