package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"atelier/agent/endpoint/family"
	"atelier/agent/evaluate"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/slow"
	"atelier/agent/toolbox/template"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/clitest"
	"atelier/bot/settings"
)

// The READMEs that hold statements about the code.
const (
	mainREADME     = "../README.md"
	agentREADME    = "../agent/README.md"
	toolsREADME    = "../agent/toolbox/README.md"
	evaluateREADME = "../agent/evaluate/README.md"
)

// TestExamplesWork runs every call of ask, tools and env in the READMEs and the help, those of one file in
// order. Without settings, each ends with status 0. The first prints what the main README shows.
func TestExamplesWork(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	dir := t.TempDir()
	var files []string
	add := func(name, script string) {
		files = append(files, filepath.Join(dir, name+".txtar"))
		bottest.Write(t, files[len(files)-1], script)
	}
	script := &strings.Builder{}
	for _, name := range readmes(t) {
		script.Reset()
		readme := readPage(t, name)
		for _, b := range readme.blocks("sh") {
			addCalls(script, b)
		}
		switch name {
		case mainREADME:
			first, rest, _ := strings.Cut(script.String(), "\n")
			if !strings.HasPrefix(first, "bot 'ask'") {
				t.Fatalf("the README begins with %s", first)
			}
			add("main", fmt.Sprintf("%s\ncmp stdout want\n%s-- want --\n%s", first, rest, readme.blocks("")[0]))
		case toolsREADME:
			add("tools", script.String()+"-- tools/dreamy_picture.yaml --\n"+readme.blocks("yaml")[0])
		default:
			if script.Len() > 0 {
				add(strings.ReplaceAll(strings.TrimPrefix(filepath.Dir(name), "../"), "/", "-"), script.String())
			}
		}
	}
	if len(files) < 4 {
		t.Errorf("too few READMEs show calls: %q", files)
	}

	script.Reset()
	for _, help := range []string{cli.About, new(ask.Command).Help()} {
		addCalls(script, strings.ReplaceAll(help, "\n  ", "\n"))
	}
	if strings.Count(script.String(), "bot 'ask'") < 4 {
		t.Errorf("the help shows too little:\n%s", script)
	}
	add("help", script.String())

	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return errors.Join(
				os.CopyFS(filepath.Join(env.WorkDir, "bot/testdata"), os.DirFS("testdata")),
				clitest.CopyFile("testdata/photo.jpg", filepath.Join(env.WorkDir, "photo.jpg")),
				clitest.CopyFile("../LICENSE", filepath.Join(env.WorkDir, "LICENSE")),
			)
		},
	})
}

