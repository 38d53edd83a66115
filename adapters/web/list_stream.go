package web

import "net/http"

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
	s.follow(ctx, watcher, snapshot{}) // of no thread
	return nil
}
