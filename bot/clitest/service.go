package clitest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"atelier/adapters"
	"atelier/bot/bottest"
	"atelier/bot/serve"
	"atelier/bot/settings"
	"atelier/bot/workshop"
	"atelier/jobs"
	"atelier/storage/s3/s3test"
)

// OpenWeb serves the web channel from that folder at that address.
func OpenWeb(t *testing.T, data, address string, env ...string) *Open {
	t.Helper()
	return OpenService(t, serve.Service{Web: true}, append(env, "ATELIER_DATA="+data, "ATELIER_LISTEN="+address, "ATELIER_GRACE=1ms")...)
}

// Busy is how long a machine may take that does much else: no test ends by it that works.
const Busy = 4 * time.Minute

// Parlour is a chat platform of one room, in which a test speaks.
type Parlour struct {
	Says    chan adapters.Event
	Replies chan adapters.Reply
	// Hold, where it is not nil, holds up what is sent until it is closed.
	Hold chan struct{}

	mu    sync.Mutex
	wrong error // what Check says
}

// NewParlour is one in which nobody has said anything.
func NewParlour() *Parlour {
	return &Parlour{Says: make(chan adapters.Event), Replies: make(chan adapters.Reply, 16)}
}

// Name is the platform's.
func (*Parlour) Name() string { return "parlour" }

// Listen hands over what people say.
func (p *Parlour) Listen(ctx context.Context, handle adapters.Handler) error {
	for {
		select {
		case e := <-p.Says:
			if err := handle(ctx, e); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// Fetch is the file that a handle names by its path, or else a photo.
func (*Parlour) Fetch(_ context.Context, f adapters.File) (io.ReadCloser, error) {
	if filepath.IsAbs(f.Handle) {
		return os.Open(f.Handle)
	}
	return os.Open(Photo())
}

// Send keeps what is answered.
func (p *Parlour) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	p.Replies <- r
	if p.Hold != nil {
		select {
		case <-p.Hold:
		case <-ctx.Done():
			return adapters.MessageRef{}, ctx.Err()
		}
	}
	return adapters.MessageRef{Adapter: "parlour", Channel: "room", ID: key}, nil
}

// Check fails as it was told.
func (p *Parlour) Check(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wrong
}

// Breaks has the platform be broken from now on.
func (p *Parlour) Breaks(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = err
}

// Wish is a message with a picture.
func (*Parlour) Wish(id, text string) adapters.Event {
	return adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: "parlour", Thread: adapters.Thread{Adapter: "parlour", Channel: "room", ID: id},
		By: adapters.Person{ID: "ann"}, At: time.Unix(1_800_000_000, 0),
		Message: &adapters.Message{
			Ref: adapters.MessageRef{Adapter: "parlour", Channel: "room", ID: id}, For: adapters.Mentioned, Text: text,
			Files: []adapters.File{{ID: "f", Name: "photo.jpg", Handle: "photo"}},
		},
	}
}

// Open is a process that serves the parlour within the test.
type Open struct {
	t       *testing.T
	Parlour *Parlour
	Jobs    *jobs.Jobs
	Address string
	Log     *SyncBuffer
	Stop    context.CancelFunc
	ended   chan struct{}
	Err     error // what it ended with
}

// SyncBuffer is a buffer that is written and read at once.
type SyncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *SyncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p) //nolint:wrapcheck // as if it were the buffer itself
}

func (b *SyncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// OpenParlour serves with these settings.
func OpenParlour(t *testing.T, p *Parlour, env ...string) *Open {
	t.Helper()
	o := OpenService(t, serve.Service{Adapters: []adapters.Adapter{p}}, env...)
	o.Parlour = p
	return o
}

// OpenQueues serves some queues as one of several processes, with a data folder of its own. p may be nil.
func OpenQueues(t *testing.T, queues string, p *Parlour, env ...string) *Open {
	t.Helper()
	pools, err := serve.ParsePools(queues, "")
	if err != nil {
		t.Fatal(err)
	}
	s := serve.Service{Pools: pools}
	if p != nil {
		s.Adapters = append(s.Adapters, p)
	}
	o := OpenService(t, s, append(env, "ATELIER_DATA="+t.TempDir())...)
	o.Parlour = p
	return o
}

// Shared returns the settings of processes that share a Redis and a bucket, which are their own.
func Shared(t *testing.T) []string {
	t.Helper()
	return append(Bucket(s3test.New(t, s3test.Config{})), "REDIS_URL=redis://"+miniredis.RunT(t).Addr())
}

// Bucket returns the settings of a bucket.
func Bucket(s *s3test.Server) []string {
	return []string{
		"S3_BUCKET=bucket", "AWS_ENDPOINT_URL_S3=" + s.URL(), "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret",
	}
}

// OpenService serves a service, of which the pools, unless they are set, and what starts it
// are filled in.
func OpenService(t *testing.T, s serve.Service, env ...string) *Open {
	t.Helper()
	all := slices.Concat([]string{"ATELIER_LISTEN=127.0.0.1:0", "ATELIER_CHECK=5ms", "PLANNER=rules"}, SkyEnv(t), env)
	config, err := settings.Read(all, new(serve.Command).Apply, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &Open{t: t, Log: &SyncBuffer{}, ended: make(chan struct{})}
	if s.Pools == nil {
		if s.Pools, err = serve.ParsePools("gateway,plan,cpu,gpu,program", ""); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	o.Stop = stop
	started := make(chan struct{})
	go func() {
		defer close(o.ended)
		s.Fresh, s.Started = time.Nanosecond, func(at net.Addr, j *jobs.Jobs) {
			o.Address, o.Jobs = "http://"+at.String(), j
			close(started)
		}
		o.Err = serve.Run(ctx, workshop.Workshop{Config: config, LogTo: o.Log, Builtin: bottest.Builtin}, s)
	}()
	t.Cleanup(o.End)
	select {
	case <-started:
	case <-o.ended:
		t.Fatalf("it ended with %v\n%s", o.Err, o.Log)
	}
	return o
}

// End stops the process and waits for it.
func (o *Open) End() {
	o.Stop()
	<-o.ended
}

// Served is what was answered to a request.
type Served struct {
	Status int
	Header http.Header
	Text   string
}

// Ask sends a request, changed by the changes.
func (o *Open) Ask(method, path string, changes ...func(*http.Request)) Served {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.Address+path, nil)
	if err != nil {
		o.t.Error(err)
		return Served{}
	}
	for _, change := range changes {
		change(request)
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		o.t.Error(err)
		return Served{}
	}
	b, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		o.t.Error(err)
	}
	return Served{response.StatusCode, response.Header, string(b)}
}

// Get asks for a page.
func (o *Open) Get(page string) (status int, body string) {
	o.t.Helper()
	a := o.Ask(http.MethodGet, page)
	return a.Status, a.Text
}

// WaitFor waits until a request is over.
func (o *Open) WaitFor(e adapters.Event) jobs.Request {
	o.t.Helper()
	ctx, stop := context.WithTimeout(o.t.Context(), time.Minute)
	defer stop()
	r, err := o.Jobs.Wait(ctx, jobs.RequestID(e), 1)
	if err != nil {
		o.t.Fatalf("%v\n%s", err, o.Log)
	}
	return r
}
