package tools_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/improvise"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/tools"
	"atelier/jobs"
)

// improvisedRequest returns a request for which a program was written, with inputs of these types.
func improvisedRequest(wish, program string, returns plan.Type, inputs ...plan.Type) jobs.Request {
	a := plan.Action{Tool: "make_by_program", Returns: returns, Args: []plan.Binding{{Arg: toolbox.ImprovisedTask, Type: plan.Text}}}
	for _, typ := range inputs {
		a.Args = append(a.Args, plan.Binding{Arg: toolbox.ImprovisedInputs, Type: typ})
	}
	step := jobs.Step{Step: plan.Step{Key: "k", Action: a}, Status: plan.Done}
	return jobs.Request{ID: "abc", Wish: wish, Runs: []jobs.Run{
		{N: 1, Steps: []jobs.Step{step}, Results: map[string]plan.Result{"k": {Status: plan.Done, Program: program}}},
		{N: 2, Steps: []jobs.Step{step}, Results: map[string]plan.Result{"k": {Status: plan.Failed}}},
	}}
}

// TestKeep checks that the file of a kept program is valid, and has an argument for each file and a setting for
// each of the program's settings.
func TestKeep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request  jobs.Request
		args     []string
		examples []string
		made     string
	}{
		"a picture": {
			improvisedRequest("write a greeting on this photo, {please}", bottest.AProgram, plan.Image, plan.Image), []string{"image", "greeting"},
			[]string{"write a greeting on this photo, (please)", "write a greeting on {photo.jpg}, (please)", "the greeter: {picture.png}"},
			"the picture that the greeter made from {image} ({about})",
		},
		"several": {
			improvisedRequest("把它们拼在一起", bottest.AProgram, plan.Document, plan.Image, plan.Text, plan.Image), []string{"image_1", "text", "image_2", "greeting"},
			[]string{"把它们拼在一起", "把它们拼在一起: {photo.jpg}", "the greeter: {picture.png}"}, "the document that the greeter made from {image_1} ({about})",
		},
		"a name of a setting": {
			improvisedRequest("say it", strings.ReplaceAll(bottest.AProgram, `"greeting"`, `"text"`), plan.Text, plan.Text), []string{"text_file", "text"},
			[]string{"say it", "say it: {notes.txt}", "the greeter: {table.csv}"}, "the text that the greeter made from {text_file} ({about})",
		},
	} {
		run, step, ok := tools.Improvised(c.request)
		if !ok || run.N != 1 {
			t.Fatalf("%s: no program is found", name)
		}
		b, err := tools.NewKept(c.request, run, step).File("the_greeter")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		path := filepath.Join(t.TempDir(), "the_greeter.yaml")
		bottest.Write(t, path, string(b))
		if status, _, stderr := (clitest.Called{Args: []string{"tool", "check", path}}).Run(t); status != fault.StatusDone {
			t.Errorf("%s: %s\n%s", name, stderr, b)
		}
		if usual := regexp.MustCompile(`(?m)^ *(?:- )?(?:device|run|needs|approximate|many|improvises|listens): .*`).Find(b); usual != nil {
			t.Errorf("%s: it says what is usual: %s", name, usual)
		}
		tool, err := toolbox.ReadTool(b)
		bottest.Check(t, err)
		if b := tool.Backends[0]; b.Run != "python" || b.Device != "cpu" || b.Needs == "" {
			t.Errorf("%s: it runs as %+v", name, b)
		}
		var args []string
		for _, a := range tool.Args {
			args = append(args, a.Name)
		}
		if diff := cmp.Diff([][]string{c.args, c.examples, {c.made}}, [][]string{args, tool.Examples, {tool.Made}}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		backing := tool.Backends[0]
		if p, _ := tool.Param(tool.Params[0].Name); p.Default != "Hello" || backing.Program != improvise.Source(step1(c.request).Program) {
			t.Errorf("%s: %+v", name, tool)
		}
		if want := strings.Join(slices.DeleteFunc(c.args, func(a string) bool { return a == tool.Params[0].Name }), " "); backing.Inputs != want {
			t.Errorf("%s: the program is given %q", name, backing.Inputs)
		}
	}
	if _, _, ok := tools.Improvised(bottest.ShownRequest()); ok {
		t.Error("a program is found where none was written")
	}
	named := improvisedRequest("put a bow on it", bottest.AProgram, plan.Image, plan.Image)
	run, step, _ := tools.Improvised(named)
	step.Action.Args[1].Source = plan.FromResource("cat-12ab.png")
	run.Plan = &plan.Plan{Tasks: []plan.Task{{Subtask: plan.Subtask{Description: "Put a bow on cat-12ab.png"}}}}
	b, err := tools.NewKept(named, run, step).File("the_bow")
	bottest.Check(t, err)
	if bytes.Contains(b, []byte("cat-12ab")) {
		t.Errorf("it speaks of the file of the request:\n%s", b)
	}
	empty := improvisedRequest("draw it", bottest.AProgram, plan.Image)
	run, step, _ = tools.Improvised(empty)
	b, err = tools.NewKept(empty, run, step).File("the_greeter")
	bottest.Check(t, err) // its settings are arguments
	if !strings.Contains(string(b), "made: the picture that the greeter made ({about})\n") {
		t.Errorf("%s", b)
	}
}

