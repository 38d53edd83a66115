package place

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/nativetest"
)

func TestWeatherOfAnUnknownFormStandsAsItIs(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations())
	out := w.Do("summarize_weather_condition", nativetest.Args{"weather": {toolbox.Value{Resource: plan.Resource{Type: plan.Weather, Value: "18 °C, light rain,\nwind from the west"}}}})
	if out.Value != "18 °C, light rain, wind from the west." || out.Note.IsZero() {
		t.Errorf("%q, %q", out.Value, out.Note)
	}
	w.Refused("summarize_weather_condition", nativetest.Args{"weather": {nativetest.Text(" \n")}}, "no weather")
}

func TestWeatherSentences(t *testing.T) {
	t.Parallel()
	data := strings.Join([]string{
		"Oslo, Norway (Thursday, 19 November 2026, 15:00)",
		"Now: light snow, -2 °C, feels like -6 °C, humidity 90 %, wind 12 km/h from the north",
		"Thursday, 19 November 2026: light snow, -4 to -1 °C, 80 % chance of rain or snow, 1.2 mm, 1.5 cm of snow, wind up to 18 km/h",
	}, "\n")
	out := nativetest.New(t, Operations()).Do("summarize_weather_condition", nativetest.Args{"weather": {nativetest.Text(data)}})
	want := "In Oslo, Norway it is -2 °C now, which feels like -6 °C, with light snow and a light wind of 12 km/h from the north. " +
		"Today: light snow, -4 to -1 °C, 80 % chance of snow (1.5 cm). Dress warmly, and watch out for ice."
	if out.Value != want || !out.Note.IsZero() {
		t.Errorf("%q, %q", out.Value, out.Note)
	}
}
