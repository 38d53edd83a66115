package faults_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"atelier/jobs"
	redisstate "atelier/storage/redis"
	"atelier/storage/redis/redistest"
)

// BenchmarkFaults has three worker processes answer 1,000 requests of four actions of 30 to 50 ms, while every second a
// random worker is killed and restarted, on its own Redis. The platform takes 50 ms per post, and deduplicates posts by key.
// The benchmark fails unless each request is answered once, even after asynq itself has recovered the tasks of killed
// workers.
func BenchmarkFaults(b *testing.B) {
	for b.Loop() {
		s := faults(b, 1000)
		if _, err := fmt.Fprint(os.Stdout, "\n"+s.table()); err != nil { // a benchmark's own log is truncated
			b.Error(err)
		}
		if s.answers != s.requests || s.twice != 0 || s.missing != 0 {
			b.Errorf("%d requests have %d answers: %d twice, %d missing", s.requests, s.answers, s.twice, s.missing)
		}
		b.ReportMetric(float64(s.requests)/s.took.Seconds(), "requests/s")
	}
}

// figures are the results.
type figures struct {
	requests, answers, twice, missing int
	killed                            int
	handedOver                        int // tasks passed to another worker for lack of a heartbeat
	again                             int // steps run more than once
	repeated                          int // posts deduplicated by key
	took                              time.Duration
}

func (f figures) table() string {
	var s strings.Builder
	for _, row := range []struct {
		what  string
		value any
	}{
		{"requests of four actions", f.requests},
		{"answers", f.answers},
		{"answered twice", f.twice},
		{"missing", f.missing},
		{"workers killed", f.killed},
		{"tasks that the heartbeat gave to another worker", f.handedOver},
		{"steps that were done more than once", f.again},
		{"sends that were repeated, and known by their key", f.repeated},
		{"answers that would stand twice on a platform without keys", f.repeated},
		{"time until the last answer", f.took.Round(100 * time.Millisecond)},
	} {
		fmt.Fprintf(&s, "%-60s %8v\n", row.what, row.value)
	}
	return s.String()
}

func faults(b *testing.B, requests int) figures {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), 15*time.Minute)
	defer stop()
	server := redistest.Serve(b, "--save", "", "--appendonly", "yes")
	p := newPlatform(b)
	p.hold(slow(50 * time.Millisecond))
	files := b.TempDir()
	workers := make([]*process, 3)
	for i := range workers {
		workers[i] = p.start(b, worker{
			Name: fmt.Sprintf("worker-%d", i), Redis: server.URL(), Files: files, Step: 30 * time.Millisecond, Level: slog.LevelWarn,
		})
	}
	j := newSubmitter(b, server.URL(), files)
	killed, over := make(chan int), make(chan struct{})
	go func() { killed <- killEverySecond(p, workers, over) }()
	began := time.Now()
	for n := range requests {
		if err := j.Handle(ctx, message(fmt.Sprintf("m%d", n))); err != nil {
			b.Fatal(err)
		}
	}
	p.await(ctx, b, "not all were answered", func() bool { return len(p.posts) >= requests })
	f := figures{requests: requests, took: time.Since(began)}
	close(over)
	f.killed = <-killed
	settle(ctx, b, j)
	for _, w := range workers {
		w.end()
	}
	p.tally(&f)
	return f
}

// slow delays posts.
func slow(d time.Duration) func(happening) <-chan struct{} {
	return func(h happening) <-chan struct{} {
		if h.Point != "post" {
			return nil
		}
		passed := make(chan struct{})
		time.AfterFunc(d, func() { close(passed) })
		return passed
	}
}

// newSubmitter returns the jobs of a process that only submits and reads.
func newSubmitter(tb testing.TB, url, files string) *jobs.Jobs {
	tb.Helper()
	client, err := redisstate.Open(url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := client.Close(); err != nil {
			tb.Error(err)
		}
	})
	return submitterOf(tb, client, files)
}

func submitterOf(tb testing.TB, client redis.UniversalClient, files string) *jobs.Jobs {
	tb.Helper()
	state, err := redisstate.New(redisstate.Config{Client: client})
	if err != nil {
		tb.Fatal(err)
	}
	blobs, err := worker{Files: files}.blobs(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			tb.Error(err)
		}
	})
	j, err := jobs.New(jobs.Config{Redis: client, State: state, Blobs: blobs})
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// killEverySecond kills and restarts a random worker every second, until ctx ends.
func killEverySecond(p *platform, workers []*process, over <-chan struct{}) (killed int) {
	for {
		select {
		case <-over:
			return killed
		case <-time.After(time.Second):
		}
		i := rand.N(len(workers))
		workers[i].kill()
		killed++
		workers[i] = p.start(workers[i].tb, workers[i].worker)
	}
}

// settle waits until no task is left that could be repeated: asynq itself recovers the tasks of killed workers after one or
// two minutes.
func settle(ctx context.Context, tb testing.TB, j *jobs.Jobs) {
	tb.Helper()
	for {
		queues, err := j.Queues(ctx)
		if err != nil {
			tb.Fatal(err)
		}
		busy := 0
		for _, q := range queues {
			busy += q.Waiting + q.Active
		}
		if busy == 0 {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			tb.Fatalf("%d tasks are still there: %v", busy, ctx.Err())
		}
	}
}

// tally counts the results.
func (p *platform) tally(f *figures) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answers := map[string]int{} // by message
	for _, post := range p.posts {
		answers[post.Message]++
	}
	f.answers = len(p.posts)
	f.missing = f.requests - len(answers)
	for _, n := range answers {
		f.twice += n - 1
	}
	for _, n := range p.sends {
		f.repeated += n - 1
	}
	made := map[string]int{}
	for _, h := range p.happened {
		if h.Point == "made" {
			if made[h.Request+h.Step]++; made[h.Request+h.Step] == 2 {
				f.again++
			}
		}
	}
	tasks := map[string]bool{}
	for _, l := range p.logged {
		if l.Task != "" {
			tasks[l.Task] = true
		}
	}
	f.handedOver = len(tasks)
}
