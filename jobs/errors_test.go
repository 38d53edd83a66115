package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

const unexpected = "Something unexpected went wrong."

// TestPlanningErrors has a planner that fails several times.
func TestPlanningErrors(t *testing.T) {
	t.Parallel()
	fault := &plan.Fault{Sentence: plan.Say("The model is asleep."), Err: errors.New("secret detail")}
	for name, c := range map[string]struct {
		err       error
		times     int
		impatient bool
		told      string
		calls     int
	}{
		"it passes":                          {fmt.Errorf("%w: %w", jobs.ErrPassing, fault), 2, false, "Here it is.", 3},
		"it does not pass":                   {fmt.Errorf("%w: %w", jobs.ErrPassing, fault), 100, false, "The model is asleep.", 4},
		"it may pass, but somebody waits":    {fmt.Errorf("%w: %w", jobs.ErrPassing, fault), 1, true, "The model is asleep.", 1},
		"it is told at once":                 {fault, 100, false, "The model is asleep.", 1},
		"nobody expected it":                 {errors.New("secret detail"), 100, false, unexpected, 4},
		"nobody expected it, but it went":    {errors.New("secret detail"), 3, false, "Here it is.", 4},
		"nobody expected it, somebody waits": {errors.New("secret detail"), 1, true, unexpected, 1},
		"the storage is away":                {fmt.Errorf("get: %w", storage.ErrUnreachable), 100, false, "I cannot reach my file storage", 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			left := c.times
			h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
				if left--; left >= 0 {
					return nil, c.err
				}
				return read(r.Wish), nil
			}
			j := h.start(func(config *jobs.Config) { config.Impatient = c.impatient })
			r := h.ask(j, h.says("t", "ann", "blur"))
			if told := h.told(r); !strings.HasPrefix(told, c.told) || strings.Contains(told, "secret") || h.planner.count("plan") != c.calls {
				t.Errorf("the reply is %q, asked %d times", told, h.planner.count("plan"))
			}
			if strings.Contains(h.log.String(), "asleep") {
				t.Error("the log quotes replies")
			}
		})
	}
}

func TestAgentPanic(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.set("breaks", func(context.Context, jobs.Work) (plan.Result, error) { panic("secret of ann") })
	if r := h.ask(j, h.says("t", "ann", "breaks|blur")); r.Runs[0].Status != jobs.Done || !strings.Contains(h.told(r), unexpected) {
		t.Errorf("the reply is %q", h.told(r))
	}
	h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) { panic("secret of ann") }
	if r := h.ask(j, h.says("t", "ann", "blur")); r.Runs[0].Status != jobs.Failed || !strings.Contains(h.told(r), unexpected) {
		t.Errorf("the reply is %q", h.told(r))
	}
	if strings.Contains(h.log.String(), "secret") {
		t.Error("the log contains the value of the panic")
	}
}

func TestAnswerWithoutTextHasFiles(t *testing.T) {
	t.Parallel()
	for _, err := range []error{errors.New("secret detail"), &plan.Fault{Sentence: plan.Say("The model is asleep.")}} {
		h := enter(t)
		j := h.start()
		h.planner.respond = func(context.Context, jobs.Account) (string, error) { return "", err }
		r := h.ask(j, h.says("t", "ann", "pic"))
		p, _ := h.chat.post(r.Runs[0].Sent)
		if len(p.reply.Files) != 1 || strings.Contains(p.reply.Text, "secret") || p.reply.Text == "" {
			t.Errorf("sent is %+v", p.reply)
		}
	}
}

func TestImpossibleStepFails(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.set("bad", func(context.Context, jobs.Work) (plan.Result, error) {
		return plan.Result{}, &plan.Fault{Sentence: plan.Say("It is bad.")}
	})
	if r := h.ask(j, h.says("t", "ann", "bad|good")); r.Runs[0].Status != jobs.Done || !strings.Contains(h.told(r), "It is bad.") {
		t.Errorf("the reply is %q", h.told(r))
	}
}

func TestFetchErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		times   int
		told    string
		fetches int
	}{
		"it passes":              {&adapters.Fault{Sentence: "Away."}, 2, "Here it is.", 3},
		"it does not pass":       {errors.New("secret detail"), 100, `The file "a.png" could not be downloaded. Please send it again later.`, 6},
		"a pause is no try":      {&adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}, 9, "Here it is.", 10},
		"it is gone":             {fmt.Errorf("get: %w", adapters.ErrGone), 100, `The file "a.png" is no longer available.`, 1},
		"it is gone, as is said": {&adapters.Fault{Sentence: "Ann has deleted it.", Kind: adapters.ErrGone}, 100, "Ann has deleted it.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.chat.onFetch = func(n int, _ adapters.File) error {
				if n <= c.times {
					return c.err
				}
				return nil
			}
			j := h.start()
			r := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("a.png", "PNG a")))
			if told := h.told(r); !strings.HasPrefix(told, c.told) || h.chat.fetches != c.fetches {
				t.Errorf("the reply is %q, fetched %d times", told, h.chat.fetches)
			}
			if c.told != "Here it is." && h.planner.count("plan") != 0 {
				t.Error("it is planned all the same")
			}
		})
	}
}

func TestRejectedFiles(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(func(c *jobs.Config) { c.MaxFile = 2_000_000 })
	for content, want := range map[string]string{
		"PNG" + strings.Repeat("x", 2_000_000): `The file "a.png" is too large: the limit is 2 MB.`,
		strings.Repeat("x", 1<<20+1):           "The text is too long: the limit is 1 MB.",
		"BAD":                                  "I take no bad files.",
		"":                                     `The file "a.png" is empty.`,
	} {
		r := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("a.png", content)))
		if told := h.told(r); told != want || r.Runs[0].Status != jobs.Failed {
			t.Errorf("the reply is %q", told)
		}
	}
}

// TestBadFileIsLeftOut: the request runs with the other files.
func TestBadFileIsLeftOut(t *testing.T) {
	t.Parallel()
	gone := &adapters.Fault{Sentence: "The link of %s has expired.", Args: []any{"b"}, Kind: adapters.ErrGone}
	for name, c := range map[string]struct {
		content string
		size    int64 // as announced by the platform
		err     error // of fetching it
		told    string
	}{
		"of no kind that is taken":    {"BAD", 3, nil, "I take no bad files."},
		"empty":                       {"", 0, nil, `The file "b.png" is empty.`},
		"of two gigabytes":            {"PNG b", 2_000_000_000, nil, `The file "b.png" is too large: the limit is 2 MB.`},
		"larger than it was said":     {"PNG" + strings.Repeat("x", 2_000_000), 7, nil, `The file "b.png" is too large: the limit is 2 MB.`},
		"expired":                     {"PNG b", 5, gone, "The link of b has expired."},
		"gone without a word":         {"PNG b", 5, adapters.ErrGone, `The file "b.png" is no longer available. Please send it again.`},
		"never to be fetched":         {"PNG b", 5, errors.New("secret detail"), `The file "b.png" could not be downloaded. Please send it again later.`},
		"on a host that is not known": {"PNG b", 5, adapters.ErrForbidden, `The file "b.png" is no longer available. Please send it again.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.chat.onFetch = func(_ int, f adapters.File) error {
				if f.Name == "b.png" {
					return c.err
				}
				return nil
			}
			j := h.start(func(c *jobs.Config) { c.MaxFile = 2_000_000 })
			bad := h.chat.upload("b.png", c.content)
			bad.Size = c.size
			r := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("a.png", "PNG a"), bad, h.chat.upload("c.png", "PNG c")))
			if told, want := h.told(r), "Here it is.\n\nLeft out: "+c.told; told != want || r.Runs[0].Status != jobs.Done {
				t.Errorf("the reply is %q, want %q", told, want)
			}
			if given := h.planner.request(r.ID).Given; len(given) != 2 || given[0].File != "a.png" || given[1].File != "c.png" {
				t.Errorf("given is %+v", given)
			}
			if log := h.log.String(); strings.Contains(log, ".png") || !strings.Contains(log, "a file is left out") {
				t.Errorf("logged is %s", log)
			}
			alone := h.ask(j, h.says("t", "ann", "blur", bad))
			if told := h.told(alone); told != c.told || alone.Runs[0].Status != jobs.Failed {
				t.Errorf("the reply is %q of it alone", told)
			}
		})
	}
}
