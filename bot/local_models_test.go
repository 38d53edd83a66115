package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/agent/endpoint/discover"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/serve"
	"atelier/bot/settings"
)

// localServer is the test's own Ollama server.
type localServer struct {
	model *llmtest.Server
	place discover.Place
	// asked counts the requests; if dead is set, the server answers only requests for its lists.
	asked atomic.Int64
	dead  atomic.Bool
}

// startLocal starts a server with a model of that name and size.
func startLocal(t *testing.T, name, size string) *localServer {
	t.Helper()
	l := &localServer{model: llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Models: []string{name}})}
	target, err := url.Parse(strings.TrimSuffix(l.model.URL(), "/v1"))
	bottest.Check(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	mux := http.NewServeMux()
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, text) //nolint:errcheck // the client may be gone
		}
	}
	mux.HandleFunc("GET /api/tags", says(fmt.Sprintf(`{"models":[{"name":%q,"details":{"parameter_size":%q}}]}`, name, size)))
	mux.HandleFunc("GET /api/ps", says(fmt.Sprintf(`{"models":[{"name":%q,"context_length":20000}]}`, name)))
	mux.HandleFunc("POST /api/show", says(`{"capabilities":["completion"]}`))
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		if l.dead.Load() {
			panic(http.ErrAbortHandler) // as if nobody listened any more
		}
		proxy.ServeHTTP(w, r)
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.asked.Add(1)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	l.place = discover.Place{Kind: discover.Ollama, Address: netip.MustParseAddrPort(s.Listener.Addr().String())}
	return l
}

// complete searches only for this server.
func (l *localServer) complete(t *testing.T) func(settings.Config) (settings.Config, error) {
	t.Helper()
	return func(c settings.Config) (settings.Config, error) {
		return command.WithLocal(t.Context(), c, []discover.Place{l.place})
	}
}

