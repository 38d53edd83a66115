package embedded_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	goredis "github.com/redis/go-redis/v9"

	"atelier/storage/redis"
)

// BenchmarkServers tells what the default costs beside a real server, which is started
// where TEST_REDIS_SERVER names a redis-server.
func BenchmarkServers(b *testing.B) {
	b.Run("embedded", func(b *testing.B) { measure(b, run(b)) })
	if program := os.Getenv("TEST_REDIS_SERVER"); program != "" {
		b.Run("real", func(b *testing.B) { measure(b, start(b, program)) })
	}
}

func measure(b *testing.B, c goredis.UniversalClient) {
	b.Helper()
	jobs, s, value := asynq.NewClientFromRedisClient(c), state(b, c), make([]byte, 512)
	b.Run("enqueue", func(b *testing.B) {
		for b.Loop() {
			if _, err := jobs.EnqueueContext(b.Context(), asynq.NewTask("kept", value), asynq.Queue("idle")); err != nil {
				b.Fatal(err)
			}
		}
		perSecond(b)
	})
	b.Run("process", func(b *testing.B) {
		done := make(chan struct{})
		ids := rand.Text()
		queue := "q" + ids
		for range b.N {
			if _, err := jobs.EnqueueContext(b.Context(), asynq.NewTask("act", value), asynq.Queue(queue), asynq.Retention(time.Hour)); err != nil {
				b.Fatal(err)
			}
		}
		b.ResetTimer()
		work(b, c, asynq.Config{Concurrency: 8, Queues: map[string]int{queue: 1}, TaskCheckInterval: 100 * time.Millisecond},
			func(context.Context, *asynq.Task) error { done <- struct{}{}; return nil })
		for range b.N {
			<-done
		}
		b.StopTimer()
		perSecond(b)
	})
	b.Run("put once", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.PutOnce(b.Context(), "bench/"+rand.Text(), value, time.Hour); err != nil {
				b.Fatal(err)
			}
		}
		perSecond(b)
	})
}

func perSecond(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "/s")
}

// start starts a real server that ends with the benchmark, reached by a socket.
func start(b *testing.B, program string) goredis.UniversalClient { //nolint:ireturn // go-redis's own word for any client
	b.Helper()
	socket := filepath.Join(b.TempDir(), "redis.sock")
	command := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", b.TempDir()) //nolint:gosec,noctx // who runs the benchmark names it, and it is killed
	var said bytes.Buffer
	command.Stdout = &said
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- command.Wait() }()
	b.Cleanup(func() {
		_ = command.Process.Kill() //nolint:errcheck // it may be gone
		<-gone                     //nolint:errcheck // it was killed
	})
	c, err := redis.Open("unix://" + socket)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.Close(); err != nil {
			b.Error(err)
		}
	})
	for c.Ping(b.Context()).Err() != nil {
		select {
		case err := <-gone:
			gone <- err
			b.Fatalf("the server does not start: %v: %s", err, said.String())
		default:
		}
	}
	return c
}
