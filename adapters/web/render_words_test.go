package web

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	saidInTemplate = regexp.MustCompile(`say "([^"]*)"`)
	saidInCode     = regexp.MustCompile(`say\("([^"]*)"`)
	templateAction = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	tagOrComment   = regexp.MustCompile(`(?s)<[^>]*>`)
	ownWords       = regexp.MustCompile(`(?:title|aria-label|placeholder|alt)="([^"]*)"`)
	letter         = regexp.MustCompile(`\pL`)
)

// Every word that the pages say is said in every language.
func TestWords(t *testing.T) {
	t.Parallel()
	var chinese map[string]any
	b, err := wordFiles.ReadFile("words/zh-Hans.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &chinese); err != nil {
		t.Fatal(err)
	}
	said := 0
	known := func(where string, found [][]string) {
		for _, f := range found {
			said++
			if chinese[f[1]] == nil {
				t.Errorf("%s: %q is not said in Chinese", where, f[1])
			}
		}
	}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := templateFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		known(name, saidInTemplate.FindAllStringSubmatch(string(b), -1))
		bare := templateAction.ReplaceAllString(string(b), "")
		for _, found := range ownWords.FindAllStringSubmatch(bare, -1) {
			if letter.MatchString(found[1]) {
				t.Errorf("%s: %q goes past the catalogue", name, found[0])
			}
		}
		text := strings.NewReplacer("Atelier", "", "·", "").Replace(tagOrComment.ReplaceAllString(bare, ""))
		if letter.MatchString(text) {
			t.Errorf("%s: %q goes past the catalogue", name, strings.TrimSpace(text))
		}
	}
	code, err := os.ReadFile("render_funcs.go")
	if err != nil {
		t.Fatal(err)
	}
	known("render_funcs.go", saidInCode.FindAllStringSubmatch(string(code), -1))
	if said < 100 {
		t.Errorf("only %d sentences were found", said)
	}
}

// What the scripts say is there to be said.
func TestScriptWords(t *testing.T) {
	t.Parallel()
	page := rendered(t, func(b *bytes.Buffer) error { return mustPages(t).page(b, sampleThread()) })
	scripts, err := fs.Glob(staticFiles, "static/*.js")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	calls := regexp.MustCompile(`word\("(\w+)"`)
	upper := regexp.MustCompile(`[A-Z]`)
	var all strings.Builder
	for _, name := range scripts {
		b, err := staticFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
		for _, call := range calls.FindAllStringSubmatch(string(b), -1) {
			attr := "data-" + strings.ToLower(upper.ReplaceAllString(call[1], "-$0")) + `="`
			if !strings.Contains(page, attr) {
				t.Errorf("%s says %s, which the page does not hold", name, call[1])
			}
		}
	}
	_, words, _ := strings.Cut(page, `<div id="words"`)
	words, _, _ = strings.Cut(words, "></div>")
	for _, held := range regexp.MustCompile(`data-([a-z-]+)="`).FindAllStringSubmatch(words, -1) {
		name := regexp.MustCompile(`-[a-z]`).ReplaceAllStringFunc(held[1], func(s string) string { return strings.ToUpper(s[1:]) })
		if !strings.Contains(all.String(), `"`+name+`"`) {
			t.Errorf("no script says %s", name)
		}
	}
}
