package toolbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// sing is a tool without a native operation.
var sing = toolbox.Tool{Name: "sing", Domain: "general", Returns: plan.Audio, Backends: []toolbox.Backing{
	{Kind: "hftask", Run: "voice", Device: "gpu", Needs: "a voice server"},
	{Kind: "program", Run: "espeak", Device: "cpu"},
}}

// ways returns candidates with these names, as published by a process.
func ways(names ...string) []plan.Candidate {
	told := make([]plan.Candidate, len(names))
	for i, name := range names {
		kind, run, _ := strings.Cut(name, ":")
		told[i] = plan.Candidate{Name: name, Kind: kind, Run: run, Server: kind, Device: "cpu", Rank: 1000}
		switch run {
		case "espeak":
			told[i].Rank++
		case "quiet":
			told[i].Rank, told[i].Approximate = 3001, true
		case "chat":
			told[i].Rank, told[i].Device = 1002, "gpu"
		case "voice":
			told[i].Device = "gpu"
		}
	}
	return told
}

func TestLiveIsTheUnion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		elsewhere  map[string][]plan.Candidate
		loud       bool // whether the first backing of shout is live here
		shout, why string
		sing       string
	}{
		{"nobody else", nil, true, "native:loud", "needs a voice server", ""},
		{"others have what is lacking", map[string][]plan.Candidate{"sing": ways("program:espeak")}, true, "native:loud", "", "program:espeak"},
		{"the catalogue's order counts", map[string][]plan.Candidate{"sing": ways("program:espeak", "hftask:voice")}, true, "native:loud", "", "hftask:voice"},
		{"a better one elsewhere comes first", map[string][]plan.Candidate{"shout": ways("native:loud")}, false, "native:loud", "needs a voice server", ""},
		{"a stand-in gives way to what is elsewhere", map[string][]plan.Candidate{"shout": ways("openai:chat")}, false, "openai:chat", "needs a voice server", ""},
		{"unknown ones are ignored", map[string][]plan.Candidate{"sing": ways("hftask:song"), "dance": ways("native:dance")}, true, "native:loud", "needs a voice server", ""},
		{"a candidate of another tool is none", map[string][]plan.Candidate{"shout": ways("hftask:voice")}, true, "native:loud", "needs a voice server", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tb := newToolbox(t, toolbox.Config{
				Servers: []toolbox.Server{{Kind: "native", Backend: fake{probe: func(b toolbox.Candidate) error {
					if b.Run == "loud" && !c.loud {
						return errors.New("hoarse")
					}
					return nil
				}}}},
				Elsewhere: func(context.Context) (map[string][]plan.Candidate, error) {
					return toolboxtest.Published(toolbox.NewCatalogue([]toolbox.Tool{shout, sing}), c.elsewhere), nil
				},
			}, shout, sing)
			l, err := tb.Live(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s, _ := l.Status("shout"); !s.Live || s.By().Name != c.shout || s.Why != "" {
				t.Errorf("shout: %s, %q", s.By().Name, s.Why)
			}
			s, _ := l.Status("sing")
			if s.Live != (c.sing != "") || !strings.HasPrefix(s.Why, c.why) || (c.why == "") != (s.Why == "") {
				t.Errorf("sing: live %v, %q", s.Live, s.Why)
			}
			if s.Live && s.By().Name != c.sing {
				t.Errorf("sing: %s", s.By().Name)
			}
			if statuses, err := tb.Statuses(t.Context()); err != nil || len(statuses) != 2 || l.Live("dance") {
				t.Errorf("%d statuses, %v", len(statuses), err)
			}
			here := map[string][]plan.Candidate{"shout": ways("native:loud", "native:quiet")}
			if !c.loud {
				here["shout"] = here["shout"][1:]
			}
			here = toolboxtest.Published(tb.Catalogue(), here)
			if got, err := tb.Local(t.Context()); err != nil || !maps.EqualFunc(got, here, slices.Equal) {
				t.Errorf("here: %v, %v", got, err)
			}
		})
	}
}

