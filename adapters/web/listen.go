package web

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"atelier/adapters"
)

const (
	// grace is how long a message of another process is left to that process.
	grace = time.Second
	// Between two attempts to hand something over.
	firstRetry, lastRetry = 500 * time.Millisecond, time.Minute
	// lookAround is how often the list of threads is looked through, for what a process
	// left that died.
	lookAround = time.Minute
	// handersOver is for how many threads events are handed over at once.
	handersOver = 16
)

// listener hands over what was recorded: in a thread one event after another, in their
// order. All but its channels belongs to the goroutine of Listen.
type listener struct {
	asks  chan ask
	over  chan attempt
	due   chan string // threads whose time has come
	ended chan struct{}

	lanes map[string]*lane
}

// ask is the wish that a thread's events are handed over now. What became of it is told.
type ask struct {
	thread string
	done   chan bool // has room for one
}

// attempt is one that has ended.
type attempt struct {
	thread string
	err    error
}

// lane is a thread of which something is, or will be, handed over.
type lane struct {
	running  bool
	again    bool        // something came while it ran
	asked    []chan bool // by whom, for the attempt that runs
	next     []chan bool // and for the one after it
	failures int
	timer    *time.Timer
}

// Listen hands over what people write and press, here and in processes that do not listen,
// and what those have left that died.
func (c *Channel) Listen(ctx context.Context, handle adapters.Handler) error {
	l := &listener{
		asks: make(chan ask), over: make(chan attempt), due: make(chan string), ended: make(chan struct{}),
		lanes: map[string]*lane{},
	}
	c.mu.Lock()
	if c.listening != nil {
		c.mu.Unlock()
		return fmt.Errorf("%w: the web channel listens already", adapters.ErrInvalid)
	}
	c.listening = l
	c.mu.Unlock()

	var work sync.WaitGroup
	defer work.Wait()
	defer l.end()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.listening = nil
	}()
	hints := make(chan []byte)
	work.Go(func() { c.follow(ctx, hints) })
	places := make(chan struct{}, handersOver)
	begin := func(thread string) {
		l.lanes[thread].begin()
		work.Go(func() {
			places <- struct{}{}
			err := c.handOver(ctx, thread, handle)
			<-places
			select {
			case l.over <- attempt{thread, err}:
			case <-l.ended:
			}
		})
	}
	around := time.NewTicker(lookAround)
	defer around.Stop()
	c.lookThrough(ctx, l)
	for {
		select {
		case <-ctx.Done():
			return nil
		case hint := <-hints:
			switch {
			case len(hint) == 0:
				c.lookThrough(ctx, l)
			case hint[0] == hintWrote:
				l.after(string(hint[1:]), grace)
			}
		case <-around.C:
			c.lookThrough(ctx, l)
		case a := <-l.asks:
			if l.ask(a) {
				begin(a.thread)
			}
		case thread := <-l.due:
			if lane := l.lanes[thread]; lane != nil && !lane.running {
				begin(thread)
			}
		case a := <-l.over:
			if a.err != nil && ctx.Err() == nil {
				c.log.WarnContext(ctx, "an event was not taken: it will be tried again", "error", forOperator(a.err))
			}
			if l.ends(a) {
				begin(a.thread)
			}
		}
	}
}

// lookThrough looks for what was not handed over in all threads in which something waits.
func (c *Channel) lookThrough(ctx context.Context, l *listener) {
	if err := c.index.refresh(ctx, c.config.Now(), now); err != nil {
		if ctx.Err() == nil {
			c.log.WarnContext(ctx, "the list of threads could not be read", "error", forOperator(err))
		}
		return
	}
	for _, thread := range c.index.waiting() {
		l.after(thread, 0)
	}
}

// follow hears what other processes tell, and tries again as often as it must.
func (c *Channel) follow(ctx context.Context, to chan<- []byte) {
	for pause := firstRetry; ctx.Err() == nil; pause = min(2*pause, lastRetry) {
		hints, err := c.config.State.Subscribe(ctx, topic)
		switch {
		case err == nil:
			pass(ctx, hints, to)
			pause = firstRetry
		case ctx.Err() == nil:
			c.log.WarnContext(ctx, "what other processes tell is not heard", "error", forOperator(err))
		}
		wait(ctx, pause)
	}
}

// pass hands hints on until there are no more. An empty one comes first: some may have been
// missed.
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

// wait lets so much time pass, or less where the context ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// handOver hands over all of a thread that waits, and writes down that it is taken.
func (c *Channel) handOver(ctx context.Context, thread string, handle adapters.Handler) error {
	begun := c.config.Now()
	t, err := c.threads.read(ctx, thread, now)
	if err != nil && !errors.Is(err, adapters.ErrGone) {
		return err
	}
	var over []string
	for _, h := range t.waiting {
		e := eventOf(thread, t, h)
		if err := e.Validate(); err != nil { // no version of this program takes it
			c.log.ErrorContext(ctx, "an event is not handed over", "error", forOperator(err))
		} else if err := handle(ctx, e); err != nil {
			return fmt.Errorf("hand over an event: %w", err)
		}
		if err := c.append(ctx, thread, entry{Taken: &taken{ID: h.id}}); errors.Is(err, adapters.ErrGone) {
			return nil
		} else if err != nil {
			return err
		}
		over = append(over, h.id)
	}
	if len(over) > 0 {
		c.relist(ctx, thread, over...)
	}
	c.index.settle(thread, begun.Add(-unsettled))
	return nil
}

// handed has the events of a thread handed over, and tells whether they are. Where nobody
// listens here, somebody else will do it.
func (c *Channel) handed(ctx context.Context, thread string) bool {
	c.mu.Lock()
	l := c.listening
	c.mu.Unlock()
	if l == nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, hurry)
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
