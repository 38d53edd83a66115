package tools_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/toolboxtest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/place"
	"atelier/bot/settings"
	"atelier/jobs"
)

// TestToolsOfAServer checks that the tools of a server's models are available once the server is set, and that the
// others say what they need.
func TestToolsOfAServer(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Models: []string{"test-model", "another-model", "gpt-image-2.6-flare"}})
	for name, c := range map[string]struct {
		env  []string
		live []string
		why  map[string]string
	}{
		"nothing": {nil, []string{"image_to_edge"}, map[string]string{
			"image_captioning": "needs an OpenAI-compatible server; set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own",
			"text_to_image":    "set OPENAI_API_KEY",
		}},
		"a server": {clitest.ModelEnv(server), []string{"image_to_edge", "image_captioning", "text_to_image", "translation"}, nil},
		"no such model": {clitest.ModelEnv(server, "OPENAI_IMAGE_MODEL=flux"), []string{"translation"}, map[string]string{
			"text_to_image": `has no model called "flux": set OPENAI_IMAGE_MODEL to one that it has`,
		}},
		"rules with a server": {clitest.ModelEnv(server, "PLANNER=rules"), []string{"image_captioning", "text_to_image"}, nil},
		"none is clear": {[]string{"OPENAI_BASE_URL=" + server.URL(), "PLANNER=rules"}, []string{"text_to_image"}, map[string]string{
			"translation": "needs a model: set OPENAI_MODEL",
		}},
	} {
		tools := clitest.ToolLines(t, c.env...)
		for _, tool := range c.live {
			by := "openai"
			if tool == "image_to_edge" {
				by = "native"
			}
			if l := tools[tool]; !l.Live || l.Why != "" || l.By != by {
				t.Errorf("%s: %+v", name, l)
			}
		}
		for tool, why := range c.why {
			if l := tools[tool]; l.Live || !strings.Contains(l.Why, why) || l.By != "" {
				t.Errorf("%s: %+v", name, l)
			}
		}
	}
	_, stdout, _ := clitest.Called{Env: clitest.ModelEnv(server), Args: []string{"tools"}}.Run(t)
	for _, want := range []string{"\n+ text_to_image(prompt text, [shape aspect], [size size], [without text], [results integer], [seed integer]) → image (openai)\n", "\n+ image_to_edge(image image) → edge\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not listed", want)
		}
	}
}

// TestToolsOfDownServer checks that the built-in tools are still available, and that pictures go only where they
// may.
func TestToolsOfDownServer(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil { // nobody listens there any more
		t.Fatal(err)
	}
	tools := clitest.ToolLines(t, "OPENAI_BASE_URL=http://"+address+"/v1", "OPENAI_MODEL=m")
	if !tools["image_to_edge"].Live {
		t.Error("a built-in tool is gone")
	}
	for _, name := range []string{"translation", "image_captioning"} {
		if l := tools[name]; l.Live || !strings.HasPrefix(l.Why, "the model server does not answer: check that it is running, and OPENAI_BASE_URL") {
			t.Errorf("%+v", l)
		}
	}
}

// TestToolsOfOtherProcesses checks that the tools of a worker on the same Redis are available, and that the list
// says where.
func TestToolsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	env := []string{"ATELIER_DATA=" + t.TempDir(), "REDIS_URL=redis://" + miniredis.RunT(t).Addr()}
	config, err := settings.Read(env, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := place.Open(t.Context(), config, slog.New(slog.DiscardHandler), place.Placement{Folder: config.Data, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := bottest.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal(jobs.Worker{ID: "w", Host: "studio", Tools: toolboxtest.Published(catalogue, map[string][]plan.Candidate{
		"text_to_image": {{Name: "toolserver:text-to-image@sdxl", Kind: "hftask", Run: "text-to-image", Server: "toolserver", Device: "gpu"}},
		"image_to_edge": {{Name: "native:image_to_edge", Kind: "native", Run: "image_to_edge", Server: "native", Device: "cpu"}},
	})})
	if err := errors.Join(err, p.State.Put(t.Context(), "workers/w", told, time.Hour), p.Close()); err != nil {
		t.Fatal(err)
	}
	tools := clitest.ToolLines(t, env...)
	if l := tools["text_to_image"]; !l.Live || l.By != "toolserver" || len(l.On) != 1 || !slices.Equal(l.On["toolserver:text-to-image@sdxl"], []string{"studio"}) {
		t.Errorf("%+v", l)
	}
	if l := tools["image_to_edge"]; !l.Live || len(l.On) != 0 {
		t.Errorf("%+v", l)
	}
	status, stdout, stderr := clitest.Called{Env: env, Args: []string{"tools"}}.Run(t)
	for _, want := range []string{"\n+ text_to_image(prompt text, [shape aspect], [size size], [without text], [results integer], [seed integer]) → image (toolserver on studio)\n", "\n+ image_to_edge(image image) → edge\n", " tools can run (+), 1 of them only in other processes.\n"} {
		if status != fault.StatusDone || !strings.Contains(stdout, want) {
			t.Errorf("%q is not listed: %s", want, stderr)
		}
	}
	_, stdout, stderr = clitest.Called{Env: []string{"ATELIER_DATA=" + t.TempDir(), "REDIS_URL=redis://127.0.0.1:1"}, Args: []string{"tools"}}.Run(t)
	if !strings.Contains(stdout, "\n+ image_to_edge(image image) → edge\n") || !strings.Contains(stderr, "The tools of other processes are unknown. Redis at 127.0.0.1:1 cannot be used") {
		t.Errorf("without its Redis: %s", stderr)
	}
}
