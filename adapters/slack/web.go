package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"atelier/adapters"
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
			default:
				s.authentic(w, r, body, take)
			}
		})
	}
	return m
}

// authentic answers a request that Slack has signed, now and for the first time. What was
// answered in any process is not answered again; what Slack was told to come again with may
// come in the same second, and then has the same signature.
func (s *Slack) authentic(w http.ResponseWriter, r *http.Request, body []byte, take func(w http.ResponseWriter, r *http.Request, body []byte)) {
	signature, ok := s.signature(r.Header, body)
	if ok {
		ok = s.reserve(signature)
	}
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	ctx, key := context.WithoutCancel(r.Context()), signedKey(signature)
	switch _, err := s.config.State.Get(r.Context(), key); {
	case err == nil:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case !errors.Is(err, adapters.ErrGone):
		s.config.Log.WarnContext(ctx, "it is not known whether a request came before", "error", err)
		s.release(signature)
		again(w)
		return
	}
	answer := &answered{ResponseWriter: w}
	take(answer, r, body)
	if answer.code == http.StatusServiceUnavailable {
		s.release(signature)
		return
	}
	ctx, stop := context.WithTimeout(ctx, noting)
	defer stop()
	if err := s.config.State.Put(ctx, key, []byte{1}, 2*window); err != nil {
		s.config.Log.WarnContext(ctx, "it was not noted that a request came", "error", err)
	}
}

// answered is an answer of which the code is known.
type answered struct {
	http.ResponseWriter

	code int // 0 is 200
}

func (a *answered) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

func signedKey(signature string) string { return "signed-" + digest(signature) + "/seen" }

// digest is a name for something that is longer, or secret.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// signature is that of a request, if it is right and of now. See
// https://docs.slack.dev/authentication/verifying-requests-from-slack.
func (s *Slack) signature(h http.Header, body []byte) (string, bool) {
	stamp, signature := h.Get("X-Slack-Request-Timestamp"), h.Get("X-Slack-Signature")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > 20 || s.config.Now().Sub(time.Unix(seconds, 0)).Abs() > window {
		return "", false
	}
	mac := hmac.New(sha256.New, []byte(s.config.SigningSecret))
	_, _ = io.WriteString(mac, "v0:"+stamp+":") //nolint:errcheck // a hash takes all
	mac.Write(body)
	return signature, hmac.Equal([]byte(signature), []byte("v0="+hex.EncodeToString(mac.Sum(nil))))
}

// reserve tells whether a signature has not come to this process before.
func (s *Slack) reserve(signature string) bool {
	now := s.config.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.seen[signature]; again {
		return false
	}
	if now.After(s.purge) {
		maps.DeleteFunc(s.seen, func(_ string, until time.Time) bool { return now.After(until) })
		s.purge = now.Add(time.Minute)
	}
	s.seen[signature] = now.Add(2*window + time.Second)
	return true
}

func (s *Slack) release(signature string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, signature)
}

// takeEvent confirms an event when the handler has taken it, in time or not at all.
func (s *Slack) takeEvent(w http.ResponseWriter, r *http.Request, body []byte) {
	t, ok := s.understand(body)
	if !ok {
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
	late := time.NewTimer(waiting)
	defer late.Stop()
	taken := make(chan struct{})
	s.inLine(t, func() { close(taken) })
	select {
	case <-taken:
		w.WriteHeader(http.StatusOK)
	case <-late.C:
		again(w)
	case <-r.Context().Done():
		again(w)
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
