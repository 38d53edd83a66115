package localai

import (
	"bytes"
	"encoding/binary"
	"image"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
)

// given are sample values for each type of argument.
func given(t *testing.T, a toolbox.Arg) []toolbox.Value {
	t.Helper()
	switch {
	case a.Type == plan.Mask:
		return file(t, plan.Mask, "mask.png", mediatest.PNG(covering(scene().Rect.Size(), big)))
	case a.Type.Fits(plan.Image):
		return sceneFile(t)
	case a.Type == plan.Audio:
		return tone(t)
	case a.Type == plan.Points:
		return points(t, plan.Point{X: 50, Y: 60})
	case a.Name == "object":
		return text("the red thing")
	case a.Name == "seed":
		return text("seed 42")
	case a.Name == "results":
		return text("2 versions")
	case a.Name == "factor":
		return text("three times")
	}
	return text("some words for " + a.Name)
}

// TestCatalogue checks that each tool that has a LocalAI backend is live with the models of LocalAI's gallery, and
// returns its type.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, tool := range catalogue.Tools() {
		for _, how := range tool.Backends {
			if how.Kind != "localai" {
				continue
			}
			count++
			t.Run(tool.Name, func(t *testing.T) {
				t.Parallel()
				runTool(t, tool, toolbox.Candidate{Backing: how, Server: "localai"})
			})
		}
	}
	if count < 18 {
		t.Errorf("%d tools have a LocalAI backend", count)
	}
}

func runTool(t *testing.T, tool toolbox.Tool, how toolbox.Candidate) {
	t.Helper()
	b, server := newBackend(t, localaitest.Config{})
	if err := b.Probe(t.Context(), how); err != nil {
		t.Fatal(err)
	}
	c := call(t, tool.Returns, args{})
	c.Tool = tool.Name
	for _, a := range tool.Args {
		c.Args[a.Name] = given(t, a)
	}
	out := must(t, b, how, c)
	if out.Model == "" || out.Usage.Calls != 1 {
		t.Errorf("output %+v", out)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests for work", n)
	}
	promised(t, tool.Returns, out)
}

// promised checks that an output has the type.
func promised(t *testing.T, typ plan.Type, out toolbox.Output) {
	t.Helper()
	switch typ {
	case plan.BBox:
		boxes, err := plan.DecodeValue[plan.Box](plan.Resource{Value: out.Value})
		if err != nil || len(boxes) == 0 {
			t.Fatalf("boxes: %v, %v", boxes, err)
		}
		for _, b := range boxes {
			if r := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax); r.Empty() || !r.In(scene().Rect) || b.Label == "" {
				t.Errorf("a box is %+v", b)
			}
		}
	case plan.Category:
		if classes, err := plan.DecodeValue[plan.Class](plan.Resource{Value: out.Value}); err != nil || len(classes) == 0 || classes[0].Score < classes[len(classes)-1].Score {
			t.Errorf("classes: %v, %v", classes, err)
		}
	case plan.Mask, plan.Segmentation:
		m, err := media.ReadMask(t.Context(), out.Path, media.Limits{})
		if err != nil || m.Width != 200 || m.Height != 120 || coveredBy(m).Empty() {
			t.Errorf("the mask: %v", err)
		}
	default:
		info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
		want := typ
		if want.ImageMap() {
			want = plan.Image
		}
		if err != nil || info.Type != want {
			t.Errorf("it is %+v, %v", info, err)
		}
		if want == plan.Image && typ != plan.Image && (info.Width != 200 || info.Height != 120) {
			t.Errorf("the map is %+v", info)
		}
	}
}

// TestSmallPictures checks a picture of a single pixel, and one that is far from square.
func TestSmallPictures(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	for _, size := range []image.Point{{1, 1}, {1, 300}, {300, 1}, {1999, 7}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		picture := file(t, plan.Image, "p.png", mediatest.PNG(img))
		mask := file(t, plan.Mask, "m.png", mediatest.PNG(covering(size, image.Rect(0, 0, 1, 1))))
		for run, typ := range map[string]plan.Type{"detection": plan.BBox, "depth": plan.Depth, "images-reference": plan.Image, "images-inpainting": plan.Image, "video-from-image": plan.Video} {
			out, err := b.Run(t.Context(), candidate(run, "words"), call(t, typ, args{"image": picture, "mask": mask}))
			if err != nil {
				t.Errorf("%s of %v: %v", run, size, err)
			} else if run == "depth" || run == "images-inpainting" {
				if info, err := media.Inspect(t.Context(), out.Path, media.Limits{}); err != nil || info.Width != size.X || info.Height != size.Y {
					t.Errorf("%s of %v is %+v, %v", run, size, info, err)
				}
			}
		}
	}
}

// TestNoMetadataIsSent checks that neither a file's name nor its metadata is sent.
func TestNoMetadataIsSent(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	// A WAV may end with a list of metadata (RIFF, LIST INFO).
	tagged := append(mediatest.Tone("x", time.Second), "LIST\x1a\x00\x00\x00INFOIART\x0e\x00\x00\x00Jane at home 1"...)
	binary.LittleEndian.PutUint32(tagged[4:], uint32(len(tagged)-8))
	c := call(t, plan.Audio, args{"audio": file(t, plan.Audio, "secret name.wav", tagged)})
	must(t, b, candidate("audio-transform", ""), c)
	if sent := server.Requests()[0].Files["audio"]; len(sent) == 0 || bytes.Contains(sent, []byte("Jane")) {
		t.Errorf("%d bytes were sent, with the metadata", len(sent))
	}
	if got := server.Requests()[0].Names["audio"]; got != "audio.wav" {
		t.Errorf("the file was sent as %q", got)
	}
}
