package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/download"
)

// The longest pauses for which a call waits. Longer ones are errors.
const (
	longestPause  = 5 * time.Second
	longestPauses = 15 * time.Second // of one call, in all
	unknownPause  = 2 * time.Second  // if Discord names none
)

// pacer respects Discord's rate limits ("Rate Limits" in its documentation): if the pause is short and the
// request's context allows it, it waits; otherwise it fails with [adapters.ErrRateLimited].
type pacer struct {
	next http.RoundTripper
	now  func() time.Time

	mu     sync.Mutex
	global time.Time            // the end of a pause of all routes
	routes map[string]time.Time // the end of a pause of a route
}

func newPacer(next http.RoundTripper, now func() time.Time) *pacer {
	return &pacer{next: next, now: now, routes: map[string]time.Time{}}
}

// RoundTrip makes a call as soon as Discord accepts one.
func (p *pacer) RoundTrip(r *http.Request) (*http.Response, error) {
	route := routeOf(r.Method, r.URL.Path)
	var waited time.Duration
	for {
		pause := p.pause(route)
		if pause > longestPause || waited+pause > longestPauses {
			return nil, RateLimited(pause)
		}
		if err := sleep.For(r.Context(), pause); err != nil {
			return nil, err
		}
		waited += pause
		again, err := download.Rewind(r)
		if err != nil {
			return nil, err
		}
		response, err := p.next.RoundTrip(again)
		if err != nil {
			return nil, err //nolint:wrapcheck // the library wraps it
		}
		p.note(route, response.Header)
		if response.StatusCode != http.StatusTooManyRequests {
			return response, nil
		}
		if err := p.refused(route, response); err != nil {
			return nil, err
		}
	}
}

// routeOf returns what a limit applies to: the method and the path, without ids other than the channel's, server's
// or webhook's.
func routeOf(method, path string) string {
	parts := strings.Split(strings.Trim(strings.TrimPrefix(path, "/api/v9"), "/"), "/")
	for i := 2; i < len(parts); i++ {
		if convert.IsID(parts[i]) {
			parts[i] = "id"
		} else if parts[i-1] == "reactions" {
			parts[i] = "emoji"
		}
	}
	return method + " " + strings.Join(parts, "/")
}

// isExempt reports whether the global limit does not apply to a route: answers to interactions.
func isExempt(route string) bool {
	_, path, _ := strings.Cut(route, " ")
	return strings.HasPrefix(path, "interactions/") || strings.HasPrefix(path, "webhooks/")
}

func (p *pacer) pause(route string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.routes[route]
	if p.global.After(until) && !isExempt(route) {
		until = p.global
	}
	return max(0, until.Sub(p.now()))
}

// note records the limit in a response.
func (p *pacer) note(route string, h http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	maps.DeleteFunc(p.routes, func(_ string, until time.Time) bool { return !until.After(now) })
	after, ok := seconds(h.Get("X-Ratelimit-Reset-After"))
	if ok && h.Get("X-Ratelimit-Remaining") == "0" {
		p.routes[route] = now.Add(after)
	}
}

// refused records the pause that a rejection asks for.
func (p *pacer) refused(route string, response *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	var told struct {
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	wait := unknownPause
	unread := json.Unmarshal(bytes.TrimSpace(body), &told) // a proxy before Discord refuses everything from here
	if unread == nil && told.RetryAfter > 0 {
		wait = time.Duration(told.RetryAfter * float64(time.Second))
	} else if after, ok := seconds(response.Header.Get("Retry-After")); ok {
		wait = after
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.now().Add(wait)
	if (unread != nil || told.Global || response.Header.Get("X-Ratelimit-Global") != "") && !isExempt(route) {
		p.global = until
	} else {
		p.routes[route] = until
	}
	return nil
}

func seconds(s string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return time.Duration(f * float64(time.Second)), err == nil && f >= 0
}

// RateLimited returns the error of a pause that is too long to wait for.
func RateLimited(wait time.Duration) error {
	return &adapters.Fault{Sentence: "Discord asked the bot to slow down. It will continue by itself.", Kind: adapters.ErrRateLimited, After: wait}
}
