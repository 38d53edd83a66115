package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
	"atelier/storage/disk"
	redisstate "atelier/storage/redis"
	"atelier/storage/redis/embedded"
)

// instant is an agent whose tools and planner take no time.
type instant struct {
	plan *plan.Plan
	step time.Duration
}

func (a instant) Plan(context.Context, plan.Request) (*plan.Plan, error) { return a.plan, nil }

func (a instant) Act(ctx context.Context, w jobs.Work) (plan.Result, error) {
	if a.step > 0 {
		select {
		case <-time.After(a.step):
		case <-ctx.Done():
			return plan.Result{}, ctx.Err()
		}
	}
	s := w.Steps[w.At]
	return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "made-" + s.Key, Type: s.Action.Returns, Value: "done"}}, nil
}

func (instant) Respond(_ context.Context, a jobs.Account) (string, plan.Thinking, error) {
	return "Done.", a.Plan.Thinking, nil
}
func (instant) Ways(*plan.Plan, plan.Choice, []plan.Offer) []plan.Message { return nil }

func (instant) Steps(a jobs.Account) []plan.Message {
	return make([]plan.Message, len(a.Route.Steps()))
}

func (instant) Alts(a jobs.Account) []plan.Message                       { return make([]plan.Message, len(a.Route.Steps())) }
func (instant) Device(context.Context, plan.Action) string               { return "cpu" }
func (instant) Hears(context.Context, plan.Resource) (plan.Action, bool) { return plan.Action{}, false }

func (instant) Capabilities(context.Context) (map[string][]plan.Candidate, error) {
	return map[string][]plan.Candidate{"tool": {{Name: "native:tool"}}}, nil
}

// tower is a plan of several levels of actions, each level using the one below.
func tower(width, height int) *plan.Plan {
	s := plan.Solution{Score: 5}
	for h := range height {
		for w := range width {
			b := plan.Binding{Arg: "text", Type: plan.Text, Source: plan.Source{Kind: plan.OfValue, Value: strconv.Itoa(w)}}
			if h > 0 {
				b.Source = plan.Source{Kind: plan.OfAction, Index: (h-1)*width + w}
			}
			s.Actions = append(s.Actions, plan.Action{Tool: "tool", Returns: plan.Text, Args: []plan.Binding{b}})
		}
	}
	return &plan.Plan{Wish: "w", Tasks: []plan.Task{{Subtask: plan.Subtask{Description: "d", Returns: plan.Text}, Solutions: []plan.Solution{s}}}}
}

// mute is an adapter that only reports what is sent.
type mute struct{ sent chan string }

func (mute) Name() string { return "mute" }
func (mute) Listen(ctx context.Context, _ adapters.Handler) error {
	<-ctx.Done()
	return nil
}
func (mute) Fetch(context.Context, adapters.File) (io.ReadCloser, error) {
	return nil, errors.New("there are no files")
}

func (m mute) Send(_ context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	m.sent <- r.AnswerTo.ID
	return adapters.MessageRef{Adapter: "mute", Channel: "c", ID: key}, nil
}

func message(n int) adapters.Event {
	id := fmt.Sprintf("m%d", n)
	return adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: "mute", Thread: adapters.Thread{Adapter: "mute", Channel: "c", ID: id},
		By: adapters.Person{ID: "p"}, At: time.Unix(1, 0),
		Message: &adapters.Message{Ref: adapters.MessageRef{Adapter: "mute", Channel: "c", ID: id}, For: adapters.Mentioned, Text: "wish", Order: int64(n)},
	}
}

// benchPlace is the storage of a benchmark's jobs.
type benchPlace struct {
	redis redis.UniversalClient
	state storage.State
	blobs storage.Blobs
}

