package retrieve_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// The embedded catalogue is loaded and indexed once for all tests.
var (
	embedded = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })
	indexed  = sync.OnceValues(func() (finder, error) {
		catalogue, err := embedded()
		if err != nil {
			return finder{}, err
		}
		l, err := retrieve.NewLexicon()
		if err != nil {
			return finder{}, err
		}
		return finder{l, retrieve.New(l, catalogue.Tools())}, nil
	})
)

func loadTools(tb testing.TB) []toolbox.Tool {
	tb.Helper()
	catalogue, err := embedded()
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Clone(catalogue.Tools())
}

// theFinder searches the embedded catalogue.
func theFinder(tb testing.TB) finder {
	tb.Helper()
	f, err := indexed()
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// finder searches the index for a request.
type finder struct {
	lexicon *retrieve.Lexicon
	index   *retrieve.Index
}

func newFinder(tb testing.TB, tools []toolbox.Tool) finder {
	tb.Helper()
	l := newLexicon(tb)
	return finder{l, retrieve.New(l, tools)}
}

func (f finder) find(wish string) []retrieve.Hit {
	return f.index.Nearest(wish)
}

// names returns the tools of the first n hits.
func names(hits []retrieve.Hit, n int) []string {
	var tools []string
	for _, h := range hits[:min(n, len(hits))] {
		tools = append(tools, h.Tool)
	}
	return tools
}

// heldOut returns requests that are not examples of the catalogue, with their tools.
func heldOut(tb testing.TB) map[string][]string {
	tb.Helper()
	b, err := os.ReadFile("testdata/heldout.txt")
	if err != nil {
		tb.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		tools, wish, ok := strings.Cut(line, " = ")
		if !ok || all[wish] != nil {
			tb.Fatalf("testdata/heldout.txt: %q is no case, or stands twice", line)
		}
		all[wish] = strings.Split(tools, ", ")
	}
	return all
}

func TestSearchFindsToolsInOtherWords(t *testing.T) {
	t.Parallel()
	tools := loadTools(t)
	f := theFinder(t)
	domains, covered, examples := map[string]bool{}, map[string]bool{}, map[string]bool{}
	domain := map[string]string{}
	for _, tool := range tools {
		domains[tool.Domain] = true
		domain[tool.Name] = tool.Domain
		for _, e := range tool.Examples {
			examples[strings.ToLower(toolbox.Wish(e))] = true
		}
	}
	first, near, all := 0, 0, heldOut(t)
	for wish, right := range all {
		for _, tool := range right {
			if domain[tool] == "" {
				t.Errorf("%q: there is no tool %s", wish, tool)
			}
			covered[domain[tool]] = true
		}
		if examples[strings.ToLower(wish)] {
			t.Errorf("%q is an example of the catalogue", wish)
		}
		found := names(f.find(wish), 3)
		at := slices.IndexFunc(found, func(tool string) bool { return slices.Contains(right, tool) })
		switch {
		case at == 0:
			first++
			fallthrough
		case at > 0:
			near++
		default:
			t.Logf("missed: %q finds %v, not %v", wish, found, right)
		}
	}
	t.Logf("of %d wishes the right tool is first for %d, among the first three for %d", len(all), first, near)
	if len(all) < 60 || len(covered) != len(domains) {
		t.Errorf("%d wishes over %d of %d domains", len(all), len(covered), len(domains))
	}
	if share := float64(near) / float64(len(all)); share < 0.90 {
		t.Errorf("the right tool is among the first three for %.0f %% only", 100*share)
	}
	if share := float64(first) / float64(len(all)); share < 0.80 {
		t.Errorf("the right tool is first for %.0f %% only", 100*share)
	}
}

// Each example finds its own tool: a new tool is found by its own words.
func TestExamplesFindTheirOwnTool(t *testing.T) {
	t.Parallel()
	tools := loadTools(t)
	f := theFinder(t)
	total, hit := 0, 0
	for _, tool := range tools {
		own := 0
		for _, e := range tool.Examples {
			total++
			if slices.Contains(names(f.find(toolbox.Wish(e)), 2), tool.Name) {
				hit++
				own++
			}
		}
		if 2*own < len(tool.Examples) {
			t.Errorf("%s is found by %d of its %d examples only", tool.Name, own, len(tool.Examples))
		}
	}
	if share := float64(hit) / float64(total); share < 0.95 {
		t.Errorf("%.0f %% of the examples find their tool among the first two", 100*share)
	}
}

func TestAddedToolIsFound(t *testing.T) {
	t.Parallel()
	added := toolbox.Tool{
		Name: "fold_paper", Description: "Shows how a picture of a sheet is folded into an origami crane.",
		Examples: []string{"fold {sheet.png} into an origami crane"}, Domain: "image-editing",
		Args: []toolbox.Arg{{Name: "image", Type: plan.Image}}, Returns: plan.Image,
	}
	f := newFinder(t, append(loadTools(t), added))
	for _, wish := range []string{"fold paper.jpg to a crane", "can you make origami of this photo?"} {
		if got := names(f.find(wish), 1); !slices.Equal(got, []string{"fold_paper"}) {
			t.Errorf("%q finds %v", wish, got)
		}
	}
	bare := toolbox.Tool{Name: "fold_paper", Description: "Folds a sheet into an origami crane."}
	if got := names(newFinder(t, append(loadTools(t), bare)).find("fold a sheet into an origami crane"), 1); !slices.Equal(got, []string{"fold_paper"}) {
		t.Errorf("without examples the description finds %v", got)
	}
}

func TestHits(t *testing.T) {
	t.Parallel()
	f := theFinder(t)
	for _, wish := range append(slices.Collect(keys(heldOut(t))), "", "zzz qqq", "🔥", "the the the") {
		hits := f.find(wish)
		seen := map[string]bool{}
		for i, h := range hits {
			if h.Score <= 0 || h.Score > 1 || seen[h.Tool] || i > 0 && hits[i-1].Score < h.Score {
				t.Fatalf("%q: hit %d of %v", wish, i, hits)
			}
			if strings.ContainsAny(h.Example, "{}") {
				t.Fatalf("%q: the example %q has braces", wish, h.Example)
			}
			seen[h.Tool] = true
		}
	}
	if hits := f.index.Search(nil); hits != nil {
		t.Errorf("nothing finds %v", hits)
	}
	if hits := f.index.Search([]string{"qqqzzz"}); hits != nil {
		t.Errorf("an unknown word finds %v", hits)
	}
	if hits := newFinder(t, nil).find("blur it"); hits != nil {
		t.Errorf("an empty toolbox finds %v", hits)
	}
}

func keys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestIndexIsReadOnly(t *testing.T) {
	t.Parallel()
	f := theFinder(t)
	want := f.find("remove the lamp from cat.png")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, f.find("remove the lamp from cat.png")); diff != "" {
					t.Errorf("the same wish finds something else:\n%s", diff)
					return
				}
				f.find("bluur cat.png")
			}
		})
	}
	wg.Wait()
}

