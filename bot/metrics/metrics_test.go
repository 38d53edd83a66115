package metrics

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/jobs"
)

// scrape returns what Prometheus reads.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	m := New()
	m.Accepted("chat")
	m.Ended("chat", jobs.Failed, 2*time.Second)
	m.Rated("chat", true, false)
	m.Rated("chat", false, true)
	m.Stage("plan", "again", time.Millisecond)
	m.Tool("blur", plan.Result{Status: plan.Failed, Candidate: "native:blur", Took: time.Second})
	m.Tool("draw", plan.Result{Status: plan.Done, Candidate: "openai:draw", Model: "gpt-image-1", Usage: plan.Tokens{Calls: 2, Input: 10, Output: 20}})
	m.Thinking(plan.Thinking{Jobs: []plan.Job{
		{Name: "decompose", Model: "gpt-5-mini", Calls: 1, Input: 100, Output: 7}, {Name: "respond", Model: "gpt-5-mini", Calls: 3, Input: 11},
	}})
	var failure error
	err := m.Watch(func(context.Context) ([]jobs.Queue, error) {
		return []jobs.Queue{{Name: "cpu", Waiting: 1, Active: 2, Later: 3, Failed: 4, Oldest: 90 * time.Second, Workers: 5}}, failure
	})
	bottest.Check(t, err)
	counted := scrape(t, m)
	for _, want := range []string{
		`atelier_requests_total{adapter="chat"} 1`,
		`atelier_runs_ended_total{adapter="chat",status="failed"} 1`,
		`atelier_votes_total{adapter="chat",vote="good"} 1`,
		`atelier_votes_total{adapter="chat",vote="bad"} 1`,
		`atelier_votes_changed_total{adapter="chat",vote="good"} 1`,
		`atelier_request_seconds_sum{adapter="chat"} 2`,
		`atelier_stage_seconds_count{outcome="again",stage="plan"} 1`,
		`atelier_tool_seconds_sum{backend="native:blur",tool="blur"} 1`,
		`atelier_tool_errors_total{backend="native:blur",tool="blur"} 1`,
		`atelier_model_calls_total{job="tool",model="gpt-image-1"} 2`,
		`atelier_model_calls_total{job="decompose",model="gpt-5-mini"} 1`,
		`atelier_model_calls_total{job="respond",model="gpt-5-mini"} 3`,
		`atelier_model_tokens_total{direction="input",model="gpt-5-mini"} 111`,
		`atelier_model_tokens_total{direction="output",model="gpt-5-mini"} 7`,
		`atelier_model_tokens_total{direction="output",model="gpt-image-1"} 20`,
		`atelier_queue_tasks{queue="cpu",state="waiting"} 1`,
		`atelier_queue_tasks{queue="cpu",state="active"} 2`,
		`atelier_queue_tasks{queue="cpu",state="later"} 3`,
		`atelier_queue_tasks{queue="cpu",state="failed"} 4`,
		`atelier_queue_oldest_seconds{queue="cpu"} 90`,
		`atelier_queue_workers{queue="cpu"} 5`,
	} {
		if !strings.Contains(counted, want+"\n") {
			t.Errorf("there is no %s:\n%s", want, counted)
		}
	}
	if strings.Contains(counted, `tool_errors_total{backend="openai:draw"`) {
		t.Error("what was done counts as an error")
	}
	failure = errors.New("Redis is away")
	if counted = scrape(t, m); strings.Contains(counted, "atelier_queue") || !strings.Contains(counted, "atelier_requests_total") {
		t.Errorf("without the queues there is:\n%s", counted)
	}
}
