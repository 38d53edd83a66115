// Package serve implements the command serve, which answers requests until it is shut down.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/terminal"
	"atelier/agent"
	"atelier/agent/plan"
	"atelier/bot/chat"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/metrics"
	"atelier/bot/place"
	"atelier/bot/settings"
	"atelier/bot/website"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// Command is bot serve.
type Command struct {
	Queues      string `help:"The queues to work on, with or without weights (gateway=6,plan)." default:"gateway,plan,cpu,gpu,program" placeholder:"LIST"`
	Adapters    string `help:"The chat platforms to connect to: discord, slack, web, or none. By default, all that are configured." placeholder:"LIST"`
	Concurrency string `help:"How many tasks run at a time: one number for all queues, or one for each (plan=8,cpu=4)." placeholder:"N"`
	Grace       string `help:"How long running steps may continue at shutdown, like ATELIER_GRACE." placeholder:"TIME"`
	Listen      string `help:"The address of the web page, /healthz, /readyz and /metrics, or off, like ATELIER_LISTEN." placeholder:"ADDRESS"`
}

// Help returns the detailed help.
func (*Command) Help() string {
	return `Without settings one process does everything, keeps its data in ATELIER_DATA, and has its
web page at http://127.0.0.1:8080.

With REDIS_URL any number of processes share the work. Each serves all of the queues gateway,
plan, cpu, gpu and program, or some:

  bot serve --queues gateway,plan
  bot serve --queues cpu --adapters none
  bot serve --queues gpu --adapters none
  bot serve --queues program --adapters none

The last one runs the programs that a language model writes when no tool fits. It needs Redis and
the files, but no model key and no token of a chat platform.

With a single number of workers, the queues share them, and a queue with a larger weight is
polled more often: --queues gateway=6,plan=3,cpu=1 --concurrency 8. Otherwise each queue has
its own workers: 16 for gateway, 8 for plan, one per processor for cpu, 2 for program, and for
gpu as many as the model servers say they handle at a time, or 4.

SIGTERM or an interrupt shuts it down: it takes no more work, lets running steps go on for a
while, and leaves the rest to another process or to the next start. A second signal kills it.`
}

// Run serves until ctx ends.
func (s *Command) Run(ctx context.Context, c *command.Call) error {
	pools, unread := ParsePools(s.Queues, s.Concurrency)
	served := Service{Pools: pools, say: func(text string) error {
		if _, err := io.WriteString(c.Stdout, text); err != nil {
			return fmt.Errorf("print the addresses: %w", err)
		}
		return nil
	}}
	shop, err := c.WorkshopWithModel(ctx, func(c *settings.Config) error {
		wrong := errors.Join(unread, s.Apply(c))
		var unknown error
		served, unknown = connected(s.Adapters, *c, served)
		return errors.Join(wrong, unknown)
	})
	if err != nil {
		return err
	}
	return Run(ctx, shop, served)
}

// HowToAsk is printed if no chat platform is connected.
func HowToAsk(http net.Addr, web bool) string {
	if web && http != nil {
		return fmt.Sprintf("Atelier is at http://%s: open it in a browser.\n"+
			"From the command line: bot ask --file photo.jpg \"make it black and white\"\n", listen.Reachable(http.String()))
	}
	return `Atelier runs, and no chat platform is connected. Send requests from the command line:

  bot ask --file photo.jpg "make it black and white"
  bot ask --detach --file photo.jpg "make it black and white"

The second passes the request to this process; bot requests and bot show print the outcome.
`
}

// Apply applies the flags to the settings.
func (s *Command) Apply(c *settings.Config) error {
	if c.QuietByDefault {
		c.Log = slog.LevelInfo
	}
	var wrong []error
	if s.Grace != "" {
		var err error
		if c.Grace, err = settings.Grace(s.Grace); err != nil {
			wrong = append(wrong, fault.Usage("--grace is %q: %s.", s.Grace, err))
		}
	}
	if s.Listen != "" {
		var err error
		if c.Listen, err = settings.Listen(s.Listen); err != nil {
			wrong = append(wrong, fault.Usage("--listen is %q: %s.", s.Listen, err))
		}
	}
	return errors.Join(append(wrong, settings.CheckListen(*c))...)
}

// Service says what a process serves.
type Service struct {
	Pools    []jobs.Pool
	Adapters []adapters.Adapter
	// Web enables the web page. Chats names the chat platforms.
	Web   bool
	Chats []string
	// say prints where people can ask, once everything runs; it may be nil.
	say func(text string) error
	// Fresh is how long readiness is cached; zero is [freshReadiness].
	Fresh time.Duration
	// Started is called when everything runs, with the HTTP address, nil if there is none, and the
	// jobs. It may be nil.
	Started func(http net.Addr, j *jobs.Jobs)
}

