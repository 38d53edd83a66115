// Package nativetest runs operations on pictures and texts made by a test, and checks each result
// against the effects of its tool.
package nativetest

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/toolboxtest"
)

// Workbench runs operations for a test.
type Workbench struct {
	*testing.T

	Operations map[string]operation.Func
	// Dir is a temporary folder.
	Dir string
}

// New returns a workbench with a temporary folder.
func New(t *testing.T, operations map[string]operation.Func) Workbench {
	t.Helper()
	return Workbench{t, operations, t.TempDir()}
}

// Perform runs an operation with a call whose settings are already parsed.
func (w Workbench) Perform(run string, c toolbox.Call) (toolbox.Output, error) {
	w.Helper()
	op, ok := w.Operations[run]
	if !ok {
		w.Fatalf("unknown operation %q", run)
	}
	candidate := toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: run, Device: "cpu"}}
	out, err := op(w.Context(), c)
	if err == nil {
		toolboxtest.Effects(w.T, candidate, c, out)
	}
	return out, err
}

// Typed runs an operation with settings in words: alternating names and values.
func (w Workbench) Typed(run string, pairs ...string) (toolbox.Output, error) {
	w.Helper()
	c, err := toolboxtest.Typed(w.T, toolbox.Backing{Kind: "native", Run: run}, Call(pairs...))
	if err != nil {
		return toolbox.Output{}, err
	}
	return w.Perform(run, c)
}

// Given stores a picture as an input file.
func (w Workbench) Given(name string, img image.Image) toolbox.Value {
	w.Helper()
	path := filepath.Join(w.Dir, name)
	if err := media.EncodeImage(context.Background(), path, img, media.FormatFor(filepath.Ext(name)[1:])); err != nil {
		w.Fatal(err)
	}
	return toolbox.Value{Resource: plan.Resource{Name: name, Type: plan.Image}, Path: path}
}

// Text returns a text as an argument.
func Text(v string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: v}}
}

// Boxes returns boxes as an argument.
func (w Workbench) Boxes(bs ...plan.Box) toolbox.Value {
	w.Helper()
	v, err := plan.EncodeValue(bs)
	if err != nil {
		w.Fatal(err)
	}
	return toolbox.Value{Resource: plan.Resource{Type: plan.BBox, Value: v}}
}

// Args maps argument names to values.
type Args map[string][]toolbox.Value

// Try runs an operation with settings in words.
func (w Workbench) Try(op string, a Args) (toolbox.Output, error) {
	w.Helper()
	dir, err := os.MkdirTemp(w.Dir, "call-")
	if err != nil {
		w.Fatal(err)
	}
	how := toolbox.Backing{Kind: "native", Run: op}
	call, err := toolboxtest.Typed(w.T, how, toolbox.Call{Tool: op, Args: a, Dir: dir})
	if err != nil {
		return toolbox.Output{}, err
	}
	return w.Perform(op, call)
}

// Do runs an operation that must succeed.
func (w Workbench) Do(op string, a Args) toolbox.Output {
	w.Helper()
	out, err := w.Try(op, a)
	if err != nil {
		w.Fatalf("%s: %v", op, err)
	}
	return out
}

// Picture runs an operation that returns one picture, and decodes it.
func (w Workbench) Picture(op string, a Args) media.Picture {
	w.Helper()
	return w.Read(w.Do(op, a))
}

// Read decodes a picture output.
func (w Workbench) Read(out toolbox.Output) media.Picture {
	w.Helper()
	p, err := media.ReadPicture(context.Background(), out.Path, media.Limits{})
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// Refused runs an operation that must fail with a sentence that contains the words.
func (w Workbench) Refused(op string, a Args, words ...string) {
	w.Helper()
	out, err := w.Try(op, a)
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
	if strings.Contains(fault.Sentence.String(), w.Dir) {
		w.Errorf("%s tells a path: %q", op, fault.Sentence.String())
	}
}

// Same compares a picture with what each of its pixels should be.
func (w Workbench) Same(got *image.NRGBA, width, height int, want func(x, y int) color.NRGBA) {
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

// Call returns a call with small values: alternating names and values.
func Call(pairs ...string) toolbox.Call {
	c := toolbox.Call{Args: map[string][]toolbox.Value{}}
	for pair := range slices.Chunk(pairs, 2) {
		c.Args[pair[0]] = []toolbox.Value{{Resource: plan.Resource{Value: pair[1]}}}
	}
	return c
}

// WantFault fails the test unless err has a sentence for people that contains the words.
func WantFault(t *testing.T, err error, words string) {
	t.Helper()
	f, ok := errors.AsType[*plan.Fault](err)
	if !ok {
		t.Fatalf("the error %v has no sentence for people", err)
	}
	if !strings.Contains(f.Sentence.String(), words) {
		t.Fatalf("the sentence %q does not hold %q", f.Sentence.String(), words)
	}
}

// FileCall returns a call with one media file.
func FileCall(arg string, typ plan.Type, path string) toolbox.Call {
	v := toolbox.Value{Resource: plan.Resource{Name: filepath.Base(path), Type: typ}, Path: path}
	return toolbox.Call{Args: map[string][]toolbox.Value{arg: {v}}}
}

// WriteFile writes a file into a temporary folder.
func WriteFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
