package web

import (
	"context"
	"net/http"
	"time"
)

// serveList tells a page that shows no thread how the list of threads changes.
func (c *Channel) serveList(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	leave, err := c.enterStream(r)
	if err != nil {
		return err
	}
	defer leave()
	watcher, err := c.hub.watch(ctx, "")
	if err != nil {
		return err
	}
	defer c.hub.leave(watcher)
	s := &stream{c: c, w: w, control: http.NewResponseController(w), language: c.language(r), me: c.me(r), position: -1}
	if err := s.begin(); err != nil {
		return nil // who does not read on has gone
	}
	s.followList(ctx, watcher)
	return nil
}

// followList tells the list at once, since it may have changed since the page was made, and
// when it changes, until the page is closed, or the channel.
func (s *stream) followList(ctx context.Context, w *watcher) {
	alive := time.NewTicker(beat)
	defer alive.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	isDue := true
	var err error
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case <-s.c.closed:
			return
		case <-w.lost:
			return
		case <-alive.C:
			err = s.write([]byte(": alive\n\n"))
		case <-w.wake:
			if w.listed.Load() > s.listed && !isDue {
				isDue = true
				due.Reset(listPause)
			}
		case <-due.C:
			isDue = false
			s.listed = w.listed.Load()
			err = s.list(ctx, s.listed)
		}
	}
}
