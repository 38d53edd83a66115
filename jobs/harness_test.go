package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
	"atelier/storage/disk"
	redisstate "atelier/storage/redis"
	"atelier/storage/redis/embedded"
	"atelier/storage/redis/redistest"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(killedFolder); folder != "" {
		fmt.Fprintln(os.Stderr, workUntilKilled(folder))
		os.Exit(1)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // each test has a server and workers of its own; their garbage would take a third of the time
	}
	goleak.VerifyTestMain(m)
}

// house is the shared environment of a test's processes.
type house struct {
	t       *testing.T
	redis   redis.UniversalClient
	state   storage.State
	blobs   storage.Blobs
	chat    *chat
	planner *planner
	log     *lines
	count   atomic.Int64

	folder string // of the blobs, and of a state on disk
}

// enter returns a house with a state on disk.
func enter(t *testing.T) *house {
	t.Helper()
	h := foundation(t)
	state, err := disk.OpenState(disk.StateConfig{File: h.folder + "/state.log"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, state.Close()) })
	h.state = state
	return h
}

// enterBoth runs a test with each kind of state.
func enterBoth(t *testing.T, f func(h *house)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		f(enter(t))
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		h := foundation(t)
		state, err := redisstate.New(redisstate.Config{Client: h.redis})
		if err != nil {
			t.Fatal(err)
		}
		h.state = state
		f(h)
	})
}