// Changes elsewhere are seen at once; local candidates are probed now and then. While nothing changes,
// the answer is the same pointer.
func TestLiveFollowsOthers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var probes atomic.Int64
	var others map[string][]plan.Candidate
	tb := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{{Kind: "native", Backend: fake{probe: func(toolbox.Candidate) error { probes.Add(1); return nil }}}},
		Fresh:   time.Minute,
		Clock:   func() time.Time { return now },
		Elsewhere: func(context.Context) (map[string][]plan.Candidate, error) {
			return toolboxtest.Published(toolbox.NewCatalogue([]toolbox.Tool{shout, sing}), others), nil
		},
	}, shout, sing)
	live := func() *toolbox.Liveness {
		l, err := tb.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	paused := live()
	others = map[string][]plan.Candidate{"shout": ways("native:loud")}
	if live() != paused {
		t.Error("another process that can no more made another answer")
	}
	others = map[string][]plan.Candidate{"sing": ways("hftask:voice")}
	helped := live()
	if helped == paused || !helped.Live("sing") || paused.Live("sing") {
		t.Error("another process that can more made none")
	}
	others = map[string][]plan.Candidate{"sing": ways("hftask:voice", "program:espeak"), "dance": nil}
	more := live()
	if more == helped || more != live() || probes.Load() != 2 {
		t.Errorf("%d probes", probes.Load())
	}
	now = now.Add(2 * time.Minute)
	if live() != more || probes.Load() != 4 {
		t.Errorf("probed again, %d in all: the same should be the same", probes.Load())
	}
	others = nil
	if l := live(); l == more || l.Live("sing") {
		t.Error("the process that could is gone, what it could is not")
	}
}

func TestLiveWithoutWordFromOthers(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	tb := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{{Kind: "native", Backend: fake{}}},
		Elsewhere: func(ctx context.Context) (map[string][]plan.Candidate, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return map[string][]plan.Candidate{"sing": ways("hftask:voice")},
				fmt.Errorf("read the workers: %w", &plan.Fault{Sentence: plan.Say("The secret is out."), Err: errors.New("redis is gone")})
		},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	}, shout, sing)
	l, err := tb.Live(ctx)
	if err != nil || !l.Live("shout") || l.Live("sing") {
		t.Errorf("what is here does not count: %v", err)
	}
	if got := log.String(); !strings.Contains(got, "redis is gone") || strings.Contains(got, "secret") {
		t.Errorf("the operator reads %q", got)
	}
	cancel()
	if _, err := tb.Live(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRunIsLocal(t *testing.T) {
	t.Parallel()
	tb := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{{Kind: "native", Backend: fake{run: func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
			return toolbox.Output{}, errors.New("no voice")
		}}}},
		Elsewhere: func(context.Context) (map[string][]plan.Candidate, error) {
			return map[string][]plan.Candidate{"sing": ways("hftask:voice"), "shout": ways("openai:chat")}, nil
		},
	}, shout, sing)
	for tool, want := range map[string]bool{"sing": true, "shout": false} {
		_, err := tb.Run(t.Context(), tool, "", toolbox.Call{Tool: tool, Dir: t.TempDir()}, nil)
		if err == nil || errors.Is(err, toolbox.ErrElsewhere) != want {
			t.Errorf("%s: %v", tool, err)
		}
		if got := plan.Sentence(err, plan.Message{}).String(); want && got != "It needs a program that I do not have here." {
			t.Errorf("%s: people read %q", tool, got)
		}
	}
}

// A worker with another version of a tool file is not used: it would interpret the plan differently.
func TestAnotherFileOfAToolIsAnotherTool(t *testing.T) {
	t.Parallel()
	other := sing
	other.Args = append(slices.Clone(sing.Args), toolbox.Arg{Name: "key", Type: plan.Text, Meaning: plan.Instruction, Optional: true})
	for _, c := range []struct {
		theirs toolbox.Tool
		live   bool
	}{{sing, true}, {other, false}} {
		able := toolboxtest.Published(toolbox.NewCatalogue([]toolbox.Tool{c.theirs}), map[string][]plan.Candidate{"sing": ways("program:espeak")})
		tb := newToolbox(t, toolbox.Config{
			Servers:   []toolbox.Server{{Kind: "native", Backend: fake{}}},
			Elsewhere: func(context.Context) (map[string][]plan.Candidate, error) { return able, nil },
		}, shout, sing)
		l, err := tb.Live(t.Context())
		if err != nil || l.Live("sing") != c.live {
			t.Errorf("the tool of a worker with %d arguments is live: %v, %v", len(c.theirs.Args), l.Live("sing"), err)
		}
	}
}
