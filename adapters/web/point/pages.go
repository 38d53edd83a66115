package point

import (
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
	"time"

	"atelier/adapters"
	"atelier/adapters/messages"
)

// adapter is the name of the web channel's adapter, which opens the masks.
const adapter = "web"

// person is who marks by a link: whoever has it.
const person = "pointing-link"

// Config is what [Pages] are made of. All but the last fields must be set.
type Config struct {
	Links *Links
	// Open opens the picture of a grant's handle.
	Open adapters.Opener
	// Put keeps all that r gives under the key, or nothing where reading fails.
	Put func(ctx context.Context, key string, r io.Reader) error
	// MaskFolder is the folder of keys in which the masks of a thread are kept.
	MaskFolder func(adapters.Thread) string
	// Look tells the size of a picture as people see it, where the grant does not.
	Look func(ctx context.Context, handle string) (width, height int, err error)
	// Handle takes what is marked.
	Handle adapters.Handler

	// Memory reserves that many bytes for checking a mask, and returns their release; nil is no limit.
	Memory func(ctx context.Context, bytes int64) (giveBack func(), err error)

	// Scratch is the folder for passing files; empty is the system's.
	Scratch string
	// Phrases translates sentences, [Words] included; nil is a catalogue of these alone.
	Phrases *messages.Catalogue
	// Address names who asks, for the limits; nil is the address of the connection.
	Address func(*http.Request) string
	Now     func() time.Time // nil is the system's clock
	Log     *slog.Logger     // nil is none
}

// The most that are served in a minute. Many may open the one link of a channel.
const (
	mostOfAddress = 300
	mostOfLink    = 600
	mostMarks     = 20 // posted by one link
	mostForged    = 60 // of one address, by links that open nothing
)

// patience is how long a form may take from its first byte until it is handed over.
const patience = 2 * time.Minute

// Pages are the pointing page for other platforms.
type Pages struct {
	Config
	template *template.Template
	static   string // the hash of the static files

	addresses, links, posts, forged *limit
}

// New makes the pages, which serve nothing yet.
func New(c Config) (*Pages, error) {
	if c.Links == nil || c.Open == nil || c.Put == nil || c.MaskFolder == nil || c.Look == nil || c.Handle == nil {
		return nil, errors.New("the pointing page lacks what it is made of")
	}
	if c.Phrases == nil {
		phrases, err := messages.New(Words())
		if err != nil {
			return nil, fmt.Errorf("the pointing page: %w", err)
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
		return nil, fmt.Errorf("the template of the pointing page: %w", err)
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

// hashOf names the content of files.
func hashOf(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, name)
		_, _ = fmt.Fprintf(h, "%s %d\n%s", name, len(b), b) //nolint:errcheck // a hash takes all
		return err                                          //nolint:wrapcheck // said below
	})
	if err != nil {
		return "", fmt.Errorf("the files of the pointing page: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Handler serves the pages. The Host is to be checked before.
func (p *Pages) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /point/{token}", p.granted(p.links, p.page))
	mux.Handle("GET /point/{token}/picture", p.granted(p.links, p.picture))
	origin := http.NewCrossOriginProtection()
	// The browser's origin is the public address, whatever a proxy makes of the Host.
	if err := origin.AddTrustedOrigin(p.Links.base.Scheme + "://" + p.Links.base.Host); err != nil {
		p.Log.Warn("only browsers that say from where a request comes can mark", "error", err)
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

// secured sets what holds for all that is served.
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

// granted serves requests with a valid link, within the limits of the link and of who asks.
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
	if err != nil { // counted on its own, so that it takes nothing from others of that address
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
	return problemf(tooMany, "There were too many requests at once. Try again in a minute.")
}
