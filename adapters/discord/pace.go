package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
)

// What a call waits for Discord's limits: longer pauses are told to the caller.
const (
	longestPause  = 5 * time.Second
	longestPauses = 15 * time.Second // of one call together
	unknownPause  = 2 * time.Second  // where Discord does not say
)

// pacer keeps Discord's rate limits: it waits where the wait is short, and fails with
// [adapters.ErrRateLimited] where it is not. It waits no longer than the request's context.
// Limits are those of the documentation's "Rate Limits".
type pacer struct {
	next http.RoundTripper
	now  func() time.Time

	mu     sync.Mutex
	global time.Time            // until when nothing is taken
	routes map[string]time.Time // until when nothing of a route is taken
}

func newPacer(next http.RoundTripper, now func() time.Time) *pacer {
	return &pacer{next: next, now: now, routes: map[string]time.Time{}}
}

// RoundTrip makes a call when Discord takes one.
func (p *pacer) RoundTrip(r *http.Request) (*http.Response, error) {
	route := routeOf(r.Method, r.URL.Path)
	var waited time.Duration
	for {
		pause := p.pause(route)
		if pause > longestPause || waited+pause > longestPauses {
			return nil, paused(pause)
		}
		if err := sleep(r.Context(), pause); err != nil {
			return nil, err
		}
		waited += pause
		again, err := repeatable(r)
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

// repeatable gives the request with its body from the beginning.
func repeatable(r *http.Request) (*http.Request, error) {
	again := r.Clone(r.Context())
	if r.GetBody == nil {
		return again, nil
	}
	body, err := r.GetBody()
	again.Body = body
	return again, err //nolint:wrapcheck // it reads memory
}

// routeOf is what a limit is about: the method and the path, of whose ids only the channel,
// server or webhook counts.
func routeOf(method, path string) string {
	parts := strings.Split(strings.Trim(strings.TrimPrefix(path, "/api/v9"), "/"), "/")
	for i := 2; i < len(parts); i++ {
		if isID(parts[i]) {
			parts[i] = "id"
		} else if parts[i-1] == "reactions" {
			parts[i] = "emoji"
		}
	}
	return method + " " + strings.Join(parts, "/")
}

// apart tells whether a route is not bound to the limit of all: the answers to interactions.
func apart(route string) bool {
	_, path, _ := strings.Cut(route, " ")
	return strings.HasPrefix(path, "interactions/") || strings.HasPrefix(path, "webhooks/")
}

func (p *pacer) pause(route string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.routes[route]
	if p.global.After(until) && !apart(route) {
		until = p.global
	}
	return max(0, until.Sub(p.now()))
}

// note keeps what an answer tells of its route's limit.
func (p *pacer) note(route string, h http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for other, until := range p.routes {
		if !until.After(now) {
			delete(p.routes, other)
		}
	}
	after, ok := seconds(h.Get("X-Ratelimit-Reset-After"))
	if ok && h.Get("X-Ratelimit-Remaining") == "0" {
		p.routes[route] = now.Add(after)
	}
}

// refused keeps how long a call is to wait that was refused.
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
	unread := json.Unmarshal(bytes.TrimSpace(body), &told) // what stands before Discord refuses all that comes from here
	if unread == nil && told.RetryAfter > 0 {
		wait = time.Duration(told.RetryAfter * float64(time.Second))
	} else if after, ok := seconds(response.Header.Get("Retry-After")); ok {
		wait = after
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.now().Add(wait)
	if (unread != nil || told.Global || response.Header.Get("X-Ratelimit-Global") != "") && !apart(route) {
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

func paused(wait time.Duration) error {
	return &adapters.Fault{Sentence: "Discord wants a pause. It goes on by itself.", Kind: adapters.ErrRateLimited, After: wait}
}

// sleep waits, or until the context ends.
func sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
