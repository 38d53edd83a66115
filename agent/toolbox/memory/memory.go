// Package memory shares out the memory for work on media.
//
// Guarantees:
//   - The memory in use never exceeds the [Budget]. Work waits until enough is free, and stops
//     waiting when its context ends.
//   - Work that needs more than the whole budget is rejected at once, with a sentence for people
//     ([plan.Fault]).
//   - The memory of large work is returned to the system afterwards.
//
// Work takes all the memory that it needs at once, and no more until it has returned it. Otherwise
// two workers that each hold a part could deadlock.
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
	// unknown is the limit if the system reports neither a limit nor its memory.
	unknown = 2 << 30
	// large is the least work after which memory is returned to the system at once: the garbage collection
	// takes milliseconds.
	large = 32 << 20
)

// ErrTooLittle is returned for work that needs more than the whole budget. Code that replaces a failure's
// sentence should keep this one.
var ErrTooLittle = errors.New("the work exceeds the whole memory budget")

// Config sets the size of a Budget.
type Config struct {
	// Limit is the most memory of this process and its programs together, in bytes. 0 means the limit of the
	// container, or half of the machine's memory without one.
	Limit int64
	// Runtime applies the limit to Go's runtime too, unless GOMEMLIMIT is set, and returns memory to the
	// system early. Set it for one budget per process.
	Runtime bool
}

// Budget is the memory for work on media: three quarters of the limit, since the program and Go's garbage
// need the rest. It is safe for concurrent use. A nil budget is unlimited.
type Budget struct {
	limit, whole int64
	room         *semaphore.Weighted
	runtime      bool

	mu   sync.Mutex
	lent int64 // lent to programs
}

// New makes a budget and, with Config.Runtime, sets the runtime's limit.
func New(c Config) (*Budget, error) {
	if c.Limit < 0 {
		return nil, errors.New("the memory limit must not be negative")
	}
	if c.Limit == 0 {
		c.Limit = system()
	}
	b := &Budget{limit: c.Limit, whole: c.Limit / 4 * 3, runtime: c.Runtime}
	b.room = semaphore.NewWeighted(b.whole)
	b.lend(0)
	return b, nil
}

// system returns the limit of the container, or half of the machine's memory.
func system() int64 {
	limit, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.ApplyRatio(memlimit.FromSystem, 0.5))()
	if err != nil || limit == 0 || limit > 1<<62 {
		return unknown
	}
	if all, err := memlimit.FromSystem(); err == nil {
		limit = min(limit, all) // a container's limit may exceed the machine's memory
	}
	return int64(limit)
}

// Limit returns the most memory of the process and its programs together, in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Take waits until bytes are free, and takes them for work in this process until giveBack is called.
func (b *Budget) Take(ctx context.Context, bytes int64) (giveBack func(), err error) {
	if b == nil || bytes <= 0 {
		return func() {}, nil
	}
	if bytes > b.whole {
		needs, most := plan.Oversize(bytes, b.whole)
		return nil, &plan.Fault{
			Sentence: plan.Say("It would take %s of memory, and the limit is %s; try something smaller.", needs, most),
			Err:      ErrTooLittle,
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

// Lend takes memory for a program that this process runs: up to bytes, but at most three quarters of the
// budget, so that small work need not wait. The program must be limited to lent.
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

// lend lowers the runtime's limit by what is lent to programs. A tenth is left for memory that the runtime
// does not count.
func (b *Budget) lend(bytes int64) {
	if !b.runtime || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lent += bytes
	debug.SetMemoryLimit(b.limit/10*9 - b.lent)
}
