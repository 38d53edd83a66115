// Package point is the page on which people mark points, boxes and a painted mask on a picture. It
// is part of the web channel's pages, and for other platforms a page behind a signed link.
//
// Guarantees:
//   - A link works for one picture of one thread, until it expires, without a login. It gives
//     access to that picture and the page, and accepts marks.
//   - A mark is delivered before the page confirms it. Posting the same form again is the same
//     event.
//   - A mask is stored only if it is a grayscale picture of the picture's size, and not empty.
//   - Coordinates are pixels of the picture after its EXIF orientation; marks beyond it are
//     rejected.
package point

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/messages"
)

// adapter is the name of the web channel's adapter, which opens the masks.
const adapter = "web"

// person is the id of whoever marks by a link.
const person = "pointing-link"

// Config configures [Pages]. All fields up to Handle must be set.
type Config struct {
	Links *Links
	// Open opens the picture of a grant's handle.
	Open adapters.Opener
	// Put stores everything that r returns under the key, or nothing if reading fails.
	Put func(ctx context.Context, key string, r io.Reader) error
	// MaskFolder returns the key prefix for the masks of a thread.
	MaskFolder func(adapters.Thread) string
	// Look returns the size of a picture as people see it, if the grant lacks it.
	Look func(ctx context.Context, handle string) (width, height int, err error)
	// Handle accepts the marks.
	Handle adapters.Handler

	// Memory reserves memory for checking a mask, and returns a function that releases it; nil means no limit.
	Memory func(ctx context.Context, bytes int64) (giveBack func(), err error)

	// Scratch is the folder for temporary files; "" is the system's.
	Scratch string
	// Phrases translates sentences, including [Words]; nil is a catalogue of these alone.
	Phrases *messages.Catalogue
	// Address identifies the client for the limits; nil uses the address of the connection.
	Address func(*http.Request) string
	Now     func() time.Time // nil is the system's clock
	Log     *slog.Logger     // nil is none
}

// Limits per minute. Many people may open the same link of a channel.
const (
	mostOfAddress = 300
	mostOfLink    = 600
	mostMarks     = 20 // posted per link
	mostForged    = 60 // per address, with invalid links
)

// patience is how long a form may take from its first byte until it is delivered.
const patience = 2 * time.Minute

// Pages are the pointing page for other platforms.
type Pages struct {
	Config
	template *template.Template
	static   string // the hash of the static files

	addresses, links, posts, forged *limit
}

// New returns the pages.
func New(c Config) (*Pages, error) {
	if c.Links == nil || c.Open == nil || c.Put == nil || c.MaskFolder == nil || c.Look == nil || c.Handle == nil {
		return nil, errors.New("the configuration of the pointing page is incomplete")
	}
	if c.Phrases == nil {
		phrases, err := messages.New(Words())
		if err != nil {
			return nil, fmt.Errorf("prepare the pointing page: %w", err)
		}
		c.Phrases = phrases
	}
	if c.Memory == nil {
		c.Memory = func(context.Context, int64) (func(), error) { return func() {}, nil }
	}
	if c.Address == nil {
		c.Address = remote
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	t, err := template.ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the template of the pointing page: %w", err)
	}
	hash, err := hashOf(Static())
	if err != nil {
		return nil, err
	}
	return &Pages{
		Config: c, template: t, static: hash,
		addresses: &limit{most: mostOfAddress, now: c.Now},
		links:     &limit{most: mostOfLink, now: c.Now},
		posts:     &limit{most: mostMarks, now: c.Now},
		forged:    &limit{most: mostForged, now: c.Now},
	}, nil
}

