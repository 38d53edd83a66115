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
		"0:10-0:25":               {{10 * s, 25 * s}},
		"the last 5 seconds":      {{-5 * s, 0}},
		"0:00-0:05 and 0:20-0:25": {{0, 5 * s}, {20 * s, 25 * s}},
		"0:00 to 0:05, 0:20 to 0:25 and 0:30 to the end":      {{0, 5 * s}, {20 * s, 25 * s}, {30 * s, 0}},
		"the first 3 seconds and the last 2 seconds":          {{0, 3 * s}, {-2 * s, 0}},
		"between 2 and 4 seconds and between 6 and 8 seconds": {{2 * s, 4 * s}, {6 * s, 8 * s}},
		"without 0:05-0:10":                                {{0, 5 * s}, {10 * s, 0}},
		"without the 2 to 4 seconds":                       {{0, 2 * s}, {4 * s, 0}},
		"remove 0:05-0:10 and 0:20-0:25":                   {{0, 5 * s}, {10 * s, 20 * s}, {25 * s, 0}},
		"remove 0:20-0:25 and 0:05-0:10":                   {{0, 5 * s}, {10 * s, 20 * s}, {25 * s, 0}},
		"without the first 5 and the last 10 seconds":      {{5 * s, -10 * s}},
		"without the first 5 and the last 2 minutes":       {{300 * s, -120 * s}},
		"without the first and last 5 seconds":             {{5 * s, -5 * s}},
		"remove the first 5 s, 0:10-0:12 and the last 3 s": {{5 * s, 10 * s}, {12 * s, -3 * s}},
		"trim 2 s from the start and 3 from the end":       {{2 * s, -3 * s}},
		"trim 3 seconds from the end":                      {{0, -3 * s}},
		"cut 10 seconds off the beginning":                 {{10 * s, 0}},
		"trim 2 seconds off both ends":                     {{2 * s, -2 * s}},
		"without 2 seconds at each end":                    {{2 * s, -2 * s}},
		"trim the first 2 and last 3 seconds":              {{2 * s, -3 * s}},
		"keep the first 2 and last 3 seconds":              {{0, 2 * s}, {-3 * s, 0}},
		"without 1-2 s and 5-6 s":                          {{0, s}, {2 * s, 5 * s}, {6 * s, 0}},
		"keep 3 seconds from the end":                      {{-3 * s, 0}},
		"without everything before 0:05 and after 0:20":    {{5 * s, 20 * s}},
		"10 seconds from 0:30":                             {{30 * s, 40 * s}},
		"without the first 5 seconds":                      {{5 * s, 0}},
	} {
		if got, ok := Passages(text); !ok || !slices.Equal(got, want) {
			t.Errorf("Passages(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "nicely", "0:20-0:25 and 0:00-0:05", "0:00-0:10 and 0:05-0:20", "remove 0:00-0:10 and 0:05-0:20",
		"0:05-0:10 and 3 copies of 0:20-0:25",
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
