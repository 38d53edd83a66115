// Package website makes the browser's channel: the web page, and the gallery, operations and links around it.
package website

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strings"

	"atelier/adapters"
	"atelier/adapters/web"
	"atelier/adapters/web/guard"
	"atelier/adapters/web/point"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/place"
	"atelier/bot/settings"
	"atelier/bot/workshop"
	"atelier/jobs"
	"atelier/storage"
)

// Site is the channel in the browser, with what stands before and beside it.
type Site struct {
	Channel   *web.Channel
	backstage *Backstage
	media     webMedia
	guard     *guard.Guard
	Links     *point.Links // nil where nobody knows where the pages are reached
	pointing  *point.Pages // nil then too
}

// New makes the channel, which can keep and forget. [Site.serves] tells it the jobs,
// and [Site.furnish] gives it what its pages show, before anything is served.
func New(w workshop.Workshop, p *place.Place) (*Site, error) {
	tell, err := workshop.NewTell()
	if err != nil {
		return nil, err
	}
	s := &Site{
		backstage: &Backstage{blobs: p.Blobs, pictures: workshop.NewPictures(p.Blobs, w.Limits(), p.Scratch.Folder())},
		media:     webMedia{blobs: p.Blobs, limits: w.Limits(), tell: tell, scratch: p.Scratch.Folder()},
	}
	if s.guard, err = guard.New(guardOf(w, p)); err != nil {
		return nil, fmt.Errorf("prepare who is let in: %w", err)
	}
	s.Channel, err = web.New(web.Config{
		State: p.State, Media: s.media, Workshop: s.backstage, Guard: s.guard.Protect, Who: guard.Who, CanLeave: guard.CanLeave,
		Retention: w.Retention, MaxFile: w.Limits().OrDefault().Bytes, Log: w.Logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the web channel: %w", err)
	}
	return s, nil
}

// Furnish makes the process's toolbox, which its pages show and its jobs work with, and the
// page to point at pictures where people of elsewhere reach it.
func (s *Site) Furnish(ctx context.Context, w workshop.Workshop, p *place.Place) (*toolbox.Toolbox, error) {
	catalogue, err := w.ReadCatalogue()
	if err != nil {
		return nil, err
	}
	w.Elsewhere = func(ctx context.Context) (map[string][]plan.Candidate, error) { return s.backstage.Jobs.Elsewhere(ctx) }
	if s.backstage.Toolbox, err = w.Toolbox(ctx, catalogue); err != nil {
		return nil, err
	}
	if w.Web.Public == nil {
		return s.backstage.Toolbox, nil
	}
	key, err := sharedKey(ctx, p.State)
	if err != nil {
		return nil, err
	}
	if s.Links, err = point.NewLinks(point.LinksConfig{Key: key, Base: w.Web.Public, State: p.State}); err != nil {
		return nil, fmt.Errorf("prepare the links to pictures: %w", err)
	}
	s.pointing, err = point.New(point.Config{
		Links: s.Links, Open: s.media.Get, Put: s.media.Put, Look: s.media.size,
		MaskFolder: s.media.Folder, Memory: w.Memory.Take, Address: s.guard.Address, Scratch: p.Scratch.Folder(), Log: w.Logger(),
		Handle: func(ctx context.Context, e adapters.Event) error { return s.backstage.Jobs.Handle(ctx, e) },
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the page to point at pictures: %w", err)
	}
	return s.backstage.Toolbox, nil
}

// guardOf is how people are let in.
func guardOf(w workshop.Workshop, p *place.Place) guard.Config {
	g := guard.Config{
		Password: string(w.Web.Password), Header: w.Web.UserHeader, Proxies: w.Web.Proxies, Public: w.Web.Public, State: p.State, Log: w.Logger(),
		Unlimited: web.IsUpload, // as many as are chosen at once: the channel has limits of its own for them
	}
	if host, _, err := net.SplitHostPort(w.Listen); err == nil && host != "" {
		g.Hosts = append(g.Hosts, host)
	}
	return g
}

// keyBytes is how long the key is by which links are signed.
const keyBytes = 32

// sharedKey is a key that all processes have and nobody else: the first one makes it.
func sharedKey(ctx context.Context, state storage.State) ([]byte, error) {
	const at = "web-key/links"
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key)
	first, err := state.PutOnce(ctx, at, key, 0)
	if err == nil && !first {
		key, err = state.Get(ctx, at)
	}
	if err != nil {
		return nil, fmt.Errorf("share a key: %w", err)
	}
	return key, nil
}

// MarkLink is where people of another platform can point at things on a picture, "" where
// that cannot be shown there.
func (s *Site) MarkLink(ctx context.Context, t adapters.Thread, picture plan.Resource) (string, error) {
	if s.Links == nil || t.Adapter == web.Name || !point.Marks(storage.ContentOf(picture.Blob).Type) {
		return "", nil
	}
	return s.Links.Link(ctx, point.Grant{Thread: t, Picture: picture.Name, Handle: picture.Blob}, storage.MaxLink)
}

// Handler serves the page to point at pictures, the channel where it is one of the
// platforms, and beside them what is not the channel's. What a platform of elsewhere sends
// is signed by it, and asked for no password.
func (s *Site) Handler(channel, private bool, signed map[string]http.Handler, beside http.Handler) http.Handler {
	mux := http.NewServeMux()
	for at, h := range signed {
		mux.Handle(at, h)
	}
	mux.Handle("/healthz", beside)
	if private { // so no page of somebody else's reads them, whose name is made to lead here
		beside = s.guard.Outer(beside)
	}
	mux.Handle("/readyz", beside)
	mux.Handle("/metrics", beside)
	if s.pointing != nil {
		mux.Handle("/point/", s.guard.Outer(s.pointing.Handler()))
	}
	if !channel {
		return mux
	}
	mux.Handle("/login", s.guard.Handler())
	mux.Handle("/login/", s.guard.Handler())
	mux.Handle("/logout", s.guard.Handler())
	mux.Handle("/", s.Channel.Handler())
	return mux
}

// Guarded is for programs that ask with the password, or whose proxy says who they are.
func (s *Site) Guarded(next http.Handler, c settings.Web) http.Handler {
	if c.Password == "" && c.UserHeader != "" {
		return s.guard.Protect(next)
	}
	return s.guard.Basic(next)
}

// size is that of a picture as people see it.
func (m webMedia) size(ctx context.Context, key string) (width, height int, err error) {
	found, err := m.Look(ctx, key, key[strings.LastIndexByte(key, '/')+1:], "")
	return found.Width, found.Height, err
}

// Serves tells the channel whose jobs it shows.
func (s *Site) Serves(j *jobs.Jobs) { s.backstage.Jobs = j }
