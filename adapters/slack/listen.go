package slack

import (
	"context"
	"errors"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/inbox"
	"atelier/adapters/turns"
)

// lookEvery is the time between two looks whether Slack takes the token still.
const lookEvery = 15 * time.Second

// listening is a Listen that runs.
type listening struct {
	in   *inbox.Inbox
	work sync.WaitGroup          // what is done besides
	ctx  context.Context         //nolint:containedctx // of all that is done, until Listen ends
	end  context.CancelCauseFunc // ends Listen

	lanes *turns.Lanes // counted by work
}

// Listen hears what happens in the workspace, until the context ends or the tokens are no
// longer taken.
func (s *Slack) Listen(ctx context.Context, handle adapters.Handler) error {
	if ctx.Err() != nil {
		return nil
	}
	in, err := inbox.New(inbox.Config{Handle: handle, Log: s.config.Log})
	if err != nil {
		return invalid("%v", err)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	l := &listening{in: in, ctx: ctx, end: end}
	l.lanes = turns.NewLanes(&l.work)
	s.mu.Lock()
	if s.hearing != nil {
		s.mu.Unlock()
		return invalid("Slack is listened to already")
	}
	s.hearing = l
	s.mu.Unlock()
	line, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	l.work.Go(func() { s.watch(ctx) })
	var socket sync.WaitGroup
	if s.config.AppToken != "" {
		socket.Go(func() { s.sockets(line) })
	}
	<-ctx.Done()
	in.Close() // what was taken is confirmed still
	s.twins.wait()
	s.mu.Lock()
	s.hearing = nil
	s.mu.Unlock()
	hangUp()
	socket.Wait()
	l.work.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, adapters.ErrRefused) {
		return fault(cause)
	}
	return nil
}

// watch looks now and then whether Slack takes the token, and ends Listen where it does not.
func (s *Slack) watch(ctx context.Context) {
	for pause := time.Duration(0); sleep(ctx, pause) == nil; pause = lookEvery {
		if _, err := s.api.AuthTestContext(ctx); err != nil && ctx.Err() == nil {
			s.give(fault(err))
		}
	}
}

// doubt looks at once whether Slack takes the token.
func (s *Slack) doubt() {
	s.later(func(ctx context.Context) {
		if _, err := s.api.AuthTestContext(ctx); err != nil {
			s.give(fault(err))
		}
	})
}

// give ends Listen where an error is such that trying again cannot help.
func (s *Slack) give(err error) {
	if !errors.Is(err, adapters.ErrRefused) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hearing != nil {
		s.hearing.end(err)
	}
}

// patience is how long what a person pressed is worked on.
const patience = 20 * time.Second

// later does something for who listens, and tells whether somebody does. Listen does not
// return before it is done.
func (s *Slack) later(do func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.hearing
	if l == nil {
		return false
	}
	l.work.Go(func() { // it lasts as long as Listen, and not as who noticed it
		ctx, stop := context.WithTimeout(l.ctx, patience)
		defer stop()
		do(ctx)
	})
	return true
}

// inTurn does something after what was to be done before in the same lane, if somebody
// listens.
func (s *Slack) inTurn(lane string, do func(ctx context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.hearing; l != nil {
		l.lanes.Put(lane, func() { do(l.ctx) })
	}
}

// put lets an event wait for its turn. What is taken is confirmed by taken, which may be
// nil.
func (s *Slack) put(ctx context.Context, e adapters.Event, taken func()) {
	if err := e.Validate(); err != nil {
		s.config.Log.WarnContext(ctx, "an event of Slack's is not valid", "error", err)
		if taken != nil {
			taken()
		}
		return
	}
	s.mu.Lock()
	l := s.hearing
	s.mu.Unlock()
	if l != nil {
		l.in.Put(e, taken)
	}
}

// Check tells whether events come in and the token is taken.
func (s *Slack) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A pause that Slack wants of this one method says nothing about the connection.
	if _, err := s.api.AuthTestContext(ctx); err != nil && !errors.Is(fault(err), adapters.ErrRateLimited) {
		return fault(err)
	}
	s.mu.Lock()
	listening := s.hearing != nil
	s.mu.Unlock()
	if !listening || s.config.AppToken != "" && !s.socket.Load() {
		return &adapters.Fault{Sentence: "Slack is not connected. It is tried again."}
	}
	return nil
}
