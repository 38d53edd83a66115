package faults_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/jobs"
	"atelier/storage/redis/redistest"
	"atelier/storage/s3/s3test"
)

// TestFailingS3 while steps run or the answer is written, and then recovers: everything is retried, and there is one answer
// with the files.
func TestFailingS3(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) {
			s3test.Fail(w, http.StatusServiceUnavailable, "SlowDown")
		},
		"is slow": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // the client may be gone
			<-r.Context().Done()               // until it times out
		},
		"is gone": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		for _, point := range []string{"act", "respond"} {
			t.Run(name+" at "+point, func(t *testing.T) {
				t.Parallel()
				ctx := limit(t)
				redis, files, p := redistest.Serve(t, "--save", ""), s3test.New(t, s3test.Config{}), newPlatform(t)
				var failed atomic.Int64
				p.hold(func(h happening) <-chan struct{} {
					if h.Point == point && failed.Load() == 0 {
						files.Meddle(func(http.Handler) http.Handler {
							return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
								failed.Add(1)
								fail(w, r)
							})
						})
					}
					return nil
				})
				one := p.ready(ctx, t, worker{Name: "1", Redis: redis.URL(), S3: files.URL(), Stall: 300 * time.Millisecond, Retry: 100 * time.Millisecond})
				j := newSubmitter(t, redis.URL(), t.TempDir())
				id := submit(ctx, t, j, "m", "1000")
				p.await(ctx, t, "nothing fails", func() bool { return p.failed(map[string]string{"act": "act", "respond": "compose"}[point]) > 0 })
				p.hold(nil)
				files.Meddle(nil)
				if run := p.over(ctx, t, j, id); run.Status != jobs.Done || len(run.Answer.Reply.Files) != 4 || run.Answer.Reply.Text != "Done." {
					t.Errorf("it ended as %s with %d files: %s", run.Status, len(run.Answer.Reply.Files), run.Answer.Reply.Text)
				}
				one.end()
				kept := slices.DeleteFunc(files.Objects(), func(key string) bool { return key == "clock" }) // by which it is swept
				if len(kept) != 4 {
					t.Errorf("%d files are kept: %v", len(kept), kept)
				}
			})
		}
	}
}

// failed returns the number of failed tasks of a stage.
func (p *platform) failed(stage string) int {
	n := 0
	for _, l := range p.logged {
		if l.Message == "stage failed" && l.Stage == stage {
			n++
		}
	}
	return n
}

// TestMissingS3: the answer says so.
func TestMissingS3(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	redis, files, p := redistest.Serve(t, "--save", ""), s3test.New(t, s3test.Config{}), newPlatform(t)
	files.Meddle(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			s3test.Fail(w, http.StatusServiceUnavailable, "SlowDown")
		})
	})
	one := p.ready(ctx, t, worker{Name: "1", Redis: redis.URL(), S3: files.URL(), Retry: 10 * time.Millisecond})
	j := newSubmitter(t, redis.URL(), t.TempDir())
	run := p.over(ctx, t, j, submit(ctx, t, j, "m", "1000"))
	if run.Status != jobs.Failed || !strings.Contains(run.Answer.Reply.Text, "I cannot reach my file storage at the moment.") {
		t.Errorf("it ended as %s: %s", run.Status, run.Answer.Reply.Text)
	}
	one.end()
}

// TestFullDisk: the answer says so, and later requests that fit are done.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	redis, p, folder := redistest.Serve(t, "--save", ""), newPlatform(t), t.TempDir()
	one := p.ready(ctx, t, worker{Name: "1", Redis: redis.URL(), Files: folder, FileLimit: 1 << 20, Retry: 10 * time.Millisecond})
	j := newSubmitter(t, redis.URL(), folder)
	run := p.over(ctx, t, j, submit(ctx, t, j, "large", "2000000"))
	if run.Status != jobs.Failed || !strings.Contains(run.Answer.Reply.Text, "I cannot reach my file storage at the moment.") {
		t.Errorf("it ended as %s: %s", run.Status, run.Answer.Reply.Text)
	}
	run = p.over(ctx, t, j, submit(ctx, t, j, "small", "1000"))
	if run.Status != jobs.Done || len(run.Answer.Reply.Files) != 4 {
		t.Errorf("it ended as %s: %s", run.Status, run.Answer.Reply.Text)
	}
	one.end()
}
