// Package dispatch delivers recorded messages and reactions to the handler, at least once and in order per thread,
// including those recorded by processes that died.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/store"
)

const (
	// Grace is how long another process gets to deliver a message that it recorded.
	Grace = time.Second
	// FirstRetry is the minimum backoff between two attempts.
	FirstRetry = 500 * time.Millisecond
	// LastRetry is the maximum backoff between two attempts.
	LastRetry = time.Minute
	// lookAround is the interval of the scan for what dead processes left.
	lookAround = time.Minute
	// atOnce is the maximum number of threads with a delivery in progress.
	atOnce = 16
	// Hurry is how long the sender of a message waits for its delivery.
	Hurry = 3 * time.Second
)

// Dispatcher delivers recorded events, in each thread one by one and in order.
type Dispatcher struct {
	Store *store.Store
	Now   func() time.Time
	Log   *slog.Logger

	mu    sync.Mutex
	lanes *lanes // nil while it does not run
}

// IsRunning reports whether this process delivers events.
func (d *Dispatcher) IsRunning() bool { return d.running() != nil }

// Run delivers messages and button presses, whichever process received them, until the context ends.
func (d *Dispatcher) Run(ctx context.Context, handle adapters.Handler) error {
	l := newLanes()
	d.mu.Lock()
	if d.lanes != nil {
		d.mu.Unlock()
		return fmt.Errorf("%w: the web channel is already listening", adapters.ErrInvalid)
	}
	d.lanes = l
	d.mu.Unlock()

	var work sync.WaitGroup
	defer work.Wait()
	defer l.end()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lanes = nil
	}()
	hints := make(chan []byte)
	work.Go(func() { d.follow(ctx, hints) })
	places := make(chan struct{}, atOnce)
	begin := func(thread string) {
		l.all[thread].begin()
		work.Go(func() {
			places <- struct{}{}
			err := d.handOver(ctx, thread, handle)
			<-places
			select {
			case l.over <- attempt{thread, err}:
			case <-l.ended:
			}
		})
	}
	around := time.NewTicker(lookAround)
	defer around.Stop()
	d.lookThrough(ctx, l)
	for {
		select {
		case <-ctx.Done():
			return nil
		case hint := <-hints:
			switch {
			case len(hint) == 0:
				d.lookThrough(ctx, l)
			case hint[0] == store.HintWrote:
				l.after(string(hint[1:]), Grace)
			}
		case <-around.C:
			d.lookThrough(ctx, l)
		case a := <-l.asks:
			if l.ask(a) {
				begin(a.thread)
			}
		case thread := <-l.due:
			if lane := l.all[thread]; lane != nil && !lane.running {
				begin(thread)
			}
		case a := <-l.over:
			if a.err != nil && ctx.Err() == nil {
				d.Log.WarnContext(ctx, "an event was not accepted and will be retried", "error", adapters.ForOperator(a.err))
			}
			if l.ends(a) {
				begin(a.thread)
			}
		}
	}
}

// pass forwards hints, and first an empty one, because some may have been missed.
func pass(ctx context.Context, hints <-chan []byte, to chan<- []byte) {
	var hint []byte
	for ok := true; ok; hint, ok = <-hints {
		select {
		case to <- hint:
		case <-ctx.Done():
			return
		}
	}
}

// Deliver asks to deliver a thread's events now, and reports whether that succeeded in time.
func (d *Dispatcher) Deliver(ctx context.Context, thread string) bool {
	l := d.running()
	if l == nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, Hurry)
	defer stop()
	a := ask{thread, make(chan bool, 1)}
	select {
	case l.asks <- a:
	case <-l.ended:
		return false
	case <-ctx.Done():
		return false
	}
	select {
	case done := <-a.done:
		return done
	case <-l.ended:
	case <-ctx.Done():
	}
	return false
}

func (d *Dispatcher) running() *lanes {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lanes
}

// lookThrough schedules an attempt for every thread with undelivered events.
func (d *Dispatcher) lookThrough(ctx context.Context, l *lanes) {
	if err := d.Store.Refresh(ctx); err != nil {
		if ctx.Err() == nil {
			d.Log.WarnContext(ctx, "the list of threads could not be read", "error", adapters.ForOperator(err))
		}
		return
	}
	for _, thread := range d.Store.Index.Waiting() {
		l.after(thread, 0)
	}
}

// follow forwards the hints of all processes, and resubscribes with backoff.
func (d *Dispatcher) follow(ctx context.Context, to chan<- []byte) {
	for pause := FirstRetry; ctx.Err() == nil; pause = min(2*pause, LastRetry) {
		hints, err := d.Store.Hub.Subscribe(ctx)
		switch {
		case err == nil:
			pass(ctx, hints, to)
			pause = FirstRetry
		case ctx.Err() == nil:
			d.Log.WarnContext(ctx, "hints of other processes cannot be received", "error", adapters.ForOperator(err))
		}
		if sleep.For(ctx, pause) != nil {
			return
		}
	}
}

// handOver delivers all waiting events of a thread, and records that they were accepted.
func (d *Dispatcher) handOver(ctx context.Context, thread string, handle adapters.Handler) error {
	begun := d.Now()
	t, err := d.Store.Threads.Read(ctx, thread, store.Latest)
	if err != nil && !errors.Is(err, adapters.ErrGone) {
		return err
	}
	var over []string
	for _, h := range t.Waiting {
		e := chat.EventOf(thread, t, h)
		if err := e.Validate(); err != nil { // a bug; retrying would not help
			d.Log.ErrorContext(ctx, "an invalid event is skipped", "error", adapters.ForOperator(err))
		} else if err := handle(ctx, e); err != nil {
			return fmt.Errorf("hand over an event: %w", err)
		}
		if err := d.Store.Take(ctx, thread, h.ID); errors.Is(err, adapters.ErrGone) {
			return nil
		} else if err != nil {
			return err
		}
		over = append(over, h.ID)
	}
	if err == nil { // even if nothing waited: an edit that changes nothing was listed as working
		d.Store.Relist(ctx, thread, over...)
	}
	d.Store.Index.Settle(thread, begun)
	return nil
}
