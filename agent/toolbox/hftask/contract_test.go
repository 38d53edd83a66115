package hftask

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

// TestContract runs the contract test of all backends.
func TestContract(t *testing.T) { //nolint:paralleltest // the suite looks at the temporary folder, which is the process's
	server := hftasktest.New(t, hftasktest.Config{})
	server.Lengthen("text-to-video", -1)
	started, stopped := make(chan struct{}), make(chan struct{})
	b := backendAt(t, server.URL(), func(c *Config) {
		c.Wait = func(ctx context.Context, _ time.Duration) error { // a job is running
			close(started)
			<-ctx.Done()
			return ctx.Err()
		}
	})
	go func() {
		defer close(stopped)
		if _, err := server.AwaitJob(t.Context(), hftasktest.Cancelled); err != nil {
			t.Error(err)
		}
	}()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	use := func(run string, returns plan.Type, a args) toolboxtest.Use {
		c := candidate(run)
		c.Model = "example/" + tasks()[run].name
		return toolboxtest.Use{Candidate: c, Call: toolbox.Call{Tool: "some_tool", Returns: returns, Args: a}}
	}
	slow := use("text-to-video", plan.Video, args{"prompt": text("a red disc")})
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: b,
		Good:    use("image-segmentation", plan.Mask, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(60, 40)))}),
		Bad:     use("image-segmentation", plan.Mask, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(60, 40))[:100])}),
		Unknown: candidate("chess"),
		Slow:    &slow, Started: started, Stopped: stopped,
		Down: backendAt(t, gone.URL),
	})
}
