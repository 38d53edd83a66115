package place

import (
	"testing"

	"atelier/agent/toolbox/native/nativetest"
)

func TestPlacesInTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Lisbon": "Lisbon", "what's the weather in Paris?": "Paris", "weather in paris tomorrow": "paris", "is it raining in Dublin?": "Dublin",
		"will it snow in Zermatt this weekend?": "Zermatt", "will it rain in bergen tomorrow": "bergen", "weather oslo": "oslo",
		"London, UK": "London, UK", "We will meet at the harbour in Lisbon, Portugal, on Monday.": "Lisbon, Portugal",
		"temperature in New York please": "New York", "how windy is it in Cape Town": "Cape Town", "the weather of Rio de Janeiro": "Rio de Janeiro",
		"On Friday Anna takes the train from Bad Ischl to her office.":                            "Bad Ischl",
		"The council met on Monday. It decided that the bridge in Stratford-upon-Avon is closed.": "Stratford-upon-Avon",
		"Tokyo is large. I once lived near Kleinkummersdorf.":                                     "Tokyo", "forecast for Hamburg in June": "Hamburg",
	} {
		if got := locate(text); got != want {
			t.Errorf("%q speaks of %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"I had a good day, and the cake was better than the one that my sister made last year.", "what is the weather like today?", "good morning to all of us here"} {
		if got := locate(text); got != "" {
			t.Errorf("%q speaks of %q", text, got)
		}
	}
}

func TestNoPlace(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations())
	w.Refused("extract_location", nativetest.Args{"text": {nativetest.Text("what is the weather like today?")}}, "no place", "Lisbon")
}