func benchPlaces(b *testing.B, f func(b *testing.B, p benchPlace)) {
	b.Helper()
	b.Run("embedded", func(b *testing.B) {
		server := embedded.New()
		if err := server.Start(); err != nil {
			b.Fatal(err)
		}
		defer server.Close()
		client := server.Client()
		state, err := disk.OpenState(disk.StateConfig{File: b.TempDir() + "/state.log"})
		if err != nil {
			b.Fatal(err)
		}
		f(b, place(b, client, state))
		if err := errors.Join(state.Close(), client.Close()); err != nil {
			b.Error(err)
		}
	})
	b.Run("redis", func(b *testing.B) {
		url := os.Getenv("TEST_REDIS_URL")
		if url == "" {
			b.Skip("TEST_REDIS_URL names no Redis")
		}
		client, err := redisstate.Open(url)
		if err != nil {
			b.Fatal(err)
		}
		if err := client.FlushDB(b.Context()).Err(); err != nil {
			b.Fatal(err)
		}
		state, err := redisstate.New(redisstate.Config{Client: client})
		if err != nil {
			b.Fatal(err)
		}
		f(b, place(b, client, state))
		if err := client.Close(); err != nil {
			b.Error(err)
		}
	})
}

func place(b *testing.B, client redis.UniversalClient, state storage.State) benchPlace {
	b.Helper()
	blobs, err := disk.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			b.Error(err)
		}
	})
	return benchPlace{client, state, blobs}
}

