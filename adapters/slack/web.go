package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// window is how far the clock of a signed request may be off.
	window = 5 * time.Minute
	// waiting is how long Slack waits for the confirmation of an event that it takes, less
	// what the way takes.
	waiting = 2500 * time.Millisecond
	maxBody = 4 << 20
)

// Handler hears events, interactivity and commands that come by HTTP, at paths that end in
// /events, /interactive and /commands. What is not signed rightly is refused; while nobody
// listens, Slack is told to come again. Under Socket Mode there is nothing.
func (s *Slack) Handler() http.Handler {
	if s.config.AppToken != "" {
		return http.NotFoundHandler()
	}
	m := http.NewServeMux()
	for path, take := range map[string]func(w http.ResponseWriter, r *http.Request, body []byte){
		"events": s.takeEvent, "interactive": s.takeInteraction, "commands": s.takeCommand,
	} {
		m.HandleFunc("POST /slack/"+path, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			tooLarge := (*http.MaxBytesError)(nil)
			switch {
			case errors.As(err, &tooLarge):
				w.WriteHeader(http.StatusRequestEntityTooLarge)
			case err != nil:
				w.WriteHeader(http.StatusBadRequest)
			case !s.signed(r.Header, body):
				w.WriteHeader(http.StatusUnauthorized)
			default:
				take(w, r, body)
			}
		})
	}
	return m
}

// signed tells whether Slack has sent a request, now and for the first time. See
// https://docs.slack.dev/authentication/verifying-requests-from-slack. A request that Slack
// sends again is signed anew.
func (s *Slack) signed(h http.Header, body []byte) bool {
	stamp, signature := h.Get("X-Slack-Request-Timestamp"), h.Get("X-Slack-Signature")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > 20 {
		return false
	}
	now := s.config.Now()
	if now.Sub(time.Unix(seconds, 0)).Abs() > window {
		return false
	}
	mac := hmac.New(sha256.New, []byte(s.config.SigningSecret))
	_, _ = io.WriteString(mac, "v0:"+stamp+":") //nolint:errcheck // a hash takes all
	mac.Write(body)
	if !hmac.Equal([]byte(signature), []byte("v0="+hex.EncodeToString(mac.Sum(nil)))) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.seen[signature]; again {
		return false
	}
	if now.After(s.purge) {
		maps.DeleteFunc(s.seen, func(_ string, until time.Time) bool { return now.After(until) })
		s.purge = now.Add(time.Minute)
	}
	s.seen[signature] = time.Unix(seconds, 0).Add(window + time.Second)
	return true
}

// takeEvent confirms an event when the handler has taken it, in time or not at all.
func (s *Slack) takeEvent(w http.ResponseWriter, r *http.Request, body []byte) {
	var t told
	if err := json.Unmarshal(body, &t); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if t.Type == "url_verification" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, t.Challenge) //nolint:errcheck // who asked has gone
		return
	}
	s.mu.Lock()
	listening := s.hearing != nil
	s.mu.Unlock()
	if !listening {
		again(w)
		return
	}
	taken := make(chan struct{})
	s.hear(r.Context(), body, func() { close(taken) })
	late := time.NewTimer(waiting)
	defer late.Stop()
	select {
	case <-taken:
		w.WriteHeader(http.StatusOK)
	case <-late.C:
		again(w)
	case <-r.Context().Done():
	}
}

func (s *Slack) takeInteraction(w http.ResponseWriter, _ *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	confirm(w, s.interact([]byte(form.Get("payload"))))
}

func (s *Slack) takeCommand(w http.ResponseWriter, _ *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	confirm(w, s.command(command{
		User: form.Get("user_id"), Channel: form.Get("channel_id"), Text: form.Get("text"), Trigger: form.Get("trigger_id"),
		ResponseURL: form.Get("response_url"),
	}))
}

func confirm(w http.ResponseWriter, ok bool) {
	if !ok {
		again(w)
	}
}

// again tells Slack to come again.
func again(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}
