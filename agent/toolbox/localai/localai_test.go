package localai

import (
	"context"
	"errors"
	"image"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

// uses has a call for each run.
func uses(t *testing.T) map[string]toolbox.Call {
	t.Helper()
	mask := file(t, plan.Mask, "mask.png", mediatest.PNG(covering(scene().Rect.Size(), big)))
	calls := map[string]toolbox.Call{
		"detection":              call(t, plan.BBox, args{"image": sceneFile(t)}),
		"grounding":              call(t, plan.BBox, args{"image": sceneFile(t), "object": text("red")}),
		"segmentation":           call(t, plan.Mask, args{"image": sceneFile(t)}),
		"segmentation-by-points": call(t, plan.Mask, args{"image": sceneFile(t), "points": points(t, plan.Point{X: 50, Y: 60})}),
		"segmentation-by-mask":   call(t, plan.Mask, args{"image": sceneFile(t), "mask": mask}),
		"depth":                  call(t, plan.Depth, args{"image": sceneFile(t)}),
		"sound-generation":       call(t, plan.Audio, args{}),
		"audio-classification":   call(t, plan.Category, args{"audio": tone(t)}),
		"audio-transform":        call(t, plan.Audio, args{"audio": tone(t)}),
		"audio-denoise":          call(t, plan.Audio, args{"audio": tone(t)}),
		"video":                  call(t, plan.Video, args{}),
		"video-from-image":       call(t, plan.Video, args{"image": sceneFile(t)}),
		"images-inpainting":      call(t, plan.Image, args{"image": sceneFile(t), "mask": mask}),
		"images-reference":       call(t, plan.Image, args{"image": sceneFile(t)}),
		"images-upscale":         call(t, plan.Image, args{"image": sceneFile(t)}),
	}
	for run, c := range calls {
		typed, err := toolboxtest.Typed(t, candidate(run, "words").Backing, c)
		if err != nil {
			t.Fatal(err)
		}
		calls[run] = typed
	}
	return calls
}

func TestAllRunsAreTried(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	if got, want := slices.Sorted(maps.Keys(uses(t))), slices.Sorted(maps.Keys(b.runs)); !slices.Equal(got, want) {
		t.Errorf("tested %v of %v", got, want)
	}
}

// TestServerFaults checks that each run reports each fault in a sentence, blames the server, and leaves no files.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	sentences := map[localaitest.Fault]string{
		localaitest.Down: "does not answer", localaitest.Failing: "does not have the model", localaitest.Busy: "too many requests", localaitest.Loading: "is loading",
		localaitest.Page: "could not be read", localaitest.Senseless: "", localaitest.Endless: "could not be read",
		localaitest.Cut: "could not be read", localaitest.Redirect: "could not be read", localaitest.Expired: "LOCALAI_API_KEY",
	}
	for _, fault := range localaitest.All() {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			b, server := newBackend(t, localaitest.Config{})
			for run, c := range uses(t) {
				if err := b.Probe(t.Context(), candidate(run, "words")); err != nil {
					t.Fatal(err)
				}
				server.Break(fault)
				_, err := b.Run(t.Context(), candidate(run, "words"), c)
				server.Mend()
				want := toolbox.ErrDown
				if fault == localaitest.Loading {
					want = toolbox.ErrLoading
				}
				if !errors.Is(err, want) {
					t.Errorf("%s: want %v: %v", run, want, err)
				}
				if got := said(err); got == "" || !strings.Contains(got, sentences[fault]) {
					t.Errorf("%s: people see %q", run, got)
				}
				tidy(t, c.Dir)
			}
		})
	}
}

func tidy(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("remaining files: %v, %v", left, err)
	}
}

// TestUnexpectedFiles checks that a file of another type, or on another server, is rejected.
func TestUnexpectedFiles(t *testing.T) {
	t.Parallel()
	for fault, runs := range map[localaitest.Fault][]string{
		localaitest.WrongKind: {"sound-generation", "audio-transform", "video", "video-from-image", "images-inpainting", "images-reference", "images-upscale"},
		localaitest.Elsewhere: {"video", "images-inpainting", "images-upscale"},
	} {
		b, server := newBackend(t, localaitest.Config{})
		server.Break(fault)
		all := uses(t)
		for _, run := range runs {
			_, err := b.Run(t.Context(), candidate(run, "words"), all[run])
			if !errors.Is(err, toolbox.ErrDown) || said(err) == "" || strings.Contains(said(err), "192.0.2.1") {
				t.Errorf("%s, %s: %v", fault, run, err)
			}
			tidy(t, all[run].Dir)
		}
	}
}

