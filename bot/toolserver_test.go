package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/settings"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// realToolServer returns the settings of the tool server that TEST_TOOL_SERVER_URL names: that of
// deployments/toolserver with the tiny models of its tests, whose answers have the right form and no meaning.
func realToolServer(t *testing.T) []string {
	t.Helper()
	at := os.Getenv("TEST_TOOL_SERVER_URL")
	if at == "" {
		t.Skip("nothing was asked of a real tool server: TEST_TOOL_SERVER_URL names none")
	}
	to, err := url.Parse(at)
	bottest.Check(t, err)
	// It outlives the test, whose connections end with a server of the test's own.
	proxy := httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{DisableKeepAlives: true},
	}
	server := httptest.NewServer(&proxy)
	t.Cleanup(server.Close)
	return []string{"TOOL_SERVER_URL=" + server.URL, "TOOL_SERVER_TOKEN=" + os.Getenv("TEST_TOOL_SERVER_TOKEN")}
}

// servedTools returns the tools that have a task of a tool server.
func servedTools(catalogue *toolbox.Catalogue) []toolbox.Tool {
	return slices.DeleteFunc(slices.Clone(catalogue.Tools()), func(tool toolbox.Tool) bool {
		return !slices.ContainsFunc(tool.Backends, func(b toolbox.Backing) bool { return b.Kind == settings.HFTaskKind })
	})
}

// TestRealToolServerHasEveryTool checks that each tool with a task of the tool server is live there, and that
// without a language model every tool is live, except those that only a language model runs.
func TestRealToolServerHasEveryTool(t *testing.T) {
	t.Parallel()
	env := append(clitest.SkyEnv(t), realToolServer(t)...)
	catalogue, err := bottest.Builtin()
	bottest.Check(t, err)
	tools := clitest.ToolLines(t, env...)
	for _, tool := range catalogue.Tools() {
		without := slices.ContainsFunc(tool.Backends, func(b toolbox.Backing) bool { return b.Kind != settings.OpenAIKind })
		if l := tools[tool.Name]; l.Live != without {
			t.Errorf("%s: live without a language model is %t, want %t: %s", tool.Name, l.Live, without, l.Why)
		}
	}
	served := clitest.LiveOf(tools, settings.ToolServer)
	for _, tool := range servedTools(catalogue) {
		if !slices.Contains(served, tool.Name) {
			t.Errorf("%s is not live on the tool server: it runs by %v", tool.Name, tools[tool.Name].Ways)
		}
	}
}

// TestRealToolServerRunsEveryTool calls the tool server once for each tool that has one of its tasks.
func TestRealToolServerRunsEveryTool(t *testing.T) {
	t.Parallel()
	config, err := settings.Read(append(clitest.SkyEnv(t), realToolServer(t)...), nil, nil)
	bottest.Check(t, err)
	catalogue, err := bottest.Builtin()
	bottest.Check(t, err)
	tools, err := workshop.Workshop{Config: config}.Toolbox(t.Context(), catalogue)
	bottest.Check(t, err)
	things := newThings(t)
	for _, tool := range servedTools(catalogue) {
		t.Run(tool.Name, func(t *testing.T) {
			live, err := tools.Local(t.Context())
			bottest.Check(t, err)
			at := slices.IndexFunc(live[tool.Name], func(c plan.Candidate) bool { return c.Server == settings.ToolServer })
			if at < 0 {
				t.Fatal("it is not live there")
			}
			made, err := tools.Run(t.Context(), tool.Name, live[tool.Name][at].Name, things.call(t, tool), nil)
			if err != nil {
				t.Fatalf("%v: %v", plan.Sentence(err, plan.Message{}), plan.ForOperator(err))
			}
			if !strings.HasPrefix(made.Candidate, settings.ToolServer+":") || len(made.Failed) > 0 || !strings.HasPrefix(made.Model, "tiny/") {
				t.Errorf("it ran by %s with %s, after %v", made.Candidate, made.Model, made.Failed)
			}
			promised(t, tool, made)
		})
	}
}

// TestFromMessageToThread plans a request of a chat in one process. A worker of the queue gpu runs its step on the
// tool server, the results go through S3, and the answer arrives in the thread. The worker verifies that a sound
// plays.
func TestFromMessageToThread(t *testing.T) {
	t.Parallel()
	gpu := realToolServer(t)
	shared := clitest.Shared(t)
	worker := clitest.OpenQueues(t, "gpu", nil, slices.Concat(shared, gpu)...)
	gateway := clitest.OpenQueues(t, "gateway,plan", clitest.NewParlour(), slices.Clone(shared)...)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for range look.C { // until the worker has told what it can
		able, err := gateway.Jobs.Elsewhere(t.Context())
		bottest.Check(t, err)
		if len(able["text_to_image"]) > 0 && len(able["audio_to_audio"]) > 0 {
			break
		}
	}
	// The tiny model makes 1,000 samples a second, which a FLAC holds in packets of four seconds.
	voices := filepath.Join(t.TempDir(), "voices.wav")
	tool(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=5", voices)
	for id, c := range map[string]struct {
		text string
		file string
		made []plan.Type
	}{
		"draws":     {text: "draw a castle by the sea", made: []plan.Type{plan.Image}},
		"separates": {text: "separate the voices in voices.wav", file: voices, made: []plan.Type{plan.Audio, plan.Audio}},
	} {
		wish := gateway.Parlour.Wish(id, c.text)
		wish.Message.Files = nil
		if c.file != "" {
			wish.Message.Files = []adapters.File{{ID: "f", Name: filepath.Base(c.file), Handle: c.file}}
		}
		gateway.Parlour.Says <- wish
		reply := <-gateway.Parlour.Replies
		r := gateway.WaitFor(wish)
		run := r.Runs[0]
		if run.Status != jobs.Done || !slices.EqualFunc(run.Made, c.made, func(m plan.Resource, of plan.Type) bool { return m.Type == of }) {
			t.Fatalf("%s: it is %s: %+v\n%s\n%s", id, run.Status, run.Answer, gateway.Log, worker.Log)
		}
		if len(reply.Files) != len(c.made) || reply.AnswerTo.ID != id {
			t.Errorf("%s: it said %+v", id, reply)
		}
		for _, result := range run.Results {
			if !strings.HasPrefix(result.Candidate, settings.ToolServer+":") {
				t.Errorf("%s: a step ran by %s", id, result.Candidate)
			}
		}
	}
}
