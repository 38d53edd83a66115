package main

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
	"atelier/jobs"
)

type serveCommand struct {
	Queues      string `help:"The queues to work on, with or without weights (gateway=6,plan)." default:"gateway,plan,cpu,gpu,program" placeholder:"LIST"`
	Adapters    string `help:"The chat platforms to connect with: discord, slack, web, or none; all that are configured, unless told." placeholder:"LIST"`
	Concurrency string `help:"How many tasks run at a time: a number for all queues, or one for each: plan=8,cpu=4." placeholder:"N"`
	Grace       string `help:"How long running steps may go on when it is to end; as ATELIER_GRACE." placeholder:"TIME"`
	Listen      string `help:"The address of the web channel, /healthz, /readyz and /metrics, or off; as ATELIER_LISTEN." placeholder:"ADDRESS"`
}

// Help is the longer help.
func (*serveCommand) Help() string {
	return `Without settings one process does everything, keeps what it must in ATELIER_DATA, and is
talked to in a browser at http://127.0.0.1:8080.

With REDIS_URL any number of processes share the work, each with all of it or a part of the
queues gateway, plan, cpu, gpu and program:

  bot serve --queues gateway,plan
  bot serve --queues cpu --adapters none
  bot serve --queues gpu --adapters none
  bot serve --queues program --adapters none

The last runs the programs that a language model writes where no tool fits. It needs Redis and
the files, but no key of a model and no token of a chat platform.

A queue with a larger weight is looked at more often, where queues share their workers:
--queues gateway=6,plan=3,cpu=1 --concurrency 8. Otherwise each has workers of its own:
16 for gateway, 8 for plan, one for each processor for cpu, 2 for program, and for gpu as many
as the servers with models say that they work on at a time, or 4.

It ends on SIGTERM or an interrupt: it takes no more work, lets what runs go on for a
while, and leaves the rest to another process or to the next start. A second one kills it.`
}

// Run serves until it is to end.
func (s *serveCommand) Run(ctx context.Context, c *call) error {
	pools, unread := parsePools(s.Queues, s.Concurrency)
	served := service{pools: pools, say: func(text string) error {
		if _, err := io.WriteString(c.Stdout, text); err != nil {
			return fmt.Errorf("say how it is used: %w", err)
		}
		return nil
	}}
	shop, err := c.workshopWithModel(ctx, func(c *Config) error {
		wrong := errors.Join(unread, s.over(c))
		var unknown error
		served, unknown = connected(s.Adapters, *c, served)
		return errors.Join(wrong, unknown)
	})
	if err != nil {
		return err
	}
	return serve(ctx, shop, served)
}

// howToAsk is told where no chat platform of elsewhere is connected.
func howToAsk(http net.Addr, web bool) string {
	if web && http != nil {
		return fmt.Sprintf("Atelier is at http://%s: open it in a browser.\n"+
			"From the command line: bot ask --file photo.jpg \"make it black and white\"\n", reachable(http.String()))
	}
	return `Atelier runs, and no chat platform is connected. Wishes are taken from the command line:

  bot ask --file photo.jpg "make it black and white"
  bot ask --detach --file photo.jpg "make it black and white"

The second hands the wish to this process; bot requests and bot show tell what became of it.
`
}

// over puts the flags over the settings.
func (s *serveCommand) over(c *Config) error {
	if c.QuietByDefault {
		c.Log = slog.LevelInfo
	}
	var wrong []error
	if s.Grace != "" {
		var err error
		if c.Grace, err = grace(s.Grace); err != nil {
			wrong = append(wrong, usage("--grace is %q: %s.", s.Grace, err))
		}
	}
	if s.Listen != "" {
		var err error
		if c.Listen, err = listen(s.Listen); err != nil {
			wrong = append(wrong, usage("--listen is %q: %s.", s.Listen, err))
		}
	}
	return errors.Join(append(wrong, checkListen(*c))...)
}

// service is what a process serves.
type service struct {
	pools    []jobs.Pool
	adapters []adapters.Adapter
	// web tells that the web channel is one of the platforms, and chats names those of
	// elsewhere that are made by the settings.
	web   bool
	chats []string
	// say tells people, once everything runs, where the program is and how it is used; nil
	// tells nobody.
	say func(text string) error
	// fresh is how long readiness is believed; zero is [freshReadiness].
	fresh time.Duration
	// started is told the address of HTTP, nil if there is none, and the jobs, when
	// everything runs; nil is told nothing.
	started func(http net.Addr, j *jobs.Jobs)
}

