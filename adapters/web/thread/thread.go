// Package thread renames and deletes threads.
package thread

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/request"
	"atelier/adapters/web/store"
)

// Forgetter deletes what the bot stores about a thread, if anything.
type Forgetter interface {
	Forget(ctx context.Context, t adapters.Thread) error
}

// Server renames and deletes threads.
type Server struct {
	*request.Reader

	Store *store.Store
	Bot   Forgetter
}

// maxForm is the maximum size of the form in bytes.
const maxForm = 16 << 10

// ServeRename changes a thread's title.
func (srv *Server) ServeRename(w http.ResponseWriter, r *http.Request) error {
	id, t, err := srv.Thread(r)
	if err != nil {
		return err
	}
	me := srv.Me(r)
	if !t.MayForget(me) {
		return request.Refuse(http.StatusForbidden, "Only the person who started the thread, or an admin, can rename it.")
	}
	if err := request.ParseForm(w, r, maxForm); err != nil {
		return err
	}
	title := strings.Join(strings.Fields(strings.ToValidUTF8(r.PostForm.Get("title"), "\uFFFD")), " ")
	switch {
	case title == "":
		return request.Refuse(http.StatusUnprocessableEntity, "Write a title.")
	case utf8.RuneCountInString(title) > chat.LongestTitle:
		return request.Refuse(http.StatusUnprocessableEntity, "The title is too long: the limit is %d characters.", chat.LongestTitle)
	case title != t.Title:
		ctx, stop := request.Detach(r)
		defer stop()
		if err := srv.Store.Rename(ctx, id, chat.Renamed{By: me.ID, Title: title}); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// ServeForget deletes a thread and everything stored about it.
func (srv *Server) ServeForget(w http.ResponseWriter, r *http.Request) error {
	id, t, err := srv.Thread(r)
	if err != nil {
		return err
	}
	if !t.MayForget(srv.Me(r)) {
		return request.Refuse(http.StatusForbidden, "Only the person who started the thread, or an admin, can delete it.")
	}
	ctx, stop := request.Detach(r) // the page leaves as soon as the thread is gone; the rest must follow all the same
	defer stop()
	if err := srv.Bot.Forget(ctx, chat.ThreadOf(id)); err != nil {
		return err
	}
	if err := srv.Store.Forget(ctx, id); err != nil { // the bot may not have done this
		return err
	}
	if err := srv.Store.Purge(ctx); err != nil {
		return err
	}
	w.Header().Set("Hx-Redirect", "/")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
