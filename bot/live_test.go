package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/program/document"
	"atelier/bot/clitest"
	"atelier/bot/settings"
)

// TestLiveWithoutAnything checks that with Debian's programs, and without a model or a key, exactly the listed
// tools can run, each by the program's own code, by a program, or by the weather service.
func TestLiveWithoutAnything(t *testing.T) {
	t.Parallel()
	tools := clitest.ToolLines(t, clitest.SkyEnv(t)...)
	var got strings.Builder
	for _, name := range clitest.LiveOf(tools, settings.BuiltinKind, settings.ProgramKind, settings.WeatherServer) {
		got.WriteString(name + " " + strings.Join(tools[name].Ways, " ") + "\n")
	}
	want, err := os.ReadFile("testdata/live.txt")
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for line := range strings.Lines(string(want)) {
		if !strings.HasPrefix(line, "#") && (document.ReadsOffice() || !strings.HasPrefix(line, "document_to_pdf ")) {
			wanted = append(wanted, line)
		}
	}
	if got.String() != strings.Join(wanted, "") {
		t.Errorf("live are:\n%s", &got)
	}
	for name, l := range tools {
		if l.Live == (l.Why != "") {
			t.Errorf("%s: live is %t, why is %q", name, l.Live, l.Why)
		}
	}
}

// TestLiveWithServers checks that with a tool server and LocalAI every tool of the catalogue can run, and with the
// tool server alone every tool for which it has a task.
func TestLiveWithServers(t *testing.T) {
	t.Parallel()
	sky := clitest.SkyEnv(t)
	gpu := "TOOL_SERVER_URL=" + hftasktest.New(t, hftasktest.Config{}).URL()
	local := "LOCALAI_URL=" + localaitest.New(t, localaitest.Config{}).URL()
	own := clitest.ToolLines(t, sky...)
	for name, c := range map[string]struct {
		env     []string
		servers []string
		without string // the only tool that cannot run, beside the one that needs a model
	}{
		"both":        {env: []string{gpu, local}, servers: []string{settings.ToolServer, settings.LocalAIKind}},
		"tool server": {env: []string{gpu}, servers: []string{settings.ToolServer}, without: "audio_question_answering"},
	} {
		tools := clitest.ToolLines(t, append(c.env, sky...)...)
		served := clitest.LiveOf(tools, c.servers...)
		for tool, l := range tools {
			switch {
			case tool == "document_to_pdf" && !document.ReadsOffice():
			case tool == "make_by_program":
				if l.Live && strings.Contains(strings.Join(l.Ways, " "), settings.ToolServer) {
					t.Errorf("%s: %s runs by %v", name, tool, l.Ways)
				}
			case l.Live == (tool == c.without):
				t.Errorf("%s: %s: live %t: %s", name, tool, l.Live, l.Why)
			case l.Live && !own[tool].Live && !slices.Contains(served, tool):
				t.Errorf("%s: %s runs by %v", name, tool, l.Ways)
			}
		}
		for _, s := range c.servers {
			if len(clitest.LiveOf(tools, s)) == 0 {
				t.Errorf("%s: nothing runs by %s", name, s)
			}
		}
	}
}