func TestNamed(t *testing.T) {
	t.Parallel()
	f := theFinder(t)
	for text, want := range map[string]string{
		"run object detection on cat.png":       "object_detection",
		"use image_to_edge here":                "image_to_edge",
		"Image To Edge":                         "image_to_edge",
		"find the edges":                        "",
		"the translation":                       "", // an ordinary noun, not a tool
		"":                                      "",
		"edge text to image, not text to image": "edge_text_to_image", // the longest name wins
	} {
		if got := f.index.Named(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	f := theFinder(t)
	class := func(word string) string { return f.lexicon.Class(retrieve.Stem(word)) }
	for _, c := range []struct {
		tool, word string
		want       bool
	}{
		{"blur_image", "blurring", true}, {"blur_image", "umbrella", false}, {"remove_background", "backdrop", true}, {"nothing", "blur", false},
	} {
		if got := f.index.Vocabulary(c.tool, class(c.word)); got != c.want {
			t.Errorf("%q asks for %s: %t", c.word, c.tool, got)
		}
	}
	if !f.index.Known(class("blur")) || f.index.Known(class("quixotic")) {
		t.Error("the known words are not those of the catalogue")
	}
}

func BenchmarkSearch(b *testing.B) {
	f := theFinder(b)
	wishes := slices.Sorted(keys(heldOut(b)))
	for i := 0; b.Loop(); i++ {
		f.find(wishes[i%len(wishes)])
	}
}

func BenchmarkNew(b *testing.B) {
	l, tools := newLexicon(b), loadTools(b)
	for b.Loop() {
		retrieve.New(l, tools)
	}
}
