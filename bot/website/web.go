// Package website builds the web channel: the web page with its gallery, operations page and links.
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

// Site is the web channel with its login and further pages.
type Site struct {
	Channel   *web.Channel
	backstage *Backstage
	media     webMedia
	guard     *guard.Guard
	Links     *point.Links // nil without a public URL
	pointing  *point.Pages // likewise
}

// New builds the channel, which can already store and delete messages. Call [Site.Furnish] and
// [Site.Serves] before serving.
func New(w workshop.Workshop, p *place.Place) (*Site, error) {
	tell, err := workshop.NewTell()
	if err != nil {
		return nil, err
	}
	films, err := w.FFmpeg()
	if err != nil {
		return nil, err
	}
	s := &Site{
		backstage: &Backstage{Tell: tell, blobs: p.Blobs, pictures: workshop.NewPictures(p.Blobs, w.Limits(), p.Scratch.Folder(), films)},
		media:     webMedia{blobs: p.Blobs, limits: w.Limits(), tell: tell, scratch: p.Scratch.Folder()},
	}
	if s.guard, err = guard.New(guardOf(w, p)); err != nil {
		return nil, fmt.Errorf("prepare the login: %w", err)
	}
	s.Channel, err = web.New(web.Config{
		State: p.State, Media: s.media, Workshop: s.backstage, Guard: s.guard.Protect, Who: guard.Who, CanLeave: guard.CanLeave,
		AdminsOnly: len(w.Web.Admins) > 0,
		Retention:  w.Retention, MaxFile: w.Limits().OrDefault().Bytes, Log: w.Logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the web channel: %w", err)
	}
	return s, nil
}

// BuildToolbox builds the toolbox for the pages and the jobs, and with a public URL the page for marking
// pictures.
func (s *Site) BuildToolbox(ctx context.Context, w workshop.Workshop, p *place.Place) (*toolbox.Toolbox, error) {
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
		return nil, fmt.Errorf("prepare the page for marking pictures: %w", err)
	}
	return s.backstage.Toolbox, nil
}

// guardOf is the configuration of the login.
func guardOf(w workshop.Workshop, p *place.Place) guard.Config {
	g := guard.Config{
		Password: string(w.Web.Password), Header: w.Web.UserHeader, Admins: w.Web.Admins, Proxies: w.Web.Proxies, Public: w.Web.Public,
		State: p.State, Log: w.Logger(),
		Unlimited: web.IsUpload, // uploads have their own limits in the channel
	}
	if host, _, err := net.SplitHostPort(w.Listen); err == nil && host != "" {
		g.Hosts = append(g.Hosts, host)
	}
	return g
}

// keyBytes is the length of the key that signs links.
const keyBytes = 32

// sharedKey returns a secret key that all processes share. The first one creates it.
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

// MarkLink returns the link for marking a picture from another platform; "" if there is none.
func (s *Site) MarkLink(ctx context.Context, t adapters.Thread, picture plan.Resource) (string, error) {
	if s.Links == nil || t.Adapter == web.Name || !point.Marks(storage.ContentOf(picture.Blob).Type) {
		return "", nil
	}
	return s.Links.Link(ctx, point.Grant{Thread: t, Picture: picture.Name, Handle: picture.Blob}, storage.MaxLink)
}

// Handler serves the page for marking pictures, the channel if it is enabled, and the other pages in
// beside. Requests of chat platforms in signed need no password: the platforms sign them.
func (s *Site) Handler(channel, private bool, signed map[string]http.Handler, beside http.Handler) http.Handler {
	mux := http.NewServeMux()
	for at, h := range signed {
		mux.Handle(at, h)
	}
	mux.Handle("/healthz", beside)
	if private { // against DNS rebinding
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

// Guarded protects a handler for programs, by the password or by the proxy's header.
func (s *Site) Guarded(next http.Handler, c settings.Web) http.Handler {
	if c.Password == "" && c.UserHeader != "" {
		return s.guard.Protect(next)
	}
	return s.guard.Basic(next)
}

// size returns the size of a picture, upright.
func (m webMedia) size(ctx context.Context, key string) (width, height int, err error) {
	found, err := m.Look(ctx, key, key[strings.LastIndexByte(key, '/')+1:], "")
	return found.Width, found.Height, err
}

// Serves sets the jobs that the channel shows.
func (s *Site) Serves(j *jobs.Jobs) { s.backstage.Jobs = j }
