package hftask

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
)

// texts are sample values of text arguments by name.
var texts = map[string]string{
	"language": "German", "table": "name,age\nAnn,31\nBob,27", "question": "how many objects are there?", "context": "It was filmed in Lisbon.", "factor": "2x", "sentences": "two",
	"shape": "16:9", "size": "640x480", "without": "people", "results": "2", "seed": "42",
	"object": "red square", "voice": "deep", "prompt": "a blue disc on white", "instruction": "paint the red thing green",
	"text": "Ann was glad to meet Bob in Lisbon on a sunny day, and they had a wonderful time.",
}

// given are sample values for each type of argument.
func given(t *testing.T, a toolbox.Arg) []toolbox.Value {
	t.Helper()
	const w, h = 120, 90
	switch {
	case a.Type == plan.Mask:
		return fileWith(t, plan.Mask, "mask.png", mediatest.PNG(maskOver(w, h, redAt(w, h))))
	case a.Type.Fits(plan.Image):
		return fileWith(t, a.Type, "photo.png", mediatest.PNG(scene(w, h)))
	case a.Type == plan.Video:
		return fileWith(t, plan.Video, "film.mp4", film(t))
	case a.Type == plan.Audio:
		return fileWith(t, plan.Audio, "voice.wav", mediatest.Tone("hello", time.Second/10))
	case a.Type == plan.Points:
		return value(plan.Points, `[{"x":30,"y":20}]`)
	case a.Type == plan.Weather:
		return value(plan.Weather, `{"place":"Lisbon","temperature":21}`)
	}
	said := texts[a.Name]
	if said == "" {
		t.Fatalf("no sample text for the argument %s", a.Name)
	}
	return value(a.Type, said)
}

// TestCatalogue runs each tool that has a backend of this kind on a server that validates requests against the
// published schemas, and checks the output.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, tool := range catalogue.Tools() {
		for _, how := range tool.Backends {
			if how.Kind != "hftask" {
				continue
			}
			count++
			t.Run(tool.Name+"/"+how.Run, func(t *testing.T) {
				t.Parallel()
				runTool(t, tool, how)
			})
		}
	}
	if count < 54 {
		t.Errorf("%d tools have a backend on a tool server", count)
	}
}

func runTool(t *testing.T, tool toolbox.Tool, how toolbox.Backing) {
	t.Helper()
	server, b := serve(t)
	c := toolbox.Candidate{Backing: how}
	model := "example/" + b.tasks[how.Run].name
	if b.tasks[how.Run].named {
		if b.Probe(t.Context(), c) == nil {
			t.Error("live without a model")
		}
		c.Model = model
	}
	if err := b.Probe(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	asked := call(t, tool.Returns, args{})
	asked.Tool = tool.Name
	for _, a := range tool.Args {
		asked.Args[a.Name] = given(t, a)
	}
	asked, err := tool.Typed(asked)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Run(t.Context(), c, asked)
	if err != nil {
		t.Fatalf("%v\n%+v", err, server.Calls())
	}
	if out.Model != model {
		t.Errorf("the model is %q", out.Model)
	}
	promised(t, tool.Returns, asked.Dir, out)
	if len(server.Asked(b.tasks[how.Run].name)) != 1 {
		t.Errorf("calls %+v", server.Calls())
	}
}

// promised checks that an output has its type, and that the call's folder has no other files.
func promised(t *testing.T, returns plan.Type, dir string, out toolbox.Output) {
	t.Helper()
	switch {
	case returns.Media():
		info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
		if err != nil || !returns.Fits(info.Type) || filepath.Dir(out.Path) != dir {
			t.Errorf("output %+v: %+v, %v", out, info, err)
		}
	case out.Path != "" || strings.TrimSpace(out.Value) == "":
		t.Errorf("output %+v", out)
	case returns == plan.BBox || returns == plan.Category:
		var list []map[string]any
		if err := json.Unmarshal([]byte(out.Value), &list); err != nil || len(list) == 0 {
			t.Errorf("output %+v: %v", out, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	made := len(out.More)
	if out.Path != "" {
		made++
	}
	if len(left) != made {
		t.Errorf("the folder contains %v", left)
	}
}
