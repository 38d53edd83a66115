package hftask

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

// TestLoadingModel checks that a request to a loading model is retried, or fails with its sentence if there is not
// enough time.
func TestLoadingModel(t *testing.T) {
	t.Parallel()
	server, _ := serve(t)
	var waits []time.Duration
	b := backendAt(t, server.URL(), func(c *Config) {
		c.Wait = func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}
	})
	server.Break("text-to-image", hftasktest.Fault{Kind: hftasktest.Loading, Times: 4, After: 20})
	must(t, b, candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("a red disc")}))
	if len(waits) != 4 || waits[0] < minPause || waits[3] <= waits[0] || waits[3] > maxPause {
		t.Errorf("waited %v", waits)
	}
	server.Break("text-to-image", hftasktest.Fault{Kind: hftasktest.Loading, After: 3600})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	_, err := b.Run(ctx, candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("a red disc")}))
	if !errors.Is(err, toolbox.ErrLoading) || errors.Is(err, toolbox.ErrDown) || !strings.Contains(plan.OperatorSentence(err, plan.Message{}).String(), "still loading") {
		t.Errorf("got %v", err)
	}
	if err := b.Probe(t.Context(), candidate("text-to-image")); err != nil {
		t.Errorf("a loading model is live: %v", err)
	}
}

// TestLongJobs checks that jobs are polled until they are done.
func TestLongJobs(t *testing.T) {
	t.Parallel()
	server, b := serve(t)
	server.Lengthen("text-to-video", 5)
	c := call(t, plan.Video, args{"prompt": text("a red disc that moves")})
	out := must(t, b, candidate("text-to-video"), c)
	promised(t, plan.Video, c.Dir, out)
	if jobs := server.Jobs(); len(jobs) != 1 || jobs[0].Polls != 5 || jobs[0].Status != hftasktest.Done {
		t.Errorf("the jobs are %+v", jobs)
	}
}

// TestPreviews checks that the progress of a job comes with its preview, and that what is no small picture is ignored.
func TestPreviews(t *testing.T) {
	t.Parallel()
	server, _ := serve(t)
	server.Lengthen("text-to-image", -1)
	small, wide := mediatest.PNG(plain(8, 8, red)), mediatest.PNG(plain(maxPreviewSide+1, 1, red))
	shown := [][]byte{nil, small, []byte("<svg/>"), wide, append(slices.Clone(small), make([]byte, toolbox.MaxPreview)...), small[:20], small}
	want := []string{"", string(small), "", "", "", "", string(small)}
	polls := 0
	b := backendAt(t, server.URL(), func(c *Config) {
		c.Wait = func(context.Context, time.Duration) error { // before each poll
			job := server.Jobs()[0]
			if polls++; polls == len(shown) {
				server.Step(job.ID, hftasktest.Done, 1)
				return nil
			}
			server.Show(job.ID, shown[polls])
			server.Step(job.ID, hftasktest.Running, float64(polls)/10)
			return nil
		}
	})
	var got []string
	c := call(t, plan.Image, args{"prompt": text("a red disc")})
	c.Progress = func(share float64, preview []byte) {
		if share != float64(len(got))/10 {
			t.Errorf("progress %g after %d reports", share, len(got))
		}
		got = append(got, string(preview))
	}
	must(t, b, candidate("text-to-image"), c)
	if !slices.Equal(got, want) {
		t.Errorf("the previews are %q", got)
	}
}

// TestCancelledJob checks that a job is cancelled on the server when its call ends.
func TestCancelledJob(t *testing.T) {
	t.Parallel()
	server, _ := serve(t)
	server.Lengthen("text-to-video", -1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	polls := 0
	b := backendAt(t, server.URL(), func(c *Config) {
		c.Wait = func(ctx context.Context, _ time.Duration) error {
			if polls++; polls == 3 {
				cancel()
			}
			return ctx.Err()
		}
	})
	_, err := b.Run(ctx, candidate("text-to-video"), call(t, plan.Video, args{"prompt": text("a red disc")}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if jobs := server.Jobs(); len(jobs) != 1 || jobs[0].Status != hftasktest.Cancelled {
		t.Errorf("the jobs are %+v", jobs)
	}
}

// TestFailedJobs checks that a job that fails, is cancelled or is lost yields an error with its sentence.
func TestFailedJobs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		job      func(w http.ResponseWriter)
		down     bool
		sentence string
		off      bool // it is cancelled
	}{
		"failed":      {say(200, `{"id":"1","status":"failed","error":"boom at /srv/x"}`), false, "failed on this", false},
		"refused":     {say(200, `{"id":"1","status":"failed","error":{"code":"invalid_input","message":"x"}}`), false, "rejected this input", false},
		"no memory":   {say(200, `{"id":"1","status":"failed","error":{"code":"out_of_memory","message":"x"}}`), true, "does not have enough memory", false},
		"no replica":  {say(200, `{"id":"1","status":"failed","error":{"code":"replica_lost","message":"x"}}`), true, "has stopped", false},
		"called off":  {say(200, `{"id":"1","status":"cancelled"}`), true, "cancelled the job", false},
		"lost":        {say(404, `{"error":"no such job"}`), true, "lost the job", true},
		"odd":         {say(200, `{"id":"1","status":"sleeping"}`), true, "cannot be read", true},
		"no JSON":     {say(200, `status: done`), true, "cannot be read", true},
		"never ready": {say(200, `{"id":"1","status":"running","estimated_time":1e9}`), false, "needs more time", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var off atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodDelete:
					off.Store(true)
				case r.URL.Path == "/jobs/1":
					c.job(w)
				case r.Method == http.MethodPost:
					w.Header().Set("Location", "/jobs/1")
					say(202, `{"id":"1","status":"queued"}`)(w)
				default:
					tasksOnly(w, r, "text-to-image")
				}
			}))
			t.Cleanup(server.Close)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := backendAt(t, server.URL).Run(ctx, candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("x")}))
			blames(t, err, c.down, c.sentence)
			if off.Load() != c.off {
				t.Errorf("cancelled: %v", off.Load())
			}
		})
	}
}

