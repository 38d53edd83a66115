package native

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/toolboxtest"
)

// workbench runs operations on pictures that a test draws.
type workbench struct {
	*testing.T
	native *Native
	dir    string
}

func newWorkbench(t *testing.T) workbench {
	t.Helper()
	n, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return workbench{t, n, t.TempDir()}
}

// given stores a picture as an input.
func (w workbench) given(name string, img image.Image) toolbox.Value {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := media.EncodeImage(context.Background(), path, img, media.FormatFor(filepath.Ext(name)[1:])); err != nil {
		w.Fatal(err)
	}
	return toolbox.Value{Resource: plan.Resource{Name: name, Type: plan.Image}, Path: path}
}

func text(v string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: v}}
}

func (w workbench) boxes(bs ...plan.Box) toolbox.Value {
	w.Helper()
	v, err := plan.EncodeValue(bs)
	if err != nil {
		w.Fatal(err)
	}
	return toolbox.Value{Resource: plan.Resource{Type: plan.BBox, Value: v}}
}

// args pairs names with values; the same name again makes a list.
type args map[string][]toolbox.Value

func (w workbench) try(op string, a args) (toolbox.Output, error) {
	w.Helper()
	dir, err := os.MkdirTemp(w.dir, "call-")
	if err != nil {
		w.Fatal(err)
	}
	how := toolbox.Backing{Kind: "native", Run: op}
	call, err := toolboxtest.Typed(w.T, how, toolbox.Call{Tool: op, Args: a, Dir: dir})
	if err != nil {
		return toolbox.Output{}, err
	}
	c := toolbox.Candidate{Backing: how}
	out, err := w.native.Run(context.Background(), c, call)
	if err == nil {
		toolboxtest.Effects(w.T, c, call, out)
	}
	return out, err
}

func (w workbench) run(op string, a args) toolbox.Output {
	w.Helper()
	out, err := w.try(op, a)
	if err != nil {
		w.Fatalf("%s: %v", op, err)
	}
	return out
}

// picture runs an operation that makes one picture, and decodes it.
func (w workbench) picture(op string, a args) media.Picture {
	w.Helper()
	return w.read(w.run(op, a))
}

func (w workbench) read(out toolbox.Output) media.Picture {
	w.Helper()
	p, err := media.ReadPicture(context.Background(), out.Path, media.Limits{})
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// refused runs an operation that must fail with a sentence that holds the words.
func (w workbench) refused(op string, a args, words ...string) {
	w.Helper()
	out, err := w.try(op, a)
	fault, ok := errors.AsType[*plan.Fault](err)
	if !ok {
		w.Errorf("%s gave %+v and %v, want a fault", op, out, err)
		return
	}
	for _, word := range words {
		if !strings.Contains(fault.Sentence.String(), word) {
			w.Errorf("%s says %q, want that it says %q", op, fault.Sentence.String(), word)
		}
	}
	if strings.Contains(fault.Sentence.String(), w.dir) {
		w.Errorf("%s tells a path: %q", op, fault.Sentence.String())
	}
}

// colourful is a picture in which every pixel has another colour.
func colourful(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x * 3), uint8(y * 5), uint8(x*7 + y*11), 255})
		}
	}
	return img
}

func uniform(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// same compares a picture with what each of its pixels should be.
func (w workbench) same(got *image.NRGBA, width, height int, want func(x, y int) color.NRGBA) {
	w.Helper()
	if got.Rect != image.Rect(0, 0, width, height) {
		w.Fatalf("the picture has the bounds %v, want %d × %d", got.Rect, width, height)
	}
	for y := range height {
		for x := range width {
			if g, e := got.NRGBAAt(x, y), want(x, y); g != e {
				w.Fatalf("pixel (%d, %d) is %v, want %v", x, y, g, e)
			}
		}
	}
}

func TestEveryOperationIsFoundAndNoOther(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	for name := range w.native.table {
		if err := w.native.Probe(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Run: name}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.native.Probe(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Run: "fold_laundry"}}); err == nil {
		t.Error("an operation that does not exist is found")
	}
	w.refused("fold_laundry", nil, "no built-in way")
}

func TestPictureOperationsRefuseWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	broken := filepath.Join(w.dir, "holiday.png")
	if err := os.WriteFile(broken, []byte("this is no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: broken}
	for name := range w.native.imageOperations() {
		w.refused(name, args{})
		w.refused(name, args{
			"image": {bad}, "first": {bad}, "second": {bad}, "images": {bad, bad}, "depth": {bad}, "mask": {bad}, "limit": {text("1 MB")},
			"bbox": {w.boxes(plan.Box{XMax: 5, YMax: 5})}, "caption": {text("hello")},
			"adjustment": {text("brighter")}, "format": {text("png")}, "region": {text("left half")}, "part": {text("left half")}, "top": {text("hello")}, "size": {text("half")},
		}, "holiday.png")
	}
}

func TestACancelledCallStops(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := toolbox.Call{Args: args{"image": {w.given("a.png", colourful(8, 8))}}, Dir: t.TempDir()}
	for name := range w.native.imageOperations() {
		if _, err := w.native.Run(ctx, toolbox.Candidate{Backing: toolbox.Backing{Run: name}}, call); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it is cancelled", name, err)
		}
	}
}

func TestTheInputIsNotChanged(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	v := w.given("a.png", colourful(40, 30))
	before, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	w.run("blur_image", args{"image": {v}})
	w.run("highlight_object_on_image", args{"image": {v}, "bbox": {w.boxes(plan.Box{Label: "x", XMax: 9, YMax: 9})}})
	after, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the input file was changed")
	}
}
