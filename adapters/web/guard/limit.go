package guard

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// remembered is the minimum number of people and addresses that are remembered.
const remembered = 4096

// recent remembers the most recently used entries: at least remembered, and at most twice as many.
type recent[T any] struct {
	young, old map[string]*T
}

// of returns the entry of a key, creating it if needed.
func (k *recent[T]) of(key string, create func() *T) *T {
	v, ok := k.young[key]
	if ok {
		return v
	}
	if v, ok = k.old[key]; !ok {
		v = create()
	}
	if k.young == nil || len(k.young) >= remembered {
		k.young, k.old = map[string]*T{}, k.young
	}
	k.young[key] = v
	return v
}

// buckets limit how often each person or address may do something.
type buckets struct {
	limit limit

	mu  sync.Mutex
	all recent[rate.Limiter]
}

func newBuckets(l limit) *buckets { return &buckets{limit: l} }

// take counts a request, or returns how long to wait.
func (b *buckets) take(key string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.all.of(key, func() *rate.Limiter { return rate.NewLimiter(rate.Limit(b.limit.perMinute)/60, b.limit.atOnce) })
	return wait(l, now)
}

// wait takes a token of the limiter, or returns how long to wait for one.
func wait(l *rate.Limiter, now time.Time) time.Duration {
	one := l.ReserveN(now, 1)
	if !one.OK() {
		return time.Minute
	}
	d := one.DelayFrom(now)
	if d > 0 {
		one.CancelAt(now)
	}
	return d
}

// pace rejects requests of people who send too many.
func (g *Guard) pace(r *http.Request, who string) *refusal {
	if g.open || g.unlimited != nil && g.unlimited(r) {
		return nil
	}
	b := g.changes
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		b = g.reads
	}
	if d := b.take(who, g.now()); d > 0 {
		return &refusal{status: http.StatusTooManyRequests, wait: d, format: "Too many requests. Try again in %s.", args: []any{amount(d)}}
	}
	return nil
}

// guesses limits password guesses: per address by doubling waits, and in total by a slow rate.
type guesses struct {
	mu   sync.Mutex
	all  *rate.Limiter
	each recent[guesser]
}

// guesser is an address that guesses.
type guesser struct {
	wrong int
	last  time.Time
}

const (
	freeGuesses = 5                // without a wait
	longestWait = 15 * time.Minute // between two guesses
	forgiven    = time.Hour        // after which wrong guesses no longer count
)

func newGuesses() *guesses {
	return &guesses{all: rate.NewLimiter(rate.Every(3*time.Second), 60)}
}

// try counts a guess, or returns how long to wait. A correct guess resets its address. During a wait, nobody may
// learn whether a guess is correct.
func (g *guesses) try(from string, right bool, now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.each.of(from, func() *guesser { return &guesser{} })
	if now.Sub(one.last) >= forgiven {
		*one = guesser{}
	}
	if d := one.last.Add(one.pause()).Sub(now); d > 0 {
		return d
	}
	among := g.all.ReserveN(now, 1)
	d := among.DelayFrom(now)
	if d > 0 || right {
		among.CancelAt(now)
	}
	switch {
	case d > 0:
		return d
	case right:
		*one = guesser{}
	default:
		one.wrong, one.last = one.wrong+1, now
	}
	return 0
}

// pause returns how long to wait after the last guess.
func (g *guesser) pause() time.Duration {
	if g.wrong < freeGuesses {
		return 0
	}
	return min(time.Second<<min(g.wrong-freeGuesses, 20), longestWait)
}