// TestKeepWritesWhatPeopleEdit checks that the file has the program unchanged, and settings as plain YAML.
func TestKeepWritesWhatPeopleEdit(t *testing.T) {
	t.Parallel()
	r := improvisedRequest("draw a frame round this photo", storedProgram(t, "import os\n\nwidth = SETTINGS['width']\nif width:\n\tprint('é 🎨')\n"), plan.Image, plan.Image)
	run, step, _ := tools.Improvised(r)
	b, err := tools.NewKept(r, run, step).File("draw_frame")
	bottest.Check(t, err)
	want, err := os.ReadFile(filepath.Join("testdata", "draw_frame.yaml"))
	bottest.Check(t, err)
	if diff := cmp.Diff(string(want), string(b)); diff != "" {
		t.Error(diff)
	}
}

// TestKeepSeveral checks that a program that made several results becomes a tool that may do so.
func TestKeepSeveral(t *testing.T) {
	t.Parallel()
	for _, more := range [][]plan.Resource{nil, {{Name: "b.png"}}} {
		r := improvisedRequest("cut it up", storedProgram(t, "print(1)\n"), plan.Image, plan.Image)
		r.Runs[0].Results["k"] = plan.Result{Status: plan.Done, Program: r.Runs[0].Results["k"].Program, Output: &plan.Resource{Name: "a.png"}, More: more}
		run, step, _ := tools.Improvised(r)
		b, err := tools.NewKept(r, run, step).File("cut_up")
		bottest.Check(t, err)
		tool, err := toolbox.ReadTool(b)
		bottest.Check(t, err)
		if tool.Several() != (more != nil) {
			t.Errorf("%d more results:\n%s", len(more), b)
		}
	}
}

