package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"atelier/jobs/record"

	"github.com/hibiken/asynq"
)

// kind is what a task is to do; it is the type of the task in asynq.
type kind string

const (
	kindFetch kind = "fetch"
	kindPlan  kind = "plan"
	kindAct   kind = "act"
	// kindWrite has the program written that a step is to run, or mended.
	kindWrite   kind = "write"
	kindCompose kind = "compose"
	kindSend    kind = "send"
	// kindDeadline closes a request that has not ended in time.
	kindDeadline kind = "deadline"
)

// The queues. What needs a platform's connection has one queue for each adapter.
const (
	QueuePlan = "plan"
	QueueCPU  = "cpu"
	QueueGPU  = "gpu"
	// QueueProgram is where the programs run that a model has written.
	QueueProgram = "program"
	// QueueGateway stands for the queues of all adapters of a process.
	QueueGateway = "gateway"
)

func gatewayQueue(adapter string) string { return QueueGateway + ":" + adapter }

// task is one piece of work, as it is passed on.
type task struct {
	Version int    `json:"v"`
	Kind    kind   `json:"-"`
	Request string `json:"request"`
	// Run is the run, or for an action the generation.
	Run  int    `json:"run"`
	Step string `json:"step,omitempty"`
	// Turn counts how often the step was stopped before, since nobody wanted it any more.
	Turn int `json:"turn,omitempty"`
	// Draft is which program of a step is written or run, from 1; 0 where none is written for it.
	Draft int `json:"draft,omitempty"`
	// Attempt counts how often the task was given to another worker because its own had
	// died.
	Attempt int `json:"attempt,omitempty"`

	queue string
}

// id is the same for the same work, so that it is done once: asynq refuses a second task
// of an id as long as it keeps the first (Retention).
func (t task) id() string {
	id := fmt.Sprintf("%s:%s:%d:%s", t.Kind, t.Request, t.Run, t.Step)
	if t.Turn > 0 {
		id += "." + strconv.Itoa(t.Turn)
	}
	if t.Draft > 0 {
		id += "+" + strconv.Itoa(t.Draft)
	}
	if t.Attempt > 0 {
		id += "~" + strconv.Itoa(t.Attempt)
	}
	return id
}

// decodeTask reads the payload of a task. Where that is of another version, which is an
// error, the task holds what its id tells.
func decodeTask(t *asynq.Task, id, queue string) (task, error) {
	var w task
	err := json.Unmarshal(t.Payload(), &w)
	w.Kind, w.queue = kind(t.Type()), queue
	if err == nil && w.Version >= record.OldestVersion && w.Version <= record.Version && w.Request != "" {
		return w, nil
	}
	seen := w.Version
	if parts := strings.SplitN(id, ":", 4); len(parts) == 4 {
		step, attempt, _ := strings.Cut(parts[3], "~")
		step, draft, _ := strings.Cut(step, "+")
		step, turn, _ := strings.Cut(step, ".")
		w = task{
			Kind: w.Kind, Request: parts[1], Run: number(parts[2]), Step: step, Turn: number(turn), Draft: number(draft),
			Attempt: number(attempt), queue: queue,
		}
	}
	switch {
	case err != nil:
		return w, fmt.Errorf("decode the payload of a task: %w", errors.Join(record.ErrVersion, err))
	case seen > record.Version:
		return w, fmt.Errorf("payload of version %d: %w", seen, record.ErrLater)
	}
	return w, fmt.Errorf("payload of version %d: %w", seen, record.ErrVersion)
}

// number is 0 where there is none.
func number(s string) int {
	n, _ := strconv.Atoi(s) //nolint:errcheck // as it says
	return n
}

// allowance is how long a task may take, and after how many retries it is given up.
type allowance struct {
	timeout time.Duration
	retries int
}

// never is more often than anything is tried.
const never = math.MaxInt32

func allowed(k kind) allowance {
	switch k {
	case kindFetch:
		return allowance{10 * time.Minute, 5}
	case kindPlan, kindWrite:
		return allowance{15 * time.Minute, 3}
	case kindAct:
		return allowance{45 * time.Minute, 5}
	case kindCompose:
		return allowance{10 * time.Minute, 4}
	case kindSend: // an answer waits for its platform, unless it is the answer that breaks the program
		return allowance{10 * time.Minute, 20}
	default: // nothing but the deadline sees to a request of which nothing else is left
		return allowance{5 * time.Minute, never}
	}
}

// enqueue hands a task over, unless it was handed over before: then it does nothing.
func (j *Jobs) enqueue(ctx context.Context, t task, after time.Duration) error {
	t.Version = record.Version
	payload, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode a task: %w", err)
	}
	options := []asynq.Option{
		asynq.TaskID(t.id()), asynq.Queue(t.queue), asynq.Retention(j.config.TaskRetention),
		asynq.Timeout(allowed(t.Kind).timeout), asynq.MaxRetry(never), // it is given up by whoever works on it
	}
	if after > 0 {
		options = append(options, asynq.ProcessIn(after))
	}
	_, err = j.client.EnqueueContext(ctx, asynq.NewTask(string(t.Kind), payload), options...)
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		return fmt.Errorf("enqueue %s: %w", t.Kind, err)
	}
	return nil
}

// revive hands over what may have been lost on its way: unless it waits or runs, it is
// begun anew, under a further attempt where asynq still remembers that it was done.
func (j *Jobs) revive(ctx context.Context, t task) error {
	for ; ; t.Attempt++ {
		info, err := j.inspector.GetTaskInfo(t.queue, t.id())
		switch {
		case errors.Is(err, asynq.ErrTaskNotFound), errors.Is(err, asynq.ErrQueueNotFound):
			return j.enqueue(ctx, t, 0)
		case err != nil:
			return fmt.Errorf("look for a task: %w", err)
		case info.State == asynq.TaskStateCompleted:
			continue
		case info.State == asynq.TaskStateArchived:
			if err := j.inspector.RunTask(t.queue, t.id()); err != nil {
				return fmt.Errorf("run a task again: %w", err)
			}
		default: // it waits or runs
		}
		return nil
	}
}
