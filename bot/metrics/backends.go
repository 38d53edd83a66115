package metrics

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"atelier/agent/toolbox"
)

// WatchBackends adds metrics about the backends, measured when metrics are collected.
func (m *Metrics) WatchBackends(tools *toolbox.Toolbox) error {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"server"}, labels...), nil)
	}
	err := m.registry.Register(backendCollector{
		tools: tools,
		state: describe("atelier_backend_state", "The state of a server that tools run on: 1 for the current state (up, loading or down), else 0.", "state"),
		ways:  describe("atelier_backend_ways", "Tool backends on a server, available now (live) or not (dead).", "state"),
		calls: describe("atelier_backend_calls", "Current calls of a server, running or waiting.", "state"),
		limit: describe("atelier_backend_calls_limit", "The maximum number of concurrent calls of a server; 0 means no limit."),
		alone: describe("atelier_backend_circuit_open", "Models that failed several times in a row and are not called for a while.", "model"),
		live: prometheus.NewDesc("atelier_tools", "Tools of the catalogue, available now in this or another process (live) or not (dead).",
			[]string{"state"}, nil),
	})
	if err != nil {
		return fmt.Errorf("watch the backends: %w", err)
	}
	return nil
}

// backendCollector queries the backends when metrics are collected.
type backendCollector struct {
	tools                                  *toolbox.Toolbox
	state, ways, calls, limit, alone, live *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (c backendCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.state, c.ways, c.calls, c.limit, c.alone, c.live} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c backendCollector) Collect(to chan<- prometheus.Metric) {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	servers, err := c.tools.Health(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.state, err)
		return
	}
	gauge := func(d *prometheus.Desc, value int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
	}
	for _, h := range servers {
		for _, s := range []toolbox.State{toolbox.Up, toolbox.Loading, toolbox.Down} {
			is := 0
			if h.State == s {
				is = 1
			}
			gauge(c.state, is, h.Server, string(s))
		}
		gauge(c.ways, h.Ways, h.Server, "live")
		gauge(c.ways, h.All-h.Ways, h.Server, "dead")
		gauge(c.calls, h.Running, h.Server, "running")
		gauge(c.calls, h.Waiting, h.Server, "waiting")
		gauge(c.limit, h.Parallel, h.Server)
		for _, model := range h.Alone {
			gauge(c.alone, 1, h.Server, model)
		}
	}
	statuses, err := c.tools.Statuses(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.live, err)
		return
	}
	live := 0
	for _, s := range statuses {
		if s.Live {
			live++
		}
	}
	gauge(c.live, live, "live")
	gauge(c.live, len(statuses)-live, "dead")
}
