package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/agent/toolbox/slow"
	"atelier/bot/clitest"
	"atelier/storage/redis/redistest"
)

// soakChat is a local platform with conversations in many threads.
type soakChat interface {
	// settings returns the settings that connect the bot.
	settings() []string
	// connected waits until the bot receives messages.
	connected(ctx context.Context) error
	// say posts a picture of that name with a mention of the bot, as the nth message of a thread, which the first
	// begins. It returns the argument of [soakChat.acknowledged].
	say(thread, n int, name string, picture []byte) (message string)
	// answers returns the file names of each of the bot's answers in a thread.
	answers(thread int) [][]string
	// acknowledged returns the time of the bot's first reaction to a message, or zero.
	acknowledged(message string) time.Time
	// disturb breaks the connection, or rejects up to a number of calls with 429. It returns how long the bot is
	// asked to wait, or 0.
	disturb(r *rand.Rand, calls int) (throttled time.Duration)
}

// soak has conversations in many threads with a bot in its own process.
type soak struct {
	threads, each int           // so many requests in each thread, one after another
	disturbed     time.Duration // so often
	refused       int           // so many calls at most, where calls are refused
	env           []string
	apart         bool // what is connected and what works are processes of their own
}

// soaked is the result.
type soaked struct {
	requests, answers, twice, missing, wrong int
	disturbances                             int
	throttled                                int             // requests that were not acknowledged because of a 429
	acks                                     []time.Duration // of the others, sorted
	memory                                   []int64         // of the process, in bytes, in the course of time
	took                                     time.Duration
}

func (s soaked) ack(part float64) time.Duration {
	if len(s.acks) == 0 {
		return 0
	}
	return s.acks[min(int(part*float64(len(s.acks))), len(s.acks)-1)]
}

func (s soaked) table(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", name)
	var memory []string
	for _, m := range s.memory {
		memory = append(memory, strconv.FormatInt(m>>20, 10))
	}
	for _, row := range []struct {
		what  string
		value any
	}{
		{"requests", s.requests},
		{"answers in the right thread", s.answers},
		{"answered twice", s.twice},
		{"missing", s.missing},
		{"in a wrong thread", s.wrong},
		{"broken connections and storms of 429", s.disturbances},
		{"acknowledged, median", s.ack(0.5).Round(time.Millisecond)},
		{"acknowledged, 99th percentile", s.ack(0.99).Round(time.Millisecond)},
		{"not counted there, as the sign was refused by 429", s.throttled},
		{"memory of the process, each tenth of the requests, in MB", strings.Join(memory, " ")},
		{"time until the last answer", s.took.Round(100 * time.Millisecond)},
	} {
		fmt.Fprintf(&b, "  %-58s %v\n", row.what, row.value)
	}
	return b.String()
}

// TestSoak is a small [BenchmarkSoak].
func TestSoak(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, open := range soakChats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := soak{threads: 6, each: 8, disturbed: 300 * time.Millisecond, refused: 3}.run(t, open(t))
			t.Log(got.table(name))
			got.check(t)
		})
	}
}

// BenchmarkSoak uses a process that serves a local platform and stores everything on its own Redis: 2,000 requests
// in 200 threads, while connections break and calls are rejected. It fails unless each is answered once, in its
// thread.
func BenchmarkSoak(b *testing.B) {
	for name, open := range soakChats {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := soak{threads: 200, each: 10, disturbed: time.Second, refused: 40}
				s.apart = true
				s.env = append(s.env, "REDIS_URL="+redistest.Serve(b, "--save", "").URL())
				got := s.run(b, open(b))
				if _, err := fmt.Fprint(os.Stdout, got.table(name)); err != nil { // a benchmark's own log is cut
					b.Error(err)
				}
				got.check(b)
				b.ReportMetric(float64(got.requests)/got.took.Seconds(), "requests/s")
			}
		})
	}
}

func (s soaked) check(tb testing.TB) {
	tb.Helper()
	if s.answers != s.requests || s.twice+s.missing+s.wrong > 0 {
		tb.Errorf("%d requests have %d answers: %d twice, %d missing, %d in a wrong thread", s.requests, s.answers, s.twice, s.missing, s.wrong)
	}
	if len(s.acks)+s.throttled != s.requests {
		tb.Errorf("%d of %d requests were acknowledged", len(s.acks)+s.throttled, s.requests)
	}
}

// soakPatience is the maximum duration of the whole run.
const soakPatience = 9 * time.Minute

func (s soak) run(tb testing.TB, chat soakChat) soaked {
	tb.Helper()
	ctx, stop := context.WithTimeout(tb.Context(), soakPatience)
	defer stop()
	env := s.settings(tb, chat)
	var all []string
	if s.apart {
		s.start(tb, env, "--queues", "plan,cpu,gpu", "--adapters", "none")
		all = []string{"--queues", "gateway"}
	}
	bot := s.start(tb, env, all...)
	if err := chat.connected(ctx); err != nil {
		tb.Fatalf("the bot does not connect: %v\n%s", err, bot.log)
	}
	w := &soakWatch{soak: s, chat: chat, bot: bot, began: time.Now(), said: map[string]time.Time{}, acked: map[string]time.Time{}, next: make([]int, s.threads), last: make([]string, s.threads)}
	disturbed := time.NewTicker(s.disturbed)
	defer disturbed.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	draw := rand.New(rand.NewPCG(1, 2))
	for w.goesOn() {
		select {
		case <-look.C:
		case <-disturbed.C:
			w.disturb(draw)
		case <-ctx.Done():
			tb.Errorf("it was given up: %v\n%s", ctx.Err(), bot.log)
			return w.result()
		}
	}
	return w.result()
}

