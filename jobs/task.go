package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hibiken/asynq"
)

// kind is what a task is to do; it is the type of the task in asynq.
type kind string

const (
	kindFetch   kind = "fetch"
	kindPlan    kind = "plan"
	kindAct     kind = "act"
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
	if t.Attempt > 0 {
		id += "~" + strconv.Itoa(t.Attempt)
	}
	return id
}

// decodeTask reads the payload of a task. Where that is of another version, the task holds
// what its id tells.
func decodeTask(t *asynq.Task, id, queue string) (task, error) {
	var w task
	err := json.Unmarshal(t.Payload(), &w)
	w.Kind, w.queue = kind(t.Type()), queue
	if err == nil && w.Version >= oldest && w.Version <= version && w.Request != "" {
		return w, nil
	}
	seen := w.Version
	if parts := strings.SplitN(id, ":", 4); len(parts) == 4 {
		run, _ := strconv.Atoi(parts[2]) //nolint:errcheck // 0 where it is no number
		step, _, _ := strings.Cut(parts[3], "~")
		step, _, _ = strings.Cut(step, ".")
		w = task{Kind: w.Kind, Request: parts[1], Run: run, Step: step, queue: queue}
	}
	switch {
	case err != nil:
		return w, fmt.Errorf("decode the payload of a task: %w", errors.Join(errVersion, err))
	case seen > version:
		return w, fmt.Errorf("payload of version %d: %w", seen, errLater)
	}
	return w, fmt.Errorf("payload of version %d: %w", seen, errVersion)
}

// allowance is how long a task may take and how often it is tried again.
type allowance struct {
	timeout time.Duration
	retries int
}

func allowed(k kind) allowance {
	switch k {
	case kindFetch:
		return allowance{10 * time.Minute, 5}
	case kindPlan:
		return allowance{15 * time.Minute, 3}
	case kindAct:
		return allowance{45 * time.Minute, 5}
	case kindCompose:
		return allowance{10 * time.Minute, 4}
	case kindSend:
		return allowance{10 * time.Minute, 20}
	default:
		return allowance{5 * time.Minute, 100}
	}
}

// enqueue hands a task over, unless it was handed over before: then it does nothing.
func (j *Jobs) enqueue(ctx context.Context, t task, after time.Duration) error {
	t.Version = version
	payload, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode a task: %w", err)
	}
	a := allowed(t.Kind)
	options := []asynq.Option{
		asynq.TaskID(t.id()), asynq.Queue(t.queue), asynq.Retention(j.config.TaskRetention),
		asynq.Timeout(a.timeout), asynq.MaxRetry(a.retries),
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
