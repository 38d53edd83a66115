package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"atelier/adapters/outbox"
	"atelier/adapters/slack/convert"
)

// FuzzRequests checks that HTTP requests are accepted only if they are signed, whatever their content, and that
// signed ones never cause a panic.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"type":"url_verification","challenge":"x"}`, `{"type":"event_callback","event":{"type":"message","channel":{"id":"C1"},"user":"U1","ts":"1.000001"}}`,
		"payload=%7B%22type%22%3A%22block_actions%22%7D", "{", "", "null", `{"event":{"item":null,"message":{"message":{}}}}`,
	} {
		f.Add(body, "v0=00")
	}
	f.Fuzz(func(t *testing.T, body, signature string) {
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, []byte("secret"))
		mac.Write([]byte("v0:" + stamp + ":" + body))
		right := "v0=" + hex.EncodeToString(mac.Sum(nil))
		for _, path := range []string{"/slack/events", "/slack/interactive", "/slack/commands"} {
			for _, c := range []string{signature, right} {
				s, err := New(Config{BotToken: "xoxb-1", SigningSecret: "secret", State: &outbox.Memory{}, Open: nothing}) // which has seen none
				if err != nil {
					t.Fatal(err)
				}
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
				r.Header["X-Slack-Request-Timestamp"], r.Header["X-Slack-Signature"] = []string{stamp}, []string{c}
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, r)
				if (w.Code == http.StatusUnauthorized) != (c != right) {
					t.Fatalf("%s: %d", path, w.Code)
				}
			}
		}
		var p convert.Envelope
		_ = json.Unmarshal([]byte(body), &p) //nolint:errcheck // it must not panic
	})
}

// signed sends a request as Slack does, and returns the status of the response.
func signed(t *testing.T, s *Slack, at time.Time, path, body string) int {
	t.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(s.config.SigningSecret))
	mac.Write([]byte("v0:" + stamp + ":" + body))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/slack/"+path, strings.NewReader(body))
	r.Header["X-Slack-Request-Timestamp"] = []string{stamp}
	r.Header["X-Slack-Signature"] = []string{"v0=" + hex.EncodeToString(mac.Sum(nil))}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Code
}
