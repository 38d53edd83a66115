package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters/phrase"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestEverySentenceHasItsTranslation holds that each format that is given to plan.Say, and
// to what hands it over, is in the catalogue of sentences, and that nothing else is. That
// the arguments are the same the catalogue checks when it is made.
func TestEverySentenceHasItsTranslation(t *testing.T) {
	t.Parallel()
	if _, err := phrase.New(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("..", "adapters", "phrase", "zh-Hans.json"))
	if err != nil {
		t.Fatal(err)
	}
	translated := map[string]any{}
	if err := json.Unmarshal(b, &translated); err != nil {
		t.Fatal(err)
	}
	said := formats(t)
	maps.Copy(said, needs(t))
	for _, typ := range plan.Types() {
		format, _ := typ.Phrase()
		said[format] = "the types"
	}
	for _, format := range slices.Sorted(maps.Keys(said)) {
		if _, ok := translated[format]; !ok {
			t.Errorf("%s: no translation of %q", said[format], format)
		}
		if _, err := phrase.Verbs(format); err != nil {
			t.Errorf("%s: %q: %v", said[format], format, err)
		}
	}
	for _, format := range slices.Sorted(maps.Keys(translated)) {
		if said[format] == "" {
			t.Errorf("nobody says %q any more", format)
		}
	}
}

// needs are what the tools of the catalogue say that their backings need.
func needs(t *testing.T) map[string]string {
	t.Helper()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, tool := range c.Tools() {
		for _, b := range tool.Backends {
			if b.Needs != "" {
				all[b.Needs] = "the tool " + tool.Name
			}
		}
	}
	return all
}

// formats finds all formats of sentences in the code, and where they are.
func formats(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, top := range []string{"agent", "jobs", "bot"} {
		folders := map[string][]*ast.File{}
		files := token.NewFileSet()
		err := filepath.WalkDir(filepath.Join("..", top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
			folder := path.Dir(filepath.ToSlash(file))
			folders[folder] = append(folders[folder], parsed)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for folder, parsed := range folders {
			s := sayers{"plan.Say": 0, "plan.Join": 0}
			if folder == "../agent/plan" {
				s = sayers{"Say": 0, "Join": 0, "listed": 1}
			}
			for grown := -1; grown < len(s); { // who hands over to one that hands over
				grown = len(s)
				for _, file := range parsed {
					s.learn(file)
				}
			}
			for _, file := range parsed {
				for pos, format := range s.said(file) {
					if format == "" {
						t.Errorf("%s: the format of a sentence is no constant", files.Position(pos))
					}
					all[format] = files.Position(pos).String()
				}
			}
		}
	}
	return all
}

// sayers are the functions of a package that take the format of a sentence, and which of
// their parameters that is.
type sayers map[string]int

// learn adds those that hand their own format over.
func (s sayers) learn(file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		place := parameter(f, "format")
		if _, known := s[f.Name.Name]; known || place < 0 {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && own(s.format(call)) {
				s[f.Name.Name] = place
			}
			return true
		})
	}
}

// said are the formats in a file; "" stands for one that is no constant.
func (s sayers) said(file *ast.File) map[token.Pos]string {
	all := map[token.Pos]string{}
	for _, decl := range file.Decls {
		f, isFunc := decl.(*ast.FuncDecl)
		hands := isFunc && parameter(f, "format") >= 0
		ast.Inspect(decl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if format := s.format(call); format != nil && (!hands || !own(format)) {
				all[call.Pos()] = constant(format)
			}
			return true
		})
	}
	return all
}

// format is what a call says, nil if it says nothing.
func (s sayers) format(call *ast.CallExpr) ast.Expr {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			name = x.Name + "." + f.Sel.Name
		}
	}
	if place, ok := s[name]; ok && place < len(call.Args) {
		return call.Args[place]
	}
	return nil
}

// own tells that a format is the one that the function itself was given.
func own(format ast.Expr) bool {
	name, ok := format.(*ast.Ident)
	return ok && name.Name == "format"
}

// parameter is the place of a parameter of that name, -1 if there is none.
func parameter(f *ast.FuncDecl, name string) int {
	place := 0
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			if n.Name == name {
				return place
			}
			place++
		}
	}
	return -1
}

// constant is the value of a text that is written out, "" of any other.
func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			return ""
		}
		return text
	case *ast.BinaryExpr:
		left, right := constant(e.X), constant(e.Y)
		if left == "" || right == "" {
			return ""
		}
		return left + right
	}
	return ""
}