// hashOf returns a hash of the files.
func hashOf(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, name)
		_, _ = fmt.Fprintf(h, "%s %d\n%s", name, len(b), b) //nolint:errcheck // a hash never fails
		return err                                          //nolint:wrapcheck // wrapped below
	})
	if err != nil {
		return "", fmt.Errorf("read the files of the pointing page: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Handler serves the pages. The caller must check the Host.
func (p *Pages) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /point/{token}", p.granted(p.links, p.page))
	mux.Handle("GET /point/{token}/picture", p.granted(p.links, p.picture))
	origin := http.NewCrossOriginProtection()
	// The browser's origin is the public address, whatever a proxy makes of the Host.
	if err := origin.AddTrustedOrigin(p.Links.base.Scheme + "://" + p.Links.base.Host); err != nil {
		p.Log.Warn("only browsers that send Sec-Fetch-Site can mark", "error", err)
	}
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.refuse(w, r, problemf(http.StatusForbidden, "This came from another page. Open the link again from the chat."))
	}))
	mux.Handle("POST /point/{token}", origin.Handler(p.granted(p.posts, p.take)))
	files := http.StripPrefix("/point/static/"+p.static+"/", http.FileServerFS(Static()))
	mux.HandleFunc("GET /point/static/{hash}/{file}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("hash") != p.static {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		files.ServeHTTP(w, r)
	})
	return secured(mux)
}

// secured sets the security headers of all responses.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer") // the link is a secret
		h.Set("X-Robots-Tag", "noindex, nofollow")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		next.ServeHTTP(w, r)
	})
}

// granted serves requests with a valid link, within the limits of the link and of the client.
func (p *Pages) granted(ofLink *limit, serve func(http.ResponseWriter, *http.Request, Grant) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.admit(w, r, ofLink, serve); err != nil {
			p.refuse(w, r, problemOf(err))
		}
	})
}

func (p *Pages) admit(w http.ResponseWriter, r *http.Request, ofLink *limit, serve func(http.ResponseWriter, *http.Request, Grant) error) error {
	token := r.PathValue("token")
	id, err := p.Links.read(token)
	if err != nil { // counted separately, so that others at that address are not limited
		if wait, ok := p.forged.take(p.Address(r)); !ok {
			return p.wait(w, wait)
		}
		return err
	}
	if wait, ok := p.addresses.take(p.Address(r)); !ok {
		return p.wait(w, wait)
	}
	if wait, ok := ofLink.take(string(id)); !ok {
		return p.wait(w, wait)
	}
	grant, err := p.Links.Open(r.Context(), token)
	if err != nil {
		return err
	}
	return serve(w, r, grant)
}

func (*Pages) wait(w http.ResponseWriter, wait time.Duration) error {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	return problemf(tooMany, "Too many requests at once. Try again in a minute.")
}

// view is the data of the page's templates.
type view struct {
	Marker

	Language string
	Static   string // folder of the static files, relative to the page
	Problem  string // why there is no picture
}

// page serves the page for marking the picture.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, g Grant) error {
	if err := p.there(r.Context(), g); err != nil {
		return err
	}
	v := p.view(r)
	v.Src = r.PathValue("token") + "/picture"
	return p.render(w, http.StatusOK, "page", v)
}

// view returns the data of the page. Its URLs are relative, so that it works below any path.
func (p *Pages) view(r *http.Request) view {
	tag := messages.Accept(r.Header.Get("Accept-Language"))
	say := func(format string, args ...any) string { return p.Phrases.Say(tag, format, args...) }
	folder := "static/"
	if r.Pattern == "GET /point/{token}/picture" {
		folder = "../static/"
	}
	return view{Language: tag, Static: folder + p.static, Marker: Marker{Words: say}}
}

func (p *Pages) render(w http.ResponseWriter, status int, name string, v view) error {
	var b bytes.Buffer
	if err := p.template.ExecuteTemplate(&b, name, v); err != nil {
		return fmt.Errorf("render the pointing page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", v.Language)
	w.Header().Set("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) //nolint:errcheck // the client may have left
	return nil
}

// refuse says why a request is not served: on a page, or in plain text for a script.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, why *problem) {
	if why.status >= http.StatusInternalServerError && r.Context().Err() == nil {
		p.Log.ErrorContext(r.Context(), "a request of the pointing page failed", "route", r.Pattern, "error", adapters.ForOperator(why.err))
	}
	v := p.view(r)
	v.Problem = p.Phrases.Tell(v.Language, why)
	if r.Method != http.MethodPost {
		if err := p.render(w, why.status, "problem", v); err == nil {
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Language", v.Language)
	w.WriteHeader(why.status)
	_, _ = strings.NewReader(v.Problem).WriteTo(w) //nolint:errcheck // the client may have left
}
