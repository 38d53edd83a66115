package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hibiken/asynq"

	"atelier/jobs/record"
)

// Kind is what a task does. It is the task's type in asynq.
type Kind string

// The kinds, in the order of a request's stages.
const (
	KindFetch Kind = "fetch"
	KindPlan  Kind = "plan"
	KindAct   Kind = "act"
	// KindWrite has the program of a step written or repaired.
	KindWrite   Kind = "write"
	KindCompose Kind = "compose"
	KindSend    Kind = "send"
	// KindDeadline closes a run that has not ended in time.
	KindDeadline Kind = "deadline"
)

// The queues. Tasks that need a platform's connection have a queue for each adapter.
const (
	Plan = "plan"
	CPU  = "cpu"
	GPU  = "gpu"
	// Program runs programs that a model has written.
	Program = "program"
	// Gateway stands for the queues of all adapters of a process.
	Gateway = "gateway"
)

// OfAdapter is the queue of an adapter.
func OfAdapter(adapter string) string { return Gateway + ":" + adapter }

// OfDevice is the queue of steps that run on a device.
func OfDevice(device string) string {
	if device == GPU || device == Program {
		return device
	}
	return CPU
}

// Task is one piece of work. All but its kind and queue is its payload.
type Task struct {
	Version int    `json:"v"`
	Kind    Kind   `json:"-"`
	Queue   string `json:"-"`
	Request string `json:"request"`
	// Run is the run, or of a step the generation.
	Run  int    `json:"run"`
	Step string `json:"step,omitempty"`
	// Turn counts how often the step was stopped before, since no run needed it.
	Turn int `json:"turn,omitempty"`
	// Draft is which program of a step is written or run, from 1; 0 if it needs none.
	Draft int `json:"draft,omitempty"`
	// Attempt counts how often the task was given to another worker because its own had died.
	Attempt int `json:"attempt,omitempty"`
}

// DeadlineOf is the task that closes a run.
func DeadlineOf(request string, run int) Task {
	return Task{Kind: KindDeadline, Request: request, Run: run, Queue: Plan}
}

// ID is the same for the same work, so that it is done once: asynq rejects a second task with
// an id as long as it retains the first.
func (t Task) ID() string {
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

// decodeTask reads the payload of a task. If that is of another version, which is an error,
// the task has what its id tells.
func decodeTask(t *asynq.Task, id, queue string) (Task, error) {
	var w Task
	err := json.Unmarshal(t.Payload(), &w)
	w.Kind, w.Queue = Kind(t.Type()), queue
	if err == nil && w.Version >= record.OldestVersion && w.Version <= record.Version && w.Request != "" {
		return w, nil
	}
	seen := w.Version
	if parts := strings.SplitN(id, ":", 4); len(parts) == 4 {
		step, attempt, _ := strings.Cut(parts[3], "~")
		step, draft, _ := strings.Cut(step, "+")
		step, turn, _ := strings.Cut(step, ".")
		w = Task{
			Kind: w.Kind, Request: parts[1], Run: number(parts[2]), Step: step, Turn: number(turn), Draft: number(draft),
			Attempt: number(attempt), Queue: queue,
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

// number reads a number, 0 if there is none.
func number(s string) int {
	n, _ := strconv.Atoi(s) //nolint:errcheck // as it says
	return n
}

// Allowance is how long a task may take, and after how many retries it is given up.
type Allowance struct {
	Timeout time.Duration
	Retries int
}

// never is more often than anything is tried.
const never = math.MaxInt32

// Allowed is the allowance of a kind.
func Allowed(k Kind) Allowance {
	switch k {
	case KindFetch:
		return Allowance{10 * time.Minute, 5}
	case KindPlan, KindWrite:
		return Allowance{15 * time.Minute, 3}
	case KindAct:
		return Allowance{45 * time.Minute, 5}
	case KindCompose:
		return Allowance{10 * time.Minute, 4}
	case KindSend: // an answer waits for its platform, unless it is the answer that breaks the program
		return Allowance{10 * time.Minute, 20}
	default: // only the deadline still closes a request that lost everything else
		return Allowance{5 * time.Minute, never}
	}
}
