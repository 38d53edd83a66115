package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/plan"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header map[string]string
		want   time.Duration
	}{
		{nil, 0},
		{map[string]string{"Retry-After": "20"}, 20 * time.Second},
		{map[string]string{"Retry-After": " 1.5 "}, 1500 * time.Millisecond},
		{map[string]string{"Retry-After": "0"}, 0},
		{map[string]string{"Retry-After": "-5"}, 0},
		{map[string]string{"Retry-After": "NaN"}, 0},
		{map[string]string{"Retry-After": "soon"}, 0},
		{map[string]string{"Retry-After": "1e300"}, 365 * 24 * time.Hour},
		{map[string]string{"Retry-After-Ms": "250", "Retry-After": "20"}, 250 * time.Millisecond},
		{map[string]string{"Retry-After-Ms": "x", "Retry-After": "20"}, 20 * time.Second},
		{map[string]string{"Retry-After": "Tue, 03 Nov 2026 10:00:30 GMT"}, 30 * time.Second},
		{map[string]string{"Retry-After": "Tue, 03 Nov 2026 09:00:00 GMT"}, 0},
		// The server's clock is an hour behind ours.
		{map[string]string{"Retry-After": "Tue, 03 Nov 2026 09:00:30 GMT", "Date": "Tue, 03 Nov 2026 09:00:00 GMT"}, 30 * time.Second},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%v: %s, want %s", c.header, got, c.want)
		}
	}
}

func TestPrivateNames(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "ollama": true, "gpu-box.local": true, "gpu-box.LOCAL.": true, "llm.internal": true,
		"host.docker.internal": true, "nas.home.arpa": true, "app.localhost": true, "vllm.models.svc.cluster.local": true,
		"127.0.0.1": true, "127.8.8.8": true, "0.0.0.0": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true, "169.254.1.1": true, "100.64.0.7": true,
		"[::1]": true, "[fe80::1]": true, "[fe80::1%25eth0]": true, "[fd00::1]": true, "[::ffff:10.0.0.1]": true,
		"api.openai.com": false, "local.example.com": false, "notlocal": true, "evil-internal.com": false, "x.locale": false, "mylocal.com": false,
		"8.8.8.8": false, "172.32.0.1": false, "100.128.0.1": false, "[2606:4700::1111]": false, "[::ffff:8.8.8.8]": false,
		"134744072": false, "0x08080808": false, "127.1": false, "10.0.0.1.example.com": false,
	} {
		e, err := New(Config{BaseURL: "http://" + host + ":8080/v1"})
		if err != nil {
			t.Fatal(err)
		}
		if e.Private() != want {
			t.Errorf("%s: %v", host, e.Private())
		}
	}
}

