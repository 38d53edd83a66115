package quantity

import (
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
