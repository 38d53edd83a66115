package endpoint_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// keys are those of the table: in the usual form, with symbols, of an Azure resource, and one without any form.
var keys = []string{secret, "p@ss:w%rd/+=&?'x", "0123456789abcdef0123456789abcdef", "ollama-local"}

// echoes returns servers that repeat a key, in every possible place.
func echoes(key string) map[string]func(http.ResponseWriter, *http.Request, int) {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key)
	return map[string]func(http.ResponseWriter, *http.Request, int){
		"message":    status(401, refusalBody("auth", "invalid_api_key", "Incorrect API key provided: "+quoted+". Find yours at https://x.example.")),
		"code":       status(400, refusalBody(quoted, quoted, "bad")),
		"param":      status(400, `{"error":{"message":"bad","param":"`+quoted+`"}}`),
		"text":       status(403, `{"error":"no `+quoted+`"}`),
		"plain body": status(500, "key="+key+" Bearer "+key),
		"page":       status(502, "<html>"+key+"</html>"),
		"escaped":    status(400, refusalBody("x", "y", "?key="+url.QueryEscape(key)+" "+url.PathEscape(key))),
		"prefix":     status(401, refusalBody("x", "y", "the key "+strings.ReplaceAll(quoted[:len(key)-4], `"`, "")+" is wrong")),
		"header":     status(429, "{}", "Retry-After", key, "X-Should-Retry", key, "Www-Authenticate", key),
		"redirect":   status(302, "", "Location", "https://"+url.PathEscape(key)+":x@other.example/"+url.PathEscape(key)+"?k="+url.QueryEscape(key)),
		"redirect to a host of that name": status(302, "", "Location", "https://"+strings.Map(func(r rune) rune {
			if strings.ContainsRune("@:%/+=&?'", r) {
				return '-'
			}
			return r
		}, key)+".example/"),
		"no JSON":     status(200, key),
		"wrong shape": status(200, `{"choices":"`+quoted+`"}`),
		"no HTTP": func(w http.ResponseWriter, _ *http.Request, _ int) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = fmt.Fprintf(conn, "%s\r\n\r\n", key) //nolint:errcheck // the client may be gone
				_ = conn.Close()                            //nolint:errcheck // the same
			}
		},
	}
}

func TestKeyIsNeverTold(t *testing.T) {
	t.Parallel()
	for _, key := range keys {
		for name, answer := range echoes(key) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server, _ := serve(t, answer)
				var w waits
				var log journal
				base := strings.Replace(server.URL, "http://", "http://"+url.UserPassword("someone", key).String()+"@", 1)
				_, err := ask(endpoint.Label(t.Context(), "r1", "decompose", 1),
					build(t, endpoint.Config{BaseURL: base, Key: key, Wait: w.wait, Log: log.logger(), Retries: 1}))
				if err == nil {
					t.Fatal("no error")
				}
				tellsNothing(t, key, fmt.Sprintf("%v %+v %#v", err, err, err)+everything(err)+log.String())
			})
		}
	}
}

// everything returns the text of an error and of all errors that it wraps.
func everything(err error) string {
	var b strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%s\n%s\n", err, address.ReplaceAllString(fmt.Sprintf("%#v", err), ""))
	}
	return b.String()
}

// address matches a pointer in the output of %#v. Its digits may spell a word such as "caf".
var address = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

func tellsNothing(t *testing.T, key, text string) {
	t.Helper()
	for _, form := range []string{key, url.QueryEscape(key), url.PathEscape(key), key[:len(key)-4], base64.StdEncoding.EncodeToString([]byte("someone:" + key))} {
		if strings.Contains(text, form) {
			t.Errorf("%q is in\n%s", form, text)
		}
	}
	if strings.Contains(text, "someone") {
		t.Errorf("the user info is in\n%s", text)
	}
}

// A carrier fails with an error that names what it was given.
type teller struct{}

func (teller) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("cannot send %s with %v", r.URL, r.Header)
}