// say answers with a status and JSON.
func say(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) //nolint:errcheck // the client may be gone
	}
}

// tasksOnly answers with the capabilities of a single task.
func tasksOnly(w http.ResponseWriter, r *http.Request, task string) {
	if r.URL.Path != "/capabilities" {
		http.NotFound(w, r)
		return
	}
	say(200, `{"tasks":{"`+task+`":{"default":"org/it","models":["org/it"]}},"models":{"org/it":{"tasks":["`+task+`"],"state":"loaded"}}}`)(w)
}

// blames checks whether an error blames the server, and its sentence.
func blames(t *testing.T, err error, down bool, sentence string) {
	t.Helper()
	told := plan.OperatorSentence(err, plan.Message{}).String()
	if err == nil || errors.Is(err, toolbox.ErrDown) != down || !strings.Contains(told, sentence) {
		t.Errorf("down %v, people see %q: %v", errors.Is(err, toolbox.ErrDown), told, err)
		return
	}
	for _, private := range []string{secret, "secret", "/srv", "/latest", "<h1>"} {
		if strings.Contains(told, private) {
			t.Errorf("people see %q", told)
		}
		if log := plan.ForOperator(err); strings.Contains(log, private) {
			t.Errorf("the log has %q", log)
		}
	}
}

// TestServerFaults checks that each fault of a server is blamed on the server, has its sentence, and leaves no files.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    hftasktest.Fault
		sentence string
	}{
		"a gateway's page":   {hftasktest.Fault{Kind: hftasktest.Down}, "does not answer"},
		"no answer":          {hftasktest.Fault{Kind: hftasktest.Dropped}, "does not answer"},
		"the model fails":    {hftasktest.Fault{Kind: hftasktest.Broken}, "failed on this"},
		"too many requests":  {hftasktest.Fault{Kind: hftasktest.Busy, After: 120}, "too many requests"},
		"an expired token":   {hftasktest.Fault{Kind: hftasktest.Expired}, "TOOL_SERVER_TOKEN"},
		"no credits":         {hftasktest.Fault{Kind: hftasktest.Unpaid}, "quota"},
		"a page for success": {hftasktest.Fault{Kind: hftasktest.HTML}, "could not be read"},
		"an endless answer":  {hftasktest.Fault{Kind: hftasktest.Endless}, "could not be read"},
		"a redirect":         {hftasktest.Fault{Kind: hftasktest.Redirect, To: "http://169.254.169.254/latest"}, "to another address"},
		"a body cut off":     {hftasktest.Fault{Kind: hftasktest.Cut}, "could not be read"},
		"the wrong type":     {hftasktest.Fault{Kind: hftasktest.Shapeless}, "cannot be read"},
		"no bytes":           {hftasktest.Fault{Kind: hftasktest.Empty}, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, b := serve(t)
			if err := b.Probe(t.Context(), candidate("text-to-image")); err != nil {
				t.Fatal(err)
			}
			server.Break("text-to-image", c.fault)
			asked := call(t, plan.Image, args{"prompt": text("a red disc")})
			_, err := b.Run(t.Context(), candidate("text-to-image"), asked)
			blames(t, err, true, c.sentence)
			promisedNothing(t, asked.Dir)
		})
	}
}

