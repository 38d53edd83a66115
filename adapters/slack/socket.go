package slack

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

const (
	maxFrame = 4 << 20 // bytes of what Slack tells at once
	// A frame of the answer is larger than the largest one, which Slack does not put together.
	writeBuffer = 32 << 10
	// confirming is how long it is tried to confirm an event. It comes again after 3 seconds.
	confirming = 3 * time.Second
)

// sockets holds a connection of Socket Mode, until the context ends. See
// https://docs.slack.dev/apis/events-api/using-socket-mode.
func (s *Slack) sockets(ctx context.Context) {
	defer s.socket.Store(false)
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		begun := time.Now()
		err := s.session(ctx)
		s.give(fault(err))
		if time.Since(begun) > lastRetry {
			pause = firstRetry
		}
		if sleep(ctx, pause) != nil {
			return
		}
		s.config.Log.WarnContext(ctx, "the connection to Slack has ended: it is opened again", "error", fault(err))
	}
}

// session lets the library connect, as often as it thinks that this can help.
func (s *Slack) session(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	dialer := s.edge.Dialer()
	dialer.WriteBufferSize = writeBuffer
	client := socketmode.New(s.api, socketmode.OptionDialer(dialer), socketmode.OptionReadLimit(maxFrame))
	over := make(chan error, 1)
	go func() { over <- client.RunContext(ctx) }()
	for {
		select {
		case err := <-over:
			return err
		case e := <-client.Events:
			s.frame(ctx, client, e)
		}
	}
}

// frame reads what the library tells.
func (s *Slack) frame(ctx context.Context, client *socketmode.Client, e socketmode.Event) {
	switch e.Type {
	case socketmode.EventTypeConnecting:
		s.socket.Store(false)
	case socketmode.EventTypeHello:
		s.socket.Store(true)
		s.doubt()
	case socketmode.EventTypeConnectionError:
		if failed, ok := e.Data.(*slack.ConnectionErrorEvent); ok {
			s.give(fault(failed.ErrorObj))
		}
		s.doubt()
	case socketmode.EventTypeErrorBadMessage: // the library knows fewer events than there are
		if bad, ok := e.Data.(*socketmode.ErrorBadMessage); ok {
			var r socketmode.Request
			if json.Unmarshal(bad.Message, &r) == nil {
				s.request(ctx, client, r)
			}
		}
	case socketmode.EventTypeEventsAPI, socketmode.EventTypeInteractive, socketmode.EventTypeSlashCommand:
		if e.Request != nil {
			s.request(ctx, client, *e.Request)
		}
	}
}

// request takes what is to be confirmed.
func (s *Slack) request(ctx context.Context, client *socketmode.Client, r socketmode.Request) {
	confirm := func() {
		ctx, stop := context.WithTimeout(ctx, confirming)
		defer stop()
		if err := client.AckCtx(ctx, r.EnvelopeID, nil); err != nil && ctx.Err() == nil {
			s.config.Log.WarnContext(ctx, "an event was not confirmed to Slack", "error", fault(err))
		}
	}
	switch r.Type {
	case socketmode.RequestTypeEventsAPI:
		s.hear(ctx, r.Payload, confirm)
	case socketmode.RequestTypeInteractive:
		if s.interact(r.Payload) {
			confirm()
		}
	case socketmode.RequestTypeSlashCommands:
		var c command
		if json.Unmarshal(r.Payload, &c) == nil && s.command(c) {
			confirm()
		}
	default:
		if r.EnvelopeID != "" {
			confirm()
		}
	}
}
