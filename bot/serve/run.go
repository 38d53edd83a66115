package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/place"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// process is a serving process.
type process struct {
	shop    workshop.Workshop
	service Service
	place   *place.Place
	jobs    *jobs.Jobs
	ready   *readiness
	// who is the bot's identity by chat platform.
	who map[string]string
	// closing ends the event streams of browsers, so that HTTP can shut down.
	closing func()
	log     *slog.Logger
}

// serve runs until ctx ends or an essential part fails. The jobs end first and the listeners last, so
// that the process can be inspected until the end.
func (r *process) serve(ctx context.Context, listener net.Listener, pages http.Handler) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var listening, beside sync.WaitGroup
	looking, stopLooking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLooking()
	broken := make(chan error, 2)
	keep := func(run func() error) {
		beside.Go(func() {
			broken <- run()
			stop() // it returns early only if it fails
		})
	}
	if listener != nil {
		keep(func() error { return r.answer(looking, listener, pages) })
	}
	beside.Go(func() { r.shop.Tools.Watch(looking) })
	if r.place.Embedded {
		keep(func() error { return control.Serve(looking, r.shop.Data, r.jobs) })
	}
	if r.service.works(jobs.QueueGateway) {
		for _, a := range r.service.Adapters {
			listening.Go(func() { r.listen(ctx, a) })
		}
	}
	context.AfterFunc(ctx, func() {
		r.ready.end()
		r.log.InfoContext(ctx, "shutting down: no more work is accepted, and running steps have the grace period to finish", "grace", r.shop.Grace)
	})
	err := r.tell(ctx, listener)
	if len(r.service.Chats) > 0 && r.service.works(jobs.QueueGateway) && r.service.say != nil {
		listening.Go(func() { r.greet(ctx, listener) })
	}
	if err == nil {
		err = r.jobs.Run(ctx)
	}
	stop()
	listening.Wait()
	stopLooking()
	beside.Wait()
	close(broken)
	for e := range broken {
		err = errors.Join(err, e)
	}
	return err
}

// tell logs what is served.
func (r *process) tell(ctx context.Context, listener net.Listener) error {
	var at net.Addr
	address, names := "off", make([]string, 0, len(r.service.Adapters))
	if listener != nil {
		at = listener.Addr()
		address = at.String()
	}
	for _, a := range r.service.Adapters {
		names = append(names, a.Name())
	}
	redis, files := "redis", "folder"
	if r.place.Embedded {
		redis = "embedded"
	}
	if r.shop.Storage.S3.Bucket != "" {
		files = "s3"
	}
	r.log.InfoContext(ctx, "serving", "queues", describePools(r.service.Pools), "adapters", names, "http", address,
		"state", redis, "files", files, "planner", string(r.shop.Planner))
	if redis == "redis" && files == "folder" {
		r.log.WarnContext(ctx, "files are kept in the data folder, since S3_BUCKET is not set: all processes must share that folder")
	}
	if r.service.Started != nil {
		r.service.Started(at, r.jobs)
	}
	if len(r.service.Chats) == 0 && r.service.works(jobs.QueueGateway) && r.service.say != nil {
		return r.service.say(HowToAsk(at, r.service.Web))
	}
	return nil
}

// listen passes the events of a platform to the jobs. If the platform later refuses permanently, the
// others continue, but the process is no longer ready.
func (r *process) listen(ctx context.Context, a adapters.Adapter) {
	err := a.Listen(ctx, r.jobs.Handle)
	if err != nil && ctx.Err() == nil {
		r.ready.lose(a.Name(), err)
		r.log.ErrorContext(ctx, "the connection to a chat platform was given up: "+fault.PartSentence(err), "adapter", a.Name(), "error", plan.ForOperator(err))
	}
}

// answer serves HTTP until ctx ends. Requests in progress then have three seconds to finish.
func (r *process) answer(ctx context.Context, l net.Listener, pages http.Handler) error {
	server := &http.Server{
		Handler: listen.WithMinimumRate(pages, 30*time.Second), ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(r.log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(r.closing)
	if err := listen.Serve(ctx, server, l, 3*time.Second); err != nil {
		return fmt.Errorf("answer HTTP: %w", err)
	}
	return nil
}
