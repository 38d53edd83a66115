package endpoint_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

// row is a server that fails in one way, and the expected error.
type row struct {
	name   string
	answer func(w http.ResponseWriter, r *http.Request, try int)
	config func(*endpoint.Config)
	// kind is "" if the call succeeds.
	kind     endpoint.Kind
	status   int
	after    time.Duration
	tries    int
	least    []time.Duration // that each wait has
	sentence string          // a part of it
}

// status gives every attempt the same response.
func status(code int, body string, header ...string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		write(w, code, body)
	}
}

// then gives the first attempt one response, and the others a good one.
func then(first func(http.ResponseWriter, *http.Request, int)) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, try int) {
		if try == 1 {
			first(w, r, try)
			return
		}
		write(w, http.StatusOK, answer)
	}
}

// reset breaks the connection in the middle of the body.
func reset(w http.ResponseWriter, _ *http.Request, _ int) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, answer[:40])     //nolint:errcheck // it is to fail
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // the same
	panic(http.ErrAbortHandler)
}

// drop breaks the connection before the response.
func drop(http.ResponseWriter, *http.Request, int) { panic(http.ErrAbortHandler) }

// hang does not respond until the client disconnects.
func hang(_ http.ResponseWriter, r *http.Request, _ int) {
	_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // only a read body lets the server see the client go
	<-r.Context().Done()
}

// hangInside sends a part of the body, and nothing more until the client disconnects.
func hangInside(w http.ResponseWriter, r *http.Request, try int) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, answer[:40])     //nolint:errcheck // see below
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // the client may be gone
	hang(w, r, try)
}

