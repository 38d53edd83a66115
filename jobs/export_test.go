package jobs

import (
	"context"
	"time"

	"atelier/jobs/queue"
)

// ReapOnce looks once for tasks whose workers have died.
func (j *Jobs) ReapOnce(ctx context.Context, orphans map[string]time.Time) error {
	return j.reaper.Once(ctx, orphans)
}

// Obey sets how long what was ended is waited for.
func (j *Jobs) Obey(d time.Duration) { j.shutdown = d }

// SweepOnce deletes media whose time has come, if it is this process's turn.
func (j *Jobs) SweepOnce(ctx context.Context) error { return j.sweeper.Once(ctx) }

// PatrolOnce takes up what was lost, if it is this process's turn.
func (j *Jobs) PatrolOnce(ctx context.Context, over map[string]int) error {
	return j.recovery.PatrolOnce(ctx, over)
}

// Rerun gives a step to another worker although the first one lives.
func (j *Jobs) Rerun(ctx context.Context, request string, generation int, step string) error {
	return j.reaper.Rerun(ctx, queue.Task{Kind: queue.KindAct, Request: request, Run: generation, Step: step, Queue: queue.CPU})
}

// NoMetrics count nothing.
func NoMetrics() Metrics { return noMetrics{} }
