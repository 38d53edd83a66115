// Package stream updates open pages by server-sent events.
package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/page"
	"atelier/adapters/web/request"
	"atelier/adapters/web/store"
)

const (
	// AtOnce is the maximum number of streams per process.
	AtOnce = 2000
	// PerPerson is how many of them one person may have.
	PerPerson = 200
	// Beat is the interval at which a stream sends a sign of life and checks for missed hints.
	Beat = 15 * time.Second
	// ListPause is the minimum time between two lists of threads in a stream.
	ListPause = 2 * time.Second
	// slowest is the write timeout of an event.
	slowest = 20 * time.Second
	// reconnect is the delay before a browser reconnects, in milliseconds.
	reconnect = 2000
)

// Server serves the streams of events.
type Server struct {
	*request.Reader

	Hub   *store.Hub
	Pages *page.Renderer
	// List returns the list of threads, as of the wanted hint or later.
	List     func(ctx context.Context, open string, wanted uint64) ([]page.ThreadLine, error)
	Closed   <-chan struct{} // ends all streams
	Gate     *request.Gate
	rendered renderings
	Log      *slog.Logger
}

// stream is a stream to one browser.
type stream struct {
	srv      *Server
	w        http.ResponseWriter
	control  *http.ResponseController
	thread   string // "" if the page shows none
	language string
	me       adapters.Person
	position int64  // of the last entry sent
	from     int64  // the position from which the page shows its thread
	listed   uint64 // the last hint about the list that was sent
}

// ServeList sends changes of the list of threads to a page without a thread.
func (srv *Server) ServeList(w http.ResponseWriter, r *http.Request) error {
	return srv.serve(w, r, func(*http.Request) (string, error) { return "", nil })
}

// ServeEvents sends the changes of a thread to its page.
func (srv *Server) ServeEvents(w http.ResponseWriter, r *http.Request) error {
	return srv.serve(w, r, request.ThreadID)
}

func (srv *Server) serve(w http.ResponseWriter, r *http.Request, thread func(*http.Request) (string, error)) error {
	if r.Method != http.MethodGet { // but HEAD
		return request.Refuse(http.StatusMethodNotAllowed, "The browser sent something that the server does not understand. Reload the page.")
	}
	ctx, me := r.Context(), srv.Me(r)
	leave, ok := srv.Gate.Enter(ctx, me.ID, 0)
	if !ok {
		why := request.Refuse(http.StatusTooManyRequests, "Too many pages are open. Close some of them.")
		why.After = time.Minute
		return why
	}
	defer leave()
	id, err := thread(r)
	if err != nil {
		return err
	}
	watcher, err := srv.Hub.Watch(ctx, id)
	if err != nil {
		return err
	}
	defer srv.Hub.Leave(watcher)
	s := &stream{srv: srv, w: w, control: http.NewResponseController(w), thread: id, language: request.Language(r), me: me, position: -1}
	var t chat.Snapshot
	if id != "" {
		if t, err = srv.Threads.Read(ctx, id, store.Latest); err != nil {
			return err
		}
		if s.position = lastSeen(r, t.Next-1); s.position >= 0 { // otherwise the page shows a deleted thread
			s.from = max(0, request.From(r))
		}
	}
	if err := s.begin(); err != nil {
		return nil // the browser has left
	}
	s.follow(ctx, watcher, t)
	return nil
}

// begin starts the response.
func (s *stream) begin() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // of nginx, which would wait for more
	s.w.WriteHeader(http.StatusOK)
	return s.write(fmt.Appendf(nil, "retry: %d\n\n", reconnect))
}

// lastSeen returns the position up to which a page shows its thread, -1 for none.
func lastSeen(r *http.Request, last int64) int64 {
	said := r.Header.Get("Last-Event-ID")
	if said == "" {
		said = r.URL.Query().Get("after")
	}
	n, err := strconv.ParseInt(said, 10, 64)
	if err != nil || n < -1 || n > last { // the thread was begun again
		return -1
	}
	return n
}

