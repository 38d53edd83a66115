package hftasktest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// Status is how far a job is.
type Status string

// What a job can be.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Done      Status = "done"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// ended tells whether nothing more will come of it.
func (s Status) ended() bool { return s == Done || s == Failed || s == Cancelled }

// Job is a call that takes long.
type Job struct {
	ID, Model, Task string
	Status          Status
	Progress        float64 // 0 to 1
	Polls           int     // how often was asked how far it is
}

type job struct {
	Job
	needs int // polls until it is done; less than 0 waits for the test
	out   made
}

// jobState is a job as it is told of.
type jobState struct {
	ID            string  `json:"id"`
	Status        Status  `json:"status"`
	Progress      float64 `json:"progress"`
	EstimatedTime float64 `json:"estimated_time,omitempty"`
	Error         string  `json:"error,omitempty"`
}

// Lengthen turns what a task is asked from now on into jobs, which are done when somebody
// has asked that often how far they are. With less than 0 they wait for [Server.Step].
func (s *Server) Lengthen(task string, polls int) {
	s.change(func() { s.long[task] = polls })
}

// Jobs are all there were, in the order of their coming.
func (s *Server) Jobs() []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Job
	for _, j := range s.jobs {
		all = append(all, j.Job)
	}
	return all
}

// AwaitJob waits until a job has that status, and returns the first one.
func (s *Server) AwaitJob(ctx context.Context, status Status) (Job, error) {
	var found Job
	err := s.until(ctx, func() bool {
		i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.Status == status })
		if i >= 0 {
			found = s.jobs[i].Job
		}
		return i >= 0
	})
	return found, err
}

// Step brings a job on. One that has ended stays as it is.
func (s *Server) Step(id string, status Status, progress float64) {
	s.tb.Helper()
	j := s.job(id)
	if j == nil {
		s.tb.Errorf("hftasktest: there is no job %s", id)
		return
	}
	s.change(func() {
		if !j.Status.ended() {
			j.Status, j.Progress = status, progress
		}
	})
}

// job is the one of that id, nil if there is none.
func (s *Server) job(id string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return s.jobs[i]
}

// enqueue turns an answer into a job if its task takes long.
func (s *Server) enqueue(q *request, m made) (id string, ok bool) {
	s.change(func() {
		var polls int
		if polls, ok = s.long[q.task]; !ok {
			return
		}
		id = strconv.Itoa(len(s.jobs) + 1)
		s.jobs = append(s.jobs, &job{Job: Job{ID: id, Model: q.call.Model, Task: q.task, Status: Queued}, needs: polls, out: m})
	})
	return id, ok
}

func (s *Server) serveJob(w http.ResponseWriter, r *http.Request) {
	j := s.job(r.PathValue("id"))
	if j == nil {
		refusal{http.StatusNotFound, "there is no such job"}.write(w)
		return
	}
	var state jobState
	s.change(func() {
		j.Polls++
		if !j.Status.ended() && j.needs >= 0 {
			j.Status, j.Progress = Running, float64(j.Polls)/float64(max(j.needs, 1))
			if j.Polls >= j.needs {
				j.Status, j.Progress = Done, 1
			}
		}
		state = jobState{ID: j.ID, Status: j.Status, Progress: j.Progress}
		if !j.Status.ended() {
			state.EstimatedTime = 0.01
		}
		if j.Status == Failed {
			state.Error = "the job failed"
		}
	})
	writeJSON(w, http.StatusOK, state)
}

func (s *Server) serveResult(w http.ResponseWriter, r *http.Request) {
	j := s.job(r.PathValue("id"))
	if j == nil {
		refusal{http.StatusNotFound, "there is no such job"}.write(w)
		return
	}
	s.mu.Lock()
	status, out := j.Status, j.out
	s.mu.Unlock()
	if status != Done {
		refusal{http.StatusConflict, fmt.Sprintf("the job is not done: %s", status)}.write(w)
		return
	}
	out.write(w)
}

func (s *Server) serveCancel(w http.ResponseWriter, r *http.Request) {
	j := s.job(r.PathValue("id"))
	if j == nil {
		refusal{http.StatusNotFound, "there is no such job"}.write(w)
		return
	}
	var state jobState
	s.change(func() {
		if !j.Status.ended() {
			j.Status = Cancelled
		}
		state = jobState{ID: j.ID, Status: j.Status, Progress: j.Progress}
	})
	writeJSON(w, http.StatusOK, state)
}
