package faults_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"atelier/jobs"
	"atelier/storage"
	redisstate "atelier/storage/redis"
	"atelier/storage/redis/redistest"
)

// TestRedisRestart under load: accepted requests are answered once, however Redis ended.
func TestRedisRestart(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*redistest.Server){"in good order": (*redistest.Server).Stop, "killed": (*redistest.Server).Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := limit(t)
			server := redistest.Serve(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
			p, folder := newPlatform(t), t.TempDir()
			w := worker{Redis: server.URL(), Files: folder, Step: 10 * time.Millisecond, Retry: 100 * time.Millisecond, Beat: 500 * time.Millisecond}
			var workers []*process
			for i := range 2 {
				w.Name = strconv.Itoa(i)
				workers = append(workers, p.ready(ctx, t, w))
			}
			j := newSubmitter(t, server.URL(), folder)
			const requests, restarts = 60, 3
			ids := make([]string, requests)
			var submitting sync.WaitGroup
			submitting.Go(func() {
				for i := range ids {
					ids[i] = submit(ctx, t, j, fmt.Sprintf("m%d", i), "wish")
				}
			})
			for n := range restarts {
				p.await(ctx, t, "it does not go on", func() bool { return len(p.posts) >= (n+1)*requests/(restarts+2) })
				end(server)
				server.Start()
			}
			submitting.Wait()
			for _, id := range ids {
				if run := p.over(ctx, t, j, id); run.Status != jobs.Done {
					t.Errorf("request %s ended as %s", id, run.Status)
				}
			}
			for _, w := range workers {
				w.end()
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.posts) != requests {
				t.Errorf("%d requests have %d answers", requests, len(p.posts))
			}
		})
	}
}

// TestFullRedis: people are told so, no accepted request is lost, and everything continues when there is space.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	server := redistest.Serve(t, "--save", "", "--maxmemory-policy", "noeviction")
	p, folder := newPlatform(t), t.TempDir()
	held, release := holdFirst(at("act", "join"))
	p.hold(held)
	one := p.ready(ctx, t, worker{Name: "1", Redis: server.URL(), Files: folder, Retry: 100 * time.Millisecond})
	j := newSubmitter(t, server.URL(), folder)
	before := submit(ctx, t, j, "before", "wish")
	p.await(ctx, t, "no step is begun", func() bool { return p.count(at("act", "join")) > 0 })
	room := redis.NewClient(&redis.Options{Addr: server.Address()})
	t.Cleanup(func() {
		if err := room.Close(); err != nil {
			t.Error(err)
		}
	})
	give := func(bytes string) {
		if err := room.ConfigSet(ctx, "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	give("1")
	err := j.Handle(ctx, message("meanwhile"))
	if !errors.Is(err, storage.ErrFull) {
		t.Errorf("the caller gets: %v", err)
	}
	close(release) // the step is done, but cannot be recorded
	p.await(ctx, t, "nothing fails", func() bool { return p.failed("act") > 0 })
	give("0")
	for _, id := range []string{before, submit(ctx, t, j, "meanwhile", "wish"), submit(ctx, t, j, "after", "wish")} {
		if run := p.over(ctx, t, j, id); run.Status != jobs.Done {
			t.Errorf("request %s ended as %s", id, run.Status)
		}
	}
	one.end()
}

// TestClusterAndSentinel: whole requests work with each.
func TestClusterAndSentinel(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) (url string){
		"cluster": func(t *testing.T) string {
			t.Helper()
			return "redis+cluster://" + strings.Join(redistest.Cluster(t), ",")
		},
		"sentinel": func(t *testing.T) string {
			t.Helper()
			sentinel := redistest.Sentinel(t, redistest.Serve(t, "--save", ""))
			return "redis+sentinel://" + sentinel.Address() + "/0?master=atelier"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := limit(t)
			url := start(t)
			client, err := redisstate.Open(url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := client.Close(); err != nil {
					t.Error(err)
				}
			})
			state, err := redisstate.New(redisstate.Config{Client: client})
			if err != nil {
				t.Fatal(err)
			}
			for err := state.Check(ctx); err != nil; err = state.Check(ctx) { // the servers may not all know each other yet
				if ctx.Err() != nil {
					t.Fatal(err)
				}
			}
			p, folder := newPlatform(t), t.TempDir()
			one := p.ready(ctx, t, worker{Name: "1", Redis: url, Files: folder})
			j := submitterOf(t, client, folder)
			for _, id := range []string{"a", "b", "c"} {
				if run := p.over(ctx, t, j, submit(ctx, t, j, id, "wish")); run.Status != jobs.Done {
					t.Errorf("request %s ended as %s", id, run.Status)
				}
			}
			one.end()
		})
	}
}
