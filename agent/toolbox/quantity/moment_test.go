package quantity

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"0:07": 7, "at 3 seconds": 3, "1:15": 75, "second 5": 5, "minute 1": 60, "at minute 1": 60, "12 s": 12, "7": 7, "the first frame": 0,
		"first": 0, "the opening": 0, "opening": 0, "the middle": 50, "halfway": 50, "half": 50, "in the middle of it": 50, "the last frame": 100, "the end": 100,
		"a third in": 100.0 / 3, "25%": 25, "5 seconds before the end": 95, "1 minute 5 seconds": 65, "half a minute in": 30, "200 s": 200,
		"at 0:00": 0, "1.5 seconds": 1.5,
	} {
		at, ok := Moment(text)
		got := at.Of(100 * time.Second)
		if d := got.Seconds() - want; !ok || d > 0.001 || d < -0.001 {
			t.Errorf("Moment(%q) = %s, %v, want %g s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "when she smiles", "-3 seconds", "0:10 to 0:20", "1e9", "frame 12", "NaN"} {
		if got, ok := Moment(text); ok {
			t.Errorf("Moment(%q) = %s, want that it is not understood", text, got.Of(time.Second))
		}
	}
}

func TestTempo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"2x": 2, "x2": 2, "3 times": 3, "three times as fast": 3, "half": 0.5, "half speed": 0.5, "half the speed": 0.5, "25%": 0.25,
		"4 times slower": 0.25, "four times slower": 0.25, "down to 25%": 0.25, "down by half": 0.5, "ten times faster": 10, "10x faster": 10,
		"double": 2, "double the speed": 2, "twice as fast": 2, "twice as slow": 0.5, "0.5x": 0.5, "in slow motion, 0.5x": 0.5, "by 8": 8, "8": 8,
		"1.25": 1.25, "to 1.25": 1.25, "150%": 1.5, "50% faster": 1.5, "25% slower": 0.75, "faster": 2, "slower": 0.5, "a bit faster": 1.25,
		"much slower": 0.25, "slow motion": 0.5, "time-lapse": 10, "1,5x": 1.5, "at 1.5 times the speed": 1.5, "a quarter of the speed": 0.25, "2x slower": 0.5,
	} {
		if got, ok := Tempo(text); !ok || got != want {
			t.Errorf("Tempo(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "nicely", "-2x", "0", "0x", "1000x", "1e3", "NaN", "faster and slower", "100% slower", "0.001"} {
		if got, ok := Tempo(text); ok {
			t.Errorf("Tempo(%q) = %v, want that it is not understood", text, got)
		}
	}
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{"0:10-0:25", "the last 5 seconds", "2m30s", "half a minute before the end", "4 times slower", "the second half", "999:99:99.999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const whole = 100 * time.Second
		if p, ok := Times(text); ok {
			if from, to, ok := p.Of(whole); ok && (from < 0 || to > whole || to <= from) {
				t.Errorf("Times(%q) = %v, %s to %s", text, p, from, to)
			}
		}
		if at, ok := Moment(text); ok && at.Of(whole) < 0 {
			t.Errorf("Moment(%q) = %s", text, at.Of(whole))
		}
		if v, ok := Tempo(text); ok && !(v >= 0.01 && v <= 100) {
			t.Errorf("Tempo(%q) = %v", text, v)
		}
	})
}