// soakBot is the bot under test.
type soakBot struct {
	command *exec.Cmd
	log     *clitest.SyncBuffer
}

// settings returns the settings of the processes.
func (s soak) settings(tb testing.TB, chat soakChat) []string {
	tb.Helper()
	return slices.Concat([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + tb.TempDir(), "ATELIER_DATA=" + filepath.Join(tb.TempDir(), "data"),
		"ATELIER_LISTEN=off", "ATELIER_LOG=warn", "PLANNER=rules", "GOGC=100", // as outside of tests
	}, chat.settings(), s.env)
}

func (soak) start(tb testing.TB, env []string, flags ...string) *soakBot {
	tb.Helper()
	p := &soakBot{command: exec.CommandContext(context.WithoutCancel(tb.Context()), "bot", slices.Concat([]string{"serve"}, flags)...), log: &clitest.SyncBuffer{}} //nolint:gosec // the flags stand in this file
	p.command.Env = env
	p.command.Stdout, p.command.Stderr = p.log, p.log
	if err := p.command.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		err := errors.Join(p.command.Process.Signal(syscall.SIGTERM), p.command.Wait())
		if err != nil {
			tb.Errorf("the bot ends with %v\n%s", err, p.log)
		}
	})
	return p
}

// resident returns the memory of the process in bytes, or 0 if unknown.
func (p *soakBot) resident() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// soakWatch sends the next message in each thread, and records what it sees.
type soakWatch struct {
	soak

	chat  soakChat
	bot   *soakBot
	began time.Time

	next         []int                // by thread: how many were said
	said, acked  map[string]time.Time // by message
	last         []string             // by thread: the message that was said last
	storms       [][2]time.Time       // while which calls are refused
	disturbances int
	memory       []int64
}

// goesOn sends the next messages in threads whose last one was answered, and reports whether an answer is still
// missing.
func (w *soakWatch) goesOn() bool {
	waits, answered := false, 0
	for thread, n := range w.next {
		got := len(w.chat.answers(thread))
		answered += min(got, n)
		if message := w.last[thread]; w.acked[message].IsZero() && message != "" { // its first sign goes when it is done
			w.acked[message] = w.chat.acknowledged(message)
		}
		switch {
		case got < n:
			waits = true
		case n < w.each:
			waits = true
			message := w.chat.say(thread, n, soakName(thread, n)+".png", soakPicture(thread, n))
			w.said[message], w.last[thread] = time.Now(), message
			w.next[thread]++
		}
	}
	for total := w.threads * w.each; len(w.memory) <= 10*answered/total; {
		w.memory = append(w.memory, w.bot.resident())
	}
	return waits
}

func (w *soakWatch) disturb(r *rand.Rand) {
	if n := len(w.storms); n > 0 && time.Now().Before(w.storms[n-1][1]) {
		return // one after another, or nothing would ever pass
	}
	w.disturbances++
	if d := w.chat.disturb(r, w.refused); d > 0 {
		w.storms = append(w.storms, [2]time.Time{time.Now(), time.Now().Add(3 * d)})
	}
}

func (w *soakWatch) result() soaked {
	s := soaked{requests: w.threads * w.each, disturbances: w.disturbances, memory: w.memory, took: time.Since(w.began)}
	seen := map[string]int{}
	for thread := range w.threads {
		for _, files := range w.chat.answers(thread) {
			for n := range w.each {
				if slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, soakName(thread, n)) }) {
					seen[soakName(thread, n)]++
				}
			}
			if !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, fmt.Sprintf("t%03dn", thread)) }) {
				s.wrong++
			}
		}
	}
	for thread := range w.threads {
		for n := range w.each {
			switch seen[soakName(thread, n)] {
			case 0:
				s.missing++
			case 1:
				s.answers++
			default:
				s.answers++
				s.twice++
			}
		}
	}
	for message, said := range w.said {
		at := w.acked[message]
		switch {
		case w.stormy(said, at):
			s.throttled++
		case !at.IsZero():
			s.acks = append(s.acks, at.Sub(said))
		}
	}
	slices.Sort(s.acks)
	return s
}

// stormy reports whether calls were rejected between two times.
func (w *soakWatch) stormy(from, to time.Time) bool {
	return slices.ContainsFunc(w.storms, func(storm [2]time.Time) bool {
		return from.Before(storm[1]) && (to.IsZero() || to.After(storm[0]))
	})
}

func soakName(thread, n int) string { return fmt.Sprintf("t%03dn%d", thread, n) }

// soakPicture returns a different picture each time, so that no result is reused.
func soakPicture(thread, n int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 32, 24))
	for i := range 32 * 24 {
		img.SetNRGBA(i%32, i/32, color.NRGBA{uint8(thread), uint8(n * 20), uint8(i), 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // into memory nothing fails
	}
	return b.Bytes()
}