func TestErrorOfTheTransport(t *testing.T) {
	t.Parallel()
	for _, key := range keys {
		var w waits
		var log journal
		base := (&url.URL{Scheme: "https", Host: "models.example", User: url.UserPassword("someone", key), Path: "/v1"}).String()
		_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: base, Key: key, Transport: teller{}, Wait: w.wait, Log: log.logger()}))
		check(t, row{kind: endpoint.Down}, err)
		for _, form := range []string{key, url.QueryEscape(key), url.PathEscape(key)} {
			if strings.Contains(everything(err)+log.String(), form) {
				t.Errorf("%q is in %v\n%s", form, err, log.String())
			}
		}
	}
}

// TestSecretPatterns checks that messages contain neither texts that look like keys, nor people's words that the
// server quotes.
func TestSecretPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ message, hidden, kept string }{
		{"Incorrect API key provided: sk-abcd***************wxyz.", "wxyz", "Incorrect API key provided"},
		{"key AIzaSyA1234567890abcdef is wrong", "AIzaSy", "is wrong"},
		{"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "eyJ", "token"},
		{"Authorization: Bearer abc.def", "abc.def", "Authorization"},
		{"use hf_abcdefghijk", "hf_abc", "use"},
		{"data 0123456789abcdef0123456789abcdef0123", "0123456789", "data"},
		{"Invalid value: 'please make my cat a cartoon'. Supported values are: 'text'.", "my cat", "Supported values are: 'text'"},
		{"It's \\\"please make my cat a cartoon\\\" that doesn't parse", "my cat", "that doesn't parse"},
		{"[{'type': 'missing', 'input': {'content': 'please make my cat a cartoon'}}]", "my cat", "["},
		{"Unsupported value: 'temperature' does not support 0.1 with this model.", "sk-", "'temperature' does not support 0.1"},
		{"unclosed 'please make my cat a cartoon", "my cat", "unclosed"},
		{strings.Repeat("long ", 200), strings.Repeat("long ", 100), "long long"},
	} {
		server, _ := serve(t, status(400, refusalBody("invalid_request_error", "", c.message)))
		_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server.URL}))
		if err == nil || strings.Contains(err.Error(), c.hidden) || !strings.Contains(err.Error(), c.kept) {
			t.Errorf("%q: %v", c.message, err)
		}
	}
}

// TestShortKey checks that a short key is hidden only where it is a whole word.
func TestShortKey(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, status(401, refusalBody("x", "x1", "the key x1 is wrong, ox1en are not")))
	_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server.URL, Key: "x1"}))
	e, ok := errors.AsType[*endpoint.Error](err)
	if !ok || e.Code != "x" || !strings.Contains(err.Error(), "the key [hidden] is wrong, ox1en are not") {
		t.Errorf("got %v", err)
	}
}

func TestRetriesAreLogged(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, then(status(503, "raw words", "Retry-After", "9")))
	var w waits
	var log journal
	e := build(t, endpoint.Config{BaseURL: server.URL, Key: secret, Wait: w.wait, Log: log.logger()})
	if _, err := ask(endpoint.Label(t.Context(), "r1", "decompose", 2), e); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	for _, s := range []string{"level=WARN", "host=" + e.Host(), "label=r1/decompose/2", "try=1", "status=503", "wait=9."} {
		if !strings.Contains(text, s) {
			t.Errorf("%s is not in %s", s, text)
		}
	}
	if strings.Count(text, "\n") != 1 || strings.Contains(text, "raw words") || strings.Contains(text, "cat") {
		t.Errorf("log: %s", text)
	}
}

func TestSortOfOtherErrors(t *testing.T) {
	t.Parallel()
	if endpoint.Explain(nil, "m") != nil {
		t.Error("nil is no failure")
	}
	for _, err := range []error{context.Canceled, fmt.Errorf("x: %w", context.DeadlineExceeded)} {
		passesThrough(t, endpoint.Explain(err, "m"), err)
	}
	once := endpoint.Explain(errors.New("something"), "m")
	if endpoint.KindOf(once) != endpoint.Rejected || endpoint.Explain(once, "other") != once { //nolint:errorlint // the same one
		t.Errorf("sorted twice: %v", once)
	}
	if k := endpoint.KindOf(errors.New("x")); k != "" {
		t.Errorf("kind %s", k)
	}
}

