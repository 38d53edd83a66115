package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
)

// TestExamplesWork runs every call of ask, tools and env that the README and the help show,
// one after another where they stand together: with nothing configured each ends with
// status 0. The first prints what the README says that it prints.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	readme := readREADME(t)
	script := &strings.Builder{}
	for _, b := range readme.blocks("sh") {
		addCalls(script, b)
	}
	first, rest, _ := strings.Cut(script.String(), "\n")
	if !strings.HasPrefix(first, "bot 'ask'") {
		t.Fatalf("the README begins with %s", first)
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "readme.txtar"), filepath.Join(dir, "help.txtar")}
	write(t, files[0], fmt.Sprintf("%s\ncmp stdout want\n%s-- want --\n%s-- tools/dreamy_picture.yaml --\n%s",
		first, rest, readme.blocks("")[0], readme.blocks("yaml")[0]))

	script.Reset()
	for _, help := range []string{about, new(askCommand).Help()} {
		addCalls(script, strings.ReplaceAll(help, "\n  ", "\n"))
	}
	if strings.Count(script.String(), "bot 'ask'") < 4 {
		t.Errorf("the help shows too little:\n%s", script)
	}
	write(t, files[1], script.String())

	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return errors.Join(
				os.CopyFS(filepath.Join(env.WorkDir, "bot/testdata"), os.DirFS("testdata")),
				copyFile("testdata/photo.jpg", filepath.Join(env.WorkDir, "photo.jpg")),
				copyFile("../LICENSE", filepath.Join(env.WorkDir, "LICENSE")),
			)
		},
	})
}

// TestReadmeTellsTheTruth holds the README's numbers, settings and examples.
func TestReadmeTellsTheTruth(t *testing.T) {
	t.Parallel()
	readme := readREADME(t)
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	check(t, err)
	own, free := 0, 0 // tools that are our own, and those that need no model and no key
	for _, tool := range catalogue.Tools() {
		if slices.Equal(tool.Origins, []string{"atelier"}) {
			own++
		}
		if slices.ContainsFunc(tool.Backends, func(b toolbox.Backing) bool {
			return slices.Contains([]string{builtinKind, programKind, commandKind, weatherKind}, b.Kind)
		}) {
			free++
		}
	}
	cases, err := evaluate.Own()
	check(t, err)
	wanted := []string{
		fmt.Sprintf("catalogue of %d tools", len(catalogue.Tools())),
		fmt.Sprintf("; %d of them need no model and no key", free),
		fmt.Sprintf("Our own tools, %d more,", own),
		fmt.Sprintf("own benchmark of %d requests", len(cases)),
		"\ngo run ./bot env\n",
	}
	families, err := family.Read()
	check(t, err)
	for role, what := range map[family.Role]string{family.Chat: "language", family.Image: "pictures", family.Speech: "speech", family.Transcription: "transcription"} {
		wanted = append(wanted, fmt.Sprintf("`%s` for %s", families.Of(role, nil, time.Time{})[0], what))
	}
	for _, s := range settings() {
		value := ""
		if s.value != "" {
			value = "`" + s.value + "` "
		}
		wanted = append(wanted, fmt.Sprintf("| `%s` | %s|", s.name, value))
	}
	for _, want := range wanted {
		if !strings.Contains(string(readme), want) {
			t.Errorf("the README does not say %q", want)
		}
	}
	i := slices.IndexFunc(readme.blocks("yaml"), func(b string) bool { return strings.HasPrefix(b, "servers:") })
	if i < 0 {
		t.Fatal("the README has no file of backends")
	}
	if _, err := parseBackends([]byte(readme.blocks("yaml")[i])); err != nil {
		t.Errorf("the README's file of backends: %v", err)
	}
	for _, b := range readme.blocks("yaml") {
		if strings.HasPrefix(b, "name: ") {
			_, err := toolbox.ReadTool([]byte(b))
			check(t, err)
		}
	}
}

// TestThePrograms holds where programs are installed to what tools need: the README's line,
// the image and CI.
func TestThePrograms(t *testing.T) {
	t.Parallel()
	_, line, _ := strings.Cut(string(readREADME(t)), "$ sudo apt-get install ")
	line, _, _ = strings.Cut(line, "\n")
	box, err := sandbox.New(sandbox.Config{})
	check(t, err)
	films, err := ffmpeg.New(ffmpeg.Config{})
	check(t, err)
	b, err := program.New(program.Config{Sandbox: box, FFmpeg: films})
	check(t, err)
	ci, err := os.ReadFile("../.ci/run")
	check(t, err)
	image, err := os.ReadFile("../deployments/Dockerfile")
	check(t, err)
	smaller := map[string]string{"fluid-soundfont-gm": "fluidr3mono-gm-soundfont"} // in the image
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	check(t, err)
	for _, p := range b.Programs(catalogue.Tools()) {
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

func readREADME(t *testing.T) page {
	t.Helper()
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return page(b)
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
		args := split(strings.TrimPrefix(strings.TrimSpace(line), "go run ./"))
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

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil { //nolint:gosec // into the test's own folder
		t.Fatal(err)
	}
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600) //nolint:gosec // into the test's own folder
}
