package quota

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// TestCountMatchesScan compares count with a simple implementation that sums all earlier entries.
func TestCountMatchesScan(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	c := &count{span: time.Hour, limit: 50, at: map[string]int{}}
	var all []taken
	for i := range 3000 {
		at = at.Add(time.Duration(r.IntN(300)) * time.Second)
		next := taken{strconv.Itoa(r.IntN(i/2 + 1)), int64(r.IntN(12)) - 1, at}
		known, sum := -1, int64(0)
		for j, was := range all {
			if was.ID == next.ID {
				known = j
			}
			if at.Sub(was.At) < time.Hour {
				sum += was.N
			}
		}
		switch {
		case next.N < 0 && known >= 0:
			all[known] = taken{At: all[known].At}
		case next.N >= 0 && known < 0 && sum+next.N <= 50:
			all = append(all, next)
		}
		c.add(next)
		sum = 0
		for _, was := range all {
			if at.Sub(was.At) < time.Hour {
				sum += was.N
			}
		}
		if got := c.within(at); got != sum || got > 50 {
			t.Fatalf("after %d it is %d, not %d", i, got, sum)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	at := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	for _, n := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				c := &count{span: time.Hour, limit: 1 << 40, at: map[string]int{}}
				for i := range n {
					c.add(taken{strconv.Itoa(i), 1, at})
				}
			}
		})
	}
}
