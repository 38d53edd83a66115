// Package weathertest is a fake server for tests with Open-Meteo's two documented APIs
// (https://open-meteo.com/en/docs and .../geocoding-api), with a few places whose weather never changes.
//
// It validates requests as strictly as the public service, and also rejects undocumented parameters, with
// status 400 and {"error":true,"reason":"..."}.
package weathertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server replaces both services, at one address.
type Server struct {
	// URL is the base URL of both services.
	URL string

	mu     sync.Mutex
	asked  []string
	before func(w http.ResponseWriter, r *http.Request) bool
}

// Today is the current local time at all places.
var Today = time.Date(2026, time.November, 19, 15, 0, 0, 0, time.UTC) // a Thursday

// New starts a server that is closed when the test ends.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{}
	web := httptest.NewServer(s)
	tb.Cleanup(web.Close)
	s.URL = web.URL
	return s
}

// Before sets a function that runs before each request. If it returns true, it has answered the request. Nil
// removes it.
func (s *Server) Before(do func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = do
}

// Asked returns the requests so far, as path and query.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.RequestURI())
	before := s.before
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	var (
		answer any
		err    error
	)
	switch {
	case r.Method != http.MethodGet:
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	case r.URL.Path == "/v1/search":
		answer, err = search(r.URL.Query())
	case r.URL.Path == "/v1/forecast":
		answer, err = forecast(r.URL.Query())
	default:
		err = fmt.Errorf("not found: %s", r.URL.Path)
	}
	status := http.StatusOK
	if err != nil {
		status, answer = http.StatusBadRequest, map[string]any{"error": true, "reason": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) //nolint:errcheck,errchkjson // the client may be gone
}

// only rejects undocumented and repeated parameters.
func only(q url.Values, documented ...string) error {
	for name, values := range q {
		if !slices.Contains(documented, name) || len(values) != 1 {
			return fmt.Errorf("unknown parameter '%s'", name)
		}
	}
	return nil
}

func search(q url.Values) (any, error) {
	if err := only(q, "name", "count", "language", "format", "countryCode", "apikey"); err != nil {
		return nil, err
	}
	count := 10
	if c := q.Get("count"); c != "" {
		n, err := strconv.Atoi(c)
		if err != nil || n < 1 || n > 100 {
			return nil, fmt.Errorf("parameter 'count' must be between 1 and 100, got %q", c)
		}
		count = n
	}
	if f := q.Get("format"); f != "" && f != "json" {
		return nil, fmt.Errorf("parameter 'format' is %q", f)
	}
	if l := q.Get("language"); l != strings.ToLower(l) {
		return nil, fmt.Errorf("parameter 'language' is %q", l)
	}
	if !q.Has("name") {
		return nil, errors.New("parameter 'name' is missing")
	}
	name := strings.ToLower(q.Get("name"))
	var found []Place
	for _, p := range Places {
		known := strings.ToLower(p.Name)
		if name == known || len(name) >= 3 && strings.HasPrefix(known, name) {
			found = append(found, p)
		}
	}
	answer := map[string]any{"generationtime_ms": 0.5}
	if len(found) > 0 { // as in the API, there is no list without results
		answer["results"] = found[:min(len(found), count)]
	}
	return answer, nil
}

// The documented variables.
var (
	currents = []string{
		"temperature_2m", "relative_humidity_2m", "apparent_temperature", "is_day", "precipitation", "rain", "showers", "snowfall", "weather_code",
		"cloud_cover", "pressure_msl", "surface_pressure", "wind_speed_10m", "wind_direction_10m", "wind_gusts_10m",
	}
	dailies = []string{
		"weather_code", "temperature_2m_max", "temperature_2m_min", "apparent_temperature_max", "apparent_temperature_min", "sunrise", "sunset",
		"daylight_duration", "sunshine_duration", "uv_index_max", "precipitation_sum", "rain_sum", "showers_sum", "snowfall_sum",
		"precipitation_hours", "precipitation_probability_max", "wind_speed_10m_max", "wind_gusts_10m_max", "wind_direction_10m_dominant",
	}
)

func forecast(q url.Values) (any, error) {
	err := only(q, "latitude", "longitude", "elevation", "hourly", "daily", "current", "temperature_unit", "wind_speed_unit", "precipitation_unit",
		"timeformat", "timezone", "past_days", "forecast_days", "start_date", "end_date", "models", "cell_selection", "apikey")
	if err != nil {
		return nil, err
	}
	latitude, err := within(q, "latitude", 90)
	if err != nil {
		return nil, err
	}
	longitude, err := within(q, "longitude", 180)
	if err != nil {
		return nil, err
	}
	days := 7
	if d := q.Get("forecast_days"); d != "" {
		if days, err = strconv.Atoi(d); err != nil || days < 0 || days > 16 {
			return nil, fmt.Errorf("forecast days is invalid, allowed range 0 to 16, given %q", d)
		}
	}
	if q.Has("daily") && !q.Has("timezone") {
		return nil, errors.New("timezone is required")
	}
	p := nearest(latitude, longitude)
	answer := map[string]any{
		"latitude": latitude, "longitude": longitude, "generationtime_ms": 0.1, "elevation": 38, "utc_offset_seconds": 0,
		"timezone": p.Timezone, "timezone_abbreviation": "GMT",
	}
	if names := list(q, "current"); names != nil {
		current := map[string]any{"time": Today.Format("2006-01-02T15:04"), "interval": 900}
		for _, n := range names {
			if !slices.Contains(currents, n) {
				return nil, fmt.Errorf("data corrupted at path ''. Cannot initialize SurfacePressureAndHeightVariable from invalid String value %s", n)
			}
			current[n] = p.now[n]
		}
		answer["current"] = current
	}
	if names := list(q, "daily"); names != nil {
		var dates []string
		for i := range days {
			dates = append(dates, Today.AddDate(0, 0, i).Format(time.DateOnly))
		}
		daily := map[string]any{"time": dates}
		for _, n := range names {
			if !slices.Contains(dailies, n) {
				return nil, fmt.Errorf("data corrupted at path ''. Cannot initialize ForecastVariableDaily from invalid String value %s", n)
			}
			figures := make([]any, days) // null means unknown
			for i := range days {
				if of := p.daily[n]; len(of) > 0 {
					figures[i] = of[i%len(of)]
				}
			}
			daily[n] = figures
		}
		answer["daily"] = daily
	}
	return answer, nil
}

func list(q url.Values, name string) []string {
	if q.Get(name) == "" {
		return nil
	}
	return strings.Split(q.Get(name), ",")
}

func within(q url.Values, name string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(q.Get(name), 64)
	if err != nil || math.Abs(v) > most {
		return 0, fmt.Errorf("%s must be in range of -%g to %g°, given: %s", name, most, most, q.Get(name))
	}
	return v, nil
}

func nearest(latitude, longitude float64) Place {
	best := Places[0]
	away := func(p Place) float64 { return math.Hypot(p.Latitude-latitude, p.Longitude-longitude) }
	for _, p := range Places {
		if away(p) < away(best) {
			best = p
		}
	}
	return best
}
