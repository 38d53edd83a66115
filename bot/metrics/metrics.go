// Package metrics counts what the jobs and the backends do, for Prometheus.
package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"atelier/agent/plan"
	"atelier/jobs"
)

// Metrics implements [jobs.Metrics].
type Metrics struct {
	registry *prometheus.Registry

	requests       *prometheus.CounterVec
	refused        *prometheus.CounterVec
	ended          *prometheus.CounterVec
	rated          *prometheus.CounterVec
	ratedAnew      *prometheus.CounterVec
	requestSeconds *prometheus.HistogramVec
	stageSeconds   *prometheus.HistogramVec
	toolSeconds    *prometheus.HistogramVec
	toolErrors     *prometheus.CounterVec
	modelCalls     *prometheus.CounterVec
	modelTokens    *prometheus.CounterVec
}

var _ jobs.Metrics = (*Metrics)(nil)

// New returns metrics that start at zero.
func New() *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	with := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return with.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	seconds := func(name, help string, least float64, labels ...string) *prometheus.HistogramVec {
		return with.NewHistogramVec(prometheus.HistogramOpts{
			Name: name, Help: help, Buckets: prometheus.ExponentialBucketsRange(least, 1800, 14),
		}, labels)
	}
	return &Metrics{
		registry:       registry,
		requests:       counter("atelier_requests_total", "Requests that were accepted.", "adapter"),
		refused:        counter("atelier_requests_refused_total", "Requests and files that were refused, by the limit that they exceeded.", "adapter", "why"),
		ended:          counter("atelier_runs_ended_total", "Runs that have ended, by status.", "adapter", "status"),
		rated:          counter("atelier_votes_total", "Votes on answers, good or bad.", "adapter", "vote"),
		ratedAnew:      counter("atelier_votes_changed_total", "Votes that the same person changed later, by their earlier value.", "adapter", "vote"),
		requestSeconds: seconds("atelier_request_seconds", "Time of a run from its start until its answer was sent.", 0.05, "adapter"),
		stageSeconds:   seconds("atelier_stage_seconds", "Time of a task of a stage, by outcome.", 0.001, "stage", "outcome"),
		toolSeconds:    seconds("atelier_tool_seconds", "Time of a step, by tool and backend.", 0.005, "tool", "backend"),
		toolErrors:     counter("atelier_tool_errors_total", "Steps that failed, by tool and backend.", "tool", "backend"),
		modelCalls:     counter("atelier_model_calls_total", "Calls of models, by job.", "model", "job"),
		modelTokens:    counter("atelier_model_tokens_total", "Tokens that models read (input) and wrote (output).", "model", "direction"),
	}
}

// Accepted counts a request.
func (m *Metrics) Accepted(adapter string) { m.requests.WithLabelValues(adapter).Inc() }

// Refused counts a refused request.
func (m *Metrics) Refused(adapter, why string) { m.refused.WithLabelValues(adapter, why).Inc() }

// Stage records the time of a task.
func (m *Metrics) Stage(stage, outcome string, took time.Duration) {
	m.stageSeconds.WithLabelValues(stage, outcome).Observe(took.Seconds())
}

// Tool records the time of a step, and counts its failure and its model usage.
func (m *Metrics) Tool(tool string, r plan.Result) {
	m.toolSeconds.WithLabelValues(tool, r.Candidate).Observe(r.Took.Seconds())
	if r.Status == plan.Failed {
		m.toolErrors.WithLabelValues(tool, r.Candidate).Inc()
	}
	if r.Usage.Calls > 0 {
		m.asked(r.Model, "tool", r.Usage.Calls, r.Usage.Input, r.Usage.Output)
	}
}

// Thinking counts model usage.
func (m *Metrics) Thinking(t plan.Thinking) {
	for _, j := range t.Jobs {
		m.asked(j.Model, j.Name, j.Calls, j.Input, j.Output)
	}
}

// Ended counts a run that has ended.
func (m *Metrics) Ended(adapter string, s jobs.Status, took time.Duration) {
	m.ended.WithLabelValues(adapter, string(s)).Inc()
	m.requestSeconds.WithLabelValues(adapter).Observe(took.Seconds())
}

// Rated counts a vote on an answer, and the person's earlier vote as changed.
func (m *Metrics) Rated(adapter string, good, changed bool) {
	votes := map[bool]string{true: "good", false: "bad"}
	m.rated.WithLabelValues(adapter, votes[good]).Inc()
	if changed {
		m.ratedAnew.WithLabelValues(adapter, votes[!good]).Inc()
	}
}

// Handler serves all metrics. Those that cannot be collected are left out.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: promLog{log}, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Timeout: 15 * time.Second,
	})
}

// promLog logs errors of promhttp.
type promLog struct{ log *slog.Logger }

func (l promLog) Println(v ...any) {
	for _, what := range v {
		if err, ok := what.(error); ok {
			l.log.Warn("metrics are missing", "error", plan.ForOperator(err))
		}
	}
}

// Watch adds metrics about the queues, measured when metrics are collected.
func (m *Metrics) Watch(queues func(context.Context) ([]jobs.Queue, error)) error {
	describe := func(name, help string, more ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"queue"}, more...), nil)
	}
	err := m.registry.Register(queueCollector{
		queues:  queues,
		tasks:   describe("atelier_queue_tasks", "Tasks of a queue, by state: waiting, active, later or failed.", "state"),
		oldest:  describe("atelier_queue_oldest_seconds", "How long the oldest task of a queue has been waiting."),
		workers: describe("atelier_queue_workers", "Processes that work on a queue."),
	})
	if err != nil {
		return fmt.Errorf("watch the queues: %w", err)
	}
	return nil
}

func (m *Metrics) asked(model, job string, calls, input, output int) {
	m.modelCalls.WithLabelValues(model, job).Add(float64(calls))
	m.modelTokens.WithLabelValues(model, "input").Add(float64(input))
	m.modelTokens.WithLabelValues(model, "output").Add(float64(output))
}

// queueCollector queries the queues when metrics are collected.
type queueCollector struct {
	queues                 func(context.Context) ([]jobs.Queue, error)
	tasks, oldest, workers *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (c queueCollector) Describe(to chan<- *prometheus.Desc) {
	to <- c.tasks
	to <- c.oldest
	to <- c.workers
}

// Collect implements [prometheus.Collector].
func (c queueCollector) Collect(to chan<- prometheus.Metric) {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	queues, err := c.queues(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.tasks, err)
		return
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for _, q := range queues {
		for state, n := range map[string]int{"waiting": q.Waiting, "active": q.Active, "later": q.Later, "failed": q.Failed} {
			gauge(c.tasks, float64(n), q.Name, state)
		}
		gauge(c.oldest, q.Oldest.Seconds(), q.Name)
		gauge(c.workers, float64(q.Workers), q.Name)
	}
}
