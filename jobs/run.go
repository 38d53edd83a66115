package jobs

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/jobs/queue"
)

// Run processes tasks until ctx is cancelled. Then it takes no more, lets the running ones continue for the
// grace period, and cancels the rest, which other processes take over once they have returned. A task that
// ignores its cancellation is logged and taken over while it still runs. Run does not run the adapters: the
// caller does, and passes their events to [Jobs.Handle].
func (j *Jobs) Run(ctx context.Context) error {
	// Running tasks may continue after ctx has ended.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	servers, err := queue.Start(working, queue.ServerConfig{
		Redis: j.config.Redis, Pools: j.config.Pools, Adapters: slices.Collect(maps.Keys(j.adapters)), Check: j.config.Check,
		Shutdown: j.config.Grace + j.shutdown, Retry: j.config.Retry, Work: j.dispatcher.run, Log: j.log,
	})
	if err != nil {
		return err
	}
	var background sync.WaitGroup
	background.Go(func() { j.heartbeat().Run(working, j.self()) })
	background.Go(func() { j.stopper.follow(working) })
	if j.serves(queue.Plan) {
		background.Go(func() { j.reaper.Run(working) })
		background.Go(func() { j.sweeper.Run(working) })
		background.Go(func() { j.recovery.Patrol(working) })
	}
	if j.serves(queue.Gateway) {
		for _, a := range j.adapters {
			if reporter, ok := a.(adapters.Reporter); ok {
				background.Go(func() { j.progress.Run(working, a.Name(), reporter) })
			}
		}
	}
	var stuck error
	select {
	case <-ctx.Done():
	case stuck = <-j.stuck:
	}
	servers.Stop()
	grace := time.AfterFunc(j.config.Grace, j.running.End)
	defer grace.Stop()
	obeyed, forget := context.WithTimeout(context.WithoutCancel(ctx), j.config.Grace+j.shutdown)
	defer forget()
	servers.Shutdown()
	stop() // including tasks that asynq no longer waits for
	j.acks.Wait()
	background.Wait()
	for _, t := range j.running.Wait(obeyed) {
		j.log.WarnContext(ctx, "a task does not end", "request", t.Request, "run", t.Run, "stage", string(t.Kind))
	}
	return errors.Join(stuck, j.workers.Remove(context.WithoutCancel(ctx), j.id))
}

// heartbeat publishes that this process is alive.
func (j *Jobs) heartbeat() *queue.Heartbeat {
	h := &queue.Heartbeat{Workers: j.workers, Running: j.running, Beat: j.config.Beat, Log: j.log}
	if j.config.Agent != nil && (j.serves(queue.CPU) || j.serves(queue.GPU) || j.serves(queue.Program)) {
		h.Tools = j.config.Agent.Capabilities
	}
	return h
}

// self is the description of this process for others.
func (j *Jobs) self() queue.Worker {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	me := queue.Worker{ID: j.id, Host: host, Process: os.Getpid(), Since: j.config.Now()}
	for _, p := range j.config.Pools {
		me.Queues = append(me.Queues, slices.Sorted(maps.Keys(p.Weights(slices.Collect(maps.Keys(j.adapters)))))...)
	}
	return me
}

// serves reports whether this process works on a queue.
func (j *Jobs) serves(name string) bool {
	return slices.ContainsFunc(j.config.Pools, func(p Pool) bool { return p.Queues[name] > 0 })
}
