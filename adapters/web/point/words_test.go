package point //nolint:testpackage // what is embedded is looked into

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters/messages"
)

// Every sentence of the templates and the code is translated to Chinese, and nothing else is.
func TestWords(t *testing.T) {
	t.Parallel()
	if _, err := messages.New(Words()); err != nil {
		t.Error(err)
	}
	var told map[string]any
	b, err := fs.ReadFile(Words(), "zh-Hans.json")
	if err == nil {
		err = json.Unmarshal(b, &told)
	}
	if err != nil {
		t.Fatal(err)
	}
	said := sentences(t)
	for s := range said {
		if told[s] == nil {
			t.Errorf("%q has no Chinese translation", s)
		}
	}
	for s := range told {
		if !said[s] {
			t.Errorf("%q has a Chinese translation but is not used", s)
		}
	}
}

func sentences(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	add := func(quoted string) {
		s, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		all[s] = true
	}
	say := regexp.MustCompile(`\.Say ("(?:[^"\\]|\\.)*")`)
	for _, name := range []string{"templates/marker.html", "templates/page.html"} {
		b, err := fs.ReadFile(templates, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range say.FindAllSubmatch(b, -1) {
			add(string(found[1]))
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile(`^"[A-Z].* .*\."$`)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && sentence.MatchString(lit.Value) {
				add(lit.Value)
			}
			return true
		})
	}
	return all
}