// TestKeepLosesNothing checks that a program is kept completely, whether or not YAML can hold it as a block.
func TestKeepLosesNothing(t *testing.T) {
	t.Parallel()
	for source, block := range map[string]bool{
		"print(1)": true, "print(1)\n": true, "print(1)\n\n\n": true, "\n\nprint(1)\n": true, "if 1:\n\tprint(1)\n": true,
		"print(1)  \nprint(2)\t\n": true, "a = '''\n   \n'''\n": true, "  # led in\nprint(1)": true, "\t# led in\nprint(1)": true,
		"# said: {'a': 1}\n---\n": true, "print('é 把 🎨')\n": true,
		"print(1)\r\nprint(2)\r\n": false, "print('\u2028\u0085')\n": false, "print('\x00\x7f\ufeff')\n": false,
	} {
		r := improvisedRequest("say it", storedProgram(t, source), plan.Text, plan.Text)
		run, step, ok := tools.Improvised(r)
		if !ok {
			t.Fatalf("%q is no program", source)
		}
		b, err := tools.NewKept(r, run, step).File("say_it")
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		tool, err := toolbox.ReadTool(b)
		bottest.Check(t, err)
		if tool.Backends[0].Program != source || strings.Contains(string(b), "program: |") != block {
			t.Errorf("%q became %q:\n%s", source, tool.Backends[0].Program, b)
		}
		if words, _ := tool.Param("words"); words.Default != storedWords {
			t.Errorf("the words became %q", words.Default)
		}
	}
}

// storedWords is a text that YAML must quote.
const storedWords = "yes: \"it\"\tis\nso"

// storedProgram is a program as it is stored, with a setting of each type.
func storedProgram(t *testing.T, source string) string {
	t.Helper()
	type setting struct {
		Name  string `json:"name"`
		Type  string `json:"type"`
		Value string `json:"value"`
		About string `json:"about"`
	}
	b, err := json.Marshal(map[string]any{"program": source, "settings": []setting{
		{"width", "number", "12.50", "how wide the frame is"}, {"colour", "colour", "#ff0000", "of the frame"}, {"words", "text", storedWords, ""},
	}, "checks": []map[string]string{
		{"measure": "format", "value": ".JPEG"}, {"measure": "width", "value": "500"}, {"measure": "sound", "value": "no"}, {"measure": "files", "value": "1"},
	}})
	bottest.Check(t, err)
	return string(b)
}

func step1(r jobs.Request) plan.Result { return r.Runs[0].Results["k"] }