// follow sends changes until the page is closed, the thread is deleted, or the channel is closed.
func (s *stream) follow(ctx context.Context, w *store.Watcher, t chat.Snapshot) {
	alive := time.NewTicker(Beat)
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
		case <-s.srv.Closed:
			return
		case <-w.Lost:
			return
		case <-alive.C:
			if err = s.write([]byte(": alive\n\n")); err == nil {
				err = s.look(ctx, store.Latest)
			}
		case <-w.Wake:
			err = s.look(ctx, w.Changed.Load())
			if w.Listed.Load() > s.listed && !listsAt {
				listsAt = true
				lists.Reset(max(ListPause/20, ListPause-time.Since(told)))
			}
		case p := <-w.Told:
			if p.To == s.me.ID {
				err = s.event("told", -1, func(w io.Writer) error {
					_, err := io.WriteString(w, p.Text)
					return err //nolint:wrapcheck // it is written to memory
				})
			}
		case <-lists.C:
			listsAt, told = false, time.Now()
			s.listed = w.Listed.Load()
			err = s.list(ctx, s.listed)
		}
	}
	if errors.Is(err, adapters.ErrGone) { // the page closes the stream itself
		select {
		case <-ctx.Done():
		case <-s.srv.Closed:
		case <-alive.C:
		}
	}
}

// look sends what changed, as of the wanted hint or later.
func (s *stream) look(ctx context.Context, wanted uint64) error {
	if s.thread == "" { // the page shows no thread, only the list
		return nil
	}
	t, err := s.srv.Threads.Read(ctx, s.thread, wanted)
	if errors.Is(err, adapters.ErrGone) {
		return errors.Join(err, s.event("gone", -1, func(w io.Writer) error {
			_, err := io.WriteString(w, s.thread)
			return err //nolint:wrapcheck // it is written to memory
		}))
	}
	if err != nil {
		if ctx.Err() == nil {
			s.srv.Log.WarnContext(ctx, "a stream of events is cut off", "error", adapters.ForOperator(err))
		}
		return err
	}
	if t.Next-1 < s.position { // it was deleted and begun again
		s.position, s.from = -1, 0
	}
	return s.tell(t)
}

// tell sends the messages that changed since the position.
func (s *stream) tell(t chat.Snapshot) error {
	seen := page.Viewer{Thread: s.thread, Snapshot: t, Me: s.me, From: s.from}
	changed := t.ChangedAfter(s.position, s.from)
	if len(changed) == 0 {
		return nil
	}
	last := t.Next - 1
	render := func() ([]byte, error) {
		return frame("message", last, func(w io.Writer) error { return s.srv.Pages.Messages(w, s.language, seen.Views(changed)) })
	}
	var b []byte
	var err error
	if len(changed) > fewMessages {
		b, err = render()
	} else {
		of := rendering{s.thread, t.Messages[0].Wrote, s.position, s.from, t.Next, s.language, s.me.ID, s.me.Admin}
		b, err = s.srv.rendered.get(of, render)
	}
	if err != nil {
		return s.failed(err)
	}
	s.position = last
	return s.write(b)
}

// list sends the list of threads.
func (s *stream) list(ctx context.Context, wanted uint64) error {
	lines, err := s.srv.List(ctx, s.thread, wanted)
	if err != nil {
		return err
	}
	return s.event("threads", -1, func(w io.Writer) error { return s.srv.Pages.Threads(w, s.language, lines) })
}

// event renders and sends an event.
func (s *stream) event(name string, id int64, render func(io.Writer) error) error {
	b, err := frame(name, id, render)
	if err != nil {
		return s.failed(err)
	}
	return s.write(b)
}

func (s *stream) failed(err error) error {
	s.srv.Log.Error("an event could not be rendered", "error", adapters.ForOperator(err))
	return err
}

// frame formats an event. Its id is the position of the last entry that it covers; -1 is none.
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
	_ = s.control.SetWriteDeadline(time.Now().Add(slowest)) //nolint:errcheck // else the server's own holds
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	return nil
}
