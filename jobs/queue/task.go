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

// Kind is the stage that a task runs. It is the task's type in asynq.
type Kind string

// Kinds, in the order of a request's stages.
const (
	KindFetch Kind = "fetch"
	KindPlan  Kind = "plan"
	KindAct   Kind = "act"
	// KindWrite writes or repairs the program of a step.
	KindWrite   Kind = "write"
	KindCompose Kind = "compose"
	KindSend    Kind = "send"
	// KindDeadline closes a run that exceeds its deadline.
	KindDeadline Kind = "deadline"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{KindFetch, KindPlan, KindAct, KindWrite, KindCompose, KindSend, KindDeadline}
}

// Queues. Tasks that need a platform's connection have a queue per adapter.
const (
	Plan = "plan"
	CPU  = "cpu"
	GPU  = "gpu"
	// Program runs programs written by a model.
	Program = "program"
	// Gateway stands for the queues of all adapters of a process.
	Gateway = "gateway"
)

// OfAdapter returns the queue of an adapter.
func OfAdapter(adapter string) string { return Gateway + ":" + adapter }

// OfDevice returns the queue of steps that run on a device.
func OfDevice(device string) string {
	if device == GPU || device == Program {
		return device
	}
	return CPU
}

// Task is a unit of work. Its payload is everything but the kind and queue.
type Task struct {
	Version int    `json:"v"`
	Kind    Kind   `json:"-"`
	Queue   string `json:"-"`
	Request string `json:"request"`
	// Run is the number of the run; 0 for a step, which the runs of its generation share. In the payload of a
	// step, "run" is the generation.
	Run        int    `json:"run"`
	Generation int    `json:"-"`
	Step       string `json:"step,omitempty"`
	// Turn is how many times the step was stopped before because no run needed it.
	Turn int `json:"turn,omitempty"`
	// Draft is the number of the step's program, from 1; 0 if it needs none.
	Draft int `json:"draft,omitempty"`
	// Attempt is how many times the task was passed on because its worker died.
	Attempt int `json:"attempt,omitempty"`
}

// FetchOf returns the task that fetches the files of a run, in the process connected to the adapter.
func FetchOf(request string, run int, adapter string) Task {
	return Task{Kind: KindFetch, Request: request, Run: run, Queue: OfAdapter(adapter)}
}

// SendOf returns the task that posts the answer to a run, in the process connected to the adapter.
func SendOf(request string, run int, adapter string) Task {
	return Task{Kind: KindSend, Request: request, Run: run, Queue: OfAdapter(adapter)}
}

// DeadlineOf returns the task that closes a run at its deadline.
func DeadlineOf(request string, run int) Task {
	return Task{Kind: KindDeadline, Request: request, Run: run, Queue: Plan}
}

// ID is the same for the same work, so that it is done once: asynq rejects a second task with the same id
// while it retains the first.
func (t Task) ID() string {
	id := fmt.Sprintf("%s:%s:%d:%s", t.Kind, t.Request, t.stored().Run, t.Step)
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

// stored returns the task as in its payload and id, which have the generation of a step in place of the run.
func (t Task) stored() Task {
	if t.Step != "" {
		t.Run = t.Generation
	}
	return t
}

// loaded undoes stored.
func (t Task) loaded() Task {
	if t.Step != "" {
		t.Run, t.Generation = 0, t.Run
	}
	return t
}

// decodeTask decodes the payload of a task. For a payload of another version it returns an error, and a
// task with only what the id contains.
func decodeTask(t *asynq.Task, id, queue string) (Task, error) {
	var w Task
	err := json.Unmarshal(t.Payload(), &w)
	w.Kind, w.Queue = Kind(t.Type()), queue
	if err == nil && w.Version >= record.OldestVersion && w.Version <= record.Version && w.Request != "" {
		return w.loaded(), nil
	}
	seen := w.Version
	if parts := strings.SplitN(id, ":", 4); len(parts) == 4 {
		step, attempt, _ := strings.Cut(parts[3], "~")
		step, draft, _ := strings.Cut(step, "+")
		step, turn, _ := strings.Cut(step, ".")
		w = Task{
			Kind: w.Kind, Request: parts[1], Run: number(parts[2]), Step: step, Turn: number(turn), Draft: number(draft),
			Attempt: number(attempt), Queue: queue,
		}.loaded()
	}
	switch {
	case err != nil:
		return w, fmt.Errorf("decode a task payload: %w", errors.Join(record.ErrVersion, err))
	case seen > record.Version:
		return w, fmt.Errorf("payload version %d: %w", seen, record.ErrLater)
	}
	return w, fmt.Errorf("payload version %d: %w", seen, record.ErrVersion)
}

// number parses a number; 0 if s is none.
func number(s string) int {
	n, _ := strconv.Atoi(s) //nolint:errcheck // 0 if s is no number
	return n
}

// Allowance is the timeout of a task, and the number of retries before it is given up.
type Allowance struct {
	Timeout time.Duration
	Retries int
}

// never is a limit on retries that is never reached.
const never = math.MaxInt32

// Allowed returns the allowance of a kind.
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
	case KindSend: // an answer waits for its platform, unless it crashes the program
		return Allowance{10 * time.Minute, 20}
	default: // KindDeadline, the last resort
		return Allowance{5 * time.Minute, never}
	}
}
