package connect

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/receive"
)

const (
	// window is how far the clock of a signed request may be off.
	window = 5 * time.Minute
	// confirmTimeout is how long Slack waits for a confirmation, less the network latency.
	confirmTimeout = 2500 * time.Millisecond
	// recordTimeout is the timeout for writing to State after a request was answered.
	recordTimeout = 10 * time.Second
	maxBody       = 4 << 20
)

// Webhook receives by signed HTTP requests.
type Webhook struct {
	Secret       string
	State        outbox.State
	Listener     *receive.Listener
	Events       *receive.Events
	Interactions *receive.Interactions
	Commands     *receive.Commands
	Log          *slog.Logger
	Now          func() time.Time

	mu    sync.Mutex
	seen  map[string]time.Time // signatures of requests, and when they expire
	purge time.Time            // when the expired ones are deleted next
}

// Handler serves events, interactions and commands at /slack/events, /slack/interactive and
// /slack/commands. Requests without a valid signature are rejected. While nobody listens, Slack
// is told to retry.
func (wh *Webhook) Handler() http.Handler {
	m := http.NewServeMux()
	for path, take := range map[string]func(w http.ResponseWriter, r *http.Request, body []byte){
		"events": wh.takeEvent, "interactive": wh.takeInteraction, "commands": wh.takeCommand,
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
				wh.verify(w, r, body, take)
			}
		})
	}
	return m
}

// verify passes on a request with a valid, recent signature that no process has answered before. A request that
// Slack was told to retry may be repeated within the same second, with the same signature.
func (wh *Webhook) verify(w http.ResponseWriter, r *http.Request, body []byte, take func(w http.ResponseWriter, r *http.Request, body []byte)) {
	signature, ok := wh.signature(r.Header, body)
	if ok {
		ok = wh.reserve(signature)
	}
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	ctx, key := context.WithoutCancel(r.Context()), signedKey(signature)
	switch _, err := wh.State.Get(r.Context(), key); {
	case err == nil:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case !errors.Is(err, adapters.ErrGone):
		wh.Log.WarnContext(ctx, "it could not be checked whether a request is a repetition", "error", err)
		wh.release(signature)
		retry(w)
		return
	}
	answer := &statusRecorder{ResponseWriter: w}
	take(answer, r, body)
	if answer.code == http.StatusServiceUnavailable {
		wh.release(signature)
		return
	}
	ctx, stop := context.WithTimeout(ctx, recordTimeout)
	defer stop()
	if err := wh.State.Put(ctx, key, []byte{1}, 2*window); err != nil {
		wh.Log.WarnContext(ctx, "a request could not be recorded", "error", err)
	}
}

// signature returns a request's signature, if it is valid and recent. See
// https://docs.slack.dev/authentication/verifying-requests-from-slack.
func (wh *Webhook) signature(h http.Header, body []byte) (string, bool) {
	stamp, signature := h.Get("X-Slack-Request-Timestamp"), h.Get("X-Slack-Signature")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > 20 || wh.Now().Sub(time.Unix(seconds, 0)).Abs() > window {
		return "", false
	}
	mac := hmac.New(sha256.New, []byte(wh.Secret))
	_, _ = io.WriteString(mac, "v0:"+stamp+":") //nolint:errcheck // a hash never fails
	mac.Write(body)
	return signature, hmac.Equal([]byte(signature), []byte("v0="+hex.EncodeToString(mac.Sum(nil))))
}

// reserve remembers a signature, and reports whether it is new to this process.
func (wh *Webhook) reserve(signature string) bool {
	now := wh.Now()
	wh.mu.Lock()
	defer wh.mu.Unlock()
	if _, again := wh.seen[signature]; again {
		return false
	}
	if now.After(wh.purge) {
		maps.DeleteFunc(wh.seen, func(_ string, until time.Time) bool { return now.After(until) })
		wh.purge = now.Add(time.Minute)
	}
	if wh.seen == nil {
		wh.seen = map[string]time.Time{}
	}
	wh.seen[signature] = now.Add(2*window + time.Second)
	return true
}

// release forgets a signature, so that the request may be repeated.
func (wh *Webhook) release(signature string) {
	wh.mu.Lock()
	defer wh.mu.Unlock()
	delete(wh.seen, signature)
}

// takeEvent confirms an event once the handler has accepted it. If that takes too long, Slack is told to retry.
func (wh *Webhook) takeEvent(w http.ResponseWriter, r *http.Request, body []byte) {
	t, ok := wh.Events.Decode(body)
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if t.Type == "url_verification" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, t.Challenge) //nolint:errcheck // the client has gone
		return
	}
	if !wh.Listener.IsRunning() {
		retry(w)
		return
	}
	late := time.NewTimer(confirmTimeout)
	defer late.Stop()
	taken := make(chan struct{})
	wh.Events.Enqueue(t, func() { close(taken) })
	select {
	case <-taken:
		w.WriteHeader(http.StatusOK)
	case <-late.C:
		retry(w)
	case <-r.Context().Done():
		retry(w)
	}
}

func (wh *Webhook) takeInteraction(w http.ResponseWriter, _ *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	respond(w, wh.Interactions.Receive([]byte(form.Get("payload"))))
}

func (wh *Webhook) takeCommand(w http.ResponseWriter, _ *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	respond(w, wh.Commands.Receive(convert.Command{
		User: form.Get("user_id"), Channel: form.Get("channel_id"), Text: form.Get("text"), Trigger: form.Get("trigger_id"),
		ResponseURL: form.Get("response_url"),
	}))
}

// statusRecorder remembers the status code of a response.
type statusRecorder struct {
	http.ResponseWriter

	code int // 0 is 200
}

func (a *statusRecorder) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

func signedKey(signature string) string { return "signed-" + convert.Digest(signature) + "/seen" }

func respond(w http.ResponseWriter, ok bool) {
	if !ok {
		retry(w)
	}
}

// retry tells Slack to send the request again.
func retry(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}
