package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/archive"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/dispatch"
	"atelier/adapters/web/find"
	"atelier/adapters/web/media"
	"atelier/adapters/web/page"
	"atelier/adapters/web/receive"
	"atelier/adapters/web/request"
	"atelier/adapters/web/site"
	"atelier/adapters/web/store"
	"atelier/adapters/web/stream"
	"atelier/adapters/web/thread"
	"atelier/adapters/web/thumbnail"
	"atelier/adapters/web/upload"
)

// Name is the name of the adapter.
const Name = chat.Name

const (
	defaultRetention = 30 * 24 * time.Hour
	defaultMaxFile   = 100_000_000
)

// Workshop is what the channel needs of the rest of the program.
type Workshop interface {
	site.Workshop
	thread.Forgetter
	thumbnail.Maker
}

// Config configures a channel.
type Config struct {
	State    store.State
	Media    media.Media
	Workshop Workshop
	// Guard lets people in: everything but the static files is behind it. Who returns the person that was let in.
	Guard func(http.Handler) http.Handler
	Who   func(context.Context) adapters.Person
	// AdminsOnly shows the operations page to admins only, not to everybody who is let in.
	AdminsOnly bool
	// CanLeave reports whether there is a session to log out of; nil means never.
	CanLeave func(context.Context) bool
	// Retention is how long a thread is kept after its last entry. Zero means 30 days.
	Retention time.Duration
	// MaxFile is the size limit of a file in bytes. Zero means 100 MB.
	MaxFile int64
	Now     func() time.Time // nil is time.Now
	Log     *slog.Logger     // nil logs nothing
}

// Channel is the channel in the browser. It is safe for concurrent use, and several processes may serve the same
// State. Each of its parts has one job; New wires them.
type Channel struct {
	guard      func(http.Handler) http.Handler
	media      media.Media
	store      *store.Store
	dispatcher *dispatch.Dispatcher

	pages    *page.Renderer
	site     *site.Site
	receiver *receive.Receiver
	uploads  *upload.Server
	archives *archive.Server
	threads  *thread.Server
	small    *thumbnail.Server
	streams  *stream.Server

	closed chan struct{}
	close  func()
}

var (
	_ adapters.Adapter      = (*Channel)(nil)
	_ adapters.Acknowledger = (*Channel)(nil)
	_ adapters.Reporter     = (*Channel)(nil)
	_ adapters.Offerer      = (*Channel)(nil)
	_ adapters.Deleter      = (*Channel)(nil)
	_ adapters.Historian    = (*Channel)(nil)
	_ adapters.Keeper       = (*Channel)(nil)
	_ adapters.Checker      = (*Channel)(nil)
	_ adapters.Limiter      = (*Channel)(nil)
	_ adapters.Whisperer    = (*Channel)(nil)
)

// New returns a channel that does not serve or listen yet.
func New(c Config) (*Channel, error) {
	switch {
	case c.State == nil || c.Media == nil || c.Workshop == nil:
		return nil, errors.New("the web channel requires State, Media and Workshop")
	case c.Guard == nil || c.Who == nil:
		return nil, errors.New("the web channel requires Guard and Who")
	case c.Retention < 0 || c.MaxFile < 0:
		return nil, errors.New("the web channel's Retention and MaxFile must not be negative")
	}
	c.Retention, c.MaxFile = cmp.Or(c.Retention, defaultRetention), cmp.Or(c.MaxFile, defaultMaxFile)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	pages, err := page.New()
	if err != nil {
		return nil, err
	}
	closed := make(chan struct{})
	stored := store.New(c.State, c.Retention, c.Now, c.Log)
	requests := &request.Reader{Threads: stored.Threads, Who: c.Who}
	channel := &Channel{
		guard: c.Guard, media: c.Media, store: stored, pages: pages, closed: closed, close: sync.OnceFunc(func() { close(closed) }),
		dispatcher: &dispatch.Dispatcher{Store: stored, Now: c.Now, Log: c.Log},
		site: &site.Site{
			Reader: requests, Store: stored, Pages: pages, Workshop: c.Workshop, MaxFile: c.MaxFile, AdminsOnly: c.AdminsOnly,
			CanLeave: c.CanLeave, Now: c.Now, Log: c.Log,
		},
		uploads: &upload.Server{
			Reader: requests, Store: stored, Media: c.Media, MaxFile: c.MaxFile, Gate: request.NewGate(upload.AtOnce, upload.PerPerson), Log: c.Log,
		},
	}
	finder := &find.Finder{Store: stored, Tools: c.Workshop.Tools, Now: c.Now}
	channel.site.Find = finder.Find
	channel.threads = &thread.Server{Reader: requests, Store: stored, Bot: c.Workshop}
	channel.small = &thumbnail.Server{Reader: requests, Maker: c.Workshop, Gate: request.NewGate(thumbnail.AtOnce, thumbnail.AtOnce), Log: c.Log}
	channel.archives = &archive.Server{Reader: requests, Media: c.Media, Log: c.Log}
	channel.receiver = &receive.Receiver{Reader: requests, Store: stored, Media: c.Media, Deliver: channel.dispatcher.Deliver, Now: c.Now}
	channel.streams = &stream.Server{
		Reader: requests, Hub: stored.Hub, Pages: pages, List: channel.site.List, Closed: closed,
		Gate: request.NewGate(stream.AtOnce, stream.PerPerson), Log: c.Log,
	}
	return channel, nil
}

