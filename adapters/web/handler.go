package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"atelier/adapters"
	"atelier/adapters/phrase"
)

// Handler serves the channel. All but the static files is behind the guard, which says what
// browsers may do with it. How long a body may take to come is up to the server.
func (c *Channel) Handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", c.whole(c.serveFresh))
	m.HandleFunc("GET /tools", c.whole(c.serveTools))
	m.HandleFunc("GET /events", c.fragment(c.serveList))
	m.HandleFunc("GET /t/{thread}", c.whole(c.serveThread))
	m.HandleFunc("GET /t/{thread}/events", c.fragment(c.serveEvents))
	m.HandleFunc("POST /t/{thread}/messages", c.fragment(c.servePost))
	m.HandleFunc("POST /t/{thread}/messages/{message}/act", c.fragment(c.serveAct))
	m.HandleFunc("GET /t/{thread}/messages/{message}/work", c.fragment(c.serveWork))
	m.HandleFunc("GET /t/{thread}/messages/{message}/media/{n}/{name}", c.whole(c.serveAttachment))
	m.HandleFunc("POST /t/{thread}/files", c.data(c.serveUpload))
	m.HandleFunc("GET /t/{thread}/files/{id}/{name}", c.whole(c.serveUploaded))
	m.HandleFunc("DELETE /t/{thread}/files/{id}", c.data(c.serveTakeBack))
	m.HandleFunc("POST /t/{thread}/forget", c.fragment(c.serveForget))
	m.HandleFunc("GET /", c.whole(func(http.ResponseWriter, *http.Request) error { return unknown() }))

	all := http.NewServeMux()
	all.Handle("/static/", c.pages.static())
	all.Handle("/", c.config.Guard(m))
	return all
}

// action serves a request, or says why not before it has written anything.
type action func(w http.ResponseWriter, r *http.Request) error

// whole serves a page: why there is none is told by a page too.
func (c *Channel) whole(a action) http.HandlerFunc {
	return c.orWhyNot(a, func(w http.ResponseWriter, r *http.Request, status int, sentence string) {
		v := pageView{Missing: sentence, Title: sentence}
		if err := c.servePage(w, r, status, v); err != nil {
			http.Error(w, sentence, status)
		}
	})
}

// fragment serves a piece of a page, or nothing; why not is told by a piece.
func (c *Channel) fragment(a action) http.HandlerFunc {
	return c.orWhyNot(a, func(w http.ResponseWriter, r *http.Request, status int, sentence string) {
		c.writeHTML(w, status, func(to io.Writer) error { return c.pages.failure(to, c.language(r), sentence) })
	})
}

// data serves what a script reads.
func (c *Channel) data(a action) http.HandlerFunc {
	return c.orWhyNot(a, func(w http.ResponseWriter, _ *http.Request, status int, sentence string) {
		writeJSON(w, status, map[string]string{"error": sentence})
	})
}

// orWhyNot does an action, and lets be told why it was not done.
func (c *Channel) orWhyNot(a action, tell func(w http.ResponseWriter, r *http.Request, status int, sentence string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := a(w, r); err != nil {
			if status, sentence := c.refused(w, r, err); status != 0 {
				tell(w, r, status, sentence)
			}
		}
	}
}

// writeHTML writes what is rendered, once all of it is.
func (c *Channel) writeHTML(w http.ResponseWriter, status int, render func(io.Writer) error) {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		c.log.Error("a page could not be rendered", "error", forOperator(err))
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) //nolint:errcheck // who does not read on has gone
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) //nolint:errcheck,errchkjson // who does not read on has gone
}

// language is that of the page's own words, as the browser wants it.
func (*Channel) language(r *http.Request) string {
	return phrase.Accept(r.Header.Get("Accept-Language"))
}

// me is who asks.
func (c *Channel) me(r *http.Request) adapters.Person { return c.config.Who(r.Context()) }

// threadID is the id of the thread that a request is about.
func threadID(r *http.Request) (string, error) {
	id := r.PathValue("thread")
	if !madeUp.MatchString(id) {
		return "", unknown()
	}
	return id, nil
}

// thread gives the thread that a request is about.
func (c *Channel) thread(r *http.Request) (string, snapshot, error) {
	id, err := threadID(r)
	if err != nil {
		return "", snapshot{}, err
	}
	t, err := c.threads.read(r.Context(), id, now)
	return id, t, err
}

// message gives the message that a request is about.
func (c *Channel) message(r *http.Request) (thread string, t snapshot, m *message, err error) {
	thread, t, err = c.thread(r)
	if err != nil {
		return "", snapshot{}, nil, err
	}
	if id := r.PathValue("message"); messageID.MatchString(id) {
		m = t.message(id)
	}
	if m == nil || m.removed {
		return "", snapshot{}, nil, unknown()
	}
	return thread, t, m, nil
}

// fields reads a form of at most so many bytes.
func fields(w http.ResponseWriter, r *http.Request, most int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	var err error
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		err = r.ParseMultipartForm(most) //nolint:gosec // the body is limited above
	} else {
		err = r.ParseForm()
	}
	if err == nil {
		return nil
	}
	if refused, fault := refusalOf(err); !fault {
		return refused
	}
	return refuse(http.StatusBadRequest, "The browser sent this in a way that is not understood. Reload the page.")
}
