package quantity

import (
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	const second, minute = time.Second, time.Minute
	for text, want := range map[string]Passage{
		"0:10-0:25": {10 * second, 25 * second}, "from 0:30 to 1:00": {30 * second, minute}, "0:30 – 1:00": {30 * second, minute},
		"5 to 9 seconds": {5 * second, 9 * second}, "seconds 5 to 9": {5 * second, 9 * second}, "between 2:00 and 5:30": {2 * minute, 330 * second},
		"10:15 till 10:45": {615 * second, 645 * second}, "2 to 3 minutes": {2 * minute, 3 * minute}, "minutes 2 to 3": {2 * minute, 3 * minute},
		"1:02:03.5 to 1:02:04": {3723500 * time.Millisecond, 3724 * second}, "from second 5 to second 9": {5 * second, 9 * second},
		"1m30s to 2m": {90 * second, 2 * minute}, "from 1 minute 30 seconds to 2 minutes": {90 * second, 2 * minute},
		"1h2m3s to 1h3m": {3723 * second, 3780 * second}, "0.5 - 1.25 s": {500 * time.Millisecond, 1250 * time.Millisecond},
		"the first 10 seconds": {0, 10 * second}, "first minute": {0, minute}, "first 4 seconds of memo.m4a": {0, 4 * second},
		"keep the first ten seconds": {0, 10 * second}, "snip out the first 10 seconds and keep just that": {0, 10 * second},
		"the last 30 seconds": {-30 * second, 0}, "the last minute": {-minute, 0}, "the final half a minute": {-30 * second, 0},
		"20 seconds": {0, 20 * second}, "down to 6 seconds": {0, 6 * second}, "250 ms": {0, 250 * time.Millisecond}, "15": {0, 15 * second},
		"half a minute": {0, 30 * second}, "1.5 minutes": {0, 90 * second}, "one and a half minutes": {0, 90 * second},
		"a second and a half":          {0, 1500 * time.Millisecond},
		"drop the end after 3 minutes": {0, 3 * minute}, "end of it after 3 minutes": {0, 3 * minute}, "drop everything after 2 minutes": {0, 2 * minute},
		"everything after 2 minutes": {2 * minute, 0}, "from 0:30": {30 * second, 0}, "until 0:30": {0, 30 * second}, "skip everything before 0:30": {30 * second, 0},
		"without the first 5 seconds": {5 * second, 0}, "cut off the last 5 seconds": {0, -5 * second}, "all but the last 2 seconds": {0, -2 * second},
		"from 0:30 to the end": {30 * second, 0}, "0:30 - the end": {30 * second, 0}, "0:30 onwards": {30 * second, 0}, "remove 0:30 to the end": {0, 30 * second},
		"10 seconds from 0:30": {30 * second, 40 * second}, "from 0:30 for 10 seconds": {30 * second, 40 * second}, "10 seconds starting at 1:00": {minute, 70 * second},
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
		{Passage{5 * second, 9 * second}, 20 * second, 5 * second, 9 * second, true},
		{Passage{5 * second, 90 * second}, 20 * second, 5 * second, 20 * second, true},
		{Passage{-5 * second, 0}, 20 * second, 15 * second, 20 * second, true},
		{Passage{-50 * second, 0}, 20 * second, 0, 20 * second, true},
		{Passage{0, -5 * second}, 20 * second, 0, 15 * second, true},
		{Passage{0, -50 * second}, 20 * second, 0, -30 * second, false},
		{Passage{30 * second, 0}, 20 * second, 30 * second, 20 * second, false},
	} {
		if from, to, ok := c.p.Of(c.length); from != c.from || to != c.to || ok != c.ok {
			t.Errorf("%v of %v: %v, %v, %v", c.p, c.length, from, to, ok)
		}
	}
}
