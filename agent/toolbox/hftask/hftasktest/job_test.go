package hftasktest_test

import (
	"net/http"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
)

// TestJobs checks that a long task answers with a job, which is polled and fetched.
func TestJobs(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	s.Lengthen("text-to-video", 3)
	r := send(t, s, "/pipeline/text-to-video", "", m{"inputs": "a red ball"})
	at := r.header.Get("Location")
	if r.status != http.StatusAccepted || !strings.HasPrefix(at, "/jobs/") {
		t.Fatalf("%d %v", r.status, r.header)
	}
	if r := fetch(t, s, http.MethodGet, at+"/result"); r.status != http.StatusConflict {
		t.Errorf("the result before the job is done: %d", r.status)
	}
	for i, want := range []string{`"status":"running","progress":0.33`, `"status":"running","progress":0.66`, `"status":"done","progress":1`} {
		if r := fetch(t, s, http.MethodGet, at); r.status != 200 || !strings.Contains(string(r.body), want) {
			t.Errorf("poll %d: %d %s", i, r.status, r.body)
		}
	}
	if r := fetch(t, s, http.MethodGet, at+"/result"); r.status != 200 || r.kind != "video/x-msvideo" {
		t.Errorf("the result: %d %s", r.status, r.kind)
	}
	if r := fetch(t, s, http.MethodDelete, at); !strings.Contains(string(r.body), `"status":"done"`) {
		t.Errorf("a finished job was cancelled: %s", r.body)
	}
	if r := fetch(t, s, http.MethodGet, "/jobs/99"); r.status != http.StatusNotFound {
		t.Errorf("an unknown job: %d", r.status)
	}
}

// TestSteppedJobs checks that a job waits for the test and can be cancelled.
func TestSteppedJobs(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	s.Lengthen("summarization", -1)
	body := m{"inputs": "It rains."}
	first := send(t, s, "/pipeline/summarization", "", body).header.Get("Location")
	for range 4 {
		if r := fetch(t, s, http.MethodGet, first); !strings.Contains(string(r.body), `"status":"queued"`) {
			t.Fatalf("the job did not wait: %s", r.body)
		}
	}
	job := s.Jobs()[0]
	if job.Polls != 4 {
		t.Errorf("the job is %+v", job)
	}
	s.Step(job.ID, hftasktest.Running, 0.5)
	if r := fetch(t, s, http.MethodGet, first); !strings.Contains(string(r.body), `"status":"running","progress":0.5`) {
		t.Errorf("the job did not advance: %s", r.body)
	}
	second := send(t, s, "/pipeline/summarization", "", body).header.Get("Location")
	fetch(t, s, http.MethodDelete, second)
	cancelled, err := s.AwaitJob(t.Context(), hftasktest.Cancelled)
	if err != nil || "/jobs/"+cancelled.ID != second {
		t.Errorf("cancelled: %+v %v", cancelled, err)
	}
	if r := fetch(t, s, http.MethodGet, second+"/result"); r.status != http.StatusConflict {
		t.Errorf("the result of a cancelled job: %d", r.status)
	}
	if r := send(t, s, "/pipeline/summarization", "", m{"inputs": 7}); r.status != 400 {
		t.Errorf("a bad request became a job: %d", r.status)
	}
}
