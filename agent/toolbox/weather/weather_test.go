package weather_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
	"atelier/agent/toolbox/weather"
	"atelier/agent/toolbox/weather/weathertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// candidate is the backend's only candidate.
var candidate = toolbox.Candidate{Backing: toolbox.Backing{Kind: "weather", Run: "open-meteo"}}

// at returns a backend for a test server, without delays between retries.
func at(t *testing.T, address string, change ...func(*weather.Config)) *weather.Backend {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := weather.Config{
		BaseURL: address, GeocodingURL: address, Transport: transport,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, f := range change {
		f(&c)
	}
	b, err := weather.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func asking(location string) toolbox.Call {
	return toolbox.Call{Args: map[string][]toolbox.Value{"location": {{Resource: plan.Resource{Type: plan.Location, Value: location}}}}}
}

func TestPlacesAreFound(t *testing.T) {
	t.Parallel()
	b := at(t, weathertest.New(t).URL)
	for said, want := range map[string]string{
		"Paris": "Paris, Île-de-France, France", "paris, france": "Paris, Île-de-France, France", "Paris, Texas": "Paris, Texas, United States",
		"Paris, TX": "Paris, Texas, United States", "Paris, TX, USA": "Paris, Texas, United States", "Paris Texas": "Paris, Texas, United States",
		"London, UK": "London, England, United Kingdom", "London (Ontario)": "London, Ontario, Canada", "London, U.K.": "London, England, United Kingdom",
		"New York": "New York, United States", "Bergen tomorrow?": "Bergen, Vestland, Norway", "what's the weather in Zermatt this weekend": "Zermatt, Valais, Switzerland",
		"in Cairo right now": "Cairo, Cairo Governorate, Egypt", "the weather in Lisbon today, please": "Lisbon, Portugal",
		"48.85, 2.35": "48.85° N, 2.35° E", "33.9° S 18.4° E": "33.90° S, 18.40° E", "lat 40.71, lon -74.0": "40.71° N, 74.00° W", "−33.9; 151.2": "33.90° S, 151.20° E",
	} {
		out, err := b.Run(t.Context(), candidate, asking(said))
		if err != nil {
			t.Errorf("%q: %v", said, err)
			continue
		}
		if got, _, _ := strings.Cut(out.Value, " (Thursday"); got != want || out.About.String() != "the weather in "+want {
			t.Errorf("%q is %q (%s), want %q", said, got, out.About, want)
		}
	}
}

func TestUnknownPlaces(t *testing.T) {
	t.Parallel()
	b := at(t, weathertest.New(t).URL)
	for said, want := range map[string][]string{
		"Atlantis":                 {"“Atlantis”", "nearest town"},
		"Paris, Norway":            {"“Paris, Norway”", "Paris, Île-de-France, France", "Paris, Texas"},
		"":                         {"which place"},
		" ?! ":                     {"which place"},
		"95.1, 12.0":               {"no such place", "-90 to 90"},
		"12.0, 190.5":              {"-180 to 180"},
		strings.Repeat("Llan", 40): {"too long"},
	} {
		_, err := b.Run(t.Context(), candidate, asking(said))
		if err == nil || errors.Is(err, toolbox.ErrDown) {
			t.Errorf("%q: %v", said, err)
			continue
		}
		for _, w := range want {
			if s := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(s, w) {
				t.Errorf("%q: %q lacks %q", said, s, w)
			}
		}
	}
}

// TestOnlyPlaceIsSent checks what is sent.
func TestOnlyPlaceIsSent(t *testing.T) {
	t.Parallel()
	s := weathertest.New(t)
	if _, err := at(t, s.URL).Run(t.Context(), candidate, asking("how is the weather in Paris, Texas tomorrow?")); err != nil {
		t.Fatal(err)
	}
	asked := s.Asked()
	if len(asked) != 2 {
		t.Fatalf("asked %q", asked)
	}
	first, err := url.Parse(asked[0])
	if err != nil || first.Query().Get("name") != "Paris" {
		t.Errorf("%q, %v", asked[0], err)
	}
	second, err := url.Parse(asked[1])
	if err != nil || second.Query().Get("latitude") != "33.6609" || second.Query().Get("longitude") != "-95.5555" {
		t.Errorf("%q, %v", asked[1], err)
	}
}

// TestTroubleOfTheService covers each fault of a server.
func TestTroubleOfTheService(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body)) //nolint:errcheck // who asked may be gone
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
		tries  int32
	}{
		"too many requests": {status(429, `{"error":true,"reason":"Minutely API request limit exceeded."}`), "too many requests", 3},
		"bad gateway":       {status(502, ""), "does not answer", 3},
		"not available":     {status(503, "secret words"), "does not answer", 3},
		"timeout of a gate": {status(504, ""), "does not answer", 3},
		"refused":           {status(400, `{"error":true,"reason":"secret words"}`), "rejected the request", 1},
		"not there":         {status(404, "secret words"), "could not be read", 1},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<html>secret words</html>")) //nolint:errcheck // who asked may be gone
		}, "could not be read", 1},
		"no JSON":      {status(200, "secret words"), "could not be read", 1},
		"another JSON": {status(200, `{"results":"secret words"}`), "could not be read", 1},
		"no figures":   {status(200, `{"results":[{"name":"X"}],"current":{"time":"2026-11-19T15:00"},"daily":{"time":["2026-11-19"]}}`), "could not be read", 1},
		"wild figures": {status(200, `{"results":[{"name":"X"}],"current":{"time":"2026-11-19T15:00","temperature_2m":1e9,"weather_code":0,"wind_speed_10m":1,"relative_humidity_2m":1}}`), "could not be read", 1},
		"a cut body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"results":[`))    //nolint:errcheck // who asked may be gone
			_ = http.NewResponseController(w).Flush() //nolint:errcheck // who asked may be gone
			panic(http.ErrAbortHandler)
		}, "could not be read", 3},
		"an endless stream": {func(w http.ResponseWriter, _ *http.Request) {
			line := []byte(strings.Repeat(" ", 64<<10))
			for {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		}, "could not be read", 1},
		"a redirect inside": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		}, "could not be read", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int32
			s := weathertest.New(t)
			s.Before(func(w http.ResponseWriter, r *http.Request) bool {
				if name == "no figures" || name == "wild figures" {
					if r.URL.Path == "/v1/search" {
						return false
					}
				}
				tries.Add(1)
				c.answer(w, r)
				return true
			})
			_, err := at(t, s.URL).Run(t.Context(), candidate, asking("Paris"))
			if !errors.Is(err, toolbox.ErrDown) {
				t.Fatalf("it blames the input: %v", err)
			}
			said := plan.Sentence(err, plan.Message{}).String()
			if !strings.Contains(said, c.says) || strings.Contains(said+plan.ForOperator(err), "<html>") {
				t.Errorf("it says %q", said)
			}
			if strings.Contains(plan.ForOperator(err), "Paris") {
				t.Errorf("the log tells the place: %s", plan.ForOperator(err))
			}
			if n := tries.Load(); n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
		})
	}
}

