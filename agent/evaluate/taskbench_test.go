package evaluate

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

const benchTools = `{"nodes": [
 {"id": "Image Downloader", "desc": "Downloads an image.", "input-type": ["url"], "output-type": ["image"]},
 {"id": "Image Search", "desc": "Searches for images.", "input-type": ["text"], "output-type": ["Image"]},
 {"id": "Text-to-Image", "desc": "Draws.", "input-type": ["text"], "output-type": ["image"]},
 {"id": "Image Stitcher", "desc": "Stitches.", "input-type": ["image", "image"], "output-type": ["image"]},
 {"id": "Audio Effects", "desc": "Effects.", "input-type": ["audio", "text"], "output-type": ["audio"]},
 {"id": "Text Summarizer", "desc": "Summarises.", "input-type": ["text"], "output-type": ["text"]},
 {"id": "Question Answering", "desc": "Answers.", "input-type": ["text", "text"], "output-type": []},
 {"id": "Visual Question Answering", "desc": "Answers.", "input-type": ["image", "text"], "output-type": ["text"]}],
 "links": [{"source": "Image Downloader", "target": "Image Stitcher", "type": "image"}]}`

func readBenchTools(t *testing.T) []toolbox.Tool {
	t.Helper()
	tools, err := ReadTools(input("tools", benchTools))
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestReadTools(t *testing.T) {
	t.Parallel()
	tools := readBenchTools(t)
	got := map[string]string{}
	for _, tool := range tools {
		var text strings.Builder
		for _, a := range tool.Args {
			text.WriteString(a.Name + ":" + string(a.Type) + " ")
			if a.Meaning != "" {
				text.WriteString("(" + string(a.Meaning) + ") ")
			}
		}
		got[tool.Name] = text.String() + string(tool.Returns)
		if tool.Domain != "general" || tool.Description == "" || len(tool.Backends) != 1 {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
	}
	want := map[string]string{
		"Image Downloader":          "url:url image",
		"Image Search":              "text:text (question) Image",
		"Text-to-Image":             "text:text (prompt) image",
		"Image Stitcher":            "image:image image2:image image",
		"Audio Effects":             "audio:audio text:text (instruction) audio",
		"Text Summarizer":           "text:text (content) text",
		"Question Answering":        "text:text (content) text2:text (question) text",
		"Visual Question Answering": "image:image text:text (question) text",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

const benchPlans = `
{"id": "s1", "type": "single", "user_request": "draw a cat", "task_nodes": [{"task": "Text-to-Image", "arguments": ["cat"]}], "task_links": []}
{"id": "s2", "type": "single", "user_request": "draw a dog", "task_nodes": [{"task": "Text-to-Image"}, {"task": "frame it"}], "task_links": [], "off_catalogue": ["frame it"]}
{"id": "s3", "type": "single", "user_request": "a short x.txt", "task_nodes": [{"task": "Text Summarizer"}], "task_links": []}
{"id": "c1", "type": "chain", "user_request": "draw the short x.txt", "task_nodes": [{"task": "Text-to-Image"}, {"task": "Text Summarizer"}], "task_links": [{"source": "Text Summarizer", "target": "Text-to-Image"}]}
{"id": "c2", "type": "chain", "user_request": "draw a, draw b, join them", "task_nodes": [{"task": "Text-to-Image"}, {"task": "Image Stitcher"}], "task_links": [{"source": "Text-to-Image", "target": "Image Stitcher"}]}
{"id": "d1", "type": "dag", "user_request": "sum and draw x.txt", "task_nodes": [{"task": "Text Summarizer"}, {"task": "Text-to-Image"}], "task_links": []}`

// TestRunTaskBench compares the report with figures computed by hand:
// tools  s1 1 of 1; s2 1 of 1; s3 none, 1 missing; c1 2 of 2; c2 1, 1 missing, 1 extra;
// d1 asks, 2 missing: both 5, missing 4, extra 1 → F1 10/15.
// links  c1 1 of 1; c2 1 missing: F1 2/3.
// single s1 and s2 exact, s3 asks: 2/3.
// edits  c1 0 of 2; c2 [draw, join] against [draw, sum]: 1 of 2 → mean 1/4.
func TestRunTaskBench(t *testing.T) {
	t.Parallel()
	plans, err := ReadPlans(input("plans", benchPlans))
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{t: t, plans: map[string]string{
		"s1": "task image\n Text-to-Image text:text=\"x\" -> image",
		"s2": "task image\n Text-to-Image text:text=\"x\" -> image",
		"s3": "ask Which text?",
		"c1": "task image\n Text_Summarizer text:text=x.txt -> text\n Text-to-Image text:text=@0 -> image",
		"c2": "task image\n Text-to-Image text:text=\"x\" -> image\ntask text\n Text_Summarizer text:text=\"b\" -> text",
		"d1": "ask Which text?",
	}}
	r, err := RunTaskBench(t.Context(), spaced{s}, plans, readBenchTools(t), s.options())
	if err != nil {
		t.Fatal(err)
	}
	want := &TaskBench{NodeF1: 0.6667, EdgeF1: 0.6667, Accuracy: 0.6667, EditDistance: 0.25, Singles: 3, Chains: 2, OffCatalogue: 1}
	if d := cmp.Diff(want, r.TaskBench); d != "" {
		t.Error(d)
	}
	if r.Solved.All != 0.5 || r.NR != 0.5 || r.IR != 0.1667 || r.HR != 0 || r.CR != 1 || r.Requests != 6 || len(r.Misses) != 3 {
		t.Errorf("report %+v", r)
	}
	if *r.Unsolved != (Unsolved{Asked: 2}) || r.Classes["single"] != (Group{3, 0.6667}) {
		t.Errorf("report %+v %+v", r.Unsolved, r.Classes)
	}
}

// spaced restores the spaces in the names of TaskBench's tools.
type spaced struct{ *scripted }

func (s spaced) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	p, err := s.scripted.Plan(ctx, r)
	for _, task := range p.Tasks {
		for _, solution := range task.Solutions {
			for i, a := range solution.Actions {
				solution.Actions[i].Tool = strings.ReplaceAll(a.Tool, "_", " ")
			}
		}
	}
	return p, err
}

func TestSequence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		nodes []string
		links []Link
		want  []string
	}{
		{nil, nil, nil},
		{[]string{"c", "a", "b"}, []Link{{"a", "b"}, {"b", "c"}}, []string{"a", "b", "c"}},
		{[]string{"b", "a"}, nil, []string{"b", "a"}},
		{[]string{"b", "a"}, []Link{{"a", "b"}, {"b", "a"}}, []string{"b", "a"}},
		{[]string{"a", "a"}, []Link{{"a", "a"}}, []string{"a", "a"}},
		{[]string{"b", "a"}, []Link{{"gone", "a"}}, []string{"b", "a"}},
	} {
		if got := sequence(c.nodes, c.links); !slices.Equal(got, c.want) {
			t.Errorf("nodes %v with links %v: %v, want %v", c.nodes, c.links, got, c.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	word := func(s string) (out []string) {
		for _, r := range s {
			out = append(out, string(r))
		}
		return out
	}
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0}, {"a", "a", 0}, {"a", "", 1}, {"", "ab", 1}, {"ab", "cd", 1},
		{"kitten", "sitting", 3.0 / 7}, {"abc", "ac", 1.0 / 3}, {"ab", "ba", 1},
	} {
		if got := editDistance(word(c.a), word(c.b)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s to %s is %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
