package plan_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
)

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