// work runs jobs while f runs.
func (p benchPlace) work(b *testing.B, agent jobs.Agent, m mute, concurrency int, check time.Duration, f func(j *jobs.Jobs)) {
	b.Helper()
	j, err := jobs.New(jobs.Config{
		Redis: p.redis, State: p.state, Blobs: p.blobs, Agent: agent, Adapters: []adapters.Adapter{m}, Check: check,
		Inspect: func(context.Context, string) (jobs.File, error) { return jobs.File{}, errors.New("there are no files") },
		Pools: []jobs.Pool{
			{Queues: map[string]int{jobs.QueueGateway: 1}, Concurrency: concurrency},
			{Queues: map[string]int{jobs.QueuePlan: 1}, Concurrency: concurrency},
			{Queues: map[string]int{jobs.QueueCPU: 1}, Concurrency: concurrency},
			{Queues: map[string]int{jobs.QueueGPU: 1}, Concurrency: 1},
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := j.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	f(j)
	stop()
	running.Wait()
}

// handOver measures asynq alone: tasks that enqueue the next one, along queues with one server each, like those of jobs.
func handOver(b *testing.B, p benchPlace, path []string, check time.Duration) time.Duration {
	b.Helper()
	client := asynq.NewClientFromRedisClient(p.redis)
	done := make(chan struct{}, 1)
	enqueue := func(at int) {
		_, err := client.Enqueue(asynq.NewTask("hop", []byte{byte(at)}), asynq.Queue("bare-"+path[at]), asynq.Retention(time.Hour))
		if err != nil {
			b.Error(err)
		}
	}
	for _, queue := range slices.Compact(slices.Sorted(slices.Values(path))) {
		server := asynq.NewServerFromRedisClient(p.redis, asynq.Config{
			Concurrency: 8, Queues: map[string]int{"bare-" + queue: 1}, TaskCheckInterval: check, LogLevel: asynq.FatalLevel,
		})
		err := server.Start(asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error {
			if next := int(t.Payload()[0]) + 1; next < len(path) {
				enqueue(next)
			} else {
				done <- struct{}{}
			}
			return nil
		}))
		if err != nil {
			b.Fatal(err)
		}
		defer server.Shutdown()
	}
	const rounds = 50
	began := time.Now()
	for range rounds {
		enqueue(0)
		<-done
	}
	return time.Since(began) / rounds
}

// path returns the queues that a request with several levels of actions passes through.
func path(height int) []string {
	acts := slices.Repeat([]string{jobs.QueueCPU}, height)
	return slices.Concat([]string{jobs.QueueGateway, jobs.QueuePlan}, acts, []string{jobs.QueuePlan, jobs.QueueGateway})
}

// BenchmarkRequest measures the time from submit to reply for a request of one action, compared with the same number of
// bare asynq tasks.
func BenchmarkRequest(b *testing.B) {
	const check = 100 * time.Millisecond
	benchPlaces(b, func(b *testing.B, p benchPlace) {
		b.Helper()
		bare := handOver(b, p, path(1), check)
		m := mute{make(chan string, 1)}
		p.work(b, instant{plan: tower(1, 1)}, m, 8, check, func(j *jobs.Jobs) {
			n := 0
			for b.Loop() {
				if err := j.Handle(b.Context(), message(n)); err != nil {
					b.Fatal(err)
				}
				<-m.sent
				n++
			}
		})
		own := b.Elapsed() / time.Duration(b.N)
		b.ReportMetric(float64(bare.Microseconds())/1000, "bare-ms")
		b.ReportMetric(float64(own.Microseconds())/1000, "request-ms")
		b.ReportMetric(float64(own)/float64(bare), "×bare")
	})
}

// cost is the resource usage of this process and of its Redis.
type cost struct {
	processor time.Duration // CPU time of all threads of this process
	memory    int64         // bytes of Redis; 0 if unknown
}

// costs returns the usage so far.
func costs(b *testing.B, client redis.UniversalClient) cost {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	c := cost{processor: time.Duration(used.Utime.Nano() + used.Stime.Nano())}
	// The embedded Redis has no such section.
	if info, err := client.InfoMap(b.Context(), "memory").Result(); err == nil {
		if n, err := strconv.ParseInt(info["Memory"]["used_memory"], 10, 64); err == nil {
			c.memory = n
		}
	}
	return c
}

// BenchmarkThroughput measures the answered requests of one action per second, the CPU time of each (the benchmark's own
// included), and the memory in Redis that each keeps until its retention ends.
func BenchmarkThroughput(b *testing.B) {
	benchPlaces(b, func(b *testing.B, p benchPlace) {
		b.Helper()
		m := mute{make(chan string, 1024)}
		p.work(b, instant{plan: tower(1, 1)}, m, 16, 20*time.Millisecond, func(j *jobs.Jobs) {
			const wave = 1000
			n, before := 0, costs(b, p.redis)
			for b.Loop() {
				var submitting sync.WaitGroup
				for s := range 8 {
					from := n
					submitting.Go(func() {
						for i := s; i < wave; i += 8 {
							if err := j.Handle(b.Context(), message(from+i)); err != nil {
								b.Error(err)
							}
						}
					})
				}
				for range wave {
					<-m.sent
				}
				submitting.Wait()
				n += wave
			}
			after := costs(b, p.redis)
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(float64((after.processor-before.processor).Microseconds())/1000/float64(n), "cpu-ms/request")
			if before.memory > 0 {
				b.ReportMetric(float64(after.memory-before.memory)/float64(n), "redis-B/request")
			}
		})
	})
}

// BenchmarkWidePlan measures a plan of 40 actions of 100 ms, eight in parallel and five in sequence, with a worker for each
// parallel action, compared with its longest path of bare tasks: fetch, plan, five actions, compose, send.
func BenchmarkWidePlan(b *testing.B) {
	const width, height, step, check = 8, 5, 100 * time.Millisecond, 100 * time.Millisecond
	benchPlaces(b, func(b *testing.B, p benchPlace) {
		b.Helper()
		bare := handOver(b, p, path(height), check)
		m := mute{make(chan string, 1)}
		p.work(b, instant{plan: tower(width, height), step: step}, m, width, check, func(j *jobs.Jobs) {
			n := 0
			for b.Loop() {
				if err := j.Handle(b.Context(), message(n)); err != nil {
					b.Fatal(err)
				}
				<-m.sent
				n++
			}
		})
		own, ideal := b.Elapsed()/time.Duration(b.N), height*step+bare
		b.ReportMetric(float64(ideal.Microseconds())/1000, "path-ms")
		b.ReportMetric(float64(own.Microseconds())/1000, "plan-ms")
		b.ReportMetric(float64(own)/float64(ideal), "×path")
	})
}
