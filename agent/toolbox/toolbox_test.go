package toolbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// fake is a backend made of functions.
type fake struct {
	probe func(toolbox.Candidate) error
	run   func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error)
}

var _ toolbox.Backend = fake{}

func (f fake) Probe(_ context.Context, b toolbox.Candidate) error {
	if f.probe == nil {
		return nil
	}
	return f.probe(b)
}

func (f fake) Run(ctx context.Context, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	return f.run(ctx, b, c)
}

// shout is a tool with two native backings and then a server.
var shout = toolbox.Tool{
	Name: "shout", Domain: "general", Returns: plan.Text,
	Args: []toolbox.Arg{{Name: "text", Type: plan.Text, Meaning: plan.Content}},
	Backends: []toolbox.Backing{
		{Kind: "native", Run: "loud", Device: "cpu"},
		{Kind: "native", Run: "quiet", Device: "cpu", Approximate: true},
		{Kind: "openai", Run: "chat", Device: "gpu", Needs: "a language model"},
	},
}

func newToolbox(t *testing.T, c toolbox.Config, tools ...toolbox.Tool) *toolbox.Toolbox {
	t.Helper()
	c.Catalogue = toolbox.NewCatalogue(tools)
	tb, err := toolbox.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

func TestLiveSaysWhyNot(t *testing.T) {
	t.Parallel()
	one := func(name string, bs ...toolbox.Backing) toolbox.Tool {
		return toolbox.Tool{Name: name, Backends: bs}
	}
	tb := newToolbox(t, toolbox.Config{Servers: []toolbox.Server{{Kind: "native", Backend: fake{probe: func(b toolbox.Candidate) error {
		switch b.Run {
		case "lost":
			return &plan.Fault{Sentence: plan.Say("needs the face data")}
		case "mute":
			return errors.New("dial 10.0.0.1")
		case "far":
			return &plan.Fault{Sentence: plan.Say("The server at 10.0.0.1:80 does not answer.")}
		case "model":
			return &plan.Fault{Sentence: plan.Say("It needs a model: set OPENAI_MODEL.")}
		case "wild":
			panic("out of paint")
		}
		return nil
	}}}}},
		one("broken", toolbox.Backing{Kind: "native", Run: "wild"}),
		one("far", toolbox.Backing{Kind: "native", Run: "far"}, toolbox.Backing{Kind: "native", Run: "model"}),
		one("film", toolbox.Backing{Kind: "program", Run: "cut", Needs: "the program ffmpeg"}),
		one("here", toolbox.Backing{Kind: "program", Run: "x"}, toolbox.Backing{Kind: "native", Run: "ok"}),
		one("lost", toolbox.Backing{Kind: "native", Run: "lost"}, toolbox.Backing{Kind: "hftask", Run: "faces", Needs: "a model server"}),
		one("many", toolbox.Backing{Kind: "hftask", Run: "a", Needs: "a tool server"}, toolbox.Backing{Kind: "program", Run: "p"},
			toolbox.Backing{Kind: "openai", Run: "b", Needs: "an OpenAI-compatible server"},
			toolbox.Backing{Kind: "localai", Run: "c", Needs: "a LocalAI server"}),
		one("mute", toolbox.Backing{Kind: "native", Run: "mute"}),
		one("odd", toolbox.Backing{Kind: "magic", Run: "wand"}),
	)
	statuses, err := tb.Statuses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"broken": "its backend crashed",
		"far":    "the server at 10.0.0.1:80 does not answer; or needs a model: set OPENAI_MODEL",
		"film":   "needs the program ffmpeg; no backend of the kind \"program\" is set up here",
		"here":   "",
		"lost":   "needs the face data; or needs a model server; set TOOL_SERVER_URL for a server of your own, or HF_TOKEN and ALLOW_CLOUD_MEDIA=true for those of Hugging Face",
		"many": "needs a tool server; set TOOL_SERVER_URL for a server of your own, or HF_TOKEN and ALLOW_CLOUD_MEDIA=true for those of Hugging Face; " +
			"or needs the operation p; no backend of the kind \"program\" is set up here; " +
			"or needs an OpenAI-compatible server; set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; " +
			"or needs a LocalAI server; set LOCALAI_URL for a server of your own",
		"mute": "its backend does not answer",
		"odd":  `needs the operation wand; no backend of the kind "magic" is set up here`,
	}
	if len(statuses) != len(want) {
		t.Fatalf("%d statuses for %d tools", len(statuses), len(want))
	}
	for _, s := range statuses {
		if s.Why != want[s.Tool.Name] || s.Live != (s.Why == "") {
			t.Errorf("%s: live %v, why %q; want %q", s.Tool.Name, s.Live, s.Why, want[s.Tool.Name])
		}
		if s.Live && s.By().Name != "native:ok" {
			t.Errorf("%s runs by %q", s.Tool.Name, s.By().Name)
		}
	}
}

func TestLiveIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var probes atomic.Int64
	tb := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{{Kind: "native", Backend: fake{probe: func(toolbox.Candidate) error { probes.Add(1); return nil }}}},
		Fresh:   time.Minute,
		Clock:   func() time.Time { return now },
	}, shout)
	first, err := tb.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := tb.Live(t.Context())
	if err != nil || again != first || probes.Load() != 2 {
		t.Errorf("asked again: %d probes, same answer %v, error %v", probes.Load(), again == first, err)
	}
	now = now.Add(2 * time.Minute)
	if again, err := tb.Live(t.Context()); err != nil || again != first || probes.Load() != 4 {
		t.Errorf("asked later: %d probes, same answer %v, error %v", probes.Load(), again == first, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	now = now.Add(2 * time.Minute)
	if _, err := tb.Live(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	says := func(v string) func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
		return func(_ context.Context, b toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
			return toolbox.Output{Value: b.Run + v}, nil
		}
	}
	faulty := func(f func() (toolbox.Output, error)) func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
		return func(_ context.Context, b toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
			if b.Run == "loud" {
				return f()
			}
			return toolbox.Output{Value: b.Run}, nil
		}
	}
	cases := []struct {
		name, candidate string
		run             func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error)
		check           func(toolbox.Output) error
		want            string
		by              string
		failed          string
		problem         string
	}{
		{name: "the first backing runs", run: says("!"), want: "loud!", by: "native:loud"},
		{name: "a named candidate goes first", candidate: "native:quiet", run: says("!"), want: "quiet!", by: "native:quiet"},
		{name: "an unknown candidate changes nothing", candidate: "cloud:x", run: says("!"), want: "loud!", by: "native:loud"},
		{
			name: "the next one stands in",
			run: faulty(func() (toolbox.Output, error) {
				return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("the voice is gone")}
			}),
			want: "quiet", by: "native:quiet", failed: "the voice is gone",
		},
		{
			name: "a panic is a failure",
			run:  faulty(func() (toolbox.Output, error) { panic("index out of range") }),
			want: "quiet", by: "native:quiet", failed: "The service behind this tool crashed on this input.",
		},
		{
			name: "a file outside of the folder is a failure",
			run: faulty(func() (toolbox.Output, error) {
				return toolbox.Output{Path: filepath.Join(os.TempDir(), "elsewhere")}, nil
			}),
			want: "quiet", by: "native:quiet", failed: "The result was not delivered.",
		},
		{
			name: "an output that the check refuses is a failure",
			run:  says(""),
			check: func(o toolbox.Output) error {
				if o.Value == "loud" {
					return &plan.Fault{Sentence: plan.Say("that is no answer")}
				}
				return nil
			},
			want: "quiet", by: "native:quiet", failed: "that is no answer",
		},
		{
			name: "when all fail the last one tells why",
			run: func(_ context.Context, b toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
				return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("%s failed", b.Run)}
			},
			problem: "quiet failed",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tb := newToolbox(t, toolbox.Config{Servers: []toolbox.Server{{Kind: "native", Backend: fake{run: c.run}}}}, shout)
			made, err := tb.Run(t.Context(), "shout", c.candidate, toolbox.Call{Tool: "shout", Dir: t.TempDir()}, c.check)
			if got := plan.Sentence(err, plan.Message{}).String(); got != c.problem {
				t.Fatalf("problem %q, want %q (%v)", got, c.problem, err)
			}
			if err != nil {
				return
			}
			if made.Value != c.want || made.Candidate != c.by || plan.Join("%s|%s", made.Failed...).String() != c.failed {
				t.Errorf("made %+v", made)
			}
			if made.Approximate != (c.by == "native:quiet") {
				t.Errorf("approximate is %v by %s", made.Approximate, made.Candidate)
			}
		})
	}
}

