package discover_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/endpoint/discover"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ample is longer than any answer takes: a test that waits that long has failed.
const ample = time.Minute

// pages answers paths with these bodies, and others with 404.
type pages map[string]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := p[r.Method+" "+r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if model, err := io.ReadAll(r.Body); err == nil && len(model) > 0 { // of /api/show
		body, ok = p[string(model)]
		if !ok {
			http.NotFound(w, r)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body) //nolint:errcheck // the client may be gone
}

// place returns the address of the test's own server.
func place(t *testing.T, kind discover.Kind, h http.Handler) discover.Place {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return discover.Place{Kind: kind, Address: netip.MustParseAddrPort(s.Listener.Addr().String())}
}

func find(t *testing.T, patience time.Duration, places ...discover.Place) []discover.Server {
	t.Helper()
	found, err := discover.Find(t.Context(), discover.Config{Places: places, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tags returns a list as of Ollama. The size of each model follows its name.
func tags(models ...string) string {
	var entries []string
	for pair := range slices.Chunk(models, 2) {
		entries = append(entries, fmt.Sprintf(`{"name":%[1]q,"model":%[1]q,"size":1,"details":{"family":"f","families":null,"parameter_size":%[2]q}}`,
			pair[0], pair[1]))
	}
	return `{"models":[` + strings.Join(entries, ",") + `]}`
}

// served returns a list as of vLLM.
func served(names ...string) string {
	var entries []string
	for _, name := range names {
		entries = append(entries, fmt.Sprintf(`{"id":%q,"object":"model","created":1,"owned_by":"vllm"}`, name))
	}
	return `{"object":"list","data":[` + strings.Join(entries, ",") + `]}`
}

const (
	chats = `{"capabilities":["completion","tools"],"parameters":"num_ctx                        16384\nstop   \"</s>\""}`
	sees  = `{"capabilities":["completion","vision"]}`
)

func asked(model string) string { return `{"model":"` + model + `"}` }

// TestChoice checks which model is chosen from the answers of each kind of server.
func TestChoice(t *testing.T) {
	t.Parallel()
	const lmStudio, models, show = "GET /api/v0/models", "GET /v1/models", "POST /api/show"
	for name, c := range map[string]struct {
		kind  discover.Kind
		pages pages
		want  discover.Server // without the addresses
	}{
		"Ollama": {discover.Ollama, pages{
			"GET /api/tags": tags("nomic-embed-text:latest", "137M", "llama3.2:latest", "3.2B", "qwen3:8b", "8.2B", "mistral:7b", "7.2B"),
			show:            "", asked("qwen3:8b"): chats,
		}, discover.Server{Name: "Ollama", Models: 4, Model: "qwen3:8b", Context: 16_384}},
		"its largest is too large": {discover.Ollama, pages{
			"GET /api/tags": tags("llama3.3:70b", "70.6B", "qwen3:32b", "32.8B", "gpt-oss:20b", "20.9B"), show: "", asked("qwen3:32b"): sees,
		}, discover.Server{Name: "Ollama", Models: 3, Model: "qwen3:32b", Sees: true, Context: 4096}},
		"all are large": {discover.Ollama, pages{"GET /api/tags": tags("a:405b", "405B", "b:70b", "70.6B")}, discover.Server{
			Name: "Ollama", Models: 2, Model: "b:70b", Context: 4096,
		}},
		"one is loaded": {discover.Ollama, pages{
			"GET /api/tags": tags("qwen3:32b", "32.8B", "qwen3:8b", "8.2B"),
			"GET /api/ps":   `{"models":[{"name":"qwen3:8b","context_length":32768}]}`, show: "", asked("qwen3:8b"): chats,
		}, discover.Server{Name: "Ollama", Models: 2, Model: "qwen3:8b", Context: 32_768}},
		"a tiny one is loaded": {discover.Ollama, pages{
			"GET /api/tags": tags("qwen3:8b", "8.2B", "qwen3:0.6b", "751.63M"),
			"GET /api/ps":   `{"models":[{"name":"qwen3:0.6b","context_length":4096}]}`,
		}, discover.Server{Name: "Ollama", Models: 2, Model: "qwen3:8b", Context: 4096}},
		"it reads too little": {discover.Ollama, pages{
			"GET /api/tags": tags("qwen3:8b", "8.2B"), "GET /api/ps": `{"models":[{"name":"qwen3:8b","context_length":2048}]}`,
		}, discover.Server{Name: "Ollama", Models: 1}},
		"its model embeds": {discover.Ollama, pages{
			"GET /api/tags": tags("vectors:8b", "8.2B", "qwen3:8b", "8.1B"), show: "",
			asked("vectors:8b"): `{"capabilities":["embedding"]}`, asked("qwen3:8b"): chats,
		}, discover.Server{Name: "Ollama", Models: 2, Model: "qwen3:8b", Context: 16_384}},
		"all embed": {discover.Ollama, pages{
			"GET /api/tags": tags("vectors:8b", "8.2B"), show: "", asked("vectors:8b"): `{"capabilities":["embedding"]}`,
		}, discover.Server{Name: "Ollama", Models: 1}},
		"the list says it": {discover.Ollama, pages{
			"GET /api/tags": `{"models":[{"name":"x:12b","details":{"parameter_size":"12B"},"capabilities":["image"]}]}`,
		}, discover.Server{Name: "Ollama", Models: 1}},
		"in the cloud": {discover.Ollama, pages{
			"GET /api/tags": `{"models":[{"name":"gpt-oss:20b-cloud"},{"name":"gemma4:cloud"},
				{"name":"big","remote_model":"big","remote_host":"https://ollama.com:443","details":{"parameter_size":"20B"}}]}`,
		}, discover.Server{Name: "Ollama", Models: 3}},
		"no model": {discover.Ollama, pages{"GET /api/tags": `{"models":[]}`}, discover.Server{Name: "Ollama"}},
		"LM Studio": {discover.LMStudio, pages{lmStudio: `{"object":"list","data":[
			{"id":"text-embedding-nomic-embed-text-v1.5","type":"embeddings","state":"loaded","loaded_context_length":2048},
			{"id":"qwen2.5-14b-instruct-1m","type":"llm","state":"not-loaded","max_context_length":1048576},
			{"id":"google/gemma-3-12b","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":8192}]}`}, discover.Server{
			Name: "LM Studio", Models: 3, Model: "google/gemma-3-12b", Sees: true, Context: 8192,
		}},
		"none is loaded": {discover.LMStudio, pages{lmStudio: `{"data":[{"id":"phi-4","type":"llm"},{"id":"mistral-7b","type":"llm"},
			{"id":"qwen3-30b-a3b","type":"llm"}]}`}, discover.Server{Name: "LM Studio", Models: 3, Model: "qwen3-30b-a3b", Context: 4096}},
		"llama.cpp": {discover.OpenAI, pages{models: `{"object":"list","data":[{"id":"../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf",
			"architecture":{"input_modalities":["text","image"],"output_modalities":["text"]},"owned_by":"llamacpp",
			"meta":{"n_ctx_train":131072,"n_params":8030261312,"size":4912898304}}]}`}, discover.Server{
			Name: "llama.cpp", Models: 1, Model: "../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", Sees: true, Context: 131_072,
		}},
		"it is loading": {discover.OpenAI, pages{models: `{"data":[{"id":"mine","owned_by":"llamacpp","meta":null}]}`}, discover.Server{
			Name: "llama.cpp", Models: 1, Model: "mine",
		}},
		"it decides": {discover.OpenAI, pages{models: `{"data":[{"id":"mine","owned_by":"llamacpp","architecture":{"output_modalities":["decisions"]}}]}`}, discover.Server{
			Name: "llama.cpp", Models: 1,
		}},
		"vLLM": {discover.OpenAI, pages{models: `{"object":"list","data":[
			{"id":"tuned","owned_by":"vllm","root":"/x","parent":"Qwen/Qwen3-VL-8B-Instruct","max_model_len":null},
			{"id":"Qwen/Qwen3-VL-8B-Instruct","owned_by":"vllm","root":"Qwen/Qwen3-VL-8B-Instruct","parent":null,"max_model_len":32768}]}`}, discover.Server{
			Name: "vLLM", Models: 2, Model: "Qwen/Qwen3-VL-8B-Instruct", Context: 32_768,
		}},
		"vLLM, tiny":     {discover.OpenAI, pages{models: served("Qwen/Qwen3-0.6B")}, discover.Server{Name: "vLLM", Models: 1}},
		"vLLM, reranker": {discover.OpenAI, pages{models: served("Qwen/Qwen3-Reranker-8B")}, discover.Server{Name: "vLLM", Models: 1}},
		"LocalAI": {discover.OpenAI, pages{models: `{"object":"list","data":[{"id":"stablediffusion","object":"model"},{"id":"whisper-1","object":"model"},
			{"id":"gpt-4","object":"model"},{"id":"gpt-4o","object":"model"},{"id":"text-embedding-ada-002","object":"model"}]}`}, discover.Server{
			Name: "OpenAI-compatible server", Models: 5, Model: "gpt-4o",
		}},
		"it is not clear which": {discover.OpenAI, pages{models: `{"data":[{"id":"mine"},{"id":"yours"}]}`}, discover.Server{
			Name: "OpenAI-compatible server", Models: 2,
		}},
		"invalid model names": {discover.OpenAI, pages{models: `{"data":[{"id":"two words"},{"id":"a\u001b[31m"},{"id":""},{"id":7},null,"x",{"id":"mine"}]}`}, discover.Server{
			Name: "OpenAI-compatible server", Models: 1, Model: "mine",
		}},
	} {
		p := place(t, c.kind, c.pages)
		c.want.Address = p.Address.String()
		c.want.BaseURL = "http://" + c.want.Address + "/v1"
		if found := find(t, ample, p); !reflect.DeepEqual(found, []discover.Server{c.want}) {
			t.Errorf("%s:\n%+v, not\n%+v", name, found, c.want)
		}
	}
}

// TestOthers checks that other programs on such a port are ignored, and do no harm.
func TestOthers(t *testing.T) {
	t.Parallel()
	good := place(t, discover.Ollama, pages{"GET /api/tags": tags("qwen3:8b", "8.2B")})
	says := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) //nolint:errcheck // the client may be gone
		}
	}
	var entries []string
	for i := range 100_000 {
		entries = append(entries, fmt.Sprintf(`{"id":"m%d-8b","name":"m%d"}`, i, i))
	}
	const list = `{"data":[{"id":"a-8b","type":"llm"}],"models":[{"name":"a:8b"}]}`
	for name, h := range map[string]http.Handler{
		"a redirect": http.RedirectHandler("http://"+good.Address.String()+"/api/tags", http.StatusFound),
		"HTML":       says(200, "text/html", "<!doctype html><title>Jupyter</title>"),
		"401":        says(401, "application/json", list),
		"500":        says(500, "application/json", list),
		"nothing":    says(200, "application/json", ""),
		"an error":   says(200, "application/json", `{"error":"Unexpected endpoint or method. (GET /api/tags)"}`),
		"no list":    says(200, "application/json", `{"data":{"id":"a-8b"},"models":"a:8b"}`),
		"null":       says(200, "application/json", `{"data":null,"models":null}`),
		"deep":       says(200, "application/json", strings.Repeat("[", 1<<19)),
		"huge list":  says(200, "application/json", `{"data":[`+strings.Join(entries, ",")+`],"models":[`+strings.Join(entries, ",")+`]}`),
		"endless": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for b := bytes.Repeat([]byte(" "), 1<<16); ; {
				if _, err := w.Write(b); err != nil {
					return
				}
			}
		}),
		"cut off": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, list) //nolint:errcheck // the client may be gone
		}),
		"a gateway": says(200, "application/json", `{"data":[{"id":"gpt-6-luna","owned_by":"openai"}]}`),
		"some of a gateway": says(200, "application/json", `{"data":[{"id":"a-8b","owned_by":"vllm"},{"id":"gpt-6-luna","owned_by":"openai"},
			{"id":"b-8b","owned_by":"vllm"}]}`),
	} {
		for _, kind := range []discover.Kind{discover.Ollama, discover.LMStudio, discover.OpenAI} {
			if kind == discover.LMStudio && strings.Contains(name, "gateway") {
				continue // it names no owners
			}
			if found := find(t, ample, place(t, kind, h)); len(found) > 0 {
				t.Errorf("%s at the port of %s: %+v", name, kind, found)
			}
		}
	}
}

