package hftasktest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"atelier/agent/await"
)

// Status is the status of a job.
type Status string

// The statuses of a job.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Done      Status = "done"
	Cancelled Status = "cancelled"
)

// ended reports whether the status is final.
func (s Status) ended() bool { return s == Done || s == Cancelled }

// Job is a long job.
type Job struct {
	ID       string
	Status   Status
	Progress float64 // 0 to 1
	Preview  []byte  // shows the unfinished result
	Polls    int     // how often its status was requested
}

// jobs are the long jobs.
type jobs struct {
	changes await.Changes

	mu   sync.Mutex
	all  []*job
	long map[string]int // polls by task
}

type job struct {
	Job
	needs int // polls until it is done; negative waits for Step
	out   made
}

// jobState is the answer about a job.
type jobState struct {
	ID            string  `json:"id"`
	Status        Status  `json:"status"`
	Progress      float64 `json:"progress"`
	Preview       []byte  `json:"preview,omitempty"`
	EstimatedTime float64 `json:"estimated_time,omitempty"`
}

// Lengthen turns future requests for a task into jobs, which are done after the given number of polls. With
// a negative number they wait for [Server.Step].
func (js *jobs) Lengthen(task string, polls int) {
	js.change(func() { js.long[task] = polls })
}

// Jobs returns all jobs in the order of their creation.
func (js *jobs) Jobs() []Job {
	js.mu.Lock()
	defer js.mu.Unlock()
	var all []Job
	for _, j := range js.all {
		all = append(all, j.Job)
	}
	return all
}

// AwaitJob waits until a job has the status, and returns the first one.
func (js *jobs) AwaitJob(ctx context.Context, status Status) (Job, error) {
	var found Job
	err := js.changes.Until(ctx, func() bool {
		js.mu.Lock()
		defer js.mu.Unlock()
		i := slices.IndexFunc(js.all, func(j *job) bool { return j.Status == status })
		if i >= 0 {
			found = js.all[i].Job
		}
		return i >= 0
	})
	return found, err
}

// Step sets the status of a job that has not ended.
func (js *jobs) Step(id string, status Status, progress float64) {
	j := js.job(id)
	js.change(func() {
		if !j.Status.ended() {
			j.Status, j.Progress = status, progress
		}
	})
}

// Show sets the preview of a job.
func (js *jobs) Show(id string, preview []byte) {
	j := js.job(id)
	js.change(func() { j.Preview = preview })
}

// change runs do under the lock, and notifies waiters.
func (js *jobs) change(do func()) {
	js.mu.Lock()
	defer js.mu.Unlock()
	do()
	js.changes.Notify()
}

// job returns the job with the ID, nil if there is none.
func (js *jobs) job(id string) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	i := slices.IndexFunc(js.all, func(j *job) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return js.all[i]
}

// enqueue turns an answer into a job if the task was lengthened.
func (js *jobs) enqueue(q *request, m made) (id string, ok bool) {
	js.change(func() {
		var polls int
		if polls, ok = js.long[q.task]; !ok {
			return
		}
		id = strconv.Itoa(len(js.all) + 1)
		js.all = append(js.all, &job{Job: Job{ID: id, Status: Queued}, needs: polls, out: m})
	})
	return id, ok
}

// found passes the job of a request on.
func (js *jobs) found(serve func(http.ResponseWriter, *job)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		j := js.job(r.PathValue("id"))
		if j == nil {
			refusal{http.StatusNotFound, "there is no such job"}.write(w)
			return
		}
		serve(w, j)
	}
}

func (js *jobs) serveJob(w http.ResponseWriter, j *job) {
	var state jobState
	js.change(func() {
		j.Polls++
		if !j.Status.ended() && j.needs >= 0 {
			j.Status, j.Progress = Running, float64(j.Polls)/float64(max(j.needs, 1))
			if j.Polls >= j.needs {
				j.Status, j.Progress = Done, 1
			}
		}
		state = jobState{ID: j.ID, Status: j.Status, Progress: j.Progress}
		if !j.Status.ended() {
			state.EstimatedTime, state.Preview = 0.01, j.Preview
		}
	})
	writeJSON(w, http.StatusOK, state)
}

func (js *jobs) serveResult(w http.ResponseWriter, j *job) {
	js.mu.Lock()
	status, out := j.Status, j.out
	js.mu.Unlock()
	if status != Done {
		refusal{http.StatusConflict, fmt.Sprintf("the job is not done: %s", status)}.write(w)
		return
	}
	out.write(w)
}

func (js *jobs) serveCancel(w http.ResponseWriter, j *job) {
	var state jobState
	js.change(func() {
		if !j.Status.ended() {
			j.Status = Cancelled
		}
		state = jobState{ID: j.ID, Status: j.Status, Progress: j.Progress}
	})
	writeJSON(w, http.StatusOK, state)
}

// Call is a recorded request to a model.
type Call struct {
	// Path is the path of the request.
	Path string
	// Model and Task are the requested ones; Task is "" for an unknown model.
	Model, Task string
	// Text is the text or question in the inputs, if there is one.
	Text string
	// Kinds are the types of the files by JSON member ("inputs", "image", "mask_image" …), such as
	// "image/png 640x480" or "audio/wav".
	Kinds map[string]string
	// Parameters are the request's parameters without files.
	Parameters map[string]any
	// Raw says that the body was the bare file.
	Raw bool
	// Header holds the request's headers.
	Header http.Header
	// Refused is the reason for an error answer, "" if there was none.
	Refused string
}

// calls records the requests to models.
type calls struct {
	mu  sync.Mutex
	all []Call
}

// Calls returns all requests to models in order, also those that were refused.
func (cs *calls) Calls() []Call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.Clone(cs.all)
}

// Asked returns the successful requests of a task.
func (cs *calls) Asked(task string) []Call {
	return slices.DeleteFunc(cs.Calls(), func(c Call) bool { return c.Task != task || c.Refused != "" })
}

// arrive records a call and returns its index.
func (cs *calls) arrive(r *http.Request, c Call) int {
	c.Path, c.Header = r.URL.Path, r.Header.Clone()
	c.Header.Del("Authorization")
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all = append(cs.all, c)
	return len(cs.all) - 1
}

// note records why a call was refused.
func (cs *calls) note(call int, why string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all[call].Refused = why
}

// refuse records a call as refused, and sends the error.
func (cs *calls) refuse(w http.ResponseWriter, call int, err error) {
	cs.note(call, err.Error())
	var r refusal
	if !errors.As(err, &r) {
		r = refusal{http.StatusInternalServerError, err.Error()}
	}
	r.write(w)
}