// works reports whether the process works on a queue.
func (s Service) works(queue string) bool {
	return slices.ContainsFunc(s.Pools, func(p jobs.Pool) bool { return p.Queues[queue] > 0 })
}

// runs reports whether the process works on the queue that a candidate needs.
func (s Service) runs(c plan.Candidate) bool {
	if c.Device == jobs.QueueGPU || c.Device == jobs.QueueProgram {
		return s.works(c.Device)
	}
	return s.works(jobs.QueueCPU)
}

// Run opens and checks everything that the settings name, serves until ctx ends, and closes it. Errors
// before serving are usage errors.
func Run(ctx context.Context, w workshop.Workshop, s Service) (err error) {
	if w.Storage.RedisURL == "" {
		needless := func(queue string) bool { return queue == jobs.QueueProgram } // without it no program is written
		if left := slices.DeleteFunc(slices.DeleteFunc(queueNames(), s.works), needless); len(left) > 0 {
			return fault.Usage("--queues omits %s, and without REDIS_URL no other process can work on it: set REDIS_URL for all processes.",
				strings.Join(left, " and "))
		}
	}
	p, err := place.Open(ctx, w.Config, w.Logger(), place.Placement{Folder: w.Data, Shared: true})
	if err != nil {
		return place.Unusable(ctx, err)
	}
	log, served := w.Logger(), false
	defer func() {
		err = errors.Join(err, p.Close())
		if served {
			log.InfoContext(ctx, "serving has ended")
		}
	}()
	if s.works(jobs.QueueGateway) { // bot ask --detach
		s.Adapters = append(slices.Clone(s.Adapters), terminal.New(terminal.Config{Open: p.Open}))
	}
	w.Here, w.RunsOnly = s.runs, !s.works(jobs.QueuePlan)
	if w, err = w.Shared(); err != nil {
		return err
	}
	site, err := website.New(w, p)
	if err == nil {
		w.Tools, err = site.BuildToolbox(ctx, w, p)
	}
	if err != nil {
		return err
	}
	if s.Web || site.Links != nil && s.works(jobs.QueueGateway) { // the channel fetches marks made on its page
		s.Adapters = append(s.Adapters, site.Channel)
	}
	chats, err := chat.Connect(w.Config, log, p, s.Chats)
	if err != nil {
		return err
	}
	s.Adapters = append(s.Adapters, chats.Adapters()...)
	ready := newReadiness(p, s.Adapters, cmp.Or(s.Fresh, freshReadiness), log)
	ready.backends = w.Tools.Health
	if err := place.Check(ctx, w.Config, p, startPatience, log); err != nil {
		return err
	}
	who, err := chats.Check(ctx, chat.ChatPatience, log)
	if err != nil {
		return err
	}
	listener, err := takeAddress(ctx, w.Listen)
	if err != nil {
		return err
	}
	if listener != nil {
		defer func() { _ = listener.Close() }() //nolint:errcheck // already closed if it was served on
	}
	s.Pools = sizedPools(s.Pools, func() int {
		asked, cancel := context.WithTimeout(ctx, startPatience)
		defer cancel()
		return w.Tools.Capacity(asked)
	})
	counted := metrics.New()
	j, err := w.Jobs(ctx, p, agent.Config{}, jobs.Config{
		Adapters: s.Adapters, Pools: s.Pools, Metrics: counted, MarkLink: site.MarkLink,
	})
	if err != nil {
		return err
	}
	site.Serves(j)
	if err := errors.Join(counted.Watch(j.Queues), counted.WatchBackends(w.Tools)); err != nil {
		return err
	}
	if p.Embedded {
		if err := takeUp(ctx, j, log); err != nil {
			return err
		}
	}
	run := process{shop: w, service: s, place: p, jobs: j, ready: ready, who: who, closing: site.Channel.Close, log: log}
	served = true
	alone := settings.Private(w.Listen)
	return run.serve(ctx, listener, site.Handler(s.Web, alone, chats.Requests(), ready.pages(site.Guarded(counted.Handler(log), w.Web), alone)))
}

// takeUp resumes the requests that an earlier process on the data folder left unfinished.
func takeUp(ctx context.Context, j *jobs.Jobs, log *slog.Logger) error {
	n, err := j.Resume(ctx)
	if err != nil {
		return fmt.Errorf("resume requests: %w", err)
	}
	if n > 0 {
		log.InfoContext(ctx, "unfinished requests were resumed", "requests", n)
	}
	return nil
}

// takeAddress listens on the HTTP address; nil if it is empty.
func takeAddress(ctx context.Context, listen string) (net.Listener, error) {
	if listen == "" {
		return nil, nil //nolint:nilnil // HTTP is off
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fault.Usage("Cannot listen on ATELIER_LISTEN (%s): %s. Set another address, or off.", listen, fault.Innermost(err))
	}
	return l, nil
}
