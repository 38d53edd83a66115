package guard

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"atelier/adapters/messages"
)

// mostForm is the maximum size of the login form in bytes.
const mostForm = 16 << 10

// Basic serves programs that give the password with each request, by HTTP's Basic
// authentication under any user name. Without a password it is [Guard.Outer].
func (g *Guard) Basic(next http.Handler) http.Handler {
	if g.sessions.state == nil {
		return g.Outer(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, _ := hostname(r.Host) // any host: a foreign page does not know the password
		g.harden(w.Header(), h)
		_, password, given := r.BasicAuth()
		wait, right := time.Duration(0), false
		if given {
			wait, right = g.guess(r, password, g.programs)
		}
		switch {
		case right:
			next.ServeHTTP(w, r)
		case wait > 0:
			g.refuse(w, r, &refusal{status: http.StatusTooManyRequests, wait: wait, format: tooManyGuesses, args: []any{amount(wait)}})
		default:
			w.Header().Set("WWW-Authenticate", `Basic realm="Atelier", charset="UTF-8"`)
			g.refuse(w, r, &refusal{status: http.StatusUnauthorized, format: "Enter the password."})
		}
	})
}

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

// tooManyGuesses is the sentence for people who must wait.
const tooManyGuesses = "Too many wrong passwords. Try again in %s."

// guess reports whether the password is correct, or how long to wait before it is checked.
func (g *Guard) guess(r *http.Request, password string, earlier *guesses) (wait time.Duration, right bool) {
	given := sha256.Sum256([]byte(password)) // equal lengths, for a constant-time comparison
	right = subtle.ConstantTimeCompare(given[:], g.password[:]) == 1
	if wait = earlier.try(g.Address(r), right, g.now()); wait > 0 {
		return wait, false
	}
	if !right {
		g.journal.note(r, "password", "somebody tried to log in with a wrong password")
	}
	return 0, right
}

//go:embed words/*.json template/*.html static
var files embed.FS

// page is the data of a page.
type page struct {
	Language string // BCP 47 tag
	Sentence string // why something was refused
	Name     string // as it was entered
	Next     string // where to go after the login
	Static   string // URL of the files that the page loads
}

// pages are the guard's own pages.
type pages struct {
	words     *messages.Catalogue
	templates *template.Template
	static    string // URL of the files that they load; it changes with their content
}

func newPages() (*pages, error) {
	words, err := fs.Sub(files, "words")
	if err != nil {
		return nil, fmt.Errorf("read the texts of prepare the login page: %w", err)
	}
	p := &pages{}
	if p.words, err = messages.New(words); err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, name := range []string{"static/login.css", "static/icon.svg"} {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the files of prepare the login page: %w", err)
		}
		sum.Write(content)
	}
	p.static = "/login/static/" + hex.EncodeToString(sum.Sum(nil)[:6]) + "/"
	p.templates, err = template.New("").Funcs(template.FuncMap{"say": p.words.Say}).ParseFS(files, "template/*.html")
	if err != nil {
		return nil, fmt.Errorf("prepare the login page: %w", err)
	}
	return p, nil
}

func (p *pages) write(w http.ResponseWriter, status int, name string, shown page) {
	shown.Static = p.static
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, shown); err != nil {
		http.Error(w, shown.Sentence, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) //nolint:errcheck // who asked is gone
}

// file serves the files that the pages load.
func (g *Guard) file(w http.ResponseWriter, r *http.Request) {
	h, _ := hostname(r.Host)
	g.harden(w.Header(), h)
	name, ok := strings.CutPrefix(r.URL.Path, g.pages.static)
	if !ok || name != "login.css" && name != "icon.svg" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeFileFS(w, r, files, "static/"+name)
}

// language returns the supported language that the browser prefers.
func language(r *http.Request) string { return messages.Accept(r.Header.Get("Accept-Language")) }
