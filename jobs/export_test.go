package jobs

import (
	"context"
	"time"

	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// ReapOnce scans once for tasks of dead workers.
func (j *Jobs) ReapOnce(ctx context.Context, orphans map[string]time.Time) error {
	return j.reaper.Once(ctx, orphans)
}

// Obey sets how long to wait for cancelled tasks.
func (j *Jobs) Obey(d time.Duration) { j.shutdown = d }

// SweepOnce deletes expired media, if it is this process's turn.
func (j *Jobs) SweepOnce(ctx context.Context) error { return j.sweeper.Once(ctx) }

// PatrolOnce resumes lost requests, if it is this process's turn.
func (j *Jobs) PatrolOnce(ctx context.Context, over map[string]int) error {
	return j.recovery.PatrolOnce(ctx, over)
}

// Rerun passes a step to another worker although the first one is alive.
func (j *Jobs) Rerun(ctx context.Context, request string, generation int, step string) error {
	return j.reaper.Rerun(ctx, queue.Task{Kind: queue.KindAct, Request: request, Generation: generation, Step: step, Queue: queue.CPU})
}

// NoMetrics counts nothing.
func NoMetrics() Metrics { return noMetrics{} }

// Wanted reports whether a task of a request is still worth doing.
func Wanted(r *record.Request, t queue.Task) bool { return wanted(r, t) }
