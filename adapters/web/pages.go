package web

import (
	"context"
	"io"
	"net/http"

	"atelier/adapters"
)

// serveFresh is the empty page: the first message on it begins a thread.
func (c *Channel) serveFresh(w http.ResponseWriter, r *http.Request) error {
	examples, err := c.config.Workshop.Examples(r.Context())
	if err != nil {
		c.log.WarnContext(r.Context(), "there are no examples", "error", forOperator(err)) // the page does without
	}
	return c.servePage(w, r, http.StatusOK, pageView{Fresh: newID(), Examples: examples})
}

func (c *Channel) serveTools(w http.ResponseWriter, r *http.Request) error {
	tools, err := c.config.Workshop.Tools(r.Context())
	if err != nil {
		return err
	}
	return c.servePage(w, r, http.StatusOK, pageView{Tools: tools})
}

func (c *Channel) serveThread(w http.ResponseWriter, r *http.Request) error {
	id, t, err := c.thread(r)
	if err != nil {
		return err
	}
	from := since(r, t)
	return c.servePage(w, r, http.StatusOK, pageView{Title: t.title, Thread: &threadView{
		ID: id, Title: t.title, Position: t.next - 1, From: from, Earlier: earlier(id, t, from),
		Messages: viewer{id, t, c.me(r), from}.messages(-1), CanForget: mayForget(c.me(r), t),
	}})
}

// serveWork tells how an answer came about.
func (c *Channel) serveWork(w http.ResponseWriter, r *http.Request) error {
	thread, _, m, err := c.message(r)
	if err != nil {
		return err
	}
	work, err := c.config.Workshop.Work(r.Context(), refOf(thread, m.id))
	if err != nil {
		return err
	}
	c.writeHTML(w, http.StatusOK, func(to io.Writer) error { return c.pages.work(to, c.language(r), work) })
	return nil
}

// servePage completes a page by what all of them have.
func (c *Channel) servePage(w http.ResponseWriter, r *http.Request, status int, v pageView) error {
	open := ""
	if v.Thread != nil {
		open = v.Thread.ID
	}
	threads, err := c.lines(r.Context(), open, now)
	if err != nil && v.Missing == "" {
		return err
	}
	v.Language, v.Me, v.Threads = c.language(r), c.me(r), threads
	v.CanLeave = c.config.CanLeave != nil && c.config.CanLeave(r.Context())
	v.MaxFile, v.MaxFiles = c.config.MaxFile, adapters.MaxFiles
	c.writeHTML(w, status, func(to io.Writer) error { return c.pages.page(to, v) })
	return nil
}

// lines are the threads at the left, as they are when all hints up to the wanted one were
// there.
func (c *Channel) lines(ctx context.Context, open string, wanted uint64) ([]threadLine, error) {
	if err := c.index.refresh(ctx, c.config.Now(), wanted); err != nil {
		return nil, err
	}
	listed := c.index.list()
	titles, err := c.index.titlesOf(ctx, listed)
	if err != nil {
		return nil, err
	}
	var all []threadLine
	for i, l := range listed {
		if titles[i] != "" {
			all = append(all, threadLine{ID: l.Thread, Title: titles[i], At: l.At, Open: l.Thread == open, Busy: l.Busy})
		}
	}
	return all, nil
}
