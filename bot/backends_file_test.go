package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/toolbox/slow"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// TestExampleOfTheBackendsFile checks that the example is valid, with the variable that it names.
func TestExampleOfTheBackendsFile(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backends.yaml")
	status, printed, stderr := clitest.Run(t, nil, "backends")
	if status != fault.StatusDone {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(path, []byte(printed), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"BACKENDS_FILE": path}
	if status, _, stderr := clitest.Run(t, env, "tools", "--servers"); status != fault.StatusUsage || !strings.Contains(stderr, "the server gpu1 has its key in GPU1_TOKEN, which is not set") {
		t.Errorf("without its key: %d, %s", status, stderr)
	}
	env["GPU1_TOKEN"] = "secret-of-gpu1"
	status, servers, stderr := clitest.Run(t, env, "tools", "--servers")
	if status != fault.StatusDone || strings.Contains(servers+stderr, "secret-of-gpu1") {
		t.Fatalf("%d, %s", status, stderr)
	}
	for _, name := range []string{"native", "program", "weather", "gpu1", "voices"} {
		if !strings.Contains(servers, "\n"+name+" ") {
			t.Errorf("%s is not listed:\n%s", name, servers)
		}
	}
	status, tools, _ := clitest.Run(t, env, "tools", "--json")
	if status != fault.StatusDone || !strings.Contains(tools, `"program:text_to_speech"`) {
		t.Errorf("the second way is not taken:\n%s", tools)
	}
}

// TestWrongBackendsFiles checks that wrong files are rejected before anything runs, with the name of the server.
func TestWrongBackendsFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, says string }{
		"no YAML":            {"servers: [", "BACKENDS_FILE"},
		"an unknown field":   {"servers: [{name: a, kind: hftask, url: http://a, speed: 9}]", "field speed not found"},
		"a server twice":     {"servers: [{name: a, kind: hftask, url: http://a}, {name: a, kind: openai, url: http://b}]", `server "a" is listed twice`},
		"no kind":            {"servers: [{name: a, url: http://a}]", `server "a": kind is "": expected one of hftask, openai, localai`},
		"a key for its name": {"servers: [{name: a, kind: hftask, url: http://a, token: hf_sEcReT}]", "token must be the name of the variable"},
		"no address":         {"servers: [{name: a, kind: hftask}]", `server "a": url is missing`},
		"a wrong address":    {"servers: [{name: a, kind: hftask, url: 'gpu1:8000'}]", `server "a": url`},
		"a path for health":  {"servers: [{name: a, kind: hftask, url: http://a, health: healthz}]", "health must be a path"},
		"models of the hub":  {"servers: [{name: a, kind: hftask, url: http://a, models: {image: x}}]", "models are only allowed for the kind openai"},
		"its own elsewhere":  {"servers: [{name: program, url: http://a}]", "only parallel can be set"},
		"less than nothing":  {"servers: [{name: program, parallel: -1}]", "parallel must not be negative"},
		"a name of two":      {"servers: [{name: 'a b', kind: hftask, url: http://a}]", "name must be a single word without : or @"},
		"a time of no kind":  {"tools: {blur_image: [{server: native, timeout: soon}]}", `line 1: "soon" is not a duration such as 90s or 3m`},
		"an unknown tool":    {"tools: {make_coffee: [{server: native}]}", "unknown tool make_coffee"},
		"an unknown server":  {"tools: {blur_image: [{server: gpu9}]}", `the tool blur_image cannot run on "gpu9"`},
		"what it cannot run": {"tools: {blur_image: [{server: weather}]}", `the tool blur_image cannot run on "weather"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "backends.yaml")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			status, _, stderr := clitest.Run(t, map[string]string{"BACKENDS_FILE": path}, "tools")
			if status != fault.StatusUsage || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "sEcReT") {
				t.Errorf("status %d, %s", status, stderr)
			}
		})
	}
}

// TestWaysAreTakenInTheirOrder checks that only the backends that the file lists for a tool are used, in this
// order.
func TestWaysAreTakenInTheirOrder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backends.yaml")
	err := os.WriteFile(path, []byte("servers: [{name: program, parallel: 1}]\ntools:\n  summarization: [{server: native, timeout: 5s}]\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	status, tools, stderr := clitest.Run(t, map[string]string{"BACKENDS_FILE": path, "TOOL_SERVER_URL": "http://127.0.0.1:9"}, "tools", "--servers", "--json")
	if status != fault.StatusDone || !strings.Contains(tools, `"parallel": 1`) || !strings.Contains(tools, `"server": "toolserver"`) {
		t.Errorf("%d, %s%s", status, tools, stderr)
	}
}
