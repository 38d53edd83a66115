package slacktest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"
)

// ErrNotTaken is the error of an interaction that was not acknowledged in time.
var ErrNotTaken = errors.New("slacktest: it was not acknowledged in time")

// delivery is an event or an interaction on its way.
//
//	queued ─► flying ─► taken
//	   ▲         │
//	   └─ again ─┴─► given up
type delivery struct {
	kind, typ, id, eventID string
	lane                   string // those of one lane are sent in order
	inLane                 bool   // by HTTP: others may wait behind it
	path                   string // of HTTP
	body                   json.RawMessage
	attempt                int    // 0 is the first
	misses                 int    // how often it was not taken in time
	reason                 string // why again
	sent                   time.Time
	timer                  *time.Timer
	on                     *socket
	over                   bool
	done                   chan struct{}
	ack                    Ack
	taken                  bool
	onAck                  func(json.RawMessage) // what the acknowledgement does
}

// again is the same event as a new attempt.
func (d *delivery) again(reason string) *delivery {
	return &delivery{
		kind: d.kind, typ: d.typ, id: d.id + "r", eventID: d.eventID, lane: d.lane, path: d.path, body: d.body,
		attempt: d.attempt + 1, misses: d.misses, reason: reason, done: make(chan struct{}),
	}
}

// dispatch sends what waits, as far as there is somebody to send it to.
func (s *Server) dispatch() {
	if s.held || s.closed {
		return
	}
	if s.base != "" {
		for _, d := range s.queue {
			s.post(d)
		}
		s.queue = nil
		return
	}
	for len(s.queue) > 0 {
		c := s.nextSocket()
		if c == nil {
			s.expireInteractions()
			return
		}
		d := s.queue[0]
		s.queue = s.queue[1:]
		if !d.over {
			s.fly(d)
			d.on = c
			c.put(d.envelope())
		}
	}
}

// expireInteractions starts the time of interactions that find no socket: they end
// unheard, as nobody sends them again.
func (s *Server) expireInteractions() {
	for _, d := range s.queue {
		if d.eventID == "" && d.timer == nil {
			d.timer = s.after(s.o.AckWithin, func() { s.miss(d, "", 0) })
		}
	}
}

// fly marks d as sent; it must be taken in time.
func (s *Server) fly(d *delivery) {
	s.stop(d.timer)
	d.sent = time.Now()
	s.flying[d.id] = d
	d.timer = s.after(s.o.AckWithin, func() { s.miss(d, "timeout", 0) })
}

// take ends d: it was acknowledged.
func (s *Server) take(d *delivery, body json.RawMessage, status int) {
	if d.over {
		return
	}
	d.taken, d.ack = true, Ack{Body: body, Took: time.Since(d.sent)}
	s.record(d, status)
	s.finish(d)
	if d.onAck != nil {
		d.onAck(body)
	}
}

// miss ends an attempt that was not acknowledged; an event is tried again.
func (s *Server) miss(d *delivery, reason string, status int) {
	if d.over {
		return
	}
	s.record(d, status)
	if d.eventID != "" && d.misses < len(s.o.Retries) {
		next := d.again(reason)
		next.misses++
		s.open++
		s.after(s.o.Retries[d.misses], func() { s.queue = append(s.queue, next) })
	}
	s.finish(d)
}

// lose gives a delivery back whose socket closed: it goes out on the next one.
func (s *Server) lose(d *delivery) {
	if d.over {
		return
	}
	s.record(d, 0)
	if d.eventID != "" {
		s.open++
		s.queue = append(s.queue, d.again("connection_closed"))
	}
	s.finish(d)
}

func (s *Server) finish(d *delivery) {
	s.stop(d.timer)
	d.over = true
	delete(s.flying, d.id)
	s.queue = slices.DeleteFunc(s.queue, func(q *delivery) bool { return q == d })
	s.open--
	close(d.done)
}

// record keeps the attempt for Deliveries.
func (s *Server) record(d *delivery, status int) {
	took := time.Duration(0)
	if !d.sent.IsZero() {
		took = time.Since(d.sent)
	}
	s.attempts = append(last(s.attempts), Delivery{
		Kind: d.kind, Type: d.typ, ID: d.id, EventID: d.eventID, Attempt: d.attempt, Reason: d.reason,
		Taken: d.taken, Status: status, Took: took, Body: d.body,
	})
}

// last keeps the newest of what is remembered.
func last[T any](all []T) []T {
	const kept = 1000
	if len(all) < kept {
		return all
	}
	return slices.Clone(all[len(all)-kept*9/10:])
}

// inFlight are the deliveries sent over c and not acknowledged, in the order of sending.
func (s *Server) inFlight(c *socket) []*delivery {
	of := slices.SortedFunc(maps.Values(s.flying), func(a, b *delivery) int { return a.sent.Compare(b.sent) })
	return slices.DeleteFunc(of, func(d *delivery) bool { return d.on != c })
}

func (s *Server) wait(ctx context.Context, d *delivery) (Ack, error) {
	select {
	case <-d.done:
	case <-ctx.Done():
		return Ack{}, ctx.Err()
	}
	if !d.taken {
		return Ack{}, ErrNotTaken
	}
	return d.ack, nil
}

func (s *Server) deliveryList() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

func (s *Server) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == 0
}
