package quantity_test

import (
	"strings"
	"testing"

	"atelier/agent/toolbox/quantity"
)

func TestSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, said string
		want       bool
	}{
		{"0:05 to 0:12", "5 seconds", true}, {"0:05 to 0:12", "7 seconds", false},
		{"1 minute", "60 s", true}, {"0.8", "20% slower", true}, {"150 %", "50% larger", true}, {"0.5", "2x slower", true}, {"1.5 hours", "90 minutes", true}, {"5400 s", "1.5 hours", true},
		{"50 %", "half", true}, {"0.5", "half", true}, {"double", "2x", true}, {"200%", "twice", true}, {"a quarter", "25 %", true},
		{"1,500 kB", "1500 kB", true}, {"1,5 MB", "1.5 MB", true}, {"800x600", "800 by 600 pixels", true}, {"800x600", "800x450", false},
		{"three sentences", "3 sentences", true}, {"", "32 kbps", false}, {"anything", "a minute", true},
		{strings.Repeat("a long brief of a program, ", 30) + "\n400 px wide", "400 px", true},
		{"animals and others", "1 picture", false}, {"an animal", "1 picture", true},
		{"0:03–0:11.5", "0:11.5", true},
		{"0:03–0:11.5", "0:11.7", false},
	} {
		if got := quantity.Says(quantity.Numbers(c.text), c.said); got != c.want {
			t.Errorf("%q says %q: %t", c.text, c.said, got)
		}
	}
}

// FuzzSays: a text contains each of its own quantities.
func FuzzSays(f *testing.F) {
	for _, seed := range []string{"from 0:10 to 1:05", "800x600 px, 25 %", "half of 3×", "1,500 kB in 1 hour"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		numbers := quantity.Numbers(text)
		for v := range numbers {
			if v < 0 || v != v || v > 1e13 {
				t.Errorf("%q says %v", text, v)
			}
		}
		quantity.Says(numbers, text)
	})
}