// TestInputFaults checks that a fault of the input is not blamed on the server.
func TestInputFaults(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	scene := sceneFile(t)
	cut := file(t, plan.Image, "cut.png", mediatest.PNG(image.NewNRGBA(image.Rect(0, 0, 90, 90)))[:60])
	empty := file(t, plan.Image, "empty.png", nil)
	film := file(t, plan.Audio, "film.avi", mediatest.Film([]*image.NRGBA{image.NewNRGBA(image.Rect(0, 0, 16, 16))}))
	nothing := file(t, plan.Mask, "mask.png", mediatest.PNG(image.NewGray(image.Rect(0, 0, 200, 120))))
	for _, c := range []struct {
		run  string
		args args
		want string
	}{
		{"detection", args{"image": cut}, "cut off or damaged"},
		{"depth", args{"image": empty}, "is empty"},
		{"depth", args{}, "missing"},
		{"video-from-image", args{"image": cut}, "cut off or damaged"},
		{"images-reference", args{"image": cut}, "cut off or damaged"},
		{"images-upscale", args{"image": cut}, "cut off or damaged"},
		{"images-upscale", args{"image": scene, "factor": text("10 px wide")}, "up to four times"},
		{"images-upscale", args{"image": scene, "factor": text("ten times")}, "up to four times"},
		{"audio-transform", args{"audio": film}, "A recording is needed"},
		{"audio-classification", args{}, "missing"},
		{"grounding", args{"image": scene, "object": text(" ")}, "what to look for"},
		{"grounding", args{"image": scene, "object": text("a violet thing")}, "I found no"},
		{"segmentation", args{"image": file(t, plan.Image, "plain.png", mediatest.PNG(image.NewGray(image.Rect(0, 0, 50, 50))))}, "I found no object"},
		{"segmentation-by-points", args{"image": scene}, "mark at least one point"},
		{"segmentation-by-points", args{"image": scene, "points": points(t, plan.Point{X: 5, Y: 5, Exclude: true})}, "mark at least one point"},
		{"segmentation-by-points", args{"image": scene, "points": points(t, plan.Point{X: 200, Y: 5})}, "outside the picture"},
		{"segmentation-by-points", args{"image": scene, "points": text("here")}, "cannot be read"},
		{"segmentation-by-mask", args{"image": scene, "mask": nothing}, "covers nothing"},
		{"images-inpainting", args{"image": scene, "mask": nothing}, "covers nothing"},
		{"images-inpainting", args{"image": scene}, "missing"},
	} {
		how := candidate(c.run, "words")
		asked, err := toolboxtest.Typed(t, how.Backing, call(t, plan.Image, c.args))
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Run(t.Context(), how, asked)
		if !strings.Contains(said(err), c.want) || errors.Is(err, toolbox.ErrDown) || errors.Is(err, toolbox.ErrLoading) || plan.Final(err) {
			t.Errorf("%s: %v, not %q", c.run, err, c.want)
		}
	}
	for _, run := range []string{"sound-generation", "video", "images-reference", "images-inpainting"} {
		if _, err := b.Run(t.Context(), candidate(run, "{prompt}"), call(t, plan.Image, args{"image": scene, "mask": nothing})); !strings.Contains(said(err), "Please say") {
			t.Errorf("%s without words: %v", run, err)
		}
	}
	for _, r := range server.Requests() {
		if r.Path != "/v1/detection" {
			t.Errorf("%s was called", r.Path)
		}
	}
}

// TestCloudMediaPermission checks that no file is sent outside your network without permission.
func TestCloudMediaPermission(t *testing.T) {
	t.Parallel()
	server := localaitest.New(t, localaitest.Config{})
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	away := newEndpoint(t, "https://models.example.com", func(c *endpoint.Config) { c.Transport = toolboxtest.Through{To: server.URL(), With: own} })
	closed, open := newBackendAt(t, away), newBackendAt(t, away, func(c *Config) { c.AllowMedia = true })
	for run, c := range uses(t) {
		leaves := closed.runs[run].media
		_, err := closed.Run(t.Context(), candidate(run, "words"), c)
		probed := closed.Probe(t.Context(), candidate(run, "words"))
		for _, err := range []error{err, probed} {
			if leaves != strings.Contains(said(err), "ALLOW_CLOUD_MEDIA") || !leaves && err != nil {
				t.Errorf("%s: %v", run, err)
			}
		}
		if err := open.Probe(t.Context(), candidate(run, "words")); err != nil {
			t.Errorf("%s with permission: %v", run, err)
		}
	}
	for _, r := range server.Requests() {
		if len(r.Files) > 0 {
			t.Errorf("a file was sent to %s", r.Path)
		}
	}
}

func TestContract(t *testing.T) { //nolint:paralleltest // the suite sets the environment
	b, server := newBackend(t, localaitest.Config{})
	server.Break(localaitest.Slow, "/v1/depth")
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: b,
		Good:    toolboxtest.Use{Candidate: candidate("segmentation", ""), Call: call(t, plan.Mask, args{"image": sceneFile(t)})},
		Bad:     toolboxtest.Use{Candidate: candidate("detection", ""), Call: call(t, plan.BBox, args{"image": file(t, plan.Image, "x.png", []byte("no picture"))})},
		Unknown: candidate("telepathy", ""),
		Slow:    &toolboxtest.Use{Candidate: candidate("depth", ""), Call: call(t, plan.Depth, args{"image": sceneFile(t)})},
		Started: server.Held(),
		Down:    newBackendAt(t, newEndpoint(t, "http://127.0.0.1:1")),
	})
}

// TestContextCancellation checks that every run ends with its context.
func TestContextCancellation(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	server.Break(localaitest.Slow)
	for run, c := range uses(t) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := b.Run(ctx, candidate(run, "words"), c)
			ended <- err
		}()
		<-server.Held()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, toolbox.ErrDown) {
			t.Errorf("%s: %v", run, err)
		}
		tidy(t, c.Dir)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("no endpoint was accepted")
	}
}
