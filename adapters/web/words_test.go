package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRefusalsAreTranslated checks that Chinese readers get rejections in Chinese.
func TestRefusalsAreTranslated(t *testing.T) {
	t.Parallel()
	words := mustPages(t).Words
	names, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			to, named := call.Fun.(*ast.Ident)
			if of, ok := call.Fun.(*ast.SelectorExpr); ok {
				to, named = of.Sel, true
			}
			says, literal := call.Args[1].(*ast.BasicLit)
			if !named || to.Name != "Refuse" || !literal {
				return true
			}
			format, err := strconv.Unquote(says.Value)
			if err != nil || format == "%s" {
				return true
			}
			found++
			args := []any{1, 2}[:min(strings.Count(format, "%"), 2)]
			if words.Say("zh-Hans", format, args...) == words.Say("en", format, args...) {
				t.Errorf("%s: %q is not said in Chinese", name, format)
			}
			return true
		})
	}
	if found < 20 {
		t.Errorf("%d sentences are found", found)
	}
}
