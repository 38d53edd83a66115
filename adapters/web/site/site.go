// Package site serves the pages, and shows errors to people.
package site

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/drawing"
	"atelier/adapters/web/find"
	"atelier/adapters/web/page"
	"atelier/adapters/web/request"
	"atelier/adapters/web/store"
)

// Workshop provides what the pages show about the bot's work.
type Workshop interface {
	// Work returns how an answer was made, or nil if unknown.
	Work(ctx context.Context, answer adapters.MessageRef) (*drawing.Work, error)
	// Tools returns all tools, in the catalogue's order.
	Tools(ctx context.Context) ([]page.Tool, error)
	// Examples returns requests in a language that the live tools can do, the best for beginners first.
	Examples(ctx context.Context, language string) ([]page.Example, error)
	// Operations returns the state of the program, without anything that people asked for.
	Operations(ctx context.Context) (page.Operations, error)
}

// longestWish is the maximum length, in bytes, of a request in a URL.
const longestWish = 2000

// PageLength is how many messages a page shows, and how many the link to earlier ones adds.
const PageLength = 200

// Site serves the pages.
type Site struct {
	*request.Reader

	Store    *store.Store
	Pages    *page.Renderer
	Workshop Workshop
	// Find searches threads and tools.
	Find    func(ctx context.Context, query string) (page.Found, error)
	MaxFile int64
	// AdminsOnly shows the operations page to admins only, not to everybody who is let in.
	AdminsOnly bool
	// CanLeave reports whether there is a session to log out of.
	CanLeave func(context.Context) bool
	Now      func() time.Time
	Log      *slog.Logger
}

// ServeFresh serves the empty page; its first message begins a thread.
func (s *Site) ServeFresh(w http.ResponseWriter, r *http.Request) error {
	examples, err := s.Workshop.Examples(r.Context(), request.Language(r))
	if err != nil {
		s.Log.WarnContext(r.Context(), "the examples are missing from the page", "error", adapters.ForOperator(err))
	}
	wish := strings.ToValidUTF8(r.URL.Query().Get("wish"), "\uFFFD")
	if len(wish) > longestWish {
		wish = ""
	}
	return s.serve(w, r, http.StatusOK, page.View{Fresh: chat.NewID(), Examples: examples, Wish: wish})
}

// ServeOperations serves the operations page.
func (s *Site) ServeOperations(w http.ResponseWriter, r *http.Request) error {
	if s.AdminsOnly && !s.Me(r).Admin {
		return request.Refuse(http.StatusForbidden, "Only operators can see this page.")
	}
	operations, err := s.Workshop.Operations(r.Context())
	if err != nil {
		return err
	}
	return s.serve(w, r, http.StatusOK, page.View{Operations: &operations})
}

// ServeFound serves the result of a search: a page, or a fragment for a script.
func (s *Site) ServeFound(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Find(r.Context(), r.URL.Query().Get("q"))
	if err != nil {
		return err
	}
	if asksPiece(r) {
		s.write(w, r, http.StatusOK, func(to io.Writer) error { return s.Pages.Found(to, request.Language(r), found) })
		return nil
	}
	return s.serve(w, r, http.StatusOK, page.View{Found: &found})
}

// ServeTools serves all tools or those that match a query: a page, or the list for a script.
func (s *Site) ServeTools(w http.ResponseWriter, r *http.Request) error {
	tools, err := s.Workshop.Tools(r.Context())
	if err != nil {
		return err
	}
	query := r.URL.Query().Get("q")
	list := page.ListOf(query, find.Tools(tools, query), tools)
	if asksPiece(r) {
		s.write(w, r, http.StatusOK, func(to io.Writer) error { return s.Pages.Tools(to, request.Language(r), list) })
		return nil
	}
	return s.serve(w, r, http.StatusOK, page.View{Tools: list})
}

