package main

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters/messages"
	"atelier/agent/plan"
	"atelier/agent/samples"
	"atelier/agent/toolbox"
	"atelier/agent/wording"
	"atelier/bot/bottest"
)

// TestEverySentenceHasItsTranslation checks that the catalogue of sentences has exactly the formats that are
// passed to plan.Say, to an adapter's Fault, or to functions that pass them on, and the sentences of the
// platforms' adapters. The catalogue itself checks the arguments when it is loaded.
func TestEverySentenceHasItsTranslation(t *testing.T) {
	t.Parallel()
	if _, err := messages.New(); err != nil {
		t.Fatal(err)
	}
	translated, english := catalogueOf(t, "zh-Hans"), catalogueOf(t, "en") // the plurals of English
	said := formats(t)
	maps.Copy(said, ofTools(t))
	for _, s := range samples.All() {
		said[plan.Sample{Wish: s.Wish}.Label().Format] = "the samples"
	}
	for _, typ := range plan.Types() {
		format, _ := typ.Phrase()
		said[format] = "the types"
	}
	for _, format := range slices.Sorted(maps.Keys(said)) {
		if _, ok := translated[format]; !ok {
			t.Errorf("%s: no translation of %q", said[format], format)
		}
		if _, err := messages.Verbs(format); err != nil {
			t.Errorf("%s: %q: %v", said[format], format, err)
		}
	}
	for _, format := range slices.Concat(slices.Sorted(maps.Keys(translated)), slices.Sorted(maps.Keys(english))) {
		if said[format] == "" {
			t.Errorf("nobody says %q any more", format)
		}
	}
}

// catalogueOf returns the catalogue of sentences in a language.
func catalogueOf(t *testing.T, tag string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "adapters", "messages", tag+".json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// ofTools returns the phrases of the catalogue's tools for their results, what their backends need, and the
// sentences of commands.
func ofTools(t *testing.T) map[string]string {
	t.Helper()
	c, err := bottest.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, tool := range c.All() {
		if tool.Made == "" {
			t.Errorf("the tool %s has no phrase for what it makes", tool.Name)
		}
		all[toolbox.Format(tool.Made)] = "the tool " + tool.Name
		if tool.MadeMany != "" {
			all[toolbox.Format(tool.MadeMany)] = "the tool " + tool.Name
		}
		if tool.Planned != "" {
			all[toolbox.Format(tool.Planned)] = "the tool " + tool.Name
		}
		if slices.Contains(toolbox.Slots(cmp.Or(tool.Planned, tool.Made)), toolbox.About) {
			t.Errorf("the tool %s has no phrase for what it is going to make", tool.Name)
		}
		if wording.SharesPhrase(c, tool) {
			all[toolbox.Format(wording.Summary(tool))] = "the tool " + tool.Name
		}
		for _, a := range tool.Args { // what people are asked for
			if !a.Optional && (a.Type == plan.Text || a.Type == plan.Mask || a.Type == plan.BBox || a.Type == plan.Points) {
				all[toolbox.Format(a.About)] = "the tool " + tool.Name
			}
		}
		for _, b := range tool.Backends {
			if b.Needs != "" {
				all[b.Needs] = "the tool " + tool.Name
			}
			if b.Recipe != nil {
				for _, format := range b.Recipe.Sentences() {
					all[format] = "the tool " + tool.Name
				}
			}
		}
	}
	return all
}

// formats finds all formats of sentences in the code, with their places.
func formats(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, top := range []string{"adapters", "agent", "jobs", "bot"} {
		folders := map[string][]*ast.File{}
		files := token.NewFileSet()
		err := filepath.WalkDir(filepath.Join("..", top), func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && slices.Contains(saidElsewhere, filepath.ToSlash(file)) {
				return fs.SkipDir
			}
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
			s := sayers{"plan.Say": 0, "plan.Join": 0, "plan.Refusal": 0}
			switch {
			case folder == "../agent/plan":
				s = sayers{"Say": 0, "Join": 0, "listed": 1}
			case folder == "../adapters":
				for _, file := range parsed { // the labels of buttons
					maps.Copy(all, written(files, file))
				}
			case strings.HasPrefix(folder+"/", "../adapters/discord/"), strings.HasPrefix(folder+"/", "../adapters/slack/"):
				s = sayers{".Say": 1} // of a catalogue, in a language
				for _, file := range parsed {
					maps.Copy(all, written(files, file))
				}
			}
			if strings.HasPrefix(folder, tools+"/") {
				maps.Copy(s, toolSayers(t))
			}
			words := constants(parsed)
			for grown := -1; grown < len(s); { // who hands over to one that hands over
				grown = len(s)
				for _, file := range parsed {
					s.learn(file)
				}
			}
			for _, file := range parsed {
				for pos, format := range s.said(file, words) {
					switch {
					case format != "":
						all[format] = files.Position(pos).String()
					case s[".Say"] == 0: // what is written there is found as it stands
						t.Errorf("%s: the format of a sentence is no constant", files.Position(pos))
					}
				}
			}
		}
	}
	return all
}

// tools is the folder of the tools in Go, which report failures by the functions of their package operation.
const tools = "../agent/toolbox/native"

// toolSayers returns the functions of that package that take the format of a sentence.
func toolSayers(t *testing.T) sayers {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(tools), "operation", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	s := sayers{"plan.Say": 0}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.learn(parsed)
	}
	exported := sayers{}
	for name, place := range s {
		if ast.IsExported(name) {
			exported["operation."+name] = place
		}
	}
	return exported
}

