package receive

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/inbox"
	"atelier/adapters/lanes"
	"atelier/adapters/slack/api"
)

const (
	// tokenCheckEvery is the time between two checks that Slack still accepts the token.
	tokenCheckEvery = 15 * time.Second
	// interactionTimeout is how long work on a button, a command or a shortcut may take.
	interactionTimeout = 20 * time.Second
)

// Listener passes events to the handler while Run runs.
type Listener struct {
	API *api.Client
	Log *slog.Logger

	mentions mentionPairs

	mu      sync.Mutex
	current *session // nil while nobody listens
}

// session is one Run.
type session struct {
	inbox *inbox.Inbox
	work  sync.WaitGroup          // background work; Run waits for it
	ctx   context.Context         //nolint:containedctx // of the background work, until Run ends
	end   context.CancelCauseFunc // ends Run

	lanes *lanes.Lanes // counted by work
}

// Run passes events to the handler until the context ends or Slack rejects the tokens. Connect
// holds the connection and may be nil; its context ends once everything that was accepted is
// confirmed.
func (l *Listener) Run(ctx context.Context, handle adapters.Handler, connect func(ctx context.Context)) error {
	if ctx.Err() != nil {
		return nil
	}
	in, err := inbox.New(inbox.Config{Handle: handle, Log: l.Log})
	if err != nil {
		return api.Invalid("%v", err)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	run := &session{inbox: in, ctx: ctx, end: end}
	run.lanes = lanes.NewLanes(&run.work)
	l.mu.Lock()
	if l.current != nil {
		l.mu.Unlock()
		return api.Invalid("Slack is listened to already")
	}
	l.current = run
	l.mu.Unlock()
	connectCtx, disconnect := context.WithCancel(context.WithoutCancel(ctx))
	defer disconnect()
	run.work.Go(func() { l.watchToken(ctx) })
	var connection sync.WaitGroup
	if connect != nil {
		connection.Go(func() { connect(connectCtx) })
	}
	<-ctx.Done()
	in.Close() // accepted events are still confirmed
	l.mentions.wait()
	l.mu.Lock()
	l.current = nil
	l.mu.Unlock()
	disconnect()
	connection.Wait()
	run.work.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, adapters.ErrRefused) {
		return api.Fault(cause)
	}
	return nil
}

// IsRunning reports whether somebody listens.
func (l *Listener) IsRunning() bool { return l.running() != nil }

// CheckToken checks the token now, in the background.
func (l *Listener) CheckToken() {
	l.Later(func(ctx context.Context) {
		if _, err := l.API.AuthTestContext(ctx); err != nil {
			l.Fail(api.Fault(err))
		}
	})
}

// Fail ends Run if retrying cannot help.
func (l *Listener) Fail(err error) {
	if !errors.Is(err, adapters.ErrRefused) {
		return
	}
	if run := l.running(); run != nil {
		run.end(err)
	}
}

// Later runs do in the background, and reports whether somebody listens. Run does not return before the work is
// done.
func (l *Listener) Later(do func(ctx context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	run := l.current
	if run == nil {
		return false
	}
	run.work.Go(func() { // it lasts as long as Run, and not as long as the caller
		ctx, stop := context.WithTimeout(run.ctx, interactionTimeout)
		defer stop()
		do(ctx)
	})
	return true
}

// InOrder runs do in the background, after earlier work of the same lane, if somebody listens.
func (l *Listener) InOrder(lane string, do func(ctx context.Context)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if run := l.current; run != nil {
		run.lanes.Put(lane, func() { do(run.ctx) })
	}
}

// Put queues an event for the handler. Confirm is called when the handler has accepted it, and may be nil.
func (l *Listener) Put(ctx context.Context, e adapters.Event, confirm func()) {
	if err := e.Validate(); err != nil {
		l.Log.WarnContext(ctx, "an event from Slack is invalid", "error", err)
		if confirm != nil {
			confirm()
		}
		return
	}
	if run := l.running(); run != nil {
		run.inbox.Put(e, confirm)
	}
}

func (l *Listener) running() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// watchToken checks the token regularly, and ends Run when Slack refuses it.
func (l *Listener) watchToken(ctx context.Context) {
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; pause = tokenCheckEvery {
		if _, err := l.API.AuthTestContext(ctx); err != nil && ctx.Err() == nil {
			l.Fail(api.Fault(err))
		}
	}
}