// TestEchoes checks that people's words are hidden, in quotes within quotes, escaped, or bare.
func TestEchoes(t *testing.T) {
	t.Parallel()
	const wish = `Write "purple elephant" on the café's 画一只猫 sign` + "\nfor Óscar"
	for _, c := range []struct {
		message string
		hidden  []string
		kept    string
	}{
		{`Invalid value: "write \"purple elephant\" on it".`, []string{"purple", "elephant"}, "Invalid value"},
		{`Invalid value: "say \"gone fishing\" on it". Use json.`, []string{"fishing", "gone", "on it"}, "Use json."},
		{"Failed to parse input at pos 0: Write “purple elephant…", []string{"Write", "purple", "elephant"}, "Failed to parse input at pos 0"},
		{"Unexpected: PURPLE ELEPHANT on the", []string{"PURPLE", "ELEPHANT"}, "Unexpected"},
		{`near on the caf\u00e9's sign\nfor \u00d3scar it ends`, []string{"caf", "sign", "scar"}, "it ends"},
		{"bad input 一只猫", []string{"一", "只", "猫"}, "bad input"},
		{`bad input \u4e00\u53ea\u732b here`, []string{"4e00", "732b"}, "here"},
		{"Unsupported value: 'temperature' does not support 0.1 with this model.", nil, "'temperature' does not support 0.1 with this model."},
		{"You are a planner, said the prompt", nil, "You are a planner, said the prompt"},
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": c.message}})
		if err != nil {
			t.Fatal(err)
		}
		server, _ := serve(t, status(400, string(body)))
		var log journal
		e := build(t, endpoint.Config{BaseURL: server.URL, Log: log.logger()})
		_, chat := e.Client().CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m", Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: "You are a planner."},
			{Role: "user", MultiContent: []openai.ChatMessagePart{
				{Type: "text", Text: wish},
				{Type: "image_url", ImageURL: &openai.ChatMessageImageURL{URL: "data:image/jpeg;base64,Unsupported value"}},
			}},
		}})
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		if err := w.WriteField("prompt", wish); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, edit := e.Post(t.Context(), "/images/edits", "m", w.FormDataContentType(), form.Bytes())
		for _, err := range []error{endpoint.Explain(chat, "m"), edit} {
			said := everything(err)
			for _, word := range c.hidden {
				if strings.Contains(said+log.String(), word) {
					t.Errorf("%q: %q is told in %s", c.message, word, said)
				}
			}
			if !strings.Contains(said, c.kept) {
				t.Errorf("%q: %q is not told in %s", c.message, c.kept, said)
			}
		}
	}
}

// TestEchoOfOneWord checks that the only word of a prompt is hidden, too.
func TestEchoOfOneWord(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, status(400, `{"error":"no prompt may be elephant"}`))
	_, err := build(t, endpoint.Config{BaseURL: server.URL}).Post(t.Context(), "/images", "m", "application/json", []byte(`{"model":"m","prompt":"Elephant"}`))
	if said := everything(err); strings.Contains(said, "elephant") || !strings.Contains(said, "no prompt may be …") {
		t.Error(said)
	}
}

func TestNamesOfTheSettings(t *testing.T) {
	t.Parallel()
	names := endpoint.Names{Key: "DECOMPOSER_API_KEY", BaseURL: "DECOMPOSER_BASE_URL", Model: "DECOMPOSER_MODEL"}
	for _, c := range []struct {
		status int
		body   string
		want   []string
	}{
		{401, "{}", []string{"DECOMPOSER_API_KEY"}},
		{404, "{}", []string{"DECOMPOSER_MODEL", "DECOMPOSER_BASE_URL"}},
		{501, "{}", []string{"DECOMPOSER_BASE_URL"}},
		{200, "no JSON", []string{"DECOMPOSER_BASE_URL"}},
	} {
		server, _ := serve(t, status(c.status, c.body))
		e := build(t, endpoint.Config{BaseURL: server.URL, Names: names})
		_, err := e.Client().CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m"})
		_, list := e.Models(t.Context())
		for _, err := range []error{e.Explain(err, "m"), list} {
			if err == nil { // a server need not list its models
				continue
			}
			said := everything(err)
			for _, want := range c.want {
				if !strings.Contains(said, want) || strings.Contains(said, "OPENAI_") {
					t.Errorf("%d: %s is not told in %s", c.status, want, said)
				}
			}
		}
	}
}