func refusalBody(kind, code, message string) string {
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}`
}

var rows = []row{
	{name: "well", answer: status(200, answer), tries: 1},
	{
		name: "401", answer: status(401, refusalBody("invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-pr***789.")),
		kind: endpoint.KeyRefused, status: 401, tries: 1, sentence: "OPENAI_API_KEY",
	},
	{name: "403", answer: status(403, refusalBody("forbidden", "", "no")), kind: endpoint.Forbidden, status: 403, tries: 1, sentence: "does not allow"},
	{
		name: "404 model", answer: status(404, refusalBody("invalid_request_error", "model_not_found", "The model `gpt-test` does not exist or you do not have access to it.")),
		kind: endpoint.ModelUnknown, status: 404, tries: 1, sentence: `does not have the model "gpt-test"`,
	},
	{
		name: "404 page", answer: status(404, "404 page not found"),
		kind: endpoint.ModelUnknown, status: 404, tries: 1, sentence: "OPENAI_BASE_URL",
	},
	{
		name: "429 once, Retry-After in seconds", answer: then(status(429, refusalBody("requests", "rate_limit_exceeded", "slow"), "Retry-After", "7")),
		tries: 2, least: []time.Duration{7 * time.Second},
	},
	{
		name:   "429 once, Retry-After as a date",
		answer: then(status(429, "{}", "Date", "Tue, 03 Nov 2026 10:00:00 GMT", "Retry-After", "Tue, 03 Nov 2026 10:00:42 GMT")),
		tries:  2, least: []time.Duration{42 * time.Second},
	},
	{
		name: "429, Retry-After too long", answer: status(429, "{}", "Retry-After", "61"),
		kind: endpoint.Limited, status: 429, after: 61 * time.Second, tries: 1, sentence: "try again in 61 seconds",
	},
	{
		name: "429, Retry-After each time", answer: status(429, "{}", "Retry-After", "3"),
		kind: endpoint.Limited, status: 429, after: 3 * time.Second, tries: 4,
		least: []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second}, sentence: "in 3 seconds",
	},
	{
		name: "429 without", answer: status(429, ""),
		kind: endpoint.Limited, status: 429, tries: 4, least: []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}, sentence: "in a minute",
	},
	{
		name: "429 quota", answer: status(429, refusalBody("insufficient_quota", "insufficient_quota", "You exceeded your current quota")),
		kind: endpoint.Quota, status: 429, tries: 1, sentence: "quota",
	},
	{
		name: "429 spending limit", answer: status(429, refusalBody("insufficient_quota", "project_spend_limit_exceeded", "limit")),
		kind: endpoint.Quota, status: 429, tries: 1, sentence: "quota",
	},
	{name: "402", answer: status(402, refusalBody("unknown_error", "", "Insufficient Balance")), kind: endpoint.Quota, status: 402, tries: 1, sentence: "billing"},
	{name: "500 once", answer: then(status(500, refusalBody("server_error", "", "The server had an error"))), tries: 2},
	{name: "500", answer: status(500, ""), kind: endpoint.Down, status: 500, tries: 4, sentence: "does not answer"},
	{name: "502", answer: status(502, "<html><h1>Bad Gateway</h1></html>", "Content-Type", "text/html"), kind: endpoint.Down, status: 502, tries: 4},
	{name: "503 with Retry-After", answer: then(status(503, "", "Retry-After", "9")), tries: 2, least: []time.Duration{9 * time.Second}},
	{name: "529", answer: then(status(529, refusalBody("overloaded_error", "", "Overloaded"))), tries: 2},
	{name: "501", answer: status(501, ""), kind: endpoint.Down, status: 501, tries: 1},
	{
		name: "500 that is a long prompt", answer: status(500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"server_error"}}`),
		kind: endpoint.TooLong, status: 500, tries: 1, sentence: "too long",
	},
	{name: "reset in the middle, once", answer: then(reset), tries: 2},
	{name: "reset in the middle, always", answer: reset, kind: endpoint.Malformed, status: 200, tries: 4, sentence: "could not be read"},
	{name: "reset before the answer, once", answer: then(drop), tries: 2},
	{name: "reset before the answer", answer: drop, config: func(c *endpoint.Config) { c.Retries = -1 }, kind: endpoint.Down, tries: 1},
	{
		name: "400 context length", answer: status(400, refusalBody("invalid_request_error", "context_length_exceeded", "This model's maximum context length is 8192 tokens.")),
		kind: endpoint.TooLong, status: 400, tries: 1, sentence: "shorten",
	},
	{
		name: "400 other", answer: status(400, `{"error":{"message":"Invalid schema","type":"invalid_request_error","param":"response_format","code":null}}`),
		kind: endpoint.Rejected, status: 400, tries: 1, sentence: "rejected the request",
	},
	{
		name: "400 by rules on content", answer: status(400, refusalBody("image_generation_user_error", "moderation_blocked", "no")),
		kind: endpoint.Rejected, status: 400, tries: 1, sentence: "content rules",
	},
	{name: "an error in text", answer: status(401, `{"error":"Unauthorized"}`), kind: endpoint.KeyRefused, status: 401, tries: 1},
	{name: "an error in text, other", answer: status(422, `{"error":"text"}`), kind: endpoint.Rejected, status: 422, tries: 1},
	{
		name: "a web page", answer: status(200, "<html>Sign in</html>", "Content-Type", "text/html; charset=utf-8"),
		kind: endpoint.Malformed, status: 200, tries: 1, sentence: "OPENAI_BASE_URL",
	},
	{
		name: "10 MB", answer: status(200, `{"choices":[{"message":{"content":"`+strings.Repeat("a", 10<<20)+`"}}]}`),
		kind: endpoint.Malformed, status: 200, tries: 1, sentence: "could not be read",
	},
	{name: "10 MB of an error page", answer: status(400, "<html>"+strings.Repeat("a", 10<<20), "Content-Type", "text/html"), kind: endpoint.Rejected, status: 400, tries: 1},
	{name: "no JSON", answer: status(200, `{"choices": [}`), kind: endpoint.Malformed, tries: 1, sentence: "could not be read"},
	{name: "another shape", answer: status(200, `{"choices": "none"}`), kind: endpoint.Malformed, tries: 1},
	{name: "nothing", answer: status(200, ""), kind: endpoint.Malformed, tries: 1},
	{name: "a refusal with status 200", answer: status(200, `{"error":{"code":429,"message":"busy"}}`), kind: endpoint.Limited, status: 429, tries: 4},
	{name: "X-Should-Retry: false", answer: status(503, "", "X-Should-Retry", "false"), kind: endpoint.Down, status: 503, tries: 1},
	{name: "an answer with a word of error", answer: status(200, `{"error":{"message":"none"},`+answer[1:]), tries: 1},
	{
		name: "X-Should-Retry: true, of a quota", answer: status(429, refusalBody("insufficient_quota", "", "no"), "X-Should-Retry", "true"),
		kind: endpoint.Quota, status: 429, tries: 1,
	},
	{name: "X-Should-Retry: true", answer: then(status(409, "", "X-Should-Retry", "true")), tries: 2},
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			server, seen := serve(t, r.answer)
			var w waits
			c := endpoint.Config{BaseURL: server.URL + "/v1", Key: secret, Wait: w.wait}
			if r.config != nil {
				r.config(&c)
			}
			text, err := ask(t.Context(), build(t, c))
			if seen.count() != r.tries || len(w.list) != r.tries-1 {
				t.Errorf("%d tries and %d waits, want %d and one less", seen.count(), len(w.list), r.tries)
			}
			for i, least := range r.least {
				if got := w.list[i]; got < least || got > least+4*time.Second {
					t.Errorf("wait %d is %s, want %s and a little", i, got, least)
				}
			}
			if r.kind == "" {
				if err != nil || text != "hello" {
					t.Errorf("got %q, %v", text, err)
				}
				return
			}
			check(t, r, err)
		})
	}
}

