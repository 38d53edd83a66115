package weather

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox/weather/forecast"
)

// source is the attribution of the data (https://open-meteo.com/en/license).
const source = "Open-Meteo.com (CC BY 4.0)"

// The requested variables (https://open-meteo.com/en/docs), in degrees Celsius, km/h, mm and, for snow, cm.
var (
	currents = []string{"temperature_2m", "relative_humidity_2m", "apparent_temperature", "weather_code", "wind_speed_10m", "wind_direction_10m"}
	dailies  = []string{
		"weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum", "snowfall_sum",
		"precipitation_probability_max", "wind_speed_10m_max",
	}
)

// days is the length of the forecast, today included. It always includes a weekend.
const days = 7

// response is an answer of the forecast service. Unknown values are null.
type response struct {
	Current struct {
		Time      string   `json:"time"`
		Code      *float64 `json:"weather_code"`
		Degrees   *float64 `json:"temperature_2m"`
		Feels     *float64 `json:"apparent_temperature"`
		Humidity  *float64 `json:"relative_humidity_2m"`
		Wind      *float64 `json:"wind_speed_10m"`
		Direction *float64 `json:"wind_direction_10m"`
	} `json:"current"`
	Daily struct {
		Time   []string   `json:"time"`
		Code   []*float64 `json:"weather_code"`
		High   []*float64 `json:"temperature_2m_max"`
		Low    []*float64 `json:"temperature_2m_min"`
		Wet    []*float64 `json:"precipitation_sum"`
		Snow   []*float64 `json:"snowfall_sum"`
		Chance []*float64 `json:"precipitation_probability_max"`
		Wind   []*float64 `json:"wind_speed_10m_max"`
	} `json:"daily"`
}

// current requests the temperature alone, to check that the service answers.
func (b *Backend) current(ctx context.Context, at place) (response, error) {
	return b.ask(ctx, at, url.Values{"current": {"temperature_2m"}})
}

// forecast returns the weather of a place.
func (b *Backend) forecast(ctx context.Context, at place) (forecast.Forecast, error) {
	a, err := b.ask(ctx, at, url.Values{
		"current": {strings.Join(currents, ",")}, "daily": {strings.Join(dailies, ",")},
		"timezone": {"auto"}, "forecast_days": {strconv.Itoa(days)},
	})
	if err != nil {
		return forecast.Forecast{}, err
	}
	f, ok := a.forecast()
	if !ok {
		return forecast.Forecast{}, unreadable(ctx, "the weather has missing or impossible values")
	}
	f.Place = at.name
	return f, nil
}

func (b *Backend) ask(ctx context.Context, at place, query url.Values) (response, error) {
	decimal := func(v float64) []string { return []string{strconv.FormatFloat(v, 'f', 4, 64)} }
	query["latitude"], query["longitude"] = decimal(at.latitude), decimal(at.longitude)
	got, err := b.forecasts.Do(ctx, endpoint.Request{Path: "/v1/forecast", Header: http.Header{"Accept": {"application/json"}}, Query: query})
	if err != nil {
		return response{}, fault(ctx, err)
	}
	var a response
	if err := json.Unmarshal(got.Body, &a); err != nil || a.Current.Time == "" {
		return response{}, unreadable(ctx, "the weather is not in the documented form")
	}
	return a, nil
}

// forecast converts an answer. It omits days with missing values.
func (a response) forecast() (forecast.Forecast, bool) {
	at, err := time.Parse("2006-01-02T15:04", a.Current.Time)
	var r reader
	now := forecast.Now{
		Sky: forecast.Sky(r.whole(a.Current.Code, 0, 99)), Temperature: r.whole(a.Current.Degrees, -100, 70),
		Wind: r.whole(a.Current.Wind, 0, 500), Humidity: r.whole(a.Current.Humidity, 0, 100),
	}
	if err != nil || r.missing {
		return forecast.Forecast{}, false
	}
	now.Feels = now.Temperature
	if v := a.Current.Feels; v != nil {
		now.Feels = r.whole(v, -130, 90)
	}
	if v := a.Current.Direction; v != nil {
		now.From = forecast.From(*v)
	}
	f := forecast.Forecast{At: at, Now: now, Source: source}
	for i := range min(len(a.Daily.Time), days) {
		if d, ok := a.day(i); ok {
			f.Days = append(f.Days, d)
		}
	}
	return f, !r.missing && len(f.Days) > 0
}

func (a response) day(i int) (forecast.Day, bool) {
	on, err := time.Parse(time.DateOnly, a.Daily.Time[i])
	var r reader
	d := forecast.Day{
		Date: on, Sky: forecast.Sky(r.whole(nth(a.Daily.Code, i), 0, 99)),
		Low: r.whole(nth(a.Daily.Low, i), -100, 70), High: r.whole(nth(a.Daily.High, i), -100, 70), Wind: r.whole(nth(a.Daily.Wind, i), 0, 500),
		Chance: -1,
	}
	if err != nil || r.missing {
		return forecast.Day{}, false
	}
	if v := nth(a.Daily.Chance, i); v != nil {
		d.Chance = r.whole(v, 0, 100)
	}
	d.Wet, d.Snow = r.tenths(nth(a.Daily.Wet, i)), r.tenths(nth(a.Daily.Snow, i))
	return d, !r.missing
}

func nth(all []*float64, i int) *float64 {
	if i < len(all) {
		return all[i]
	}
	return nil
}

// reader converts values, and notes whether one was missing or impossible.
type reader struct{ missing bool }

func (r *reader) whole(v *float64, least, most float64) int {
	if v == nil || !(*v >= least && *v <= most) {
		r.missing = true
		return 0
	}
	return int(math.Round(*v))
}

// tenths returns an amount of rain or snow, 0 if unknown.
func (r *reader) tenths(v *float64) float64 {
	if v == nil {
		return 0
	}
	if !(*v >= 0 && *v <= 5000) {
		r.missing = true
		return 0
	}
	return math.Round(*v*10) / 10
}
