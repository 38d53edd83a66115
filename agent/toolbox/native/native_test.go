package native

import (
	"context"
	"errors"
	"image"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/animation"
	"atelier/agent/toolbox/native/collage"
	"atelier/agent/toolbox/native/crop"
	"atelier/agent/toolbox/native/drawing"
	"atelier/agent/toolbox/native/filter"
	"atelier/agent/toolbox/native/measure"
	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/transform"
)

func TestMeasureSharpness(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	squares := image.NewNRGBA(image.Rect(0, 0, 200, 200))
	for y := range 200 {
		for x := range 200 {
			squares.SetNRGBA(x, y, color.NRGBA{uint8((x/8 + y/8) % 2 * 255), 128, 128, 255})
		}
	}
	v := w.Given("squares.png", squares)
	if out := w.Do("measure_sharpness", nativetest.Args{"image": {v}}); !strings.Contains(out.Value, "Looks: sharp") {
		t.Errorf("got %q", out.Value)
	}
	soft := w.Do("blur_image", nativetest.Args{"image": {v}, "strength": {nativetest.Text("8 px")}})
	if out := w.Do("measure_sharpness", nativetest.Args{"image": {{Resource: v.Resource, Path: soft.Path}}}); !strings.Contains(out.Value, "rather blurry") {
		t.Errorf("got %q", out.Value)
	}
}

func TestEveryOperationIsFoundAndNoOther(t *testing.T) {
	t.Parallel()
	n := built(t)
	for name := range n.table {
		if err := n.Probe(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Run: name}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := n.Probe(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Run: "fold_laundry"}}); err == nil {
		t.Error("an operation that does not exist is found")
	}
	_, err := n.Run(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Run: "fold_laundry"}}, toolbox.Call{})
	nativetest.WantFault(t, err, "no built-in way")
}

// onPictures are operations that read pictures.
func onPictures() []string {
	names := []string{"image_to_pdf", "images_to_pdf", "read_code"}
	l := media.Limits{}
	for _, operations := range []map[string]operation.Func{
		animation.Operations(l), collage.Operations(l), crop.Operations(l), drawing.Operations(l), filter.Operations(l), measure.Operations(l), transform.Operations(l),
	} {
		names = slices.AppendSeq(names, maps.Keys(operations))
	}
	return names
}

func TestPictureOperationsRefuseWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	broken := filepath.Join(w.Dir, "holiday.png")
	if err := os.WriteFile(broken, []byte("this is no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: broken}
	for _, name := range onPictures() {
		w.Refused(name, nativetest.Args{})
		w.Refused(name, nativetest.Args{
			"image": {bad}, "first": {bad}, "second": {bad}, "images": {bad, bad}, "depth": {bad}, "mask": {bad}, "limit": {nativetest.Text("1 MB")},
			"bbox": {w.Boxes(plan.Box{XMax: 5, YMax: 5})}, "caption": {nativetest.Text("hello")},
			"adjustment": {nativetest.Text("brighter")}, "format": {nativetest.Text("png")}, "region": {nativetest.Text("left half")}, "part": {nativetest.Text("left half")}, "top": {nativetest.Text("hello")}, "size": {nativetest.Text("half")},
		}, "holiday.png")
	}
}

func TestCancelledCallStops(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := toolbox.Call{Args: nativetest.Args{"image": {w.Given("a.png", nativetest.Colourful(8, 8))}}, Dir: t.TempDir()}
	for name := range n.table {
		if _, err := n.Run(ctx, toolbox.Candidate{Backing: toolbox.Backing{Run: name}}, call); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it is cancelled", name, err)
		}
	}
}

func TestInputIsNotChanged(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	v := w.Given("a.png", nativetest.Colourful(40, 30))
	before, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	w.Do("blur_image", nativetest.Args{"image": {v}})
	w.Do("highlight_object_on_image", nativetest.Args{"image": {v}, "bbox": {w.Boxes(plan.Box{Label: "x", XMax: 9, YMax: 9})}})
	after, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the input file was changed")
	}
}