// speak listens on a port with a protocol other than HTTP.
func speak(t *testing.T, say func(net.Conn)) discover.Place {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			say(conn)
			_ = conn.Close() //nolint:errcheck // the client may be gone
		}
	}()
	t.Cleanup(func() {
		_ = l.Close() //nolint:errcheck // it is closed once
		<-done
	})
	return discover.Place{Kind: discover.OpenAI, Address: netip.MustParseAddrPort(l.Addr().String())}
}

// TestNotHTTP checks other protocols, and headers without an end.
func TestNotHTTP(t *testing.T) {
	t.Parallel()
	places := map[string]discover.Place{
		"a greeting":  speak(t, func(c net.Conn) { _, _ = io.WriteString(c, "220 mail ESMTP\r\n") }), //nolint:errcheck // the client may be gone
		"it hangs up": speak(t, func(net.Conn) {}),
		"endless headers": speak(t, func(c net.Conn) {
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for line := "X-More: " + strings.Repeat("a", 1000) + "\r\n"; err == nil; {
				_, err = io.WriteString(c, line)
			}
		}),
	}
	gone := speak(t, func(net.Conn) {})
	gone.Address = netip.AddrPortFrom(gone.Address.Addr(), 1) // where nothing listens
	places["nothing"] = gone
	for name, p := range places {
		if found := find(t, ample, p); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// hangs does not respond until the client disconnects.
func hangs(w http.ResponseWriter, r *http.Request) {
	if f, ok := w.(http.Flusher); ok && r.URL.Path == "/v1/models" {
		f.Flush() // the header comes, and the body does not
	}
	<-r.Context().Done()
}

// TestHanging checks that waiting for a silent server ends with the timeout, or with the context.
func TestHanging(t *testing.T) {
	t.Parallel()
	for _, kind := range []discover.Kind{discover.Ollama, discover.LMStudio, discover.OpenAI} {
		if found := find(t, 20*time.Millisecond, place(t, kind, http.HandlerFunc(hangs))); len(found) > 0 {
			t.Errorf("%s: %+v", kind, found)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := place(t, discover.OpenAI, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		hangs(w, r)
	}))
	if found, err := discover.Find(ctx, discover.Config{Places: []discover.Place{p}, Patience: ample}); len(found) > 0 || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestOrder checks that the first place with a model that can plan is used, without waiting for later ones.
func TestOrder(t *testing.T) {
	t.Parallel()
	tiny := place(t, discover.Ollama, pages{"GET /api/tags": tags("tiny:1b", "1.2B")})
	other := place(t, discover.OpenAI, http.NotFoundHandler())
	first := place(t, discover.LMStudio, pages{"GET /api/v0/models": `{"data":[{"id":"first-8b","type":"llm"}]}`})
	second := place(t, discover.OpenAI, pages{"GET /v1/models": served("second-8b")})
	slow := place(t, discover.OpenAI, http.HandlerFunc(hangs))
	found := find(t, ample, tiny, other, first, second, slow)
	if len(found) != 2 || found[0].Name != "Ollama" || found[0].Model != "" || found[1].Model != "first-8b" {
		t.Errorf("%+v", found)
	}
}

// TestIPv6 checks that servers that listen only on ::1 are found.
func TestIPv6(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "[::1]:0")
	if err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: pages{"GET /v1/models": served("mine")}, ReadHeaderTimeout: ample}}
	s.Start()
	t.Cleanup(s.Close)
	at := netip.MustParseAddrPort(l.Addr().String())
	if found := find(t, ample, discover.Place{Kind: discover.OpenAI, Address: at}); len(found) != 1 || found[0].BaseURL != "http://"+at.String()+"/v1" {
		t.Errorf("%+v", found)
	}
}