// TestServerErrorCodes checks that each error code of Atelier's tool server has a sentence, and decides whether others
// are tried.
func TestServerErrorCodes(t *testing.T) {
	t.Parallel()
	for code, c := range map[string]struct {
		status   int
		down     bool
		sentence string
	}{
		"bad_token":         {401, true, "TOOL_SERVER_TOKEN"},
		"unknown_model":     {404, true, "does not have"},
		"unknown_task":      {404, true, "does not have"},
		"missing_parameter": {422, false, "rejected this input"},
		"invalid_parameter": {422, false, "rejected this input"},
		"invalid_input":     {422, false, "rejected this input"},
		"too_large":         {413, false, "larger or longer"},
		"too_busy":          {503, true, "does not answer"},
		"out_of_memory":     {503, true, "does not have enough memory"},
		"weights_missing":   {503, true, "does not have the files for"},
		"weights_damaged":   {503, true, "damaged files for"},
		"weights_mismatch":  {503, true, "another kind of model"},
		"hub_unreachable":   {503, true, "cannot reach Hugging Face"},
		"device_lost":       {503, true, "lost its GPU"},
		"replica_lost":      {503, true, "worked on this has stopped"},
		"model_failed":      {500, false, "failed on this"},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			server, b := serve(t)
			if err := b.Probe(t.Context(), candidate("text-to-image")); err != nil {
				t.Fatal(err)
			}
			server.Break("text-to-image", hftasktest.Fault{Kind: hftasktest.Coded, Status: c.status, Code: code})
			asked := call(t, plan.Image, args{"prompt": text("a red disc")})
			_, err := b.Run(t.Context(), candidate("text-to-image"), asked)
			blames(t, err, c.down, c.sentence)
			promisedNothing(t, asked.Dir)
		})
	}
}

// TestUnexpectedAnswers checks that each task rejects the answers of other tasks.
func TestUnexpectedAnswers(t *testing.T) {
	t.Parallel()
	for run, returns := range map[string]plan.Type{
		"object-detection": plan.BBox, "image-segmentation": plan.Mask, "mask-generation": plan.Segmentation, "image-classification": plan.Category,
		"image-to-text": plan.Text, "visual-question-answering": plan.Text, "keypoint-detection": plan.Pose, "depth-estimation": plan.Depth,
		"image-to-image": plan.Image, "image-to-video": plan.Video,
	} {
		for _, kind := range []hftasktest.Kind{hftasktest.Shapeless, hftasktest.Cut, hftasktest.Empty, hftasktest.Outside, hftasktest.OtherSize} {
			spoils := map[hftasktest.Kind][]string{
				hftasktest.Outside:   {"object-detection"},
				hftasktest.OtherSize: {"image-segmentation", "mask-generation", "depth-estimation"},
			}[kind]
			if spoils != nil && !strings.Contains(strings.Join(spoils, " "), run) {
				continue
			}
			t.Run(run+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				server, b := serve(t)
				server.Break(tasks()[run].name, hftasktest.Fault{Kind: kind})
				asked := call(t, returns, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(120, 90))), "question": text("how many?")})
				if run != "visual-question-answering" {
					delete(asked.Args, "question")
				}
				_, err := b.Run(t.Context(), candidate(run), asked)
				blames(t, err, true, "")
				promisedNothing(t, asked.Dir)
			})
		}
	}
}

// TestDeadline checks that a call to a hanging server ends at its deadline.
func TestDeadline(t *testing.T) {
	t.Parallel()
	server, b := serve(t)
	hold := server.Hold("text-to-image")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-hold.Held
		cancel()
	}()
	_, err := b.Run(ctx, candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("x")}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-hold.Gone
}

// TestLinksInAnswers checks that a link in an answer is followed on the same server only.
func TestLinksInAnswers(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) }))
	t.Cleanup(elsewhere.Close)
	var address atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/made/1.png":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(mediatest.PNG(plain(8, 6, red))) //nolint:errcheck // the client may be gone
		case r.Method == http.MethodPost:
			say(200, `{"images":[{"url":"`+address.Load().(string)+`"}]}`)(w) //nolint:forcetypeassert,errcheck // a string
		default:
			tasksOnly(w, r, "text-to-image")
		}
	}))
	t.Cleanup(server.Close)
	b := backendAt(t, server.URL)
	address.Store(server.URL + "/made/1.png")
	must(t, b, candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("x")}))
	address.Store(elsewhere.URL + "/made/1.png")
	_, err := b.Run(t.Context(), candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("x")}))
	blames(t, err, true, "only a link")
}

// TestCloudMediaPermission checks that media are sent outside your network only with permission.
func TestCloudMediaPermission(t *testing.T) {
	t.Parallel()
	b := backendAt(t, "https://tools.example.com", func(c *Config) {
		c.Endpoint = endpointAt(t, "https://tools.example.com", func(e *endpoint.Config) { e.Transport = nowhere{t} })
	})
	c := candidate("image-to-text")
	_, err := b.Run(t.Context(), c, call(t, plan.Text, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(20, 20)))}))
	for _, err := range []error{err, b.Probe(t.Context(), c)} {
		blames(t, err, false, "ALLOW_CLOUD_MEDIA=true")
	}
}

// nowhere fails every request.
type nowhere struct{ t *testing.T }

func (n nowhere) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("asked for %s", r.URL)
	return nil, errors.New("nothing leaves")
}
