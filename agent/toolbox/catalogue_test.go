package toolbox_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// good is a valid entry; those in testdata/bad differ from it in one point.
func good(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "polish.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReadTool(t *testing.T) {
	t.Parallel()
	got, err := toolbox.ReadTool(good(t))
	if err != nil {
		t.Fatal(err)
	}
	want := toolbox.Tool{
		Name:        "polish",
		Description: "Polishes a picture.",
		When:        "For a dull picture.",
		Examples:    []string{"polish {photo.jpg}", "make {the picture} shine", "could you buff {cat.png}?"},
		Domain:      "image-editing",
		Origins:     []string{"atelier"},
		Args: []toolbox.Arg{
			{Name: "image", Type: plan.Image, About: "the picture"},
			{Name: "how", Type: plan.Text, Meaning: plan.Instruction, About: "in which way"},
		},
		Returns:  plan.Image,
		Backends: []toolbox.Backing{{Kind: "native", Run: "polish", Device: "cpu"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadToolMakesOneLineOfEachText(t *testing.T) {
	t.Parallel()
	folded := strings.Replace(string(good(t)), "when: For a dull picture.", "when: |\n\n  For a dull\n\n  \tpicture.\n", 1)
	tool, err := toolbox.ReadTool([]byte(folded))
	if err != nil {
		t.Fatal(err)
	}
	if want := "For a dull picture."; tool.When != want {
		t.Errorf("got %q, want %q", tool.When, want)
	}
}

// Each file in testdata/bad is a case: its "# want:" lines are the complete error.
func TestReadToolRefuses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "bad", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(string(b)) {
				if w, ok := strings.CutPrefix(line, "# want: "); ok {
					want = append(want, strings.TrimSpace(w))
				}
			}
			tool, err := toolbox.ReadTool(b)
			if err == nil {
				t.Fatalf("accepted as %q", tool.Name)
			}
			var got []string
			for line := range strings.Lines(err.Error()) {
				got = append(got, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(toolbox.Tool{}, tool); diff != "" {
				t.Errorf("a refused entry comes back all the same:\n%s", diff)
			}
		})
	}
}

func TestReadToolRefusesALongFile(t *testing.T) {
	t.Parallel()
	long := append(good(t), []byte("# "+strings.Repeat("x", 64<<10))...)
	if _, err := toolbox.ReadTool(long); err == nil || !strings.Contains(err.Error(), "the limit is 65536") {
		t.Errorf("got %v", err)
	}
}

// folder returns a catalogue folder with these files.
func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestLoadCatalogue(t *testing.T) {
	t.Parallel()
	polish := string(good(t))
	buff := strings.Replace(polish, "name: polish", "name: buff", 1)
	own := strings.Replace(polish, "Polishes a picture.", "Polishes it our way.", 1)
	tests := []struct {
		name    string
		folders []fs.FS
		want    map[string]string // description by name
		err     []string          // the lines of the error
	}{
		{"no folder", nil, map[string]string{}, nil},
		{"one folder", []fs.FS{folder(map[string]string{"polish.yaml": polish, "buff.yaml": buff})},
			map[string]string{"polish": "Polishes a picture.", "buff": "Polishes a picture."}, nil},
		{"a later folder has a tool of the same name", []fs.FS{
			folder(map[string]string{"polish.yaml": polish, "buff.yaml": buff}),
			folder(map[string]string{"polish.yaml": own}),
		}, nil, []string{"polish.yaml: polish is the name of a built-in tool; choose another name"}},
		{"a later folder adds a tool", []fs.FS{
			folder(map[string]string{"polish.yaml": polish}),
			folder(map[string]string{"buff.yaml": buff}),
		}, map[string]string{"polish": "Polishes a picture.", "buff": "Polishes a picture."}, nil},
		{"notes and subfolders are left alone", []fs.FS{
			folder(map[string]string{"polish.yaml": polish, "README.md": "hello", "old.yaml/polish.yaml": "x"}),
		}, map[string]string{"polish": "Polishes a picture."}, nil},
		{"the same name twice", []fs.FS{folder(map[string]string{"polish.yaml": polish, "shine.yaml": own})},
			nil, []string{"shine.yaml: the file of the tool polish must be named polish.yaml"}},
		{"another ending", []fs.FS{folder(map[string]string{"polish.yml": polish})},
			nil, []string{"polish.yml: the file extension must be .yaml"}},
		{"every fault of every file by its file", []fs.FS{
			folder(map[string]string{
				"buff.yaml":   strings.NewReplacer("device: cpu", "device: tpu", "returns: image", "returns: photo").Replace(buff),
				"polish.yaml": "",
			}),
			folder(map[string]string{"shine.yaml": polish}),
		}, nil, []string{
			`buff.yaml: line 13: returns: unknown resource type "photo"; the types are text, tags, title, html, location, weather, time, facts, image, video, audio, document, archive, bbox, point, category, mask, segmentation, edge, line, hed, scribble, pose, depth, normal, file`,
			`buff.yaml: line 15: backend 1 has the device "tpu", not cpu or gpu`,
			"polish.yaml: is empty",
			"shine.yaml: the file of the tool polish must be named polish.yaml",
		}},
		{"a good folder does not hide a bad one", []fs.FS{
			folder(map[string]string{"polish.yaml": ""}),
			folder(map[string]string{"polish.yaml": polish}),
		}, nil, []string{"polish.yaml: is empty"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := toolbox.LoadCatalogue(tt.folders...)
			if tt.err != nil {
				if err == nil {
					t.Fatal("accepted")
				}
				if diff := cmp.Diff(tt.err, strings.Split(err.Error(), "\n")); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, tool := range c.Tools() {
				got[tool.Name] = tool.Description
				if same, ok := c.Tool(tool.Name); !ok || same.Description != tool.Description {
					t.Errorf("%s is not found by its name", tool.Name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, ok := c.Tool("nothing"); ok {
				t.Error("an unknown tool is found")
			}
		})
	}
}

// TestLoadCatalogueReadsFilesOnly: reading a pipe would never end, and links are followed.
func TestLoadCatalogueReadsFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "entry")
	if err := errors.Join(os.WriteFile(elsewhere, good(t), 0o600), os.Symlink(elsewhere, filepath.Join(dir, "polish.yaml"))); err != nil {
		t.Fatal(err)
	}
	c, err := toolbox.LoadCatalogue(os.DirFS(dir))
	if err != nil || len(c.Tools()) != 1 {
		t.Fatalf("%v, %v", c, err)
	}
	pipe := fstest.MapFS{
		"pipe.yaml": {Mode: fs.ModeNamedPipe},
		"long.yaml": {Data: []byte(strings.Repeat("#", 1<<20))},
	}
	_, err = toolbox.LoadCatalogue(pipe)
	if want := "long.yaml: is 1048576 bytes long; the limit is 65536\npipe.yaml: is not a regular file"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLoadCatalogueWithoutItsFolder(t *testing.T) {
	t.Parallel()
	_, err := toolbox.LoadCatalogue(os.DirFS(filepath.Join(t.TempDir(), "tools")))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestEmbeddedCatalogue(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	files, err := fs.Glob(toolbox.Embedded(), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.All()) != len(files) {
		t.Errorf("%d files make %d tools", len(files), len(c.All()))
	}
	if !slices.IsSortedFunc(c.Tools(), func(a, b toolbox.Tool) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the tools are not sorted by name")
	}
	systems := []string{"controlllm", "visualchatgpt", "hugginggpt", "atelier"}
	domains := []string{
		"general", "visual-question-answering", "image-perception", "image-editing", "image-generation",
		"image-processing", "video-perception", "video-generation", "video-processing", "video-editing",
		"audio-generation", "audio-perception", "audio-editing", "question-answering", "natural-language-processing", "document-processing",
	}
	said := map[string]string{} // request → tool
	for _, tool := range c.Tools() {
		if !slices.Contains(domains, tool.Domain) {
			t.Errorf("%s: domain %q is none of the others", tool.Name, tool.Domain)
		}
		if len(tool.Origins) == 0 {
			t.Errorf("%s: no origins", tool.Name)
		}
		for _, o := range tool.Origins {
			if !slices.Contains(systems, o) {
				t.Errorf("%s: origin %q is no system that we know", tool.Name, o)
			}
		}
		for _, e := range tool.Examples {
			wish := strings.ToLower(toolbox.Wish(e))
			if other, twice := said[wish]; twice {
				t.Errorf("%s: the example %q stands in %s too", tool.Name, e, other)
			}
			said[wish] = tool.Name
		}
		for _, a := range tool.Args {
			if a.Type == plan.Text && a.Meaning == "" {
				t.Errorf("%s: argument %s has no meaning", tool.Name, a.Name)
			}
		}
		for _, b := range tool.Backends {
			if b.Kind != "native" && b.Needs == "" {
				t.Errorf("%s: the backend %s does not say what it needs", tool.Name, b.Run)
			}
		}
	}
}

// namesTool finds words that look like tool names in a sentence.
var namesTool = regexp.MustCompile(`[a-z]+(_[a-z]+)+`)

func TestWhenNamesExistingTools(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	for _, tool := range c.Tools() {
		for _, name := range namesTool.FindAllString(tool.When+" "+tool.Description, -1) {
			if _, ok := c.Tool(name); !ok {
				t.Errorf("%s speaks of %s, which is no tool", tool.Name, name)
			}
			if name == tool.Name {
				t.Errorf("%s sends people to itself", tool.Name)
			}
		}
	}
}

// Each tool with hub models has at least one with a permissive licence, which is tried first.
func TestEveryToolOfTheHubHasAModel(t *testing.T) {
	t.Parallel()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	several := 0
	for _, tool := range c.Tools() {
		i := slices.IndexFunc(tool.Backends, func(b toolbox.Backing) bool { return b.Kind == "hftask" })
		if i < 0 {
			continue
		}
		var able []toolbox.Model
		for _, m := range c.Models() {
			if m.Does(tool.Name, tool.Backends[i]) {
				able = append(able, m)
			}
		}
		switch len(able) {
		case 0:
			t.Errorf("%s has no model", tool.Name)
			continue
		case 1:
		default:
			several++
		}
		if unfree(able[0].Licence) {
			t.Errorf("the first model of %s is %s, which may not be used for everything: %s", tool.Name, able[0].ID, able[0].Licence)
		}
	}
	if several < 6 {
		t.Errorf("only %d tools have several models", several)
	}
}

func unfree(licence string) bool {
	return strings.Contains(licence, "-NC-") || strings.Contains(licence, "Non-Commercial")
}

// Descriptions are for people, and models have common names.
func TestModelsAreDescribed(t *testing.T) {
	t.Parallel()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]string{}
	for i, m := range c.Models() {
		if other := called[m.Called()]; other != "" {
			t.Errorf("%s and %s are both called %s", m.ID, other, m.Called())
		}
		called[m.Called()] = m.ID
		if !strings.HasSuffix(m.Description, ".") || len(m.Description) > 200 {
			t.Errorf("%s is described by no short sentence: %s", m.ID, m.Description)
		}
		if unfree(m.Licence) && !strings.Contains(m.Description, "no commercial use") {
			t.Errorf("the description of %s does not tell that it is not for commercial use", m.ID)
		}
		if i > 0 && c.Models()[i-1].Rank > m.Rank {
			t.Errorf("%s stands before %s", c.Models()[i-1].ID, m.ID)
		}
	}
}

func TestRejectedModels(t *testing.T) {
	t.Parallel()
	const fine = "id: org/fine\nnames: [Fine]\ndescription: It is fine.\nlicence: MIT\ntools: [draw]\n"
	const draw = "name: draw\ndescription: Draws.\nwhen: To draw.\nexamples: [draw a cat, draw a dog, draw a bird]\ndomain: image-generation\n" +
		"args:\n  - {name: prompt, type: text, meaning: prompt, about: what}\nreturns: image\n" +
		"backends:\n  - {kind: hftask, run: text-to-image, device: gpu, needs: a tool server}\n"
	for name, test := range map[string]struct{ model, complaint string }{
		"fine":                {fine, ""},
		"no organisation":     {strings.Replace(fine, "org/fine", "fine", 1), "must have the form org/model"},
		"no name":             {strings.Replace(fine, "[Fine]", "[]", 1), "names (common names) are missing"},
		"no description":      {strings.Replace(fine, "It is fine.", `""`, 1), "description is missing"},
		"no licence":          {strings.Replace(fine, "MIT", `""`, 1), "licence is missing"},
		"downloads of no day": {fine + "downloads: 7\n", "downloads require as_of"},
		"a rank below one":    {fine + "rank: -1\n", "rank must be at least 1"},
		"an unknown field":    {fine + "likes: 7\n", "not a model entry"},
		"an unknown tool":     {strings.Replace(fine, "[draw]", "[paint]", 1), "lists the unknown tool paint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := toolbox.LoadCatalogue(fstest.MapFS{
				"draw.yaml":        {Data: []byte(draw)},
				"models/fine.yaml": {Data: []byte(test.model)},
			})
			switch {
			case test.complaint == "" && err != nil:
				t.Error(err)
			case test.complaint != "" && (err == nil || !strings.Contains(err.Error(), test.complaint)):
				t.Errorf("got %v", err)
			}
		})
	}
}

// Models are sorted by rank, then by downloads, then alphabetically.
func TestModelsInOrder(t *testing.T) {
	t.Parallel()
	c := toolbox.NewCatalogue(nil,
		toolbox.Model{ID: "b/b"}, toolbox.Model{ID: "a/a"}, toolbox.Model{ID: "c/used", Downloads: 9},
		toolbox.Model{ID: "d/second", Rank: 2}, toolbox.Model{ID: "e/first", Rank: 1})
	var got []string
	for _, m := range c.Models() {
		got = append(got, m.ID)
	}
	if want := []string{"e/first", "d/second", "c/used", "a/a", "b/b"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
