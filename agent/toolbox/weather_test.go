package toolbox_test

import (
	"net/http"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native"
	"atelier/agent/toolbox/weather"
	"atelier/agent/toolbox/weather/weathertest"
)

// TestFromAWishToAWeatherReport runs all steps without a model: place, weather, report.
func TestFromAWishToAWeatherReport(t *testing.T) {
	t.Parallel()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	address := weathertest.New(t).URL
	b, err := weather.New(weather.Config{BaseURL: address, GeocodingURL: address, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	n, err := native.New(native.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string][]string{
		"Bergen":  {"In Bergen, Vestland, Norway it is 6 °C now", "feels like 2 °C", "wind of 34 km/h from the west", "Today: rain, 4 to 7 °C, 100 % chance of rain (14.6 mm)", "Tomorrow: heavy rain", "Take an umbrella"},
		"Zermatt": {"it is -4 °C now", "Tomorrow: overcast, -7 to -1 °C", "On Saturday: heavy snow, -10 to -3 °C, 98 % chance of snow (22.4 cm)", "On Sunday: snow", "Dress warmly"},
		"Cairo":   {"it is 34 °C now", "with a clear sky and a light wind", "Today: clear sky, 19 to 35 °C, dry.", "stay in the shade", "Source: Open-Meteo.com (CC BY 4.0)."},
	} {
		found, err := n.Run(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: "extract_location"}},
			toolbox.Call{Args: map[string][]toolbox.Value{"text": {{Resource: plan.Resource{Type: plan.Text, Value: "what will the weather be in " + place + " this weekend?"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.Run(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Kind: "weather", Run: "open-meteo"}},
			toolbox.Call{Args: map[string][]toolbox.Value{"location": {{Resource: plan.Resource{Type: plan.Location, Value: found.Value}}}}})
		if err != nil {
			t.Fatal(err)
		}
		told, err := n.Run(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: "summarize_weather_condition"}},
			toolbox.Call{Args: map[string][]toolbox.Value{"weather": {{Resource: plan.Resource{Type: plan.Weather, Value: out.Value}}}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(told.Value, w) {
				t.Errorf("%q lacks %q", told.Value, w)
			}
		}
	}
}
