package quantity

import (
	"slices"
	"testing"
	"time"
)

func TestPassages(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for text, want := range map[string][]Passage{
		"0:10-0:25":               {{From: 10 * s, To: 25 * s}},
		"the last 5 seconds":      {{From: -5 * s, To: 0}},
		"0:00-0:05 and 0:20-0:25": {{From: 0, To: 5 * s}, {From: 20 * s, To: 25 * s}},
		"0:00 to 0:05, 0:20 to 0:25 and 0:30 to the end":      {{From: 0, To: 5 * s}, {From: 20 * s, To: 25 * s}, {From: 30 * s, To: 0}},
		"the first 3 seconds and the last 2 seconds":          {{From: 0, To: 3 * s}, {From: -2 * s, To: 0}},
		"between 2 and 4 seconds and between 6 and 8 seconds": {{From: 2 * s, To: 4 * s}, {From: 6 * s, To: 8 * s}},
		"without 0:05-0:10":                                {{From: 0, To: 5 * s}, {From: 10 * s, To: 0}},
		"without the 2 to 4 seconds":                       {{From: 0, To: 2 * s}, {From: 4 * s, To: 0}},
		"remove 0:05-0:10 and 0:20-0:25":                   {{From: 0, To: 5 * s}, {From: 10 * s, To: 20 * s}, {From: 25 * s, To: 0}},
		"remove 0:20-0:25 and 0:05-0:10":                   {{From: 0, To: 5 * s}, {From: 10 * s, To: 20 * s}, {From: 25 * s, To: 0}},
		"without the first 5 and the last 10 seconds":      {{From: 5 * s, To: -10 * s}},
		"without the first 5 and the last 2 minutes":       {{From: 300 * s, To: -120 * s}},
		"without the first and last 5 seconds":             {{From: 5 * s, To: -5 * s}},
		"remove the first 5 s, 0:10-0:12 and the last 3 s": {{From: 5 * s, To: 10 * s}, {From: 12 * s, To: -3 * s}},
		"trim 2 s from the start and 3 from the end":       {{From: 2 * s, To: -3 * s}},
		"trim 3 seconds from the end":                      {{From: 0, To: -3 * s}},
		"cut 10 seconds off the beginning":                 {{From: 10 * s, To: 0}},
		"trim 2 seconds off both ends":                     {{From: 2 * s, To: -2 * s}},
		"without 2 seconds at each end":                    {{From: 2 * s, To: -2 * s}},
		"trim the first 2 and last 3 seconds":              {{From: 2 * s, To: -3 * s}},
		"keep the first 2 and last 3 seconds":              {{From: 0, To: 2 * s}, {From: -3 * s, To: 0}},
		"without 1-2 s and 5-6 s":                          {{From: 0, To: s}, {From: 2 * s, To: 5 * s}, {From: 6 * s, To: 0}},
		"keep 3 seconds from the end":                      {{From: -3 * s, To: 0}},
		"without everything before 0:05 and after 0:20":    {{From: 5 * s, To: 20 * s}},
		"10 seconds from 0:30":                             {{From: 30 * s, To: 40 * s}},
		"without the first 5 seconds":                      {{From: 5 * s, To: 0}},
		"keep the first half":                              {{End: 0.5}},
		"cut off the second half":                          {{End: 0.5}},
		"the last 25%":                                     {{Start: 0.75}},
		"without the first 10 percent":                     {{Start: 0.1}},
		"the middle 4 seconds":                             {{From: -2 * s, Start: 0.5, To: 2 * s, End: 0.5}},
		"remove the middle 4 seconds":                      {{To: -2 * s, End: 0.5}, {From: 2 * s, Start: 0.5}},
		"the first three quarters":                         {{End: 0.75}},
		"the second quarter":                               {{Start: 0.25, End: 0.5}},
		"the last half a minute":                           {{From: -30 * s}},
	} {
		if got, ok := Passages(text); !ok || !slices.Equal(got, want) {
			t.Errorf("Passages(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "nicely", "0:20-0:25 and 0:00-0:05", "0:00-0:10 and 0:05-0:20", "remove 0:00-0:10 and 0:05-0:20",
		"0:05-0:10 and 3 copies of 0:20-0:25", "the first half and the last 3 seconds", "the last 100%", "the second 20%",
	} {
		if got, ok := Passages(text); ok {
			t.Errorf("Passages(%q) = %v, want that it is not understood", text, got)
		}
	}
}

func TestFindPassages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"remove 0:05-0:10 and 0:20-0:25 from it":                "0:05-0:10 and 0:20-0:25",
		"cut off the first 5 and the last 10 seconds of a film": "the first 5 and the last 10 seconds",
		"trim 2 s from the start and 3 from the end, please":    "2 s from the start and 3 from the end",
		"take 2 seconds off both ends of it":                    "2 seconds off both ends",
		"cut it from 0:01 to 0:03":                              "",
		"the first 5 seconds":                                   "",
		"the first 5 seconds, and make it 10 px wide":           "",
	} {
		if start, end := FindPassages(text); text[start:end] != want {
			t.Errorf("FindPassages(%q) = %q, want %q", text, text[start:end], want)
		}
	}
}