// TestPrivateMeansPrivate checks that a private name that resolves to a public address is rejected before anything
// is sent.
func TestPrivateMeansPrivate(t *testing.T) {
	t.Parallel()
	waited := func(context.Context, time.Duration) error { return errors.New("it must not be asked again") }
	e, err := New(Config{BaseURL: "http://192.0.2.1:9/v1", Transport: newTransport(true), Wait: waited})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Models(t.Context())
	if KindOf(err) != Down || !strings.Contains(err.Error(), "resolves to the public address") {
		t.Errorf("got %v", err)
	}
	for address, allowed := range map[string]bool{"10.0.0.1:80": true, "[fe80::1%eth0]:80": true, "8.8.8.8:80": false, "[2606:4700::1111]:443": false, "nonsense": false} {
		if err := onlyPrivate("tcp", address, nil); (err == nil) != allowed {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPrivateIsReachedWithoutProxy(t *testing.T) {
	t.Parallel()
	if newTransport(true).Proxy != nil || newTransport(false).Proxy == nil {
		t.Error("a proxy is another host")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[]}`) //nolint:errcheck // the client may be gone
	}))
	defer server.Close()
	e, err := New(Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Models(t.Context()); got == nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestFormsOfRefusal covers the error formats of servers, from their documentation, source and issue threads.
func TestFormsOfRefusal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server string
		status int
		body   string
		want   Kind
	}{
		{"OpenAI, unknown model", 404, `{"error":{"message":"The model 'x' does not exist","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, ModelUnknown},
		{"OpenAI, model not for this project", 403, `{"error":{"message":"Project p does not have access to model x","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, ModelUnknown},
		{"OpenAI, region", 403, `{"error":{"message":"Country not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`, Forbidden},
		{"OpenAI, too long", 400, `{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, TooLong},
		{"OpenAI, one message too long", 400, `{"error":{"message":"Invalid 'messages[0].content': string too long.","type":"invalid_request_error","param":"messages[0].content","code":"string_above_max_length"}}`, TooLong},
		{"OpenAI, more than the limit a minute", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, TooLong},
		{"OpenAI, limit", 429, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, Limited},
		{"OpenAI, images' billing", 400, `{"error":{"code":"billing_hard_limit_reached","message":"Billing hard limit has been reached.","param":null,"type":"invalid_request_error"}}`, Quota},
		{"OpenAI, credit", 429, `{"error":{"code":"credit_balance_exhausted","message":"No credit.","type":"insufficient_quota"}}`, Quota},
		{"Azure, key", 401, `{"statusCode": 401, "message": "Access denied due to invalid subscription key or wrong API endpoint."}`, KeyRefused},
		{"Azure, deployment", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, ModelUnknown},
		{"Azure, v1", 400, `{"error":{"code":"unknown_model","message":"Unknown model: x"}}`, ModelUnknown},
		{"Azure, limit", 429, `{"error":{"code":"429","message":"Requests have exceeded call rate limit of your current pricing tier. Please retry after 20 seconds."}}`, Limited},
		{"Azure, too long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, TooLong},
		{"Azure, content", 400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, Rejected},
		{"vLLM, key", 401, `{"error":"Unauthorized"}`, KeyRefused},
		{"vLLM, unknown model", 404, `{"error":{"message":"The model x does not exist.","type":"NotFoundError","param":"model","code":404}}`, ModelUnknown},
		{"vLLM, unknown model, old", 404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, ModelUnknown},
		{"vLLM, too long", 400, `{"error":{"message":"You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 1014 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, TooLong},
		{"vLLM, too long, old", 400, `{"object":"error","message":"This model's maximum context length is 32768 tokens. However, you requested 41648 tokens (37552 in the messages, 4096 in the completion).","type":"BadRequestError","param":null,"code":400}`, TooLong},
		{"vLLM, too long to say how", 400, `{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","param":null,"code":400}`, TooLong},
		{"vLLM, pictures too long", 400, `{"error":{"message":"The decoder prompt (length 12324) is longer than the maximum model length of 8192.","type":"BadRequestError","param":null,"code":400}}`, TooLong},
		{"vLLM, other", 400, `{"error":{"message":"[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}]","type":"Bad Request","param":null,"code":400}}`, Rejected},
		{"Ollama, unknown model", 404, `{"error":{"message":"model 'x' not found","type":"not_found_error","param":null,"code":null}}`, ModelUnknown},
		{"Ollama, unknown model, with another status", 400, `{"error":"model \"x\" not found, try pulling it first"}`, ModelUnknown},
		{"Ollama, too long", 400, `{"error":"the input length exceeds the context length"}`, TooLong},
		{"Ollama, too long, of the server under it", 400, `{"error":"{\"error\":{\"code\":400,\"message\":\"request (2622 tokens) exceeds the available context size (512 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":2622,\"n_ctx\":512}}"}`, TooLong},
		{"Ollama, the same by its OpenAI dialect", 400, `{"error":{"message":"{\"error\":{\"code\":400,\"message\":\"too much\",\"type\":\"exceed_context_size_error\"}}","type":"invalid_request_error","param":null,"code":null}}`, TooLong},
		{"Ollama, no memory", 500, `{"error":{"message":"model requires more system memory","type":"api_error","param":null,"code":null}}`, Down},
		{"llama.cpp, too long", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`, TooLong},
		{"llama.cpp, too long, first form", 500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, TooLong},
		{"llama.cpp, loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, Down},
		{"llama.cpp, key", 401, `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`, KeyRefused},
		{"llama-cpp-python, too long", 400, `{"error":{"message":"Requested tokens (2285) exceed context window of 2048","type":"invalid_request_error","param":"messages","code":null}}`, TooLong},
		{"LocalAI, unknown model", 500, `{"error":{"code":500,"message":"could not load model - all backends returned error: 23 errors occurred","type":""}}`, ModelUnknown},
		{"Text Generation Inference, too long", 422, "{\"error\":\"Input validation error: `inputs` must have less than 1024 tokens. Given: 2000\",\"error_type\":\"validation\"}", TooLong},
		{"SGLang, too long", 400, `{"object":"error","message":"The input (40000 tokens) is longer than the model's context length (32768 tokens).","type":"BadRequestError","param":null,"code":400}`, TooLong},
		{"Gemini, key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, KeyRefused},
		{"Gemini, too long", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, TooLong},
		{"Mistral, unknown model", 400, `{"object":"error","message":"Invalid model: x","type":"invalid_model","param":null,"code":"1500"}`, ModelUnknown},
		{"Mistral, too long", 400, `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, TooLong},
		{"DeepSeek, unknown model", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, ModelUnknown},
		{"DeepSeek, balance", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, Quota},
		{"OpenRouter, unknown model", 400, `{"error":{"message":"x/y is not a valid model ID","code":400}}`, ModelUnknown},
		{"Anthropic, too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, TooLong},
		{"Anthropic, overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Down},
		{"a proxy, too large", 413, `<html>413 Request Entity Too Large</html>`, TooLong},
		{"FastAPI, missing", 404, `{"detail":"Not Found"}`, ModelUnknown},
		{"FastAPI, shape", 422, `{"detail":[{"loc":["body","x"],"msg":"field required","type":"value_error.missing"}]}`, Rejected},
		{"408", 408, ``, TimedOut},
		{"a stream, limit", 200, `{"error":{"message":"slow","type":"rate_limit_error"}}`, Limited},
		{"a stream, trouble", 200, `{"error":{"message":"oh","type":"server_error"}}`, Down},
	} {
		if got := newError(c.status, parseRefusal([]byte(c.body)), nil, nil); got.Kind != c.want {
			t.Errorf("%s: %s, want %s\n%v", c.server, got.Kind, c.want, got)
		}
	}
}

// TestCodeAndParam covers the parts of a server's error that callers decide by.
func TestCodeAndParam(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"error":{"message":"m","type":"invalid_request_error","param":"response_format","code":null}}`: {"invalid_request_error", "response_format"},
		`{"error":{"message":"m","type":"t","param":"messages[0].content","code":"c"}}`:                  {"c", "messages[0].content"},
		`{"error":{"message":["m","n"],"type":"t","code":400}}`:                                          {"t", ""},
		`{"error":{"message":"m","code":"two words","param":"please make my cat a cartoon"}}`:            {"", ""},
		`{"error":"m","error_type":"validation"}`:                                                        {"validation", ""},
		`{"error":null,"message":"m","type":"t"}`:                                                        {"t", ""},
		`[]`:   {"", ""},
		`null`: {"", ""},
		`12`:   {"", ""},
	} {
		if e := newError(400, parseRefusal([]byte(body)), nil, nil); e.Code != want[0] || e.Param != want[1] || e.Kind != Rejected {
			t.Errorf("%s: %q, %q, %s", body, e.Code, e.Param, e.Kind)
		}
	}
}

// TestErrorsOfTheClientItself covers errors that go-openai makes itself: the status is known even if the body gives an
// APIError without one.
func TestErrorsOfTheClientItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   Kind
	}{
		{401, `{"error":"Unauthorized"}`, KeyRefused},
		{503, `<html>down</html>`, Down},
		{404, `{"error":{"message":"no","type":"t","code":"model_not_found"}}`, ModelUnknown},
		{429, `{"error":{"message":"no","type":"insufficient_quota","param":"p","code":429}}`, Quota},
		{429, `{"error":{"message":"no"}}`, Limited},
		{200, `nonsense`, Malformed},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body) //nolint:errcheck // the client may be gone
		}))
		config := openai.DefaultConfig("k")
		config.BaseURL = server.URL
		_, err := openai.NewClientWithConfig(config).ListModels(t.Context())
		server.Close()
		e, ok := errors.AsType[*Error](Explain(err, "m"))
		if !ok || e.Kind != c.want || e.Kind != Malformed && e.Status != c.status {
			t.Errorf("%d %s: %v", c.status, c.body, e)
		}
	}
	config := openai.DefaultConfig("k")
	config.BaseURL = "http://user:password@127.0.0.1:1/v1"
	_, err := openai.NewClientWithConfig(config).ListModels(t.Context())
	if err = Explain(err, "m"); KindOf(err) != Down || strings.Contains(err.Error(), "user") {
		t.Errorf("no connection: %v", err)
	}
}

func TestWordsForPeople(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "a minute", time.Millisecond: "a second", 1500 * time.Millisecond: "1.5 seconds", 90 * time.Second: "90 seconds",
		time.Hour: "60 minutes", 25 * time.Hour: "25 hours", 365 * 24 * time.Hour: "more than two weeks",
	} {
		if got := span(d).String(); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	for model, want := range map[string]string{
		"gpt-5": `The model server does not have the model "gpt-5":`, "meta/llama": `The model server does not have the model "meta/llama":`, "/srv/models/llama.gguf": `The model server does not have the model "llama.gguf":`,
		`C:\models\llama.gguf`: `The model server does not have the model "llama.gguf":`, "../llama.gguf": `The model server does not have the model "llama.gguf":`, "": "The model server does not have this model:",
	} {
		s := plan.OperatorSentence(Explain(&Error{Kind: ModelUnknown, Err: errors.New("x")}, model), plan.Message{}).String()
		if !strings.HasPrefix(s, want) {
			t.Errorf("%q: %q", model, s)
		}
	}
}

// TestBodyThatIsReadOnce checks that a body that can be read only once is kept for the next attempt.
func TestBodyThatIsReadOnce(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) //nolint:errcheck // what came is compared
		got = append(got, string(b))
		if len(got) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer server.Close()
	e, err := New(Config{BaseURL: server.URL, Wait: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, io.MultiReader(strings.NewReader("once")))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newDoer(e, Config{Wait: func(context.Context, time.Duration) error { return nil }}, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it is in memory
	if len(got) != 2 || got[0] != "once" || got[1] != "once" {
		t.Errorf("sent %q", got)
	}
}

func TestBodyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	e, err := New(Config{BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:1", io.MultiReader(iotest.ErrReader(broken)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newDoer(e, Config{}, "").Do(req)
	if resp != nil {
		_ = resp.Body.Close() //nolint:errcheck // there should be none
	}
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