// Close ends the open event streams, so that a server can shut down. Browsers reconnect.
func (c *Channel) Close() { c.close() }

// Handler serves the channel. Everything but the static files is behind the guard.
func (c *Channel) Handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", c.site.Whole(c.site.ServeFresh))
	m.HandleFunc("GET /tools", c.site.Whole(c.site.ServeTools))
	m.HandleFunc("GET /operations", c.site.Whole(c.site.ServeOperations))
	m.HandleFunc("GET /tools/{tool}", c.site.Whole(c.site.ServeTool))
	m.HandleFunc("GET /events", c.site.Fragment(c.streams.ServeList))
	m.HandleFunc("GET /t/{thread}", c.site.Whole(c.site.ServeThread))
	m.HandleFunc("GET /t/{thread}/events", c.site.Fragment(c.streams.ServeEvents))
	m.HandleFunc("POST /t/{thread}/messages", c.site.Fragment(c.receiver.ServePost))
	m.HandleFunc("GET /t/{thread}/messages/{message}/draft", c.site.Data(c.receiver.ServeDraft))
	m.HandleFunc("POST /t/{thread}/messages/{message}/act", c.site.Fragment(c.receiver.ServeAct))
	m.HandleFunc("GET /t/{thread}/messages/{message}/work", c.site.Fragment(c.site.ServeWork))
	m.HandleFunc("GET /t/{thread}/messages/{message}/media/{n}/{name}", c.site.Whole(c.uploads.ServeAttachment))
	m.HandleFunc("GET /t/{thread}/messages/{message}/preview/{n}", c.site.Whole(c.uploads.ServePreview))
	m.HandleFunc("GET /t/{thread}/messages/{message}/all.zip", c.site.Whole(c.archives.ServeAnswer))
	m.HandleFunc("GET /t/{thread}/all.zip", c.site.Whole(c.archives.ServeThread))
	m.HandleFunc("POST /t/{thread}/files", c.site.Data(c.uploads.ServeUpload))
	m.HandleFunc("GET /t/{thread}/files/{id}/{name}", c.site.Whole(c.uploads.ServeUploaded))
	m.HandleFunc("DELETE /t/{thread}/files/{id}", c.site.Data(c.uploads.ServeTakeBack))
	m.HandleFunc("GET /t/{thread}/gallery", c.site.Whole(c.site.ServeGallery))
	m.HandleFunc("GET /t/{thread}/thumbnails/{of}", c.site.Whole(c.small.ServeThumbnail))
	m.HandleFunc("POST /t/{thread}/rename", c.site.Fragment(c.threads.ServeRename))
	m.HandleFunc("POST /t/{thread}/forget", c.site.Fragment(c.threads.ServeForget))
	m.HandleFunc("GET /find", c.site.Whole(c.site.ServeFound))
	m.HandleFunc("GET /", c.site.Whole(func(http.ResponseWriter, *http.Request) error { return request.ErrUnknown }))

	all := http.NewServeMux()
	all.Handle("/static/", c.pages.Static())
	all.Handle("/", c.guard(m))
	return all
}

// IsUpload reports whether a request uploads a file. The channel limits uploads itself.
func IsUpload(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/t/") && strings.HasSuffix(r.URL.Path, "/files")
}

// Name returns "web".
func (*Channel) Name() string { return Name }

// Listen delivers what people write and press, in any process, until the context ends.
func (c *Channel) Listen(ctx context.Context, handle adapters.Handler) error {
	return c.dispatcher.Run(ctx, handle)
}

// Check fails unless events are delivered and the State can be read.
func (c *Channel) Check(ctx context.Context) error {
	if !c.dispatcher.IsRunning() {
		return &adapters.Fault{Sentence: "The web channel is not ready: it is starting or stopping."}
	}
	if err := c.store.Refresh(ctx); err != nil {
		return &adapters.Fault{Sentence: "The web channel cannot read its storage. Check that the storage is running.", Err: err}
	}
	return nil
}

// mediaKey matches the handles of files.
var mediaKey = regexp.MustCompile(`^[A-Za-z0-9_~=-][A-Za-z0-9_.~=-]*(?:/[A-Za-z0-9_~=-][A-Za-z0-9_.~=-]*)+$`)

