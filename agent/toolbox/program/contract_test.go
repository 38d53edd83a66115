package program

import (
	"context"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// nothingInstalled is the make on a machine without programs.
type nothingInstalled struct {
	*Backend
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
	use := func(run string, a args) toolboxtest.Use {
		c, err := toolboxtest.Typed(t, toolbox.Backing{Kind: "program", Run: run}, callOf(t, a))
		if err != nil {
			t.Fatal(err)
		}
		c.Tool, c.Returns = run, plan.Video
		return toolboxtest.Use{Candidate: toolbox.Candidate{Backing: toolbox.Backing{Kind: "program", Run: run}}, Call: c}
	}
	good := redBlue(t, "good.mp4", "-pix_fmt", "yuv420p")
	long := clip(t, "long.mp4", append(lavfi("testsrc=size=640x480:rate=1:duration=300"), "-preset", "ultrafast", "-pix_fmt", "yuv420p")...)
	slow := use("convert_video", video(long).with("format", "webm"))
	started := make(chan struct{})
	close(started)
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: newBackend(t),
		Good:    use("change_speed", video(good).with("factor", "2x")),
		Bad:     use("mute_video", video(stored(t, "bad.mp4", contents(t, good)[:2000]))),
		Unknown: toolbox.Candidate{Backing: toolbox.Backing{Kind: "program", Run: "make_coffee"}},
		Slow:    &slow, Started: started,
		Down: nothingInstalled{newBackend(t), t},
	})
}