func TestRecoveredServiceIsUsed(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	s := weathertest.New(t)
	s.Before(func(w http.ResponseWriter, _ *http.Request) bool {
		if tries.Add(1) != 1 {
			return false
		}
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	var waited time.Duration
	var log strings.Builder
	b := at(t, s.URL, func(c *weather.Config) {
		c.Wait = func(_ context.Context, d time.Duration) error { waited = d; return nil }
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	if _, err := b.Run(t.Context(), candidate, asking("Paris")); err != nil {
		t.Fatal(err)
	}
	if waited < 3*time.Second {
		t.Errorf("it waited %v", waited)
	}
	if !strings.Contains(log.String(), `msg="the weather service: retrying" host=`) {
		t.Errorf("logged was %s", &log)
	}
}

func TestProbeIsCached(t *testing.T) {
	t.Parallel()
	s := weathertest.New(t)
	var now atomic.Int64
	b := at(t, s.URL, func(c *weather.Config) {
		c.Now = func() time.Time { return time.Unix(1e9+now.Load(), 0) }
		c.Retries = -1
	})
	probe := func(after time.Duration, live bool, asked int) {
		t.Helper()
		now.Add(int64(after / time.Second))
		if err := b.Probe(t.Context(), candidate); (err == nil) != live {
			t.Errorf("%v", err)
		}
		if got := len(s.Asked()); got != asked {
			t.Errorf("asked %d times, want %d", got, asked)
		}
	}
	probe(0, true, 1)
	probe(9*time.Minute, true, 1)
	s.Before(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true })
	probe(2*time.Minute, false, 2)
	s.Before(nil)
	probe(20*time.Second, false, 2)
	probe(20*time.Second, true, 3)
	s.Before(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true })
	probe(11*time.Minute, false, 4)
	s.Before(nil)
	if _, err := b.Run(t.Context(), candidate, asking("48.8, 2.3")); err != nil { // that tells that it is well
		t.Fatal(err)
	}
	probe(time.Second, true, 5)
}

func TestWrongAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []weather.Config{{BaseURL: "open-meteo"}, {GeocodingURL: "ftp://example.com"}, {BaseURL: "http://"}} {
		if _, err := weather.New(c); err == nil || !strings.Contains(err.Error(), "service address") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := weather.New(weather.Config{}); err != nil {
		t.Error(err)
	}
}

func TestContract(t *testing.T) { //nolint:paralleltest // the suite sets the environment
	s := weathertest.New(t)
	started, stopped := make(chan struct{}), make(chan struct{})
	s.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("name") != "Cairo" {
			return false
		}
		close(started)
		<-r.Context().Done()
		close(stopped)
		return true
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	unknown := candidate
	unknown.Run = "tea-leaves"
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: at(t, s.URL), Down: at(t, gone.URL), Unknown: unknown,
		Good: toolboxtest.Use{Candidate: candidate, Call: asking("Paris")},
		Bad:  toolboxtest.Use{Candidate: candidate, Call: asking("Atlantis")},
		Slow: &toolboxtest.Use{Candidate: candidate, Call: asking("Cairo")}, Started: started, Stopped: stopped,
	})
}