// Fetch opens a file of an event.
func (c *Channel) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !mediaKey.MatchString(f.Handle) {
		return nil, fmt.Errorf("%w: invalid file handle", adapters.ErrInvalid)
	}
	return c.media.Get(ctx, f.Handle)
}

// Before returns the last n messages before one.
func (c *Channel) Before(ctx context.Context, thread adapters.Thread, message adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := chat.CheckThread(thread); err != nil {
		return nil, err
	}
	t, err := c.store.Threads.Read(ctx, thread.Channel, store.Latest)
	if err != nil {
		return nil, err
	}
	return t.Before(thread.Channel, message.ID, after, n), nil
}

// Limits returns no limits: files of any size can be downloaded.
func (*Channel) Limits(adapters.Thread) adapters.Limits { return adapters.Limits{Verbatim: true} }

// Send posts a reply. The first one with a key counts.
func (c *Channel) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), r.Validate(), chat.CheckThread(r.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	thread := r.Thread.Channel
	ref := chat.RefOf(thread, chat.AnswerID(key))
	t, err := c.store.Threads.Read(ctx, thread, store.Latest)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	if t.Message(ref.ID) != nil {
		return ref, nil
	}
	for _, f := range r.Files {
		if err := c.look(ctx, f); err != nil {
			return adapters.MessageRef{}, fmt.Errorf("look at an attachment: %w", err)
		}
	}
	if err := c.store.Tell(ctx, thread, chat.Entry{Said: &chat.Said{Key: key, Reply: r}}); err != nil {
		return adapters.MessageRef{}, err
	}
	return ref, nil
}

// Report posts progress, or edits its message.
func (c *Channel) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), chat.CheckThread(p.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	thread := p.Thread.Channel
	t, err := c.store.Threads.Read(ctx, thread, store.Latest)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	ref := chat.RefOf(thread, chat.ProgressID(key))
	if !at.IsZero() {
		ref = at
	}
	m := t.Message(ref.ID)
	switch {
	case m == nil && at.IsZero():
	case m == nil || m.Progress == nil || m.Removed:
		return adapters.MessageRef{}, fmt.Errorf("%w: the progress message", adapters.ErrGone)
	case m.Progress.Progress.Ended || same(m.Progress.Progress, p):
		return ref, nil
	default:
		key = m.Progress.Key
	}
	if err := c.store.Tell(ctx, thread, chat.Entry{Reported: &chat.Reported{Key: key, Progress: p}}); err != nil {
		return adapters.MessageRef{}, err
	}
	return ref, nil
}

// same reports whether two reports look the same.
func same(a, b adapters.Progress) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	return err == nil && other == nil && string(x) == string(y)
}

// Pace returns the minimum time between two edits.
func (*Channel) Pace() time.Duration { return 250 * time.Millisecond }

// Whisper shows a text on the open pages of the person who pressed a button.
func (c *Channel) Whisper(ctx context.Context, pressed adapters.Event, in adapters.Thread, text string) error {
	return c.store.Hub.Tell(ctx, store.Private{Thread: in.Channel, To: pressed.By.ID, Text: text})
}

// Acknowledge shows the status of a request.
func (c *Channel) Acknowledge(ctx context.Context, request adapters.MessageRef, s adapters.Status) error {
	m, err := c.store.Message(ctx, request)
	if err != nil {
		return err
	}
	if m.Status == s {
		return nil
	}
	return c.store.Tell(ctx, request.Channel, chat.Entry{Shown: &chat.Shown{ID: request.ID, Status: s}})
}

// Offer enables the first n choices of an answer.
func (c *Channel) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	m, err := c.store.Message(ctx, answer)
	if err != nil {
		return err
	}
	if m.Said == nil || n > len(m.Said.Reply.Choices) {
		return fmt.Errorf("%w: unknown choices", adapters.ErrInvalid)
	}
	if m.Offered >= n {
		return nil
	}
	return c.store.Tell(ctx, answer.Channel, chat.Entry{Offered: &chat.Offered{ID: answer.ID, N: n}})
}

// Delete deletes a message of the bot.
func (c *Channel) Delete(ctx context.Context, sent adapters.MessageRef) error {
	switch _, err := c.store.Message(ctx, sent); {
	case errors.Is(err, adapters.ErrGone):
		return nil
	case err != nil:
		return err
	}
	return c.store.Tell(ctx, sent.Channel, chat.Entry{Removed: &chat.Removed{ID: sent.ID}})
}

// Forget deletes a thread.
func (c *Channel) Forget(ctx context.Context, t adapters.Thread) error {
	if err := chat.CheckThread(t); err != nil {
		return err
	}
	return c.store.Forget(ctx, t.Channel)
}

// look checks that an attachment can be read.
func (c *Channel) look(ctx context.Context, f adapters.Attachment) error {
	if f.Link != "" {
		return nil
	}
	r, err := c.media.GetRange(ctx, f.Handle, 0, 1)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}
