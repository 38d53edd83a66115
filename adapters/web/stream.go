package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"atelier/adapters"
)

const (
	// streamsAtOnce is how many streams of events a process serves, streamsOfOne how many
	// of one person.
	streamsAtOnce, streamsOfOne = 2000, 200
	// beat is how often a stream shows that it is alive, and looks whether a hint was lost.
	beat = 15 * time.Second
	// listPause is the least time between two lists of threads in a stream.
	listPause = 2 * time.Second
	// slowest is how long a reader may take for an event.
	slowest = 20 * time.Second
	// reconnect is after how many milliseconds a browser connects again.
	reconnect = 2000
)

// stream is one that a browser reads.
type stream struct {
	c        *Channel
	w        http.ResponseWriter
	control  *http.ResponseController
	thread   string // "" where the page shows none
	language string
	me       adapters.Person
	position int64  // of the last entry that was told
	from     int64  // the position from which on the messages are that the page shows
	listed   uint64 // the hint about the list that was told last
}

// serveEvents tells a page what comes after what it shows.
func (c *Channel) serveEvents(w http.ResponseWriter, r *http.Request) error {
	ctx, me := r.Context(), c.me(r)
	leave, err := c.enterStream(r)
	if err != nil {
		return err
	}
	defer leave()
	id, err := threadID(r)
	if err != nil {
		return err
	}
	watcher, err := c.hub.watch(ctx, id)
	if err != nil {
		return err
	}
	defer c.hub.leave(watcher)
	t, err := c.threads.read(ctx, id, now)
	if err != nil {
		return err
	}
	s := &stream{
		c: c, w: w, control: http.NewResponseController(w), thread: id, language: c.language(r), me: me,
		position: lastSeen(r, t.next-1),
	}
	if s.position >= 0 { // otherwise the page shows nothing of this thread
		s.from = max(0, from(r))
	}
	if err := s.begin(); err != nil {
		return nil // who does not read on has gone
	}
	s.follow(ctx, watcher, t)
	return nil
}

// enterStream lets somebody read one more stream, until leave is called.
func (c *Channel) enterStream(r *http.Request) (leave func(), err error) {
	if r.Method != http.MethodGet { // of HEAD
		return nil, refuse(http.StatusMethodNotAllowed, "The browser sent this in a way that is not understood. Reload the page.")
	}
	leave, ok := c.streams.enter(r.Context(), c.me(r).ID, 0)
	if !ok {
		why := refuse(http.StatusTooManyRequests, "Too many pages are open. Close some of them.")
		why.after = time.Minute
		return nil, why
	}
	return leave, nil
}

// begin says that events come.
func (s *stream) begin() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // of nginx, which would wait for more
	s.w.WriteHeader(http.StatusOK)
	return s.write(fmt.Appendf(nil, "retry: %d\n\n", reconnect))
}

// lastSeen is the position up to which a page shows the thread, -1 for none.
func lastSeen(r *http.Request, last int64) int64 {
	said := r.Header.Get("Last-Event-ID")
	if said == "" {
		said = r.URL.Query().Get("after")
	}
	n, err := strconv.ParseInt(said, 10, 64)
	if err != nil || n < -1 || n > last { // the thread is not the one that it was
		return -1
	}
	return n
}

// follow tells what changes until the page is closed, the thread forgotten, or the channel
// closed.
func (s *stream) follow(ctx context.Context, w *watcher, t snapshot) {
	alive := time.NewTicker(beat)
	defer alive.Stop()
	lists := time.NewTimer(0) // the list may have changed since the page was made
	defer lists.Stop()
	listsAt := true // a list is due
	told := time.Now()
	err := s.tell(t)
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case <-s.c.closed:
			return
		case <-w.lost:
			return
		case <-alive.C:
			if err = s.write([]byte(": alive\n\n")); err == nil {
				err = s.look(ctx, now)
			}
		case <-w.wake:
			err = s.look(ctx, w.changed.Load())
			if w.listed.Load() > s.listed && !listsAt {
				listsAt = true
				lists.Reset(max(listPause/20, listPause-time.Since(told)))
			}
		case <-lists.C:
			listsAt, told = false, time.Now()
			s.listed = w.listed.Load()
			err = s.list(ctx, s.listed)
		}
	}
	if errors.Is(err, adapters.ErrGone) { // the page leaves by itself
		select {
		case <-ctx.Done():
		case <-s.c.closed:
		case <-alive.C:
		}
	}
}

// look tells what has changed, as it is when all hints up to that one were there.
func (s *stream) look(ctx context.Context, wanted uint64) error {
	if s.thread == "" { // the page shows none: the list is all
		return nil
	}
	t, err := s.c.threads.read(ctx, s.thread, wanted)
	if errors.Is(err, adapters.ErrGone) {
		return errors.Join(err, s.event("gone", -1, func(w io.Writer) error {
			_, err := io.WriteString(w, s.thread)
			return err //nolint:wrapcheck // it is written to memory
		}))
	}
	if err != nil {
		if ctx.Err() == nil {
			s.c.log.WarnContext(ctx, "a stream of events is cut off", "error", forOperator(err))
		}
		return err
	}
	if t.next-1 < s.position { // it was forgotten, and has begun anew
		s.position, s.from = -1, 0
	}
	return s.tell(t)
}

// tell tells the messages that have changed since the position.
func (s *stream) tell(t snapshot) error {
	seen := viewer{s.thread, t, s.me, s.from}
	changed := seen.changed(s.position)
	if len(changed) == 0 {
		return nil
	}
	last := t.next - 1
	render := func() ([]byte, error) {
		return frame("message", last, func(w io.Writer) error { return s.c.pages.messages(w, s.language, seen.views(changed)) })
	}
	var b []byte
	var err error
	if len(changed) > fewMessages {
		b, err = render()
	} else {
		of := rendering{s.thread, t.messages[0].wrote, s.position, s.from, t.next, s.language, s.me.ID, s.me.Admin}
		b, err = s.c.rendered.get(of, render)
	}
	if err != nil {
		return s.failed(err)
	}
	s.position = last
	return s.write(b)
}

// list tells the list of threads.
func (s *stream) list(ctx context.Context, wanted uint64) error {
	lines, err := s.c.lines(ctx, s.thread, wanted)
	if err != nil {
		return err
	}
	return s.event("threads", -1, func(w io.Writer) error { return s.c.pages.threads(w, s.language, lines) })
}

// event renders and writes one.
func (s *stream) event(name string, id int64, render func(io.Writer) error) error {
	b, err := frame(name, id, render)
	if err != nil {
		return s.failed(err)
	}
	return s.write(b)
}

func (s *stream) failed(err error) error {
	s.c.log.Error("an event could not be rendered", "error", forOperator(err))
	return err
}

// frame is an event as it is sent, under the position of the last entry that it covers, if
// it covers some.
func frame(name string, id int64, render func(io.Writer) error) ([]byte, error) {
	var data, b bytes.Buffer
	if err := render(&data); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "event: %s\n", name)
	if id >= 0 {
		fmt.Fprintf(&b, "id: %d\n", id)
	}
	for line := range bytes.SplitSeq(bytes.ReplaceAll(data.Bytes(), []byte("\r"), nil), []byte("\n")) {
		fmt.Fprintf(&b, "data: %s\n", line)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func (s *stream) write(b []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(slowest)) //nolint:errcheck // where there is none, the server's own holds
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	return nil
}