// ServeTool serves the details of a tool: a page, or a fragment for a script.
func (s *Site) ServeTool(w http.ResponseWriter, r *http.Request) error {
	tools, err := s.Workshop.Tools(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(tools, func(t page.Tool) bool { return t.Name == r.PathValue("tool") })
	if at < 0 {
		return request.ErrUnknown
	}
	if asksPiece(r) {
		s.write(w, r, http.StatusOK, func(to io.Writer) error { return s.Pages.Tool(to, request.Language(r), tools[at]) })
		return nil
	}
	return s.serve(w, r, http.StatusOK, page.View{Title: page.Called(tools[at].Name), Tool: &tools[at]})
}

// asksPiece reports whether a script requests a fragment of a page.
func asksPiece(r *http.Request) bool { return r.Header.Get("Hx-Request") != "" }

// ServeThread serves the page of a thread.
func (s *Site) ServeThread(w http.ResponseWriter, r *http.Request) error {
	id, t, err := s.Thread(r)
	if err != nil {
		return err
	}
	from := since(r, t)
	return s.serve(w, r, http.StatusOK, page.View{Title: t.Title, Thread: &page.Thread{
		ID: id, Title: t.Title, Position: t.Next - 1, From: from, Earlier: earlier(id, t, from),
		Messages: page.Viewer{Thread: id, Snapshot: t, Me: s.Me(r), From: from}.Messages(-1), CanForget: t.MayForget(s.Me(r)),
	}})
}

// ServeGallery serves the page of the results of a thread.
func (s *Site) ServeGallery(w http.ResponseWriter, r *http.Request) error {
	id, t, err := s.Thread(r)
	if err != nil {
		return err
	}
	results, more := page.Viewer{Thread: id, Snapshot: t, Me: s.Me(r)}.Results(PageLength)
	g := &page.Gallery{Thread: id, Title: t.Title, Results: results, More: more}
	stored := slices.DeleteFunc(slices.Clone(results), func(r page.Result) bool { return r.Use == "" }) // others are links
	if len(stored) > 1 {
		g.AllURL = "/t/" + id + "/all.zip"
	}
	return s.serve(w, r, http.StatusOK, page.View{Title: t.Title, Gallery: g})
}

// since returns the position from which a page shows its thread.
func since(r *http.Request, t chat.Snapshot) int64 {
	last := t.Messages[max(0, len(t.Messages)-PageLength)].Order
	if from := request.From(r); from >= 0 {
		return min(from, last)
	}
	return last
}

// earlier returns the URL of a page that shows more; "" if everything is shown.
func earlier(thread string, t chat.Snapshot, from int64) string {
	for i, m := range t.Messages {
		if m.Order >= from && i > 0 {
			return "/t/" + thread + "?from=" + strconv.FormatInt(t.Messages[max(0, i-PageLength)].Order, 10) + "#m-" + m.ID
		} else if m.Order >= from {
			break
		}
	}
	return ""
}

// ServeWork serves how an answer was made.
func (s *Site) ServeWork(w http.ResponseWriter, r *http.Request) error {
	thread, _, m, err := s.Message(r)
	if err != nil {
		return err
	}
	work, err := s.Workshop.Work(r.Context(), chat.RefOf(thread, m.ID))
	if err != nil {
		return err
	}
	s.write(w, r, http.StatusOK, func(to io.Writer) error { return s.Pages.Work(to, request.Language(r), work) })
	return nil
}

// List returns the list of threads, as of the wanted hint or later.
func (s *Site) List(ctx context.Context, open string, wanted uint64) ([]page.ThreadLine, error) {
	lines, err := s.Store.Index.List(ctx, s.Now(), wanted)
	var all []page.ThreadLine
	for _, l := range lines {
		all = append(all, page.ThreadLine{
			ID: l.Thread, Title: l.Title, At: l.At, Open: l.Thread == open, Busy: l.Busy, Picture: page.ThumbnailURL(l.Thread, l.Picture),
		})
	}
	return all, err
}

// action serves a request. If it returns an error, it has written nothing.
type action func(w http.ResponseWriter, r *http.Request) error

// Whole serves a page; errors are pages too.
func (s *Site) Whole(a action) http.HandlerFunc {
	return s.orWhyNot(a, func(w http.ResponseWriter, r *http.Request, status int, sentence string) {
		if err := s.serve(w, r, status, page.View{Missing: sentence, Title: sentence}); err != nil {
			http.Error(w, sentence, status)
		}
	})
}

// Fragment serves a fragment of a page, or nothing; errors are fragments too.
func (s *Site) Fragment(a action) http.HandlerFunc {
	return s.orWhyNot(a, func(w http.ResponseWriter, r *http.Request, status int, sentence string) {
		s.write(w, r, status, func(to io.Writer) error { return s.Pages.Failure(to, request.Language(r), sentence) })
	})
}

// Data serves JSON to a script.
func (s *Site) Data(a action) http.HandlerFunc {
	return s.orWhyNot(a, func(w http.ResponseWriter, _ *http.Request, status int, sentence string) {
		request.WriteJSON(w, status, map[string]string{"error": sentence})
	})
}

// serve writes a page with the data that all pages have.
func (s *Site) serve(w http.ResponseWriter, r *http.Request, status int, v page.View) error {
	open := ""
	if v.Thread != nil {
		open = v.Thread.ID
	} else if v.Gallery != nil {
		open = v.Gallery.Thread
	}
	threads, err := s.List(r.Context(), open, store.Latest)
	if err != nil && v.Missing == "" {
		return err
	}
	v.Language, v.Me, v.Threads = request.Language(r), s.Me(r), threads
	v.CanLeave = s.CanLeave != nil && s.CanLeave(r.Context())
	v.MaxFile, v.MaxFiles = s.MaxFile, adapters.MaxFiles
	s.write(w, r, status, func(to io.Writer) error { return s.Pages.Page(to, v) })
	return nil
}

// orWhyNot runs an action, and lets tell write its error.
func (s *Site) orWhyNot(a action, tell func(w http.ResponseWriter, r *http.Request, status int, sentence string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := a(w, r)
		if err == nil || r.Context().Err() != nil { // the client has left
			return
		}
		why, fault := request.RefusalOf(err)
		if fault {
			s.Log.ErrorContext(r.Context(), "a request of a browser failed", "route", r.Pattern, "error", adapters.ForOperator(err))
		}
		if why.After > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(max(why.After, time.Second)/time.Second)))
		}
		if why.Ends {
			w.Header().Set("Connection", "close")
		}
		w.Header().Set("Cache-Control", "no-store")
		tell(w, r, why.Status, s.Pages.Words.Tell(request.Language(r), why))
	}
}

// write renders HTML completely before sending it, compressed if the browser accepts that.
func (s *Site) write(w http.ResponseWriter, r *http.Request, status int, render func(io.Writer) error) {
	var b bytes.Buffer
	err := render(&b)
	content := b.Bytes()
	w.Header().Add("Vary", "Accept-Encoding")
	if err == nil && page.AcceptsGzip(r) && !repeats(r) {
		w.Header().Set("Content-Encoding", "gzip")
		content, err = page.Zip(content)
	}
	if err != nil {
		s.Log.Error("a page could not be rendered", "error", adapters.ForOperator(err))
		w.Header().Del("Content-Encoding")
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(content) //nolint:errcheck // the browser may have left
}

// repeats reports whether a page may repeat words of a link to it. The compressed size of such a page would tell an
// eavesdropper, who has people follow links, what else is in it (BREACH). Pages hold no tokens, but titles of
// threads. Other sites cannot request fragments.
func repeats(r *http.Request) bool { return r.URL.RawQuery != "" && !asksPiece(r) }