// TestLocalModel checks that a model server on this machine is used if none is set, and only then.
func TestLocalModel(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, c := range map[string]struct {
		env, args []string
		used      bool
	}{
		"nothing is set":      {nil, nil, true},
		"auto":                {[]string{"PLANNER=auto"}, nil, true},
		"a model is insisted": {nil, []string{"--planner", "llm"}, true},
		"only planned":        {nil, []string{"--plan"}, true},
		"it is switched off":  {[]string{"ATELIER_LOCAL_MODELS=false"}, nil, false},
		"no model":            {[]string{"PLANNER=rules"}, nil, false},
		"none, by a flag":     {nil, []string{"--planner", "rules"}, false},
		"another server":      {[]string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_MODEL=m", "PLANNER=rules"}, nil, false},
	} {
		l := startLocal(t, "qwen3:8b", "8.2B")
		status, an := clitest.AskModelAt(t, []discover.Place{l.place}, c.env, append(c.args, "make it black and white")...)
		if status != fault.StatusDone || (l.asked.Load() > 0) != c.used || (len(l.model.Requests()) > 0) != c.used {
			t.Errorf("%s: status %d, %d requests, %+v", name, status, l.asked.Load(), an)
		}
		for _, r := range l.model.Requests() {
			if r.Model != "qwen3:8b" {
				t.Errorf("%s: %s is asked", name, r.Model)
			}
		}
	}
}

// TestLocalModelOfOthers checks that if a setting names a model or its server, no other one is searched for.
func TestLocalModelOfOthers(t *testing.T) {
	t.Parallel()
	l := startLocal(t, "qwen3:8b", "8.2B")
	for _, set := range []string{
		"OPENAI_API_KEY=sk-1", "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_MODEL=m", "DECOMPOSER_MODEL=m", "DECOMPOSER_API_KEY=k",
		"OPENAI_VISION_MODEL=m", "OPENAI_IMAGE_MODEL=m", "OPENAI_SPEECH_MODEL=m", "OPENAI_TRANSCRIPTION_MODEL=m",
	} {
		_, err := settings.Read([]string{set}, nil, l.complete(t))
		if l.asked.Load() > 0 {
			t.Errorf("%s: another one is looked for, %v", set, err)
		}
	}
}

// TestNoDiscovery checks that commands that do not plan, and benchmarks, do not search for a server.
func TestNoDiscovery(t *testing.T) {
	t.Parallel()
	l := startLocal(t, "qwen3:8b", "8.2B")
	for _, args := range [][]string{
		{"eval", "--ids", "atelier-001"}, {"eval", "--planner", "auto", "--ids", "atelier-001"}, {"eval", "--planner", "llm"},
		{"env"}, {"version"}, {"queues"}, {"requests"}, {"ask", "--detach", "make it black and white"},
	} {
		clitest.Called{Places: []discover.Place{l.place}, Env: []string{"ATELIER_DATA=" + t.TempDir()}, Args: args}.Run(t)
		if n := l.asked.Load(); n > 0 {
			t.Errorf("%v asks %d times", args, n)
		}
	}
}

// TestLocalModelFails checks that if the server fails, the built-in rules take over, and the answer says so.
func TestLocalModelFails(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	l := startLocal(t, "qwen3:8b", "8.2B")
	l.dead.Store(true)
	status, an := clitest.AskModelAt(t, []discover.Place{l.place}, nil, "make it black and white")
	if status != fault.StatusDone || len(an.Files) != 1 || !strings.Contains(an.Text, "so I read this with my built-in rules") {
		t.Errorf("status %d: %+v", status, an)
	}
}

// TestLocalModelConfig checks the effects on the other settings.
func TestLocalModelConfig(t *testing.T) {
	t.Parallel()
	l := startLocal(t, "qwen3:8b", "8.2B")
	read := func(env ...string) settings.Config {
		t.Helper()
		c, err := settings.Read(env, nil, l.complete(t))
		bottest.Check(t, err)
		return c
	}
	c := read("OPENAI_VISION=true")
	if m := c.Models; c.Planner != settings.LLMPlanner || !c.Fallback || m.Server.BaseURL != "http://"+l.place.Address.String()+"/v1" || m.Name != "qwen3:8b" ||
		m.SeeingModel() != "" || m.Vision || m.Context != 20_000 {
		t.Errorf("%+v", c)
	}
	if c := read("OPENAI_CONTEXT=10000"); c.Models.Context != 10_000 {
		t.Errorf("the context that is set is %d", c.Models.Context)
	}
	if c := read("PLANNER=llm"); c.Fallback || c.Planner != settings.LLMPlanner {
		t.Errorf("insisted on: %+v", c)
	}
	tiny := startLocal(t, "qwen3:1.7b", "2.0B")
	_, err := settings.Read([]string{"PLANNER=llm"}, nil, tiny.complete(t))
	if err == nil || !strings.Contains(err.Error(), "set OPENAI_API_KEY") {
		t.Errorf("a tiny model is one: %v", err)
	}
	if _, err := settings.Read([]string{"ATELIER_LOCAL_MODELS=no"}, nil, nil); err == nil || !strings.Contains(err.Error(), "expected true or false") {
		t.Errorf("no: %v", err)
	}
}

// TestLocalModelIsReported checks that the log and doctor say what was found, and how to switch it off.
func TestLocalModelIsReported(t *testing.T) {
	t.Parallel()
	good, tiny := startLocal(t, "qwen3:8b", "8.2B"), startLocal(t, "qwen3:1.7b", "2.0B")
	places := []discover.Place{tiny.place, good.place}
	env := append(clitest.SkyEnv(t), "ATELIER_LISTEN=127.0.0.1:0", "ATELIER_DATA="+t.TempDir())
	_, stdout, _ := clitest.Called{Places: places, Env: env, Args: []string{"doctor"}}.Run(t)
	for _, want := range []string{
		"Ollama at " + good.place.Address.String() + " was found on this machine, and its model qwen3:8b is used",
		"ATELIER_LOCAL_MODELS=false disables this",
		"qwen3:8b at " + good.place.Address.String() + " can be used.",
		"Ollama at " + tiny.place.Address.String() + " runs on this machine, with 1 model, but none is used",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("doctor does not say %q: %s", want, stdout)
		}
	}
	for name, c := range map[string]struct {
		places []discover.Place
		env    string
		want   string
	}{
		"none":       {nil, "", "start a model server on this machine, such as Ollama"},
		"off":        {places, "ATELIER_LOCAL_MODELS=false", "To use one, set OPENAI_API_KEY"},
		"a tiny one": {places[:1], "", "None is used"},
	} {
		_, stdout, _ := clitest.Called{Places: c.places, Env: append(env, c.env), Args: []string{"doctor"}}.Run(t)
		if !strings.Contains(stdout, c.want) || strings.Contains(stdout, "qwen3:8b") {
			t.Errorf("%s: %s", name, stdout)
		}
	}
	_, _, stderr := clitest.Called{
		Places: places, Env: append(env, "ATELIER_LOG=info"), Args: []string{"ask", "--file", "testdata/photo.jpg", "--plan", "make it black and white"},
	}.Run(t)
	for _, want := range []string{"ATELIER_LOCAL_MODELS=false disables this", "model=qwen3:8b", "server=Ollama", "none of its models is used"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the log does not say %q: %s", want, stderr)
		}
	}
}

// TestAtelierIsNoModelServer checks that Atelier, which uses the port of llama.cpp and LocalAI, is not mistaken
// for one of them, whatever protects it.
func TestAtelierIsNoModelServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service serve.Service
		env     []string
	}{
		"open":         {serve.Service{Web: true}, nil},
		"a password":   {serve.Service{Web: true}, []string{"WEB_PASSWORD=long enough"}},
		"no channel":   {serve.Service{}, nil},
		"behind proxy": {serve.Service{Web: true}, []string{"WEB_USER_HEADER=X-User"}},
	} {
		o := clitest.OpenService(t, c.service, append(c.env, "ATELIER_DATA="+t.TempDir())...)
		at := netip.MustParseAddrPort(strings.TrimPrefix(o.Address, "http://"))
		for _, kind := range []discover.Kind{discover.Ollama, discover.LMStudio, discover.OpenAI} {
			found, err := discover.Find(t.Context(), discover.Config{Places: []discover.Place{{Kind: kind, Address: at}}})
			if len(found) > 0 || err != nil {
				t.Errorf("%s, at the port of %s: %+v, %v", name, kind, found, err)
			}
		}
		o.End()
	}
}