// TestReadmeTellsTheTruth compares the numbers, models and examples in the READMEs with the code.
func TestReadmeTellsTheTruth(t *testing.T) {
	t.Parallel()
	catalogue, err := bottest.Builtin()
	bottest.Check(t, err)
	own, free := 0, 0 // tools that are our own, and those that need no model and no key
	for _, tool := range catalogue.Tools() {
		if slices.Equal(tool.Origins, []string{"atelier"}) {
			own++
		}
		if slices.ContainsFunc(tool.Backends, func(b toolbox.Backing) bool {
			return slices.Contains([]string{settings.BuiltinKind, settings.ProgramKind, settings.CommandKind, settings.WeatherKind}, b.Kind)
		}) {
			free++
		}
	}
	cases, err := evaluate.BuiltIn()
	bottest.Check(t, err)
	wanted := map[string][]string{
		mainREADME: {"\ngo run ./bot env\n"},
		toolsREADME: {
			fmt.Sprintf("catalogue of %d tools", len(catalogue.All())), // as many as "bot tools" counts
			fmt.Sprintf("; %d of them need no model and no key", free),
			fmt.Sprintf("Our own tools, %d more,", own),
		},
		evaluateREADME: {fmt.Sprintf("own benchmark of %d requests", len(cases))},
	}
	families, err := family.Read()
	bottest.Check(t, err)
	for role, what := range map[family.Role]string{family.Chat: "language", family.Image: "pictures", family.Speech: "speech", family.Transcription: "transcription"} {
		wanted[agentREADME] = append(wanted[agentREADME], fmt.Sprintf("`%s` for %s", families.Of(role, nil, time.Time{})[0], what))
	}
	for name, all := range wanted {
		for _, want := range all {
			if !strings.Contains(string(readPage(t, name)), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
	if lines := strings.Count(string(readPage(t, mainREADME)), "\n"); lines > 200 {
		t.Errorf("the main README has %d lines; at most 200 are read", lines)
	}
	examples := readPage(t, toolsREADME).blocks("yaml")
	i := slices.IndexFunc(examples, func(b string) bool { return strings.HasPrefix(b, "servers:") })
	if i < 0 {
		t.Fatalf("%s has no file of backends", toolsREADME)
	}
	if _, err := settings.ParseBackends([]byte(examples[i])); err != nil {
		t.Errorf("the file of backends in %s: %v", toolsREADME, err)
	}
	recipe := reflect.TypeFor[template.Recipe]()
	for f := range recipe.Fields() {
		field, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if field != "argv" && !strings.Contains(string(readPage(t, toolsREADME)), "`"+field+":") {
			t.Errorf("%s does not explain the field %s of a command", toolsREADME, field)
		}
	}
	tools := 0
	for _, b := range examples {
		if strings.HasPrefix(b, "name: ") {
			tools++
			tool, err := toolbox.ReadTool([]byte(b))
			bottest.Check(t, err)
			if warnings := tool.Warnings(); len(warnings) > 0 {
				t.Errorf("%s: %q", tool.Name, warnings)
			}
		}
	}
	if tools != 3 {
		t.Errorf("%s has %d examples of tools, not 3", toolsREADME, tools)
	}
}

// TestReadmeNamesSettings finds every setting that a README names, and reports unknown ones.
func TestReadmeNamesSettings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range settings.Names() {
		known[s] = true
	}
	named := regexp.MustCompile(`\b(ATELIER|OPENAI|DECOMPOSER|DISCORD|SLACK|WEB|PLANNER|LOCALAI)_[A-Z_]*[A-Z]\b`)
	found := map[string]bool{}
	for _, name := range readmes(t) {
		for _, setting := range named.FindAllString(string(readPage(t, name)), -1) {
			found[setting] = true
			if !known[setting] {
				t.Errorf("%s names %s, which is not a setting", name, setting)
			}
		}
	}
	if len(found) < 20 {
		t.Errorf("only %d settings are named", len(found))
	}
}

// TestPrograms checks that the README's line, the image and CI install the programs that tools need.
func TestPrograms(t *testing.T) {
	t.Parallel()
	_, line, _ := strings.Cut(string(readPage(t, mainREADME)), "$ sudo apt-get install ")
	line, _, _ = strings.Cut(line, "\n")
	box, err := sandbox.New(sandbox.Config{})
	bottest.Check(t, err)
	films, err := ffmpeg.New(ffmpeg.Config{})
	bottest.Check(t, err)
	b, err := program.New(program.Config{Sandbox: box, FFmpeg: films})
	bottest.Check(t, err)
	ci, err := os.ReadFile("../.ci/run")
	bottest.Check(t, err)
	image, err := os.ReadFile("../deployments/Dockerfile")
	bottest.Check(t, err)
	smaller := map[string]string{"fluid-soundfont-gm": "fluidr3mono-gm-soundfont"} // in the image
	catalogue, err := bottest.Builtin()
	bottest.Check(t, err)
	const libreoffice = "libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"
	if !strings.Contains(string(ci), " "+libreoffice+"\n") || !strings.Contains(string(image), `PACKAGES="`+libreoffice+`"`) {
		t.Error("CI or the variant of the image does not install LibreOffice")
	}
	office := func(tool toolbox.Tool) bool { return tool.Name == "document_to_pdf" } // for that variant
	for _, p := range b.Programs(slices.DeleteFunc(slices.Clone(catalogue.Tools()), office)) {
		if !slices.Contains(strings.Fields(line), p.Debian) {
			t.Errorf("the README does not install %s", p.Debian)
		}
		if !strings.Contains(string(ci), " "+p.Debian+"\n") {
			t.Errorf("CI does not install %s", p.Debian)
		}
		if !strings.Contains(string(image), " "+cmp.Or(smaller[p.Debian], p.Debian)+" \\\n") {
			t.Errorf("the image has no %s", p.Debian)
		}
	}
}

// page is a text in Markdown.
type page string

func readPage(t *testing.T, name string) page {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return page(b)
}

// readmes lists every README.md of the repository.
func readmes(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != ".ci", d.IsDir() && d.Name() == "node_modules":
			return filepath.SkipDir
		case d.Name() == "README.md":
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// blocks lists the fenced blocks of a language, in their order.
func (p page) blocks(language string) []string {
	var all []string
	for i, part := range strings.Split("\n"+string(p), "\n```") {
		if info, content, _ := strings.Cut(part, "\n"); i%2 == 1 && info == language {
			all = append(all, content+"\n")
		}
	}
	return all
}

// addCalls adds the calls of a block to a script, with the variables that it exports.
func addCalls(script *strings.Builder, block string) {
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
		args := split(strings.TrimPrefix(line, "go run ./"))
		switch {
		case len(args) == 2 && args[0] == "export":
			fmt.Fprintf(script, "env '%s'\n", args[1])
		case slices.Contains(args, "--detach"), slices.Contains(args, "--voice"): // which need a process that serves, and a voice
		case len(args) > 1 && args[0] == "bot" && slices.Contains([]string{"ask", "tools", "env"}, args[1]):
			script.WriteString("bot")
			for _, a := range args[1:] {
				fmt.Fprintf(script, " '%s'", strings.ReplaceAll(a, "'", "''"))
			}
			script.WriteString("\n")
		}
	}
}

// split splits a line as a shell does: at spaces outside of quotes.
func split(line string) []string {
	var args []string
	var arg strings.Builder
	inside, quote := false, rune(0)
	for _, r := range line + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			inside, quote = true, r
		case quote == 0 && r == ' ':
			if inside {
				args = append(args, arg.String())
			}
			inside = false
			arg.Reset()
		default:
			inside = true
			arg.WriteRune(r)
		}
	}
	return args
}
