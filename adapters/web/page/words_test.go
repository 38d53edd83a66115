package page

import (
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

// Every word of the pages is translated to every language.
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
	code, err := os.ReadFile("funcs.go")
	if err != nil {
		t.Fatal(err)
	}
	known("funcs.go", saidInCode.FindAllStringSubmatch(string(code), -1))
	if said < 100 {
		t.Errorf("only %d sentences were found", said)
	}
}