func foundation(t *testing.T) *house {
	t.Helper()
	client := queues(t)
	t.Cleanup(func() { check(t, client.Close()) })
	folder := t.TempDir()
	blobs, err := disk.Open(folder + "/blobs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, blobs.Close()) })
	return &house{t: t, redis: client, blobs: blobs, chat: newChat(), planner: newPlanner(blobs), log: &lines{}, folder: folder}
}

// queues returns a Redis for the test: a real one if TEST_REDIS_SERVER names the program, otherwise an embedded one.
func queues(t *testing.T) redis.UniversalClient { //nolint:ireturn // go-redis's type for all three clients
	t.Helper()
	if os.Getenv("TEST_REDIS_SERVER") != "" {
		client, err := redisstate.Open(redistest.Serve(t, "--save", "").URL())
		check(t, err)
		return client
	}
	server := embedded.New()
	check(t, server.Start())
	t.Cleanup(server.Close)
	return server.Client()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pools returns the pools of a process with all queues.
func pools() []jobs.Pool {
	return []jobs.Pool{
		{Queues: map[string]int{jobs.QueueGateway: 1}, Concurrency: 4},
		{Queues: map[string]int{jobs.QueuePlan: 1}, Concurrency: 4},
		{Queues: map[string]int{jobs.QueueCPU: 1, jobs.QueueGPU: 1}, Concurrency: 8},
	}
}

// process returns the jobs of a process with all queues, not running yet.
func (h *house) process(change ...func(*jobs.Config)) *jobs.Jobs {
	h.t.Helper()
	c := jobs.Config{
		Redis: h.redis, State: h.state, Blobs: h.blobs, Agent: h.planner, Adapters: []adapters.Adapter{h.chat},
		Inspect: inspect, Pools: pools(), Check: 2 * time.Millisecond, Scratch: h.t.TempDir(),
		Retry: func(int) time.Duration { return time.Millisecond },
		Log:   slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&c)
	}
	j, err := jobs.New(c)
	check(h.t, err)
	return j
}

// run runs a process until the returned function is called or the test ends.
func (h *house) run(j *jobs.Jobs) (stop func()) {
	h.t.Helper()
	ctx, end := context.WithCancel(context.WithoutCancel(h.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := j.Run(ctx); err != nil {
			h.t.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() {
		end()
		<-ended
	})
	h.t.Cleanup(stop)
	return stop
}

// start creates and runs a process.
func (h *house) start(change ...func(*jobs.Config)) *jobs.Jobs {
	h.t.Helper()
	j := h.process(change...)
	h.run(j)
	return j
}

// says is a message that mentions the bot.
func (h *house) says(thread, by, wish string, files ...adapters.File) adapters.Event {
	id := fmt.Sprintf("m%d", h.count.Add(1))
	return adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: "chat", Thread: place1(thread),
		By: adapters.Person{ID: by, Name: "Name of " + by}, At: time.Unix(1_800_000_000, 0),
		Message: &adapters.Message{
			Ref: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: id}, Order: h.count.Load(),
			For: adapters.Mentioned, Text: wish, Files: files,
		},
	}
}

// overhears is a message in the thread t without a mention of the bot.
func (h *house) overhears(by, text string) adapters.Event {
	e := h.says("t", by, text)
	e.Message.For = adapters.Overheard
	return e
}

func place1(thread string) adapters.Thread {
	return adapters.Thread{Adapter: "chat", Channel: "c", ID: thread}
}

// reacts is a sign on a message.
func (h *house) reacts(by string, on adapters.MessageRef, emoji string, added bool) adapters.Event {
	h.t.Helper()
	e, ok := adapters.Reacted(adapters.Event{
		ID: fmt.Sprintf("r%d", h.count.Add(1)), Adapter: "chat", By: adapters.Person{ID: by}, At: time.Unix(1_800_000_000, 0),
	}, on, emoji, added)
	if !ok {
		h.t.Fatalf("%s means nothing", emoji)
	}
	return e
}

func (h *house) handle(j *jobs.Jobs, e adapters.Event) string {
	h.t.Helper()
	check(h.t, j.Handle(h.t.Context(), e))
	return jobs.RequestID(e)
}

// wait waits until a run has ended.
func (h *house) wait(j *jobs.Jobs, id string, run int) jobs.Request {
	h.t.Helper()
	ctx, stop := context.WithTimeout(h.t.Context(), patience)
	defer stop()
	r, err := j.Wait(ctx, id, run)
	if err != nil {
		h.t.Fatalf("run %d of %s: %v\n%s", run, id, err, h.log)
	}
	return r
}

// patience is the timeout of waiting in tests.
const patience = 4 * time.Minute

// ask handles an event and waits for the answer.
func (h *house) ask(j *jobs.Jobs, e adapters.Event) jobs.Request {
	h.t.Helper()
	return h.wait(j, h.handle(j, e), 1)
}

// told returns the text of the first run's answer.
func (h *house) told(r jobs.Request) string {
	h.t.Helper()
	p, ok := h.chat.post(r.Runs[0].Sent)
	if !ok {
		h.t.Fatalf("nothing was sent, the run is %s", r.Runs[0].Status)
	}
	return p.reply.Text
}

// follow calls f at first and for each hint, until f returns true.
func (h *house) follow(f func() (enough bool)) {
	h.t.Helper()
	ctx, stop := context.WithTimeout(h.t.Context(), patience)
	defer stop()
	hints, err := h.state.Subscribe(ctx, "progress-chat")
	check(h.t, err)
	for !f() {
		if _, ok := <-hints; !ok {
			h.t.Fatalf("it did not come to it\n%s", h.log)
		}
	}
}

// inspector returns an asynq inspector.
func (h *house) inspector() *asynq.Inspector { return asynq.NewInspectorFromRedisClient(h.redis) }

// inspect treats files that begin with PNG as pictures and with Ogg as sounds, rejects those that begin with BAD, and treats
// the rest as texts.
func inspect(_ context.Context, file string) (jobs.File, error) {
	b, err := os.ReadFile(file)
	switch {
	case err != nil:
		return jobs.File{}, err
	case strings.HasPrefix(string(b), "PNG"):
		return jobs.File{Type: plan.Image, Ext: ".png"}, nil
	case strings.HasPrefix(string(b), "Ogg"):
		return jobs.File{Type: plan.Audio, Ext: ".ogg"}, nil
	case strings.HasPrefix(string(b), "BAD"):
		return jobs.File{}, &plan.Fault{Sentence: plan.Say("I take no bad files."), Err: errors.New("bad")}
	}
	return jobs.File{Type: plan.Text, Ext: ".txt"}, nil
}

// lines is a log that tests can read and wait for.
type lines struct {
	mu      sync.Mutex
	b       strings.Builder
	changed chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// until waits until n lines contain all of the words.
func (l *lines) until(t *testing.T, n int, words ...string) {
	t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	for {
		l.mu.Lock()
		found, text := 0, l.b.String()
		for line := range strings.Lines(text) {
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
				found++
			}
		}
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		if found >= n {
			return
		}
		select {
		case <-changed:
		case <-end.C:
			t.Fatalf("%v is not in the log:\n%s", words, text)
		}
	}
}

func contains(b []byte, s string) bool { return strings.Contains(string(b), s) }
