package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"atelier/agent/sleep"

	"golang.org/x/time/rate"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/lanes"
)

const (
	// shortPause is the longest pause that a call waits for.
	shortPause = 30 * time.Second
	// editPause is the same for an edit, which the next edit supersedes.
	editPause = 10 * time.Second
	// The rate limit for opening sockets, whatever closes them.
	socketEvery, socketBurst = time.Second, 5
	maxForm                  = 1 << 20 // bytes of a call that are read
)

// gate is the HTTP client of the library. It waits while Slack limits the rate of a method, or of posting to a
// channel.
//
// Only rejections reveal the limits of a workspace: see paces.
type gate struct {
	client *http.Client
	api    string
	opens  *rate.Limiter
	paces  paces
	lines  lanes.Turns // by channel: one call at a time posts there
}

func newGate(c *http.Client, api string) *gate {
	return &gate{
		client: c, api: api, opens: rate.NewLimiter(rate.Every(socketEvery), socketBurst),
	}
}

// Do makes a call, and retries it after a short pause. The token is also sent in the header, since some servers
// read only that one.
func (g *gate) Do(r *http.Request) (*http.Response, error) {
	method, isCall := strings.CutPrefix(r.URL.String(), g.api)
	if !isCall {
		return g.client.Do(r) //nolint:wrapcheck // the library and fault read the error
	}
	form := formOf(r)
	if token := form.Get("token"); token != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	switch method {
	case "apps.connections.open":
		if err := g.opens.Wait(r.Context()); err != nil {
			return nil, err //nolint:wrapcheck // as above
		}
	case "chat.postMessage":
		method += " " + form.Get("channel")
		leave, err := g.lines.Take(r.Context(), method)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	return g.call(r, method)
}

func (g *gate) call(r *http.Request, method string) (*http.Response, error) {
	longest := shortPause
	switch method {
	case "chat.update", "chat.appendStream", "chat.stopStream": // a later one replaces it
		longest = editPause
	case "chat.startStream": // a message is posted instead
		longest = 0
	}
	waited := time.Duration(0)
	for {
		pause, ok := g.paces.turn(r.Context(), method, longest-waited)
		if !ok {
			return nil, rateLimited(pause)
		}
		waited += pause
		if err := sleep.For(r.Context(), pause); err != nil {
			return nil, err
		}
		if g.paces.isBlocked(method) { // another call was refused meanwhile
			continue
		}
		again, err := download.Rewind(r)
		if err != nil {
			return nil, err
		}
		begun := time.Now()
		answer, err := g.client.Do(again)
		if err != nil || answer.StatusCode != http.StatusTooManyRequests {
			g.paces.accepted(method)
			return answer, err //nolint:wrapcheck // as above
		}
		if err := answer.Body.Close(); err != nil {
			return nil, download.Detail(err)
		}
		g.paces.refused(method, begun, retryAfter(answer.Header))
	}
}

// formOf returns the form of a call, or nil.
func formOf(r *http.Request) url.Values {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	b, err := readAll(body, maxForm)
	if err != nil {
		return nil
	}
	form, err := url.ParseQuery(string(b))
	if err != nil {
		return nil
	}
	return form
}

// retryAfter returns the pause that Slack asks for, at least a second.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 1 {
		seconds = 1
	}
	return time.Duration(seconds) * time.Second
}

func rateLimited(after time.Duration) error {
	return &adapters.Fault{Sentence: "Slack is limiting requests. Please try again later.", Kind: adapters.ErrRateLimited, After: max(after, time.Second)}
}
