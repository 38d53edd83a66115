package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"atelier/agent/plan"
)

func TestListsAsValues(t *testing.T) {
	t.Parallel()
	boxes := []plan.Box{{Label: "dog", Score: 0.5, XMin: -1, YMin: 2, XMax: 30, YMax: 40}, {}}
	value, err := plan.EncodeValue(boxes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := plan.DecodeValue[plan.Box](plan.Resource{Name: "b", Type: plan.BBox, Value: value})
	if diff := cmp.Diff(boxes, got); diff != "" || err != nil {
		t.Errorf("%s came back changed (%v):\n%s", value, err, diff)
	}
	for _, c := range []struct {
		write func() (string, error)
		want  string
	}{
		{func() (string, error) { return plan.EncodeValue[plan.Class](nil) }, "[]"},
		{func() (string, error) { return plan.EncodeValue([]plan.Part{}) }, "[]"},
		{func() (string, error) { return plan.EncodeValue([]plan.Point{{X: 1, Y: 2, Exclude: true}, {}}) }, `[{"x":1,"y":2,"exclude":true},{"x":0,"y":0}]`},
		{func() (string, error) { return plan.EncodeValue([]plan.Class{{Label: "cat", Score: 1}}) }, `[{"label":"cat","score":1}]`},
		{func() (string, error) { return plan.EncodeValue([]plan.Part{{Label: "a"}, {}}) }, `[{"label":"a"},{}]`},
	} {
		if got, err := c.write(); got != c.want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
}

func TestDecodeInvalidList(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"a dog", "{}", `[{"xmin":"1"}]`, "[1]", "[", `[{"xmin":1.5}]`} {
		_, err := plan.DecodeValue[plan.Box](plan.Resource{Name: "boxes-1", Type: plan.BBox, Value: value})
		if err == nil || !strings.Contains(err.Error(), "boxes-1") || !strings.Contains(err.Error(), "bbox") {
			t.Errorf("%q gives the error %v", value, err)
		}
	}
	for _, value := range []string{"", "null", "[]"} {
		if got, err := plan.DecodeValue[plan.Box](plan.Resource{Value: value}); len(got) != 0 || err != nil {
			t.Errorf("%q gives %v, %v", value, got, err)
		}
	}
}

func TestAnyListSurvivesBeingAValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOf(rapid.Custom(func(t *rapid.T) plan.Point {
			return plan.Point{X: rapid.Int().Draw(t, "x"), Y: rapid.Int().Draw(t, "y"), Exclude: rapid.Bool().Draw(t, "exclude")}
		})).Draw(t, "points")
		value, err := plan.EncodeValue(points)
		if err != nil {
			t.Fatal(err)
		}
		got, err := plan.DecodeValue[plan.Point](plan.Resource{Value: value})
		if err != nil || len(got) != len(points) {
			t.Fatalf("%v came back as %v, %v", points, got, err)
		}
		for i := range got {
			if got[i] != points[i] {
				t.Fatalf("%v came back as %v", points, got)
			}
		}
	})
}

func TestFault(t *testing.T) {
	t.Parallel()
	inner := fmt.Errorf("open x: %w", fs.ErrNotExist)
	fault := &plan.Fault{Sentence: plan.Say("The file is gone."), Err: inner}
	wrapped := fmt.Errorf("step 3: %w", fault)
	for _, c := range []struct {
		err  error
		want string
	}{
		{fault, "The file is gone."},
		{wrapped, "The file is gone."},
		{errors.Join(errors.New("first"), wrapped), "The file is gone."},
		{&plan.Fault{Sentence: plan.Say("outer"), Err: fault}, "outer"},
		{inner, "It failed."},
		{nil, "It failed."},
	} {
		if got := plan.Sentence(c.err, plan.Say("It failed.")).String(); got != c.want {
			t.Errorf("the sentence of %v is %q, want %q", c.err, got, c.want)
		}
	}
	if got, want := fault.Error(), "The file is gone.: open x: file does not exist"; got != want {
		t.Errorf("the operator reads %q, want %q", got, want)
	}
	if got, want := (&plan.Fault{Sentence: plan.Say("Alone.")}).Error(), "Alone."; got != want {
		t.Errorf("the operator reads %q, want %q", got, want)
	}
	if !errors.Is(wrapped, fs.ErrNotExist) {
		t.Error("the detail cannot be found in the fault")
	}
}