// TestProgramIsRunAgainAndKept checks that a program is written once, shown, run again without the model, and
// becomes a tool that needs none.
func TestProgramIsRunAgainAndKept(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.Framer})
	folder, own := t.TempDir(), t.TempDir()
	clitest.NeedPrograms(t, clitest.ToolLines(t, clitest.ModelEnv(server, "ATELIER_DATA="+folder)...))
	o := clitest.OpenParlour(t, clitest.NewParlour(), clitest.ModelEnv(server, "PLANNER=llm", "ALLOW_CLOUD_MEDIA=true", "ATELIER_DATA="+folder)...)
	wish := o.Parlour.Wish("m1", "give this picture a zigzag edge")
	o.Parlour.Says <- wish
	reply := <-o.Parlour.Replies
	r := o.WaitFor(wish)
	if r.Runs[0].Status != jobs.Done || len(r.Runs[0].Made) != 1 {
		t.Fatalf("it is %s: %s\n%s", r.Runs[0].Status, reply.Text, o.Log)
	}
	again, ok := adapters.Reacted(adapters.Event{ID: "r1", Adapter: "parlour", By: adapters.Person{ID: "ann"}, At: time.Unix(1_800_000_000, 0)}, r.Runs[0].Sent, "🔁", true)
	if !ok {
		t.Fatal("nothing begins it again")
	}
	o.Parlour.Says <- again
	<-o.Parlour.Replies
	r, err := o.Jobs.Wait(t.Context(), r.ID, 2)
	bottest.Check(t, err)
	if r.Runs[1].Status != jobs.Done || clitest.ProgramsAsked(server) != 1 {
		t.Errorf("it is %s again, and was written %d times", r.Runs[1].Status, clitest.ProgramsAsked(server))
	}

	env := []string{"ATELIER_DATA=" + folder, "ATELIER_CATALOGUE=" + own, "PLANNER=rules"}
	keep := clitest.Called{Env: env, Args: []string{"tool", "keep", r.ID[:6], "zigzag_edge"}}
	status, stdout, stderr := keep.Run(t)
	if status != fault.StatusDone {
		t.Fatal(stderr)
	}
	file := filepath.Join(own, "zigzag_edge.yaml")
	if want := strings.NewReplacer("ID", r.ID, "FILE", file).Replace(introduced); stdout != want {
		t.Error(cmp.Diff(want, stdout))
	}
	if status, _, stderr := keep.Run(t); status != fault.StatusUsage || !strings.Contains(stderr, "The tool zigzag_edge already exists") {
		t.Errorf("it is kept twice: %s", stderr)
	}
	if status, _, stderr := (clitest.Called{Env: env, Args: []string{"tool", "check", file}}).Run(t); status != fault.StatusDone {
		t.Error(stderr)
	}
	photo, out := filepath.Join(folder, "photo.png"), filepath.Join(folder, "out")
	bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
	status, _, stderr = clitest.Called{Env: env, Args: []string{"tool", "try", file, "--file", photo, "--out", out, "width=10"}}.Run(t)
	if status != fault.StatusDone {
		t.Fatal(stderr)
	}
	if b, err := os.ReadFile(filepath.Join(out, "zigzag_edge.png")); err != nil || !sized(b, 60, 40) {
		t.Errorf("it did not make a picture of 60 × 40 pixels: %v", err)
	}
	status, stdout, stderr = clitest.Called{Env: env, Args: []string{"ask", "--json", "--out", out, "--file", photo, "give this picture a zigzag edge"}}.Run(t)
	var an ask.Answer
	bottest.Check(t, json.Unmarshal([]byte(stdout), &an))
	if status != fault.StatusDone || an.Solutions[0].Steps[0].Tool != "zigzag_edge" || !strings.Contains(an.Solutions[0].Steps[0].Program, "ImageOps.expand") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	wider := filepath.Join(folder, "wider")
	widened := []string{"ask", "--out", wider, "--file", photo, "give this picture a zigzag edge, with width 30"}
	status, stdout, stderr = clitest.Called{Env: env, Args: widened}.Run(t)
	made := "Here is the picture that zigzag edge made from photo.png (width 30, paint red)."
	if b, err := os.ReadFile(filepath.Join(wider, "photo-zigzag-edge.png")); status != fault.StatusDone || !strings.HasPrefix(stdout, made) || err != nil || !sized(b, 100, 80) {
		t.Errorf("status %d, %v: %s%s", status, err, stdout, stderr)
	}
	if clitest.ProgramsAsked(server) != 1 {
		t.Errorf("programs were written %d times", clitest.ProgramsAsked(server))
	}
	b, err := os.ReadFile(file)
	bottest.Check(t, err)
	bottest.Write(t, file, strings.Replace(string(b), "ImageOps.expand", "ImageOps.expnad", 1))
	status, _, stderr = clitest.Called{Env: env, Args: []string{"tool", "try", file, "--file", photo, "--out", out}}.Run(t)
	if want := "zigzag_edge failed: it ended with an error. Its program printed:\n\n  Traceback"; status != fault.StatusFailed ||
		!strings.Contains(stderr, want) || !strings.Contains(stderr, "expnad") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// introduced is the output of bot tool keep.
const introduced = `The program of the request ID is now your tool zigzag_edge: FILE

Ask for it, or run it from its file:
  bot ask --file photo.jpg "give this picture a zigzag edge"
  bot tool try FILE --file photo.jpg width=4

Its settings:
  width: how wide the edge is (4 if nothing is said)
  paint: the colour of the edge (red if nothing is said)
To say one:
  bot ask --file photo.jpg "give this picture a zigzag edge, with width 4"

A running bot serve has the tool after a restart. To change its words, its program or its checks, edit the file, and then: bot tool check FILE
To remove the tool, delete the file.
`

// sized reports whether a picture has that size.
func sized(b []byte, width, height int) bool {
	c, err := png.DecodeConfig(bytes.NewReader(b))
	return err == nil && c.Width == width && c.Height == height
}
