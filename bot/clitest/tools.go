package clitest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/weather/weathertest"
	"atelier/bot/fault"
	"atelier/bot/tools"
)

// SkyEnv are the settings by which the weather is asked of a local server.
func SkyEnv(t *testing.T) []string {
	t.Helper()
	sky := weathertest.New(t)
	return []string{"WEATHER_URL=" + sky.URL, "PLACES_URL=" + sky.URL}
}

// LiveOf are the tools that can run by the servers of these names.
func LiveOf(tools map[string]tools.ToolLine, servers ...string) []string {
	var names []string
	for name, l := range tools {
		if l.Live && slices.ContainsFunc(l.Servers(), func(s string) bool { return slices.Contains(servers, s) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Framer is a model that knows no tool for what is asked, and writes a program.
func Framer(r llmtest.Request) llmtest.Response {
	const source = "from PIL import Image, ImageOps\n" +
		"with Image.open(INPUTS[0]['path']) as given:\n" +
		"    ImageOps.expand(given.convert('RGB'), int(SETTINGS['width']), SETTINGS['paint']).save(OUT + '/framed.png')\n"
	switch r.Job {
	case "decompose":
		pictures := ListedPicture.FindAllStringSubmatch(r.User(), -1)
		return llmtest.Response{Text: fmt.Sprintf(`{"thought": "", "subtasks": [
			{"description": "Put a zigzag edge around the picture", "task": [], "id": 0, "dep": [],
			"args": [{"type": "image", "value": %q, "meaning": ""}], "returns": {"type": "image", "value": "<GENERATED>-0"}}],
			"question": "", "reply": "", "refused": false, "types": []}`, pictures[0][1])}
	case "assess":
		return llmtest.Response{Text: EachTask(r.User(), `{"task": %d, "way": "", "scores": []}`)}
	case "settle":
		return llmtest.Response{Text: EachTask(r.User(), `{"task": %d, "thought": "", "scores": [], "fills": [], "models": []}`)}
	case "improvise":
		return llmtest.Response{JSON: map[string]any{
			"refusal": "", "about": "the picture with an edge", "program": source, "checks": []any{map[string]string{"measure": "width", "value": "648"}},
			"settings": []any{
				map[string]string{"name": "width", "type": "number", "value": "4", "about": "how wide the edge is"},
				map[string]string{"name": "paint", "type": "colour", "value": "red", "about": "the colour of the edge"},
			},
		}}
	}
	return llmtest.Response{Text: "Here it is."}
}

// ProgramsAsked is how often a program was asked for.
func ProgramsAsked(s *llmtest.Server) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Job == "improvise" {
			n++
		}
	}
	return n
}

// ToolLines calls tools and reads what it lists, by name.
func ToolLines(t *testing.T, env ...string) map[string]tools.ToolLine {
	t.Helper()
	status, stdout, stderr := Called{Env: env, Args: []string{"tools", "--json"}}.Run(t)
	var lines []tools.ToolLine
	if err := json.Unmarshal([]byte(stdout), &lines); err != nil || status != fault.StatusDone {
		t.Fatalf("status %d: %v%s", status, err, stderr)
	}
	tools := map[string]tools.ToolLine{}
	for _, l := range lines {
		tools[l.Name] = l
	}
	return tools
}

// NeedPrograms skips a test where no program can run. In CI, which installs what programs need, it fails.
func NeedPrograms(t *testing.T, lines map[string]tools.ToolLine) {
	t.Helper()
	switch l := lines["make_by_program"]; {
	case l.Live:
	case os.Getenv("CI") != "":
		t.Fatalf("programs cannot run here: %s", l.Why)
	default:
		t.Skipf("programs cannot run here: %s", l.Why)
	}
}