// Values are plain data: what goes through JSON comes back the same.
func TestPlansSurviveJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		steps, _, err := p.Steps(p.Best())
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, p)
		roundTrip(t, steps)
		roundTrip(t, p.Offers(p.Best(), 5))
	})
}

func roundTrip[T any](t *rapid.T, v T) {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, back, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s came back changed:\n%s", b, diff)
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	first, second := plan.Resource{Name: "a.png"}, plan.Resource{Name: "b.png"}
	more := make([]plan.Resource, 0, 4)
	for _, c := range []struct {
		name   string
		result plan.Result
		want   []plan.Resource
	}{
		{"nothing", plan.Result{}, nil},
		{"done without an output", plan.Result{Status: plan.Done}, nil},
		{"one", plan.Result{Status: plan.Done, Output: &first}, []plan.Resource{first}},
		{"two", plan.Result{Status: plan.Done, Output: &first, More: append(more, second)}, []plan.Resource{first, second}},
		{"what is left of a failure", plan.Result{Status: plan.Failed, Output: &first}, nil},
		{"what is not finished", plan.Result{Status: plan.Running, Output: &first}, nil},
	} {
		if diff := cmp.Diff(c.want, c.result.Outputs()); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	maps := []plan.Type{plan.Mask, plan.Segmentation, plan.Edge, plan.Line, plan.HED, plan.Scribble, plan.Pose, plan.Depth, plan.Normal}
	media := append([]plan.Type{plan.Image, plan.Video, plan.Audio, plan.HTML, plan.Document, plan.Archive, plan.AnyFile}, maps...)
	for _, typ := range append(plan.Types(), plan.AnyFile, "url") {
		if got, want := typ.ImageMap(), slices.Contains(maps, typ); got != want {
			t.Errorf("%s.ImageMap() = %t", typ, got)
		}
		if got, want := typ.Media(), slices.Contains(media, typ); got != want {
			t.Errorf("%s.Media() = %t", typ, got)
		}
		for _, want := range append(plan.Types(), plan.AnyFile) {
			fits := typ == want || want == plan.Image && slices.Contains(maps, typ) ||
				want == plan.AnyFile && (typ == plan.Text || slices.Contains(media, typ))
			if got := typ.Fits(want); got != fits {
				t.Errorf("%s.Fits(%s) = %t", typ, want, got)
			}
		}
	}
	for _, c := range []struct {
		have, want plan.Type
		fits       bool
	}{
		{plan.Edge, plan.Image, true},
		{plan.Image, plan.Edge, false}, // not every picture is an edge map
		{plan.Mask, plan.Segmentation, false},
		{plan.Title, plan.Text, false},
		{plan.Document, plan.AnyFile, true},
		{plan.Text, plan.AnyFile, true},
		{plan.AnyFile, plan.Image, false},
		{plan.BBox, plan.AnyFile, false},
		{plan.Video, plan.Image, false},
		{"url", "url", true},
		{"url", plan.Text, false},
	} {
		if got := c.have.Fits(c.want); got != c.fits {
			t.Errorf("%s.Fits(%s) = %t", c.have, c.want, got)
		}
	}
}

func TestParseType(t *testing.T) {
	t.Parallel()
	for _, typ := range plan.Types() {
		if got, err := plan.ParseType(string(typ)); got != typ || err != nil {
			t.Errorf("ParseType(%q) = %q, %v", typ, got, err)
		}
	}
	for _, name := range []string{"", "Image", "picture", " text", "url"} {
		if got, err := plan.ParseType(name); got != "" || err == nil {
			t.Errorf("ParseType(%q) = %q, %v", name, got, err)
		}
	}
	types := plan.Types()
	types[0] = "spoilt"
	if plan.Types()[0] != plan.Text {
		t.Error("the list of types can be changed from outside")
	}
}

func TestParseMeaning(t *testing.T) {
	t.Parallel()
	for _, m := range plan.Meanings() {
		if got, err := plan.ParseMeaning(string(m)); got != m || err != nil {
			t.Errorf("ParseMeaning(%q) = %q, %v", m, got, err)
		}
	}
	for _, name := range []string{"", "query", "Prompt"} {
		got, err := plan.ParseMeaning(name)
		if got != "" || err == nil || !strings.HasSuffix(err.Error(), "the meanings are object, prompt, instruction, question, content, amount, place, format, language") {
			t.Errorf("ParseMeaning(%q) = %q, %v", name, got, err)
		}
	}
}
