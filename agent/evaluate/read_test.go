package evaluate

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
)

func input(name, text string) Input { return Input{name, strings.NewReader(text)} }

const (
	goodRequest = `{"id": "a", "level": "easy", "instruction": "edges of x.png"}`
	goodGoal    = `{"want": "edges", "uses": ["x.png"], "text": "", "returns": ["edge"], "accept": [["image_to_edge"]], "after": []}`
	goodGold    = `{"id": "a", "goals": [` + goodGoal + `], "allowed": []}`
)

// TestBadFiles checks that an error names the file and the place.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	goal := func(change ...string) string {
		return `{"id": "a", "goals": [` + strings.NewReplacer(change...).Replace(goodGoal) + `]}`
	}
	request := func(change ...string) string {
		return "[" + strings.NewReplacer(change...).Replace(goodRequest) + "]"
	}
	for name, c := range map[string]struct{ requests, gold, err string }{
		"empty":                {"", goodGold, "r.json, line 1: not a JSON array"},
		"an object":            {goodRequest, goodGold, "r.json, line 1: not a JSON array"},
		"half an array":        {"[\n" + goodRequest + ",\n{\"id\"", goodGold, "r.json, line 3: "},
		"no end":               {"[" + goodRequest, goodGold, "r.json, line 1: unterminated array"},
		"something after":      {request() + "\n[]", goodGold, "r.json, line 2: unexpected data"},
		"no id":                {request(`"a"`, `""`), goodGold, "r.json, line 1: has no id"},
		"an id twice":          {"[" + goodRequest + ",\n" + goodRequest + "]", goodGold, `r.json, line 2, id "a": has the same id as line 1`},
		"a number as wish":     {request(`"edges of x.png"`, "7"), goodGold, `r.json, line 1, id "a": json`},
		"no wish":              {request("edges of x.png", " "), goodGold, `id "a": has no instruction`},
		"unknown level":        {request("easy", "huge"), goodGold, `id "a": has an unknown level "huge"`},
		"unknown file type":    {request(`}`, `, "files": [{"name": "x", "type": "smell"}]}`), goodGold, `file x: unknown resource type "smell"`},
		"a file twice":         {request(`}`, `, "files": [{"name": "x", "type": "image"}, {"name": "x", "type": "image"}]}`), goodGold, `file name "x" is empty or duplicate`},
		"broken judgement":     {request(), "\n{", "g.jsonl, line 2: "},
		"no judgement":         {request(), `{"id": "b", "goals": [` + goodGoal + `]}`, `g.jsonl has no judgement for request "a"`},
		"judgement of nothing": {"[]", goodGold, `g.jsonl judges request "a", which is not in r.json`},
		"no goals":             {request(), `{"id": "a", "goals": []}`, `g.jsonl, line 1, id "a": expects a plan but has no goals`},
		"goals of a question":  {request(), strings.Replace(goodGold, `"allowed": []`, `"expect": "question"`, 1), "expects a question but has goals"},
		"unknown expectation":  {request(), `{"id": "a", "expect": "tea"}`, `has an unknown expectation "tea"`},
		"unknown return":       {request(), goal(`["edge"]`, `["egde"]`), `goal 1: unknown resource type "egde"`},
		"no return":            {request(), goal(`["edge"]`, `[]`), "goal 1: returns nothing"},
		"no accepted tools":    {request(), goal(`[["image_to_edge"]]`, `[[]]`), "goal 1: accepts no tools"},
		"after itself":         {request(), goal(`"after": []`, `"after": [0]`), "goal 1: refers to goal 1, which is not an earlier one"},
		"alternative after":    {request(), goal(`"after": []`, `"alt_source": [{"after": [-1]}]`), "refers to goal 0"},
		"lenient elsewhere":    {request(), goal(`"after": []`, `"lenient": [["paint"]]`), "lenient set [paint] is not in accept"},
		"unknown given type":   {request(), goal(`"after": []`, `"given": {"x.png": "hid"}`), `given x.png: unknown resource type "hid"`},
		"attached number":      {request(), strings.Replace(goodGold, `"allowed": []`, `"attached": 3`, 1), "attached must list names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases, err := ReadCases(input("r.json", c.requests), input("g.jsonl", c.gold))
			if err == nil || !strings.Contains(err.Error(), c.err) || cases != nil {
				t.Errorf("got %v and %d cases, want an error with %q", err, len(cases), c.err)
			}
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk gone")
	in := Input{"r.json", iotest.ErrReader(broken)}
	for name, read := range map[string]func() error{
		"requests": func() error { _, err := ReadCases(in, Input{}); return err },
		"gold":     func() error { _, err := ReadCases(input("r.json", "["+goodRequest+"]"), in); return err },
		"wishes":   func() error { _, err := ReadWishes(in); return err },
		"tools":    func() error { _, err := ReadTools(in); return err },
		"plans":    func() error { _, err := ReadPlans(in); return err },
	} {
		if err := read(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "r.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadTaskBench(t *testing.T) {
	t.Parallel()
	tools := func(s string) error { _, err := ReadTools(input("f", s)); return err }
	plans := func(s string) error { _, err := ReadPlans(input("f", s)); return err }
	wishes := func(s string) error { _, err := ReadWishes(input("f", s)); return err }
	for _, c := range []struct {
		read      func(string) error
		text, err string
	}{
		{tools, "", "f is not a tool description"},
		{tools, "[]", "f is not a tool description"},
		{tools, `{"nodes": []}`, "f has no nodes"},
		{tools, "{\"nodes\": [\n{\"desc\": \"x\"}]}", "f, line 2: has no id"},
		{tools, `{"nodes": [{"id": "A", "desc": ""}]}`, `id "A": has no desc`},
		{tools, `{"nodes": [{"id": "A", "desc": "d"}]}`, "has no input-type"},
		{tools, `{"nodes": [{"id": "A", "desc": "d", "input-type": ["text"], "output-type": ["a", "b"]}]}`, "more than one output-type"},
		{tools, `{"nodes": [{"id": "A", "desc": "d", "input-type": [""]}]}`, "has an empty type"},
		{plans, `{"id": "1", "type": "single", "user_request": "x"}`, `f, line 1, id "1": has no task_nodes`},
		{plans, `{"id": "1", "type": "tree", "user_request": "x", "task_nodes": [{"task": "A"}]}`, `has an unknown type "tree"`},
		{plans, `{"id": "1", "type": "dag", "task_nodes": [{"task": "A"}]}`, "has no user_request"},
		{plans, "\n\nnull", "f, line 3: has no id"},
		{wishes, `{"id": "1"}`, "has no user_request"},
		{wishes, `{"id": 1}`, "f, line 1: json"},
	} {
		if err := c.read(c.text); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", c.text, err, c.err)
		}
	}
}

// TestGivenResources checks that a case gets the resources that the request names, those that came with it, and those
// of the judgement, in this order and without duplicates.
func TestGivenResources(t *testing.T) {
	t.Parallel()
	requests := `[{"id": "a", "level": "hard", "instruction": "Put sub/hat.PNG, lines.png and old.png on the video,clip.mp4", "extra": 1,
	  "files": [{"name": "beach.jpg", "type": "image"}],
	  "thread": {"resources": [{"name": "old.png", "type": "depth", "about": "depth of a room"}],
	             "turns": [{"wish": "depth map please", "reply": "Here.", "made": ["old.png"]}],
	             "question": {"text": "Which one?", "wish": "put it there"}}}]`
	gold := strings.ReplaceAll(`{"id": "a", "attached": ["loose.wav", {"name": "area", "type": "mask"}], "goals": [
	  {"want": "w", "uses": ["beach.jpg", "unnamed.txt"], "given": {"lines.png": "line"}, "returns": ["video"], "accept": [["t"]],
	   "alt_source": [{"uses": ["else"]}]}]}`, "\n", " ")
	cases, err := ReadCases(input("r", requests), input("g", gold))
	if err != nil {
		t.Fatal(err)
	}
	r := cases[0].Request
	var got []string
	for _, g := range r.Given {
		got = append(got, g.Name+" "+string(g.Type))
	}
	want := []string{"beach.jpg image", "sub/hat.PNG image", "lines.png line", "clip.mp4 video",
		"loose.wav audio", "area mask", "unnamed.txt text", "else image"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]plan.Resource{{Name: "old.png", Type: plan.Depth, File: "old.png", About: "depth of a room"}}, r.Earlier); d != "" {
		t.Error(d)
	}
	if len(r.Turns) != 1 || r.Turns[0].Made[0] != "old.png" || r.Question == nil || r.Question.Wish != "put it there" || r.At.IsZero() {
		t.Errorf("the thread is missing: %+v", r)
	}
}

func TestAttachedForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]attached{
		`""`:                                 nil,
		`"a.png"`:                            {{Name: "a.png"}},
		`["a.png", "b.png"]`:                 {{Name: "a.png"}, {Name: "b.png"}},
		`{"b": "mask", "a": "hed"}`:          {{Name: "a", Type: plan.HED}, {Name: "b", Type: plan.Mask}},
		`{"name": "a", "type": "hed"}`:       {{Name: "a", Type: plan.HED}},
		`[{"name": "a", "type": "hed"}, []]`: {{Name: "a", Type: plan.HED}},
	} {
		var got attached
		if err := got.UnmarshalJSON([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for wish, want := range map[string]string{
		"":                                         "",
		"no file. at all, e.g. nothing":            "",
		"blur photo.jpg":                           "photo.jpg:image",
		"blur photo.jpg.":                          "photo.jpg:image",
		"a.png,dir/b.PNG and c_d-1.webp;e.mp4?":    "a.png:image dir/b.PNG:image c_d-1.webp:image e.mp4:video",
		"'song.mp3' (talk.wav) \"notes.txt\"":      "song.mp3:audio talk.wav:audio notes.txt:text",
		"a.png then a.png again":                   "a.png:image",
		"photo.jpg's edges":                        "photo.jpg:image",
		"größe.jpg и фото.png":                     "größe.jpg:image фото.png:image",
		".png png image.":                          "",
		"see https://host.org/a/b.png, then x.png": "https://host.org/a/b.png:url x.png:image",
		"at www.host.org/page.":                    "www.host.org/page:url",
		`C:\pics\cat.gif`:                          `\pics\cat.gif:image`,
		"example.url":                              "example.url:url",
		"\xff\xfe.png \x00.jpg":                    "",
		"version 2.5 of tool.exe and page.html":    "page.html:html",
		"(https://h.org/x_(y)) b.png":              "https://h.org/x_:url b.png:image",
		"first z.png then http://h.org then y.png": "z.png:image http://h.org:url y.png:image",
		"between image_15.png,resources/17_None_input_image.png ": "image_15.png:image resources/17_None_input_image.png:image",
	} {
		var got []string
		for _, f := range mentions(wish) {
			got = append(got, f.Name+":"+string(f.Type))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", wish, strings.Join(got, " "), want)
		}
	}
}

func TestSharesWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wanted, passed string
		shares         bool
	}{
		{"bench", "the Benches", true},
		{"fire hydrant", "HYDRANTS", true},
		{"knives", "knife", true},
		{"shelf", "shelves", true},
		{"cherry", "cherries", true},
		{"people", "a person", true},
		{"skis", "ski", true},
		{"bus", "buses", true},
		{"glass", "glasses", true},
		{"horse", "two horses", true},
		{"cat", "category", false},
		{"cat", "", false},
		{"the cat", "the dog", false},
		{"what is this?", "What is this", true},
		{"what is this?", "what is that", false},
		{"what is this?", "so, what is this thing", true},
		{"a car and a tree", "a bird and a house", false},
		{"猫", "猫", true},
	} {
		if got := sharesWord(c.wanted, c.passed); got != c.shares {
			t.Errorf("%q in %q: %v", c.wanted, c.passed, got)
		}
	}
}
