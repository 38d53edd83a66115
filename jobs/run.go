package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hibiken/asynq"

	"atelier/adapters"
)

// Run works until ctx ends: then it takes no more work, lets what runs go on for the grace
// period, ends the rest, which others take over once it has ended here, and returns. Only
// what does not obey its context is handed to others while it still runs; it is logged. Run
// does not listen to the adapters: whoever runs them hands their events to [Jobs.Handle].
func (j *Jobs) Run(ctx context.Context) error {
	// What runs may go on after ctx has ended.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	servers, err := j.start(working)
	if err != nil {
		return err
	}
	var keepers sync.WaitGroup
	keepers.Go(func() { j.beat(working) })
	keepers.Go(func() { j.hearStops(working) })
	if j.serves(QueuePlan) {
		keepers.Go(func() { j.reap(working) })
		keepers.Go(func() { j.sweep(working) })
		keepers.Go(func() { j.patrol(working) })
	}
	if j.serves(QueueGateway) {
		for _, a := range j.adapters {
			if reporter, ok := a.(adapters.Reporter); ok {
				keepers.Go(func() { j.report(working, a.Name(), reporter) })
			}
		}
	}
	var stuck error
	select {
	case <-ctx.Done():
	case stuck = <-j.stuck:
	}
	for _, s := range servers {
		s.Stop()
	}
	grace := time.AfterFunc(j.config.Grace, j.active.end)
	defer grace.Stop()
	obeyed, forget := context.WithTimeout(context.WithoutCancel(ctx), j.config.Grace+j.obey)
	defer forget()
	var ended sync.WaitGroup
	for _, s := range servers {
		ended.Go(s.Shutdown)
	}
	ended.Wait()
	stop() // also what asynq has given up before
	j.after.wait()
	keepers.Wait()
	for _, t := range j.active.wait(obeyed) {
		j.log.WarnContext(ctx, "a task does not end", "request", t.Request, "run", t.Run, "stage", string(t.Kind))
	}
	return errors.Join(stuck, j.farewell(context.WithoutCancel(ctx)))
}

// start starts a server of asynq for each pool.
func (j *Jobs) start(ctx context.Context) ([]*asynq.Server, error) {
	var servers []*asynq.Server
	for _, p := range j.config.Pools {
		queues := j.queuesOf(p)
		if len(queues) == 0 { // a gateway without adapters
			continue
		}
		s := asynq.NewServerFromRedisClient(j.config.Redis, asynq.Config{
			Concurrency: p.Concurrency, Queues: queues, BaseContext: func() context.Context { return ctx },
			TaskCheckInterval: j.config.Check, DelayedTaskCheckInterval: min(20*j.config.Check, 2*time.Second),
			ShutdownTimeout: j.config.Grace + j.obey, RetryDelayFunc: j.retryDelay, IsFailure: isFailure,
			Logger: asynqLog{j.log}, LogLevel: asynq.WarnLevel,
		})
		if err := s.Start(asynq.HandlerFunc(j.work)); err != nil {
			for _, earlier := range servers {
				earlier.Shutdown()
			}
			return nil, fmt.Errorf("start the workers: %w", err)
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// queuesOf are the queues of a pool as asynq knows them.
func (j *Jobs) queuesOf(p Pool) map[string]int {
	queues := maps.Clone(p.Queues)
	if weight, ok := queues[QueueGateway]; ok {
		delete(queues, QueueGateway)
		for name := range j.adapters {
			queues[gatewayQueue(name)] = weight
		}
	}
	return queues
}

// serves tells whether this process works on a queue.
func (j *Jobs) serves(queue string) bool {
	return slices.ContainsFunc(j.config.Pools, func(p Pool) bool { return p.Queues[queue] > 0 })
}
