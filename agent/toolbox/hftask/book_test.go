package hftask

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestHangingServer checks that only the first lookups of a hanging server wait for the timeout, and that earlier
// answers stay available.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var hangs atomic.Bool
		b := newBook(time.Hour, time.Now, func(ctx context.Context, model string) (string, error) {
			asked.Add(1)
			if !hangs.Load() {
				return "loaded " + model, nil
			}
			mine, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			<-mine.Done()
			return "", slow(mine.Err())
		})
		if got, err := b.look(t.Context(), "a/known"); got != "loaded a/known" || err != nil {
			t.Fatal(got, err)
		}
		hangs.Store(true)
		began := time.Now()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if _, err := b.look(t.Context(), fmt.Sprintf("a/m%d", i)); !errors.Is(err, toolbox.ErrDown) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		if got, err := b.look(t.Context(), "a/known"); got != "loaded a/known" || err != nil {
			t.Errorf("the lookup of a cached model waits for others: %q, %v", got, err)
		}
		all.Wait()
		if took := time.Since(began); took > probeTimeout || asked.Load() > 1+maxLookups {
			t.Errorf("it took %v, asked %d times", took, asked.Load())
		}
		hangs.Store(false)
		<-time.After(failureLife + time.Second)
		if got, err := b.look(t.Context(), "a/m19"); got != "loaded a/m19" || err != nil {
			t.Errorf("not asked again: %q, %v", got, err)
		}
	})
}

// TestCacheLimit checks that a full cache drops an entry for a new one.
func TestCacheLimit(t *testing.T) {
	t.Parallel()
	b := newBook(time.Hour, time.Now, func(context.Context, string) (int, error) { return 1, nil })
	for i := range maxRemembered + 10 {
		if _, err := b.look(t.Context(), fmt.Sprint("a/", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.pages) != maxRemembered {
		t.Errorf("%d models are cached", len(b.pages))
	}
}

// TestBusyServer checks that a call uses the last known list, however old, and does not wait for a busy server to list
// its models.
func TestBusyServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		told map[string]string // its capabilities, reported once
		how  toolbox.Candidate
	}{
		"that tells":  {map[string]string{"/capabilities": `{"tasks":{"summarization":{"default":"org/m"}},"models":{}}`}, candidate("summarization")},
		"of a model":  {map[string]string{"/healthz": `{}`, "/status/org/m": `{"state":"loaded"}`}, onModel("summarization", "org/m")},
		"of no model": {map[string]string{"/healthz": `{}`}, candidate("summarization")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var busy atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := c.told[r.URL.Path]
				switch {
				case r.Method == http.MethodPost:
					say(200, `[{"summary_text":"short"}]`)(w)
				case busy.Load():
					t.Errorf("a busy server is asked for %s", r.URL.Path)
				case ok:
					say(200, body)(w)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(server.Close)
			now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
			b := backendAt(t, server.URL, func(c *Config) { c.Clock = func() time.Time { return now } })
			if err := b.Probe(t.Context(), c.how); err != nil {
				t.Fatal(err)
			}
			busy.Store(true)
			now = now.Add(time.Hour)
			must(t, b, c.how, call(t, plan.Text, args{"text": text("a long text")}))
		})
	}
}