// works tells whether the process works on a queue.
func (s service) works(queue string) bool {
	return slices.ContainsFunc(s.pools, func(p jobs.Pool) bool { return p.Queues[queue] > 0 })
}

// runs tells whether the process works on the queue of what a candidate needs.
func (s service) runs(c plan.Candidate) bool {
	if c.Device == jobs.QueueGPU || c.Device == jobs.QueueProgram {
		return s.works(c.Device)
	}
	return s.works(jobs.QueueCPU)
}

// serve opens what the settings name, checks it, works until ctx ends, and closes it
// again. What is wrong before anything runs is wrong usage.
func serve(ctx context.Context, w Workshop, s service) (err error) {
	if w.Storage.RedisURL == "" {
		needless := func(queue string) bool { return queue == jobs.QueueProgram } // without it no program is written
		if left := slices.DeleteFunc(slices.DeleteFunc(queueNames(), s.works), needless); len(left) > 0 {
			return usage("--queues leaves out %s, and no other process can work on that without REDIS_URL: set it for all of them.",
				strings.Join(left, " and "))
		}
	}
	p, err := openPlace(ctx, w.Config, w.logger(), placement{Folder: w.Data, Shared: true})
	if err != nil {
		return unusablePlace(ctx, err)
	}
	log, served := w.logger(), false
	defer func() {
		err = errors.Join(err, p.close())
		if served {
			log.InfoContext(ctx, "serving has ended")
		}
	}()
	if s.works(jobs.QueueGateway) { // bot ask --detach
		s.adapters = append(slices.Clone(s.adapters), terminal.New(terminal.Config{Open: p.open}))
	}
	w.Here, w.RunsOnly = s.runs, !s.works(jobs.QueuePlan)
	if w, err = w.shared(); err != nil {
		return err
	}
	site, err := newWebSite(w, p)
	if err == nil {
		w.Tools, err = site.furnish(ctx, w, p)
	}
	if err != nil {
		return err
	}
	if s.web || site.links != nil && s.works(jobs.QueueGateway) { // what is pointed at on its page is fetched by it
		s.adapters = append(s.adapters, site.channel)
	}
	chats, err := connect(w.Config, log, p, s.chats)
	if err != nil {
		return err
	}
	s.adapters = append(s.adapters, chats.adapters()...)
	ready := newReadiness(p, s.adapters, cmp.Or(s.fresh, freshReadiness), log)
	ready.backends = w.Tools.Health
	if err := checkPlace(ctx, w.Config, p, startPatience, log); err != nil {
		return err
	}
	who, err := chats.check(ctx, chatPatience, log)
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
	s.pools = sizedPools(s.pools, func() int {
		asked, cancel := context.WithTimeout(ctx, startPatience)
		defer cancel()
		return w.Tools.Capacity(asked)
	})
	counted := newMetrics()
	j, err := w.jobs(ctx, p, agent.Config{}, jobs.Config{
		Adapters: s.adapters, Pools: s.pools, Metrics: counted, MarkLink: site.markLink,
	})
	if err != nil {
		return err
	}
	site.serves(j)
	if err := errors.Join(counted.watch(j.Queues), counted.watchBackends(w.Tools)); err != nil {
		return err
	}
	if p.Embedded {
		n, err := j.Resume(ctx)
		if err != nil {
			return fmt.Errorf("take up what was left: %w", err)
		}
		if n > 0 {
			log.InfoContext(ctx, "requests without an answer were taken up again", "requests", n)
		}
	}
	run := process{shop: w, service: s, place: p, jobs: j, ready: ready, who: who, closing: site.channel.Close, log: log}
	served = true
	alone := private(w.Listen)
	return run.serve(ctx, listener, site.handler(s.web, alone, chats.requests(), ready.pages(site.guarded(counted.handler(log), w.Web), alone)))
}

// takeAddress takes the address of HTTP; nil where there is to be none.
func takeAddress(ctx context.Context, listen string) (net.Listener, error) {
	if listen == "" {
		return nil, nil //nolint:nilnil // nowhere is no fault
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, usage("ATELIER_LISTEN is %q, which cannot be listened on: %s. Another address can be set, or off.", listen, innermost(err))
	}
	return l, nil
}

// innermost is the innermost text of an error.
func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
