package endpoint_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/endpoint"
)

func post(ctx context.Context, e *endpoint.Endpoint, r endpoint.Request) error {
	r.Method, r.Path, r.Body, r.Model = http.MethodPost, "/made", []byte(`{}`), "m"
	_, err := e.Do(ctx, r)
	return err
}

// TestWorkIsNotRepeated checks that work is not requested again if it may have been done or begun. Work that may
// be done only once is requested again only if the server did not begin.
func TestWorkIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer            func(http.ResponseWriter, *http.Request, int)
		work, plain, once int // tries
	}{
		"it failed":        {status(500, `{"error":"boom"}`), 1, 3, 1},
		"a proxy gave up":  {status(524, ""), 1, 3, 1},
		"too many":         {status(429, `{"error":"wait"}`), 3, 3, 3},
		"a gateway failed": {status(502, ""), 3, 3, 1},
		"overloaded":       {status(503, ""), 3, 3, 3},
		"refused":          {status(400, ""), 1, 1, 1},
		"cut connection":   {drop, 3, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for r, want := range map[*endpoint.Request]int{{Work: true}: c.work, {}: c.plain, {Once: true}: c.once} {
				server, seen := serve(t, c.answer)
				e := build(t, endpoint.Config{BaseURL: server.URL, Retries: 2, Wait: new(waits).wait})
				err := post(t.Context(), e, *r)
				if err == nil || seen.count() != want {
					t.Errorf("work %v, once %v: %d tries, %v", r.Work, r.Once, seen.count(), err)
				}
			}
		})
	}
}

// TestOnceIsTriedAgainWithoutAConnection checks that an unreachable server counts as not having begun.
func TestOnceIsTriedAgainWithoutAConnection(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, status(200, `{}`))
	server.Close()
	waited := new(waits)
	e := build(t, endpoint.Config{BaseURL: server.URL, Retries: 2, Wait: waited.wait})
	if err := post(t.Context(), e, endpoint.Request{Once: true}); endpoint.KindOf(err) != endpoint.Down || len(waited.list) != 2 {
		t.Errorf("%d waits, %v", len(waited.list), err)
	}
}

func TestWorkIsNotRepeatedAfterAHang(t *testing.T) {
	t.Parallel()
	for work, want := range map[bool]int{true: 1, false: 2} {
		synctest.Test(t, func(t *testing.T) {
			seen := &tries{answer: hang}
			within(t, endpoint.Config{Retries: 2}, seen, func(e *endpoint.Endpoint) {
				if err := post(t.Context(), e, endpoint.Request{Work: work}); endpoint.KindOf(err) != endpoint.TimedOut || seen.count() != want {
					t.Errorf("work %v: %d tries, %v", work, seen.count(), err)
				}
			})
		})
	}
}

// TestWorkTakesTheTimeOfItsContext checks that an attempt of work may take as long as its context allows.
func TestWorkTakesTheTimeOfItsContext(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, status(200, `{}`))
	e := build(t, endpoint.Config{BaseURL: server.URL, Timeout: time.Nanosecond, Retries: -1})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if err := post(ctx, e, endpoint.Request{}); endpoint.KindOf(err) != endpoint.TimedOut {
		t.Errorf("got %v", err)
	}
	if err := post(ctx, e, endpoint.Request{Work: true}); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestLoadingIsWaitedFor checks that a call waits while a model loads, as long as the server expects, unless the
// caller waits itself.
func TestLoadingIsWaitedFor(t *testing.T) {
	t.Parallel()
	loading := func(w http.ResponseWriter, _ *http.Request, try int) {
		if try == 1 {
			write(w, http.StatusServiceUnavailable, `{"error":"Model m is currently loading","estimated_time":20.5}`)
			return
		}
		write(w, http.StatusOK, answer)
	}
	server, _ := serve(t, loading)
	w := &waits{}
	if got, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server.URL, Wait: w.wait})); got != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if len(w.list) != 1 || w.list[0] < 20500*time.Millisecond {
		t.Errorf("waited %v", w.list)
	}
	server, seen := serve(t, loading)
	err := post(t.Context(), build(t, endpoint.Config{BaseURL: server.URL, Wait: w.wait}), endpoint.Request{Waits: true})
	if !endpoint.Loading(err) || seen.count() != 1 {
		t.Errorf("%d tries, %v", seen.count(), err)
	}
}

// TestOneAnswersBounds checks that a response can have its own limits, and reports which server sent it.
func TestOneAnswersBounds(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/v1/made" {
			w.Header().Set("Location", "/v1/there?a=b")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		write(w, http.StatusOK, strings.Repeat("a", 100))
	})
	base := strings.Replace(server.URL, "http://", "http://user:word@", 1) + "/v1"
	e := build(t, endpoint.Config{BaseURL: base, MaxBody: 1000})
	if err := post(t.Context(), e, endpoint.Request{MaxBody: 99}); endpoint.KindOf(err) != endpoint.Malformed {
		t.Errorf("got %v", err)
	}
	got, err := e.Do(t.Context(), endpoint.Request{Path: "/made", MaxBody: 5000})
	if err != nil || len(got.Body) != 100 || got.Address != server.URL+"/v1/there?a=b" {
		t.Errorf("got %q, %v", got.Address, err)
	}
}