// saidElsewhere are the folders with pages that have their own texts and tests, and the folders of tests.
var saidElsewhere = []string{
	"../adapters/adapterstest", "../adapters/web/guard", "../adapters/web/point",
	"../adapters/discord/discordtest", "../adapters/slack/slacktest",
}

// sayers are the functions of a package that take the format of a sentence, with the position of that parameter.
// Methods have only their name, after a dot.
type sayers map[string]int

// learn adds the functions that pass their own format on.
func (s sayers) learn(file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		place, name := parameter(f, "format"), f.Name.Name
		if f.Recv != nil {
			name = "." + name
		}
		if _, known := s[name]; known || place < 0 {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if own(s.format(n)) {
				s[name] = place
			}
			return true
		})
	}
}

// said returns the formats in a file; "" stands for one that is not constant.
func (s sayers) said(file *ast.File, words map[string]ast.Expr) map[token.Pos]string {
	all := map[token.Pos]string{}
	for _, decl := range file.Decls {
		f, isFunc := decl.(*ast.FuncDecl)
		hands := isFunc && parameter(f, "format") >= 0
		ast.Inspect(decl, func(n ast.Node) bool {
			if format := s.format(n); format != nil && (!hands || !own(format)) {
				if name, ok := format.(*ast.Ident); ok && words[name.Name] != nil {
					format = words[name.Name]
				}
				all[n.Pos()] = constant(format)
			}
			return true
		})
	}
	return all
}

// format returns the sentence of a call or of an adapter's Fault, or nil.
func (s sayers) format(n ast.Node) ast.Expr {
	if fault, ok := n.(*ast.CompositeLit); ok {
		return faultSentence(fault)
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	var names []string
	switch f := call.Fun.(type) {
	case *ast.Ident:
		names = []string{f.Name}
	case *ast.SelectorExpr:
		names = []string{"." + f.Sel.Name}
		if x, ok := f.X.(*ast.Ident); ok {
			names = append(names, x.Name+"."+f.Sel.Name)
		}
	}
	for _, name := range names {
		if place, ok := s[name]; ok && place < len(call.Args) {
			return call.Args[place]
		}
	}
	return nil
}

// faultSentence returns the sentence of an adapters.Fault, or nil.
func faultSentence(made *ast.CompositeLit) ast.Expr {
	of, ok := made.Type.(*ast.SelectorExpr)
	if !ok || of.Sel.Name != "Fault" {
		return nil
	}
	if from, ok := of.X.(*ast.Ident); !ok || from.Name != "adapters" {
		return nil
	}
	for _, field := range made.Elts {
		if set, ok := field.(*ast.KeyValueExpr); ok {
			if name, ok := set.Key.(*ast.Ident); ok && name.Name == "Sentence" {
				return set.Value
			}
		}
	}
	return nil
}

// written returns all texts in a file that read like a sentence, and the labels of buttons and fields.
func written(files *token.FileSet, file *ast.File) map[string]string {
	all := map[string]string{}
	note := func(e ast.Expr, as *regexp.Regexp) (text string) {
		if text = constant(e); as.MatchString(text) {
			all[text] = files.Position(e.Pos()).String()
		}
		return text
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.Contains(labellers, callee(n)) {
				for _, arg := range n.Args {
					note(arg, asLabel)
				}
			}
		case ast.Expr:
			return note(n, asSentence) == "" // the halves of one that is put together are none
		}
		return true
	})
	return all
}

var (
	asSentence = regexp.MustCompile(`^[A-Z%“].* .*[.?!]$`)
	asLabel    = regexp.MustCompile(`^([A-Z][a-z ]|such as)`)
)

// labellers are the functions of the platforms' adapters that take labels.
var labellers = []string{"say", "Say", "in", "text", "sub"}

// callee returns the last name of the called function.
func callee(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// constants returns the constants of a package that are outside of its functions.
func constants(files []*ast.File) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, file := range files {
		for _, decl := range file.Decls {
			made, ok := decl.(*ast.GenDecl)
			if !ok || made.Tok != token.CONST {
				continue
			}
			for _, spec := range made.Specs {
				if named, ok := spec.(*ast.ValueSpec); ok {
					for i, value := range named.Values {
						all[named.Names[i].Name] = value
					}
				}
			}
		}
	}
	return all
}

// own reports whether a format is the function's own parameter.
func own(format ast.Expr) bool {
	name, ok := format.(*ast.Ident)
	return ok && name.Name == "format"
}

// parameter returns the position of a parameter of that name, or -1.
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

// constant returns the value of a literal text, or "".
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
