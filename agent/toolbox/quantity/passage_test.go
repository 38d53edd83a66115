package quantity

import (
	"slices"
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	const second, minute = time.Second, time.Minute
	for text, want := range map[string]Passage{
		"0:10-0:25": {From: 10 * second, To: 25 * second}, "from 0:30 to 1:00": {From: 30 * second, To: minute}, "0:30 – 1:00": {From: 30 * second, To: minute},
		"5 to 9 seconds": {From: 5 * second, To: 9 * second}, "seconds 5 to 9": {From: 5 * second, To: 9 * second}, "between 2:00 and 5:30": {From: 2 * minute, To: 330 * second},
		"10:15 till 10:45": {From: 615 * second, To: 645 * second}, "2 to 3 minutes": {From: 2 * minute, To: 3 * minute}, "minutes 2 to 3": {From: 2 * minute, To: 3 * minute},
		"1:02:03.5 to 1:02:04": {From: 3723500 * time.Millisecond, To: 3724 * second}, "from second 5 to second 9": {From: 5 * second, To: 9 * second},
		"1m30s to 2m": {From: 90 * second, To: 2 * minute}, "from 1 minute 30 seconds to 2 minutes": {From: 90 * second, To: 2 * minute},
		"1h2m3s to 1h3m": {From: 3723 * second, To: 3780 * second}, "0.5 - 1.25 s": {From: 500 * time.Millisecond, To: 1250 * time.Millisecond},
		"the first 10 seconds": {From: 0, To: 10 * second}, "first minute": {From: 0, To: minute}, "first 4 seconds of memo.m4a": {From: 0, To: 4 * second},
		"keep the first ten seconds": {From: 0, To: 10 * second}, "snip out the first 10 seconds and keep just that": {From: 0, To: 10 * second},
		"the last 30 seconds": {From: -30 * second, To: 0}, "the last minute": {From: -minute, To: 0}, "the final half a minute": {From: -30 * second, To: 0},
		"20 seconds": {From: 0, To: 20 * second}, "down to 6 seconds": {From: 0, To: 6 * second}, "250 ms": {From: 0, To: 250 * time.Millisecond}, "15": {From: 0, To: 15 * second},
		"half a minute": {From: 0, To: 30 * second}, "1.5 minutes": {From: 0, To: 90 * second}, "one and a half minutes": {From: 0, To: 90 * second},
		"a second and a half":          {From: 0, To: 1500 * time.Millisecond},
		"drop the end after 3 minutes": {From: 0, To: 3 * minute}, "end of it after 3 minutes": {From: 0, To: 3 * minute}, "drop everything after 2 minutes": {From: 0, To: 2 * minute},
		"everything after 2 minutes": {From: 2 * minute, To: 0}, "from 0:30": {From: 30 * second, To: 0}, "until 0:30": {From: 0, To: 30 * second}, "skip everything before 0:30": {From: 30 * second, To: 0},
		"without the first 5 seconds": {From: 5 * second, To: 0}, "cut off the last 5 seconds": {From: 0, To: -5 * second}, "all but the last 2 seconds": {From: 0, To: -2 * second},
		"from 0:30 to the end": {From: 30 * second, To: 0}, "0:30 - the end": {From: 30 * second, To: 0}, "0:30 onwards": {From: 30 * second, To: 0}, "remove 0:30 to the end": {From: 0, To: 30 * second},
		"10 seconds from 0:30": {From: 30 * second, To: 40 * second}, "from 0:30 for 10 seconds": {From: 30 * second, To: 40 * second}, "10 seconds starting at 1:00": {From: minute, To: 70 * second},
	} {
		if got, ok := Times(text); !ok || got != want {
			t.Errorf("Times(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "nicely", "-5 seconds", "9 to 5 seconds", "0:30-0:30", "0", "1e400 seconds", "1, 2 and 3 seconds", "song.mp3",
		"999999 hours", "NaN"} {
		if got, ok := Times(text); ok {
			t.Errorf("Times(%q) = %v, want that it is not understood", text, got)
		}
	}
}

func TestPassageOf(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, c := range []struct {
		p                Passage
		length, from, to time.Duration
		ok               bool
	}{
		{Passage{From: 5 * second, To: 9 * second}, 20 * second, 5 * second, 9 * second, true},
		{Passage{From: 5 * second, To: 90 * second}, 20 * second, 5 * second, 20 * second, true},
		{Passage{From: -5 * second, To: 0}, 20 * second, 15 * second, 20 * second, true},
		{Passage{From: -50 * second, To: 0}, 20 * second, 0, 20 * second, true},
		{Passage{From: 0, To: -5 * second}, 20 * second, 0, 15 * second, true},
		{Passage{From: 0, To: -50 * second}, 20 * second, 0, -30 * second, false},
		{Passage{Start: 0.5}, 20 * second, 10 * second, 20 * second, true},
		{Passage{From: -2 * second, Start: 0.5, To: 2 * second, End: 0.5}, 20 * second, 8 * second, 12 * second, true},
		{Passage{From: -30 * second, Start: 0.5, To: 30 * second, End: 0.5}, 20 * second, 0, 20 * second, true},
		{Passage{To: -30 * second, End: 0.5}, 20 * second, 0, -20 * second, false},
		{Passage{From: 30 * second, To: 0}, 20 * second, 30 * second, 20 * second, false},
	} {
		if from, to, ok := c.p.Of(c.length); from != c.from || to != c.to || ok != c.ok {
			t.Errorf("%v of %v: %v, %v, %v", c.p, c.length, from, to, ok)
		}
	}
}

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
		"without 0-3 s":                                    {{From: 3 * s, To: 0}},
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