func check(t *testing.T, r row, err error) {
	t.Helper()
	if _, ok := errors.AsType[*plan.Fault](err); !ok {
		t.Fatalf("not a fault: %v", err)
	}
	e, ok := errors.AsType[*endpoint.Error](err)
	if !ok {
		t.Fatalf("no detail: %v", err)
	}
	if e.Kind != r.kind || e.Status != r.status || e.After != r.after {
		t.Errorf("kind %s, status %d, after %s; want %s, %d, %s\n%v", e.Kind, e.Status, e.After, r.kind, r.status, r.after, err)
	}
	if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, r.sentence) {
		t.Errorf("sentence %q, want %q in it", got, r.sentence)
	}
	if endpoint.KindOf(err) != r.kind {
		t.Errorf("KindOf is %s", endpoint.KindOf(err))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the end of one try must not look like the end of the request")
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, hang)
	server.Close()
	var w waits
	_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server.URL, Wait: w.wait, Retries: 2}))
	check(t, row{kind: endpoint.Down, sentence: "does not answer"}, err)
	if len(w.list) != 2 {
		t.Errorf("waits: %v", w.list)
	}
}

func TestUntrustedServerIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	server, _ := serveTLS(t)
	var w waits
	_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server, Wait: w.wait}))
	check(t, row{kind: endpoint.Down}, err)
	if len(w.list) != 0 || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("waits %v: %v", w.list, err)
	}
}

func TestEachKindHasItsSentence(t *testing.T) {
	t.Parallel()
	kinds := []endpoint.Kind{
		endpoint.KeyRefused, endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.Quota,
		endpoint.TooLong, endpoint.Rejected, endpoint.Down, endpoint.TimedOut, endpoint.Malformed,
	}
	seen := map[string]endpoint.Kind{}
	for _, k := range kinds {
		err := endpoint.Explain(&endpoint.Error{Kind: k, Err: errors.New("detail")}, "m")
		s := plan.OperatorSentence(err, plan.Message{}).String()
		if other, ok := seen[s]; ok || !strings.HasSuffix(s, ".") {
			t.Errorf("%s: %q, as %s", k, s, other)
		}
		seen[s] = k
		if people := plan.Sentence(err, plan.Message{}).String(); strings.Contains(people, "_") {
			t.Errorf("%s: people are told a setting: %q", k, people)
		}
	}
}

// TestNoKey checks that if the server requires a key and none is set, the error says so, and not that a key was
// rejected.
func TestNoKey(t *testing.T) {
	t.Parallel()
	refused := &endpoint.Error{Kind: endpoint.KeyRefused, Err: errors.New("detail")}
	names := endpoint.Names{Key: "DECOMPOSER_API_KEY"}
	for want, c := range map[string]endpoint.Config{
		"The model server needs a key, and none is set: set OPENAI_API_KEY.":     {},
		"The model server needs a key, and none is set: set DECOMPOSER_API_KEY.": {Names: names},
		"The model server refused the key: check DECOMPOSER_API_KEY.":            {Names: names, Key: "sk-1"},
	} {
		if got := plan.OperatorSentence(build(t, c).Explain(refused, "m"), plan.Message{}).String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
