// Package memory shares out the memory for work on media.
//
// Guarantees:
//   - The memory in use never exceeds the [Budget]. Work that finds no room waits its turn, and stops
//     waiting when its context ends.
//   - Work that needs more than the whole budget is rejected at once, with a sentence for people
//     ([plan.Fault]).
//   - The memory of large work is returned to the system afterwards.
//
// Work takes all the memory that it needs at once, and no more until it has returned it. Otherwise
// two that each hold a part could wait for each other for ever.
package memory

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sync/semaphore"

	"atelier/agent/plan"
)

const (
	// unknown is the limit where the system tells neither a limit nor its memory.
	unknown = 2 << 30
	// large is how much must be given back for the system to get it at once: to collect the
	// garbage takes milliseconds, which only large work is worth.
	large = 32 << 20
)

// ErrTooLittle is the detail of work that is refused because the whole budget is smaller. Who
// says something else of a failure lets it through.
var ErrTooLittle = errors.New("the whole budget of memory is smaller")

// Config says how much memory there is.
type Config struct {
	// Limit is what this process and its programs may hold together, in bytes. 0 is the
	// limit of the container, or half of the machine's memory where it has none.
	Limit int64
	// Runtime holds Go's runtime to the limit too, unless GOMEMLIMIT does, and gives memory
	// back to the system early. A process has one runtime, so it is for the budget of one.
	Runtime bool
}

// Budget is the memory that work on media may take: three quarters of the limit, since the
// program itself and Go's garbage need some. It is safe for concurrent use. A nil budget
// lets everybody take anything.
type Budget struct {
	limit, whole int64
	room         *semaphore.Weighted
	runtime      bool

	mu   sync.Mutex
	lent int64 // to programs
}

// New makes a budget, and tells the runtime where it is to be told.
func New(c Config) (*Budget, error) {
	if c.Limit < 0 {
		return nil, errors.New("the limit of memory must not be negative")
	}
	if c.Limit == 0 {
		c.Limit = system()
	}
	b := &Budget{limit: c.Limit, whole: c.Limit / 4 * 3, runtime: c.Runtime}
	b.room = semaphore.NewWeighted(b.whole)
	b.lend(0)
	return b, nil
}

// system is the limit of the container, or half of the machine's memory.
func system() int64 {
	limit, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.ApplyRatio(memlimit.FromSystem, 0.5))()
	if err != nil || limit == 0 || limit > 1<<62 {
		return unknown
	}
	if all, err := memlimit.FromSystem(); err == nil {
		limit = min(limit, all) // a container may be allowed more than there is
	}
	return int64(limit)
}

// Limit is what the process and its programs may hold together, in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Take waits until that many bytes are free and takes them for work in this process, until
// giveBack is called.
func (b *Budget) Take(ctx context.Context, bytes int64) (giveBack func(), err error) {
	if b == nil || bytes <= 0 {
		return func() {}, nil
	}
	if bytes > b.whole {
		return nil, &plan.Fault{
			Sentence: plan.Say("It would take %s of memory, and the limit is %s; try something smaller.",
				megabytes(bytes), megabytes(b.whole)),
			Err: ErrTooLittle,
		}
	}
	if err := b.room.Acquire(ctx, bytes); err != nil {
		return nil, &plan.Fault{Sentence: plan.Say("It was stopped before it finished."), Err: err}
	}
	return sync.OnceFunc(func() {
		if b.runtime && bytes >= large {
			debug.FreeOSMemory()
		}
		b.room.Release(bytes)
	}), nil
}

// Lend is Take for a program that this process runs, and that is held to what it was lent:
// up to that many bytes, but never so much that small work must wait for the program.
func (b *Budget) Lend(ctx context.Context, bytes int64) (lent int64, giveBack func(), err error) {
	if b == nil {
		return bytes, func() {}, nil
	}
	bytes = min(bytes, b.whole/4*3)
	if err := b.room.Acquire(ctx, bytes); err != nil {
		return 0, nil, &plan.Fault{Sentence: plan.Say("It was stopped before it finished."), Err: err}
	}
	b.lend(bytes)
	return bytes, sync.OnceFunc(func() {
		b.lend(-bytes)
		b.room.Release(bytes)
	}), nil
}

// lend holds the runtime to what programs leave of the limit, less a tenth for what the
// runtime does not count.
func (b *Budget) lend(bytes int64) {
	if !b.runtime || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lent += bytes
	debug.SetMemoryLimit(b.limit/10*9 - b.lent)
}

func megabytes(n int64) plan.Message { return plan.Say("%.1f MB", float64(n)/1e6) }
