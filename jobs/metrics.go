package jobs

import (
	"time"

	"atelier/agent/plan"
	"atelier/jobs/record"
)

// noMetrics counts nothing.
type noMetrics struct{}

func (noMetrics) Accepted(string)                            {}
func (noMetrics) Refused(string, string)                     {}
func (noMetrics) Stage(string, string, time.Duration)        {}
func (noMetrics) Tool(string, plan.Result)                   {}
func (noMetrics) Thinking(plan.Thinking)                     {}
func (noMetrics) Ended(string, record.Status, time.Duration) {}
func (noMetrics) Rated(string, bool, bool)                   {}
