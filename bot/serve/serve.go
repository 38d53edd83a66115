// Package serve is the command serve: it answers requests until it is shut down.
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
	Grace       string `help:"How long running steps may go on at shutdown, like ATELIER_GRACE." placeholder:"TIME"`
	Listen      string `help:"The address of the web page, /healthz, /readyz and /metrics, or off, like ATELIER_LISTEN." placeholder:"ADDRESS"`
}

// Help is the longer help.
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

// Run serves until it is to end.
func (s *Command) Run(ctx context.Context, c *command.Call) error {
	pools, unread := ParsePools(s.Queues, s.Concurrency)
	served := Service{Pools: pools, say: func(text string) error {
		if _, err := io.WriteString(c.Stdout, text); err != nil {
			return fmt.Errorf("say how it is used: %w", err)
		}
		return nil
	}}
	shop, err := c.WorkshopWithModel(ctx, func(c *settings.Config) error {
		wrong := errors.Join(unread, s.Over(c))
		var unknown error
		served, unknown = connected(s.Adapters, *c, served)
		return errors.Join(wrong, unknown)
	})
	if err != nil {
		return err
	}
	return Run(ctx, shop, served)
}

// HowToAsk is told where no chat platform of elsewhere is connected.
func HowToAsk(http net.Addr, web bool) string {
	if web && http != nil {
		return fmt.Sprintf("Atelier is at http://%s: open it in a browser.\n"+
			"From the command line: bot ask --file photo.jpg \"make it black and white\"\n", listen.Reachable(http.String()))
	}
	return `Atelier runs, and no chat platform is connected. Send requests from the command line:

  bot ask --file photo.jpg "make it black and white"
  bot ask --detach --file photo.jpg "make it black and white"

The second hands the request to this process; bot requests and bot show say what became of it.
`
}

// Over puts the flags over the settings.
func (s *Command) Over(c *settings.Config) error {
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

// Service is what a process serves.
type Service struct {
	Pools    []jobs.Pool
	Adapters []adapters.Adapter
	// Web tells that the web channel is one of the platforms, and chats names those of
	// elsewhere that are made by the settings.
	Web   bool
	Chats []string
	// say tells people, once everything runs, where the program is and how it is used; nil
	// tells nobody.
	say func(text string) error
	// Fresh is how long readiness is believed; zero is [freshReadiness].
	Fresh time.Duration
	// Started is told the address of HTTP, nil if there is none, and the jobs, when
	// everything runs; nil is told nothing.
	Started func(http net.Addr, j *jobs.Jobs)
}

// works reports whether the process works on a queue.
func (s Service) works(queue string) bool {
	return slices.ContainsFunc(s.Pools, func(p jobs.Pool) bool { return p.Queues[queue] > 0 })
}

// runs reports whether the process works on the queue of what a candidate needs.
func (s Service) runs(c plan.Candidate) bool {
	if c.Device == jobs.QueueGPU || c.Device == jobs.QueueProgram {
		return s.works(c.Device)
	}
	return s.works(jobs.QueueCPU)
}

// Run opens what the settings name, checks it, works until ctx ends, and closes it
// again. What is wrong before anything runs is wrong usage.
func Run(ctx context.Context, w workshop.Workshop, s Service) (err error) {
	if w.Storage.RedisURL == "" {
		needless := func(queue string) bool { return queue == jobs.QueueProgram } // without it no program is written
		if left := slices.DeleteFunc(slices.DeleteFunc(queueNames(), s.works), needless); len(left) > 0 {
			return fault.Usage("--queues leaves out %s, and no other process can work on that without REDIS_URL: set it for all of them.",
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
		w.Tools, err = site.Furnish(ctx, w, p)
	}
	if err != nil {
		return err
	}
	if s.Web || site.Links != nil && s.works(jobs.QueueGateway) { // what is pointed at on its page is fetched by it
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
		defer func() { _ = listener.Close() }() //nolint:errcheck // it is closed already, if it was served on
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

// takeUp goes on with what an earlier process of the data folder has left undone.
func takeUp(ctx context.Context, j *jobs.Jobs, log *slog.Logger) error {
	n, err := j.Resume(ctx)
	if err != nil {
		return fmt.Errorf("take up what was left: %w", err)
	}
	if n > 0 {
		log.InfoContext(ctx, "requests without an answer were taken up again", "requests", n)
	}
	return nil
}

// takeAddress takes the address of HTTP; nil where there is to be none.
func takeAddress(ctx context.Context, listen string) (net.Listener, error) {
	if listen == "" {
		return nil, nil //nolint:nilnil // nowhere is no fault
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fault.Usage("ATELIER_LISTEN is %q, which cannot be listened on: %s. Another address can be set, or off.", listen, fault.Innermost(err))
	}
	return l, nil
}
