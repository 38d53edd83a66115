package native

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

func TestContract(t *testing.T) { //nolint:paralleltest // the suite sets the environment
	w := newWorkbench(t)
	broken := filepath.Join(t.TempDir(), "1.png")
	if err := os.WriteFile(broken, []byte("\x89PNG\r\n\x1a\n and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	edge := toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: "image_to_edge"}}
	of := func(v toolbox.Value) toolbox.Call {
		return toolbox.Call{Tool: "image_to_edge", Returns: plan.Edge, Args: args{"image": {v}}}
	}
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: w.native,
		Good:    toolboxtest.Use{Candidate: edge, Call: of(w.given("1.png", colourful(40, 30)))},
		Bad:     toolboxtest.Use{Candidate: edge, Call: of(toolbox.Value{Resource: plan.Resource{Type: plan.Image, Name: "1.png"}, Path: broken})},
		Unknown: toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: "magic"}},
	})
}

// TestTextsAreReadBeforehandAsInACall holds that what an operation is said to understand is
// what it understands.
func TestTextsAreReadBeforehandAsInACall(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	good := map[string]string{
		"add_text_to_image": "top", "adjust_image": "20% darker", "blur_image": "a little", "convert_image": "png",
		"crop_region": "100x50+10+10", "fit_image_size": "2 MB", "flip_image": "vertically", "make_thumbnail": "64 px",
		"resize_image": "half as large", "rotate_image": "45 degrees", "upscale_image": "twice",
	}
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	// A quantity is read by its kind, every other text by the operation itself.
	reads := map[string]map[string]func(string) bool{}
	for run, readers := range w.native.TextReaders {
		reads[run] = maps.Clone(readers)
	}
	for _, tool := range catalogue.Tools() {
		for _, a := range tool.Args {
			if a.Kind != "" && tool.Returns == plan.Image && takesNoFilm(tool) {
				reads[tool.Name] = map[string]func(string) bool{a.Name: a.Kind.Reads}
			}
		}
	}
	photo := w.given("photo.jpg", colourful(120, 80))
	for run, readers := range reads {
		for arg, reads := range readers {
			for said, want := range map[string]bool{good[run]: true, "Good morning, everyone": false} {
				c := toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: run}}
				call := toolbox.Call{Tool: run, Returns: plan.Image, Dir: t.TempDir(), Args: args{
					"image": {photo}, "caption": {text("Hello")}, arg: {text(said)},
				}}
				_, err := w.native.Run(t.Context(), c, call)
				if reads(said) != want || (err == nil) != want {
					t.Errorf("%s is said to read %q: %t, and made: %v", run, said, !want, err)
				}
			}
		}
	}
	if len(good) != len(reads) {
		t.Errorf("%d operations read texts, and %d are tried", len(reads), len(good))
	}
}

func takesNoFilm(t toolbox.Tool) bool {
	return !slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Type == plan.Video })
}
