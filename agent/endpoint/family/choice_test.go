package family

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/endpoint"
)

// choosing returns a choice over the models of a server with this answer, the number of calls, and the log. The
// clock follows the returned time.
func choosing(t *testing.T, answer http.HandlerFunc, named ...string) (*Choice, *atomic.Int64, *atomic.Int64, *bytes.Buffer) {
	t.Helper()
	var asked, later atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	e, err := endpoint.New(endpoint.Config{BaseURL: server.URL, Transport: transport, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c, err := New(Config{
		Endpoint: e, Named: named, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Clock: func() time.Time { return now.Add(time.Duration(later.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, &asked, &later, &log
}

// list answers with a list of models.
func list(names ...string) http.HandlerFunc {
	var entries []string
	for _, m := range models(names...) {
		ends := "null"
		if !m.Ends.IsZero() {
			ends = `"` + m.Ends.Format(time.DateOnly) + `"`
		}
		entries = append(entries, fmt.Sprintf(`{"id":%q,"shutdown_date":%s}`, m.Name, ends))
	}
	return says(http.StatusOK, `{"data":[`+strings.Join(entries, ",")+`]}`)
}

func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) //nolint:errcheck // the client may be gone
	}
}

// TestServerWithoutAList checks that a server without a list is asked for the models that the file names.
func TestServerWithoutAList(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"404": says(http.StatusNotFound, "{}"), "the key may not": says(http.StatusForbidden, "{}"), "none": list(), "broken": says(http.StatusOK, "{"),
		"a page": says(http.StatusOK, "<html></html>", "Content-Type", "text/html"), "down": says(http.StatusBadGateway, ""),
	} {
		c, _, _, log := choosing(t, answer)
		if got, err := c.Model(t.Context(), Chat); got != "gpt-6.1-terra" || err != nil || log.Len() > 0 {
			t.Errorf("%s: %q, %v, %s", name, got, err, log)
		}
	}
}

// TestUnknownModel checks that an unknown model is replaced by the next one, which is logged once. If none is
// left, all may be tried again.
func TestUnknownModel(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{"listed": list("gpt-6-luna", "gpt-6.1-terra"), "not listed": says(http.StatusNotFound, "{}")} {
		c, asked, _, log := choosing(t, answer)
		for range 2 {
			for i, model := range []string{"gpt-6.1-terra", "gpt-6-luna"} {
				if got, err := c.Model(t.Context(), Chat); got != model || err != nil {
					t.Errorf("%s: %q, %v", name, got, err)
				}
				if more := c.Unknown(t.Context(), Chat, model); more != (i == 0) {
					t.Errorf("%s: after %s there is more: %v", name, model, more)
				}
			}
		}
		if got, err := c.Model(t.Context(), Transcription); name == "not listed" && (got != "gpt-transcribe" || err != nil) {
			t.Errorf("%s: another role is for %q, %v", name, got, err)
		}
		if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "level=WARN") ||
			!strings.Contains(said, "for=chat model=gpt-6.1-terra instead=gpt-6-luna") {
			t.Errorf("%s: logged is %s", name, said)
		}
		if asked.Load() != 1 {
			t.Errorf("%s: the list is asked for %d times", name, asked.Load())
		}
	}
}

// TestModelsThatEnd checks that a model that will be shut down is reported once, whoever chose it, and that one
// that was shut down is not chosen.
func TestModelsThatEnd(t *testing.T) {
	t.Parallel()
	c, _, later, log := choosing(t, list("gpt-4o-mini-tts@2027-01-06", "gpt-6.1-terra", "mine@2026-12-11", "other@2026-12-01"), "", "mine", "gone")
	for range 3 {
		if got, err := c.Model(t.Context(), Speech); got != "gpt-4o-mini-tts" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := c.Model(t.Context(), Chat); got != "gpt-6.1-terra" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		later.Add(int64(time.Minute))
	}
	said := log.String()
	if strings.Count(said, "\n") != 2 || !strings.Contains(said, "model=mine ends=2026-12-11") || !strings.Contains(said, "model=gpt-4o-mini-tts ends=2027-01-06") {
		t.Errorf("logged is %s", said)
	}
	later.Store(int64(50 * 24 * time.Hour))
	if got, err := c.Model(t.Context(), Speech); got != "" || endpoint.KindOf(err) != endpoint.ModelUnknown {
		t.Errorf("%q is chosen, which has ended: %v", got, err)
	}
}

// TestAmbiguousList checks a list without known models.
func TestAmbiguousList(t *testing.T) {
	t.Parallel()
	c, _, _, log := choosing(t, list("qwen3-vl:8b", "llama3.2:latest"))
	for range 2 {
		for _, role := range []Role{Chat, Image} {
			if got, err := c.Model(t.Context(), role); got != "" || endpoint.KindOf(err) != endpoint.ModelUnknown {
				t.Errorf("%s: %q, %v", role, got, err)
			}
		}
	}
	if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "set OPENAI_MODEL to one of them") {
		t.Errorf("logged is %s", said)
	}
}

// TestListIsFresh checks that a list is used for half a minute.
func TestListIsFresh(t *testing.T) {
	t.Parallel()
	c, asked, later, _ := choosing(t, list("gpt-6-luna"))
	for at, want := range []int64{1, 1, 2} {
		later.Store(int64(at) * int64(fresh) / 2)
		if _, err := c.Model(t.Context(), Chat); err != nil || asked.Load() != want {
			t.Errorf("asked %d times, %v", asked.Load(), err)
		}
	}
}

// TestCancelledCaller checks that a cancelled caller gets nothing, and that the next one asks.
func TestCancelledCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, asked, _, _ := choosing(t, func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() == nil {
			cancel()
			<-r.Context().Done()
			return
		}
		list("gpt-6-luna")(w, r)
	})
	if got, err := c.Model(ctx, Chat); got != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", got, err)
	}
	if c.Unknown(ctx, Chat, "gpt-6.1-terra") {
		t.Error("who gave up is sent to another model")
	}
	if got, err := c.Model(t.Context(), Chat); got != "gpt-6-luna" || err != nil || asked.Load() != 2 {
		t.Errorf("%q, %v, asked %d times", got, err, asked.Load())
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("a choice needs a server")
	}
}