// TestNoProxy checks that the proxy of the environment, another machine, is not used.
func TestNoProxy(t *testing.T) {
	var asked atomic.Int64
	proxy := place(t, discover.OpenAI, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://"+proxy.Address.String())
	}
	t.Setenv("NO_PROXY", "")
	if found := find(t, ample, place(t, discover.OpenAI, pages{"GET /v1/models": served("mine")})); len(found) != 1 || asked.Load() > 0 {
		t.Errorf("%+v, and the proxy was asked %d times", found, asked.Load())
	}
}

// TestUsual checks that only this machine is searched, each port on both addresses.
func TestUsual(t *testing.T) {
	t.Parallel()
	var ports []uint16
	for _, p := range discover.DefaultPlaces() {
		if !p.Address.Addr().IsLoopback() {
			t.Errorf("%s is not on this machine", p.Address)
		}
		if p.Address.Addr().Is6() {
			ports = append(ports, p.Address.Port())
		}
	}
	if want := []uint16{11434, 1234, 8080, 8000}; !reflect.DeepEqual(ports, want) || len(discover.DefaultPlaces()) != 2*len(want) {
		t.Errorf("the ports are %v", ports)
	}
}

func TestFindRefuses(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"10.0.0.1:11434", "0.0.0.0:8080", "[fd00::1]:8000"} {
		c := discover.Config{Places: []discover.Place{{Kind: discover.OpenAI, Address: netip.MustParseAddrPort(at)}}}
		if _, err := discover.Find(t.Context(), c); err == nil || !strings.Contains(err.Error(), "not a loopback address: "+at) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := discover.Find(t.Context(), discover.Config{Patience: -1}); err == nil {
		t.Error("a negative patience is taken")
	}
	if found, err := discover.Find(t.Context(), discover.Config{}); len(found) > 0 || err != nil {
		t.Errorf("nowhere: %+v, %v", found, err)
	}
}
