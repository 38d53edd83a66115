package slacktest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters/slack/slacktest"
)

// hook is a bot that receives HTTP events, verified by slack-go, and responds as told.
type hook struct {
	mu      sync.Mutex
	answers []int // the statuses of the next answers; then 200
	got     []string
	retries []string
	pause   chan struct{}
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var secret slack.SecretsVerifier
	secret, err = slack.NewSecretsVerifier(r.Header, "8f742231b10e8888abcd99yyyzzz85a5")
	if err == nil {
		_, err = secret.Write(body)
	}
	if err != nil || secret.Ensure() != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var said struct {
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(body, &said) == nil && said.Challenge != "" {
		_, _ = io.WriteString(w, said.Challenge) //nolint:errcheck // the server sees that it is missing
		return
	}
	h.mu.Lock()
	h.got = append(h.got, r.URL.Path+" "+string(body))
	if n := r.Header.Get("X-Slack-Retry-Num"); n != "" {
		h.retries = append(h.retries, n+" "+r.Header.Get("X-Slack-Retry-Reason"))
	}
	status, pause := http.StatusOK, h.pause
	if len(h.answers) > 0 {
		status, h.answers = h.answers[0], h.answers[1:]
	}
	h.mu.Unlock()
	if status == 0 {
		<-pause
		return
	}
	w.WriteHeader(status)
}

func serve(t *testing.T, h *hook) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func TestHTTPEvents(t *testing.T) {
	t.Parallel()
	h := &hook{answers: []int{500, 0, 200}, pause: make(chan struct{})}
	s := slacktest.New(t, slacktest.Options{AckWithin: 50 * time.Millisecond, Retries: []time.Duration{0, 0, 0}})
	s.Webhooks.Deliver(serve(t, h))
	t.Cleanup(func() { close(h.pause) })
	if !s.Webhooks.Challenge() {
		t.Error("the challenge was not answered")
	}
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "hi"})
	until(t, s, "it is taken", s.Deliveries.Idle)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.got) < 3 || !strings.HasPrefix(h.got[0], "/slack/events ") || h.got[0] != h.got[1] || h.got[1] != h.got[2] ||
		!slices.Equal(h.retries[:2], []string{"1 http_error", "2 http_timeout"}) {
		t.Errorf("%q %q", h.got, h.retries)
	}
}

func TestForgeries(t *testing.T) {
	t.Parallel()
	h := &hook{}
	s := slacktest.New(t, slacktest.Options{AckWithin: time.Minute})
	s.Webhooks.Deliver(serve(t, h))
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	p := slacktest.Post{Channel: c, By: ann, Text: "hi"}
	for _, flaw := range []slacktest.Forgery{
		slacktest.WrongSecret, slacktest.NoSignature, slacktest.ChangedBody, slacktest.OldTimestamp, slacktest.Future,
	} {
		if status := s.Webhooks.Forge(flaw, p); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", flaw, status)
		}
	}
	s.People.Say(p)
	until(t, s, "it is taken", s.Deliveries.Idle)
	if status := s.Webhooks.Replay(); status != http.StatusOK { // slack-go's verifier accepts a replay
		t.Errorf("the replay: %d", status)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.got) != 2 || h.got[0] != h.got[1] {
		t.Errorf("%q", h.got)
	}
}

func TestHTTPInteractions(t *testing.T) {
	t.Parallel()
	h := &hook{answers: []int{200, 200, 500}}
	s := slacktest.New(t, slacktest.Options{AckWithin: time.Minute})
	s.Webhooks.Deliver(serve(t, h))
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	ts := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "hi", Silent: true})
	if _, err := s.Interactions.Command(ann, c, "/atelier", "ask a cat").Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Interactions.Shortcut(ann, c, ts, "use_with_atelier").Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Interactions.Command(ann, c, "/atelier", "status").Wait(t.Context()); err == nil {
		t.Error("500 counts as an acknowledgement")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.got) != 3 || !strings.HasPrefix(h.got[0], "/slack/commands ") || !strings.Contains(h.got[0], "text=ask+a+cat") ||
		!strings.HasPrefix(h.got[1], "/slack/interactive payload=%7B") {
		t.Errorf("%q", h.got)
	}
}
