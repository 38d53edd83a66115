package guard

import (
	"net/http"
	"strconv"
	"strings"
)

// mostForm is the maximum size of the login form in bytes.
const mostForm = 16 << 10

// askPassword serves the login page to people who need it.
func (g *Guard) askPassword(w http.ResponseWriter, r *http.Request) {
	next := inside(r.URL.Query().Get("next"))
	if g.sessions.state == nil {
		found(w, next)
		return
	}
	if no := g.pace(r, "address "+g.Address(r)); no != nil {
		g.refuse(w, r, no)
		return
	}
	if cookie, err := r.Cookie(g.cookie(r)); err == nil {
		s, err := g.sessions.find(r.Context(), cookie.Value)
		if err != nil {
			g.refuse(w, r, g.broken(r, err))
			return
		}
		if s.name != "" {
			found(w, next)
			return
		}
	}
	g.pages.write(w, http.StatusOK, "login.html", page{Language: language(r), Next: next})
}

// login starts a session for people who know the password.
func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	if g.sessions.state == nil {
		found(w, "/")
		return
	}
	if no := g.pace(r, "address "+g.Address(r)); no != nil {
		g.refuse(w, r, no)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		g.refuse(w, r, &refusal{status: http.StatusBadRequest, format: "The form was incomplete. Try again."})
		return
	}
	again := page{Language: language(r), Name: r.PostForm.Get("name"), Next: inside(r.PostForm.Get("next"))}
	deny := func(status int, format string, args ...any) {
		again.Sentence = g.pages.words.Say(again.Language, format, args...)
		g.pages.write(w, status, "login.html", again)
	}
	person, ok := named(again.Name)
	if !ok {
		again.Name = ""
		deny(http.StatusUnprocessableEntity, "The name must have letters or digits, and at most %d characters.", maxName)
		return
	}
	switch wait, right := g.guess(r, r.PostForm.Get("password"), g.guesses); {
	case wait > 0:
		w.Header().Set("Retry-After", strconv.Itoa(seconds(wait)))
		deny(http.StatusTooManyRequests, tooManyGuesses, amount(wait))
		return
	case !right:
		deny(http.StatusForbidden, "Wrong password.")
		return
	}
	token, err := g.sessions.begin(r.Context(), person.Name)
	if err != nil {
		g.refuse(w, r, g.broken(r, err))
		return
	}
	g.forget(r)
	g.remember(w, r, token)
	found(w, again.Next)
}

// logout ends the session, if there is one.
func (g *Guard) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(g.cookie(r)); err == nil && g.sessions.state != nil {
		if err := g.sessions.end(r.Context(), cookie.Value); err != nil {
			g.refuse(w, r, g.broken(r, err))
			return
		}
		g.remember(w, r, "")
	}
	if strings.EqualFold(r.Header.Get("Hx-Request"), "true") {
		w.Header().Set("Hx-Redirect", "/login")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	found(w, "/login")
}

// forget ends the session that a browser had before it logged in again.
func (g *Guard) forget(r *http.Request) {
	if cookie, err := r.Cookie(g.cookie(r)); err == nil {
		if err := g.sessions.end(r.Context(), cookie.Value); err != nil {
			g.journal.note(r, "state", "a session that was replaced is left until it expires", "error", err)
		}
	}
}

// found redirects to a page of the channel.
func found(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
