//go:build unix

package jobs_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/jobs"
)

// BenchmarkIdle measures the CPU usage of an idle process with the check interval of serve. The usage of an external Redis is
// reported separately.
func BenchmarkIdle(b *testing.B) {
	benchPlaces(b, func(b *testing.B, p benchPlace) {
		b.Helper()
		p.work(b, instant{plan: tower(1, 1)}, mute{make(chan string, 1)}, 8, 100*time.Millisecond, func(*jobs.Jobs) {
			const idle = 10 * time.Second
			var own, server time.Duration
			for b.Loop() {
				before, there := processTime(b), serverTime(b, p)
				<-time.After(idle)
				own += processTime(b) - before
				server += serverTime(b, p) - there
			}
			b.ReportMetric(100*float64(own)/float64(b.Elapsed()), "%core")
			b.ReportMetric(100*float64(server)/float64(b.Elapsed()), "%core-of-redis")
		})
	})
}

// processTime is the CPU time of this process.
func processTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serverTime is the CPU time of an external Redis, 0 for the embedded one.
func serverTime(b *testing.B, p benchPlace) time.Duration {
	b.Helper()
	info, err := p.redis.Info(b.Context(), "cpu").Result()
	if err != nil {
		return 0
	}
	var sum float64
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				sum += v
			}
		}
	}
	return time.Duration(sum * float64(time.Second))
}