// TestRunCounts: usage includes all attempts, even in a failed run.
func TestRunCounts(t *testing.T) {
	t.Parallel()
	took := map[string]plan.Tokens{
		"loud":  {Calls: 2, Input: 100, Output: 10},
		"quiet": {Calls: 1, Input: 30, Output: 3, Estimated: true},
	}
	both := plan.Tokens{Calls: 3, Input: 130, Output: 13, Estimated: true}
	for name, c := range map[string]struct {
		fails string // runs that fail
		final bool
		check func(toolbox.Output) error
		want  plan.Tokens
	}{
		"the first does it":    {"", false, nil, took["loud"]},
		"the second does it":   {"loud", false, nil, both},
		"none does it":         {"loud quiet", false, nil, both},
		"it may not be done":   {"loud quiet", true, nil, took["loud"]},
		"what it made is none": {"", false, func(toolbox.Output) error { return errors.New("no") }, both},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(_ context.Context, b toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
				out := toolbox.Output{Value: "x", Usage: took[b.Run]}
				if strings.Contains(c.fails, b.Run) {
					return out, &plan.Fault{Sentence: plan.Say("No."), Final: c.final}
				}
				return out, nil
			}
			tb := newToolbox(t, toolbox.Config{Servers: []toolbox.Server{{Kind: "native", Backend: fake{run: run}}}}, shout)
			made, err := tb.Run(t.Context(), "shout", "", toolbox.Call{Tool: "shout", Dir: t.TempDir()}, c.check)
			if made.Usage != c.want {
				t.Errorf("took %+v, want %+v (%v)", made.Usage, c.want, err)
			}
			if err != nil && made.Value != "" {
				t.Errorf("what failed is handed over: %+v", made)
			}
		})
	}
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	waiting := fake{run: func(ctx context.Context, _ toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
		<-ctx.Done()
		return toolbox.Output{}, ctx.Err()
	}}
	servers := []toolbox.Server{{Kind: "native", Backend: waiting}}

	t.Run("when its caller does", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		started := fake{run: func(ctx context.Context, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
			cancel()
			return waiting.run(ctx, b, c)
		}}
		tb := newToolbox(t, toolbox.Config{Servers: []toolbox.Server{{Kind: "native", Backend: started}}}, shout)
		if _, err := tb.Run(ctx, "shout", "", toolbox.Call{Tool: "shout", Dir: t.TempDir()}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("when its patience ends", func(t *testing.T) {
		t.Parallel()
		tb := newToolbox(t, toolbox.Config{Servers: servers, Patience: time.Millisecond}, shout)
		_, err := tb.Run(t.Context(), "shout", "", toolbox.Call{Tool: "shout", Dir: t.TempDir()}, nil)
		if got := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(got, "took longer than a second") && !strings.Contains(got, "needs a language model") {
			t.Errorf("got %q", got)
		}
	})
	t.Run("at once for a tool that it does not have", func(t *testing.T) {
		t.Parallel()
		tb := newToolbox(t, toolbox.Config{Servers: servers}, shout)
		if _, err := tb.Run(t.Context(), "whisper", "", toolbox.Call{Tool: "whisper"}, nil); plan.Sentence(err, plan.Message{}).String() == "" {
			t.Errorf("got %v", err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := toolbox.New(toolbox.Config{}); err == nil {
		t.Error("no catalogue was accepted")
	}
	if _, err := toolbox.New(toolbox.Config{Catalogue: toolbox.NewCatalogue(nil), Servers: []toolbox.Server{{Kind: "native", Backend: nil}}}); err == nil {
		t.Error("a nil backend was accepted")
	}
}
