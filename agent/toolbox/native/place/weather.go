package place

import (
	"context"
	"errors"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/weather/forecast"
)

// summarizeWeather turns weather data into a few sentences. Data in an unknown format is returned as is.
func summarizeWeather(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	data := c.Text("weather")
	if data == "" {
		data = c.Text("text")
	}
	data = prose.Clean(data)
	switch {
	case strings.TrimSpace(data) == "":
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("There is no weather data. Please name a place."),
			Err:      errors.New("empty weather"),
		}
	case len(data) > prose.Most:
		return toolbox.Output{}, prose.TooLong(data)
	}
	f, err := forecast.Parse(data)
	if err != nil {
		return toolbox.Output{ //nolint:nilerr // unreadable data is returned as is
			Value: asSentence(prose.OneLine(data)),
			About: plan.Say("a weather report"),
			Note:  plan.Say("The weather data is in an unknown format, so it is shown as it is."),
		}, nil
	}
	return toolbox.Output{Value: f.Summary(), About: plan.Say("a weather report")}, nil
}

// asSentence capitalizes s and adds a full stop.
func asSentence(s string) string {
	s = strings.TrimSpace(s)
	r := []rune(s)
	s = strings.ToUpper(string(r[:1])) + string(r[1:])
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
