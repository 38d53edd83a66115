package serve_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/clitest"
	"atelier/jobs"
)

// TestProcessesOfUnequalTools runs whole processes with different tools. A tool that needs a server is planned if a
// process that serves its queue has the server, and runs there, although another process takes work from the same
// queue. A process that has the server but does not serve the queue does not count.
func TestProcessesOfUnequalTools(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	server := hftasktest.New(t, hftasktest.Config{})
	shared := clitest.Shared(t)
	worker := func(queues string) {
		t.Helper()
		clitest.OpenQueues(t, queues, nil, append(slices.Clone(shared), "TOOL_SERVER_URL="+server.URL())...)
	}
	worker("cpu")
	o := clitest.OpenParlour(t, clitest.NewParlour(), append(slices.Clone(shared), "ATELIER_DATA="+t.TempDir())...)
	until := func(tool string) {
		t.Helper()
		look := time.NewTicker(50 * time.Millisecond)
		defer look.Stop()
		for range look.C {
			able, err := o.Jobs.Elsewhere(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(able[tool]) > 0 {
				return
			}
		}
	}
	until("image_to_edge")
	if able, err := o.Jobs.Elsewhere(t.Context()); err != nil || len(able["text_to_image"]) != 0 {
		t.Errorf("on cpu alone can run: %v, %v", able["text_to_image"], err)
	}
	drawn := func(id string) jobs.Request {
		t.Helper()
		wish := o.Parlour.Wish(id, "draw a castle")
		wish.Message.Files = nil
		o.Parlour.Says <- wish
		<-o.Parlour.Replies
		return o.WaitFor(wish)
	}
	if r := drawn("m1"); r.Runs[0].Status != jobs.Failed || len(r.Runs[0].Steps) != 0 {
		t.Errorf("nobody can draw, and it is %s", r.Runs[0].Status)
	}
	worker("gpu")
	until("text_to_image")
	r := drawn("m2")
	if r.Runs[0].Status != jobs.Done || len(r.Runs[0].Made) != 1 || r.Runs[0].Made[0].Type != plan.Image {
		t.Errorf("it is %s: %+v", r.Runs[0].Status, r.Runs[0].Answer)
	}
	for _, result := range r.Runs[0].Results {
		if !strings.HasPrefix(result.Candidate, "toolserver:text-to-image") {
			t.Errorf("drawn by %s", result.Candidate)
		}
	}
}
