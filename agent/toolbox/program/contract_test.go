package program

import (
	"context"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// nothingInstalled is the backend on a machine without programs.
type nothingInstalled struct {
	toolbox.Backend

	t *testing.T
}

func (n nothingInstalled) Probe(ctx context.Context, c toolbox.Candidate) error {
	n.t.Setenv("PATH", n.t.TempDir())
	return n.Backend.Probe(ctx, c)
}

func (n nothingInstalled) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	n.t.Setenv("PATH", n.t.TempDir())
	return n.Backend.Run(ctx, c, call)
}

func TestContract(t *testing.T) { //nolint:paralleltest // the contract sets the environment
	good := redBlue(t, "good.mp4", "-pix_fmt", "yuv420p")
	bad := stored(t, "bad.mp4", contents(t, good)[:2000])
	long := clip(t, "long.mp4", append(lavfi("testsrc=size=640x480:rate=1:duration=300"), "-preset", "ultrafast", "-pix_fmt", "yuv420p")...)
	for kind, c := range map[string]struct {
		good, bad, slow string
		args            args // of the good one
	}{
		"command": {"change_speed", "mute_video", "convert_video", args{"factor": "2x"}},
		"program": {"fit_video_size", "video_facts", "", args{"limit": "8 MB"}},
	} {
		t.Run(kind, func(t *testing.T) {
			use := func(run string, a args) toolboxtest.Use {
				how, _ := backing(t, newBackend(t), run)
				c, err := toolboxtest.Typed(t, how.Backing, callOf(t, a))
				if err != nil {
					t.Fatal(err)
				}
				c.Tool, c.Returns = run, plan.Video
				return toolboxtest.Use{Candidate: how, Call: c}
			}
			_, backend := backing(t, newBackend(t), c.good)
			m := toolboxtest.Make{
				Backend: backend, Good: use(c.good, c.args.with("video", fileOf(plan.Video, good))), Bad: use(c.bad, videoOf(bad)),
				Unknown: toolbox.Candidate{Backing: toolbox.Backing{Kind: kind, Run: "make_coffee"}},
				Down:    nothingInstalled{backend, t},
			}
			if c.slow != "" {
				slow, started := use(c.slow, videoOf(long).with("format", "webm")), make(chan struct{})
				close(started)
				m.Slow, m.Started = &slow, started
			}
			toolboxtest.Contract(t, m)
		})
	}
}
