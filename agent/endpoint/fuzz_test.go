package endpoint

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"atelier/agent/plan"
)

// FuzzRefusal parses arbitrary bodies and headers: the result must have a kind and a sensible wait, and must not
// contain the key.
func FuzzRefusal(f *testing.F) {
	const key = "sk-proj-Abc123Def456Ghi789"
	for _, body := range []string{
		"", "null", "{", "<html>", "plain", `{"error":"x"}`, `[{"error":{"code":400}}]`, `{"detail":[{"msg":"x"}]}`,
		`{"error":{"message":"Incorrect API key provided: ` + key + `","code":"` + key + `","param":"` + key + `","type":"t"}}`,
		`{"error":"{\"error\":{\"message\":\"'` + key + `\"}}"}`, `{"message":"it's 'a' ` + key, strings.Repeat("[", 100),
		`{"error":{"message":"\u0073k-proj-Abc123Def456Ghi789"}}`,
	} {
		f.Add(429, body, "20", "")
	}
	f.Add(503, "", "Tue, 03 Nov 2026 10:00:30 GMT", "1e400")
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, status int, body, after, millis string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {millis}}
		if d := retryAfter(h, now); d < 0 {
			t.Errorf("a wait of %s", d)
		}
		r := parseRefusal([]byte(body))
		if h, ok := hiddenRefusal([]byte(body)); ok && h == (refusal{}) {
			t.Error("a refusal without words is none")
		}
		e := newError(status, r, secrets{key}, nil)
		sentence := plan.OperatorSentence(Explain(e, "m"), plan.Message{}).String()
		if e.Kind == "" || sentence == "" {
			t.Errorf("no kind or no sentence: %v", e)
		}
		for _, told := range []string{e.Error(), e.Code, e.Param, sentence} {
			if strings.Contains(told, key) || strings.Contains(told, url.QueryEscape(key)) {
				t.Errorf("the key is told: %s", told)
			}
			if !utf8.ValidString(told) || utf8.RuneCountInString(told) > 2*maxDetail || strings.ContainsAny(told, "\n\r") {
				t.Errorf("not fit for a log: %q", told)
			}
		}
	})
}

// FuzzLabel checks that the label arrives, or a beginning of it.
func FuzzLabel(f *testing.F) {
	f.Add("r1", "decompose", 1)
	f.Add("a/b%\r\n", "图片", -1)
	f.Fuzz(func(t *testing.T, request, job string, round int) {
		header := label(Label(t.Context(), request, job, round))
		gotRequest, gotJob, gotRound, ok := ParseLabel(header)
		if !ok || gotRound != round || len(header) > 512 {
			t.Fatalf("%q", header)
		}
		if !strings.HasPrefix(strings.ToValidUTF8(request, "\uFFFD"), gotRequest) || !strings.HasPrefix(strings.ToValidUTF8(job, "\uFFFD"), gotJob) {
			t.Errorf("%q, %q became %q, %q", request, job, gotRequest, gotJob)
		}
		if strings.ContainsFunc(header, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("not ASCII: %q", header)
		}
	})
}
