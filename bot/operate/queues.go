package operate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/output"
	"atelier/jobs"
)

// QueuesCommand is bot queues.
type QueuesCommand struct {
	Retry string `help:"Retry the failed tasks of this queue." placeholder:"QUEUE" xor:"act"`
	Drop  string `help:"Discard the failed tasks of this queue." placeholder:"QUEUE" xor:"act"`
	JSON  bool   `help:"Print JSON: {queues: [{name, …}], workers: [{id, …}]}, or {queue, retried}, or {queue, dropped}."`
}

type (
	// QueueLine is a queue in the list.
	QueueLine struct {
		Name     string `json:"name"`
		Waiting  int    `json:"waiting"`
		Active   int    `json:"active"`
		Later    int    `json:"later"`
		Failed   int    `json:"failed"`
		OldestMS int64  `json:"oldest_ms"`
		Workers  int    `json:"workers"`
	}
	// WorkerLine is a process in the list.
	WorkerLine struct {
		ID      string    `json:"id"`
		Host    string    `json:"host"`
		Process int       `json:"process"`
		Since   time.Time `json:"since"`
		Queues  []string  `json:"queues"`
		// Tasks are the ids of the running tasks, each kind:request:run:step.
		Tasks []string `json:"tasks"`
		// Tools is the number of tools that it can run.
		Tools int `json:"tools"`
	}
)

// Run lists the queues and their workers, or handles failed tasks.
func (q *QueuesCommand) Run(ctx context.Context, c *command.Call) error {
	return With(ctx, c, func(o control.Jobs) error {
		switch {
		case q.Retry != "":
			n, err := o.RetryFailed(ctx, q.Retry)
			return q.acted(ctx, c, o, q.Retry, "retried", n, err)
		case q.Drop != "":
			n, err := o.DropFailed(ctx, q.Drop)
			return q.acted(ctx, c, o, q.Drop, "dropped", n, err)
		}
		return q.list(ctx, c, o)
	})
}

// acted says how many failed tasks of a queue were handled.
func (q *QueuesCommand) acted(ctx context.Context, c *command.Call, o control.Jobs, queue, done string, n int, err error) error {
	if errors.Is(err, jobs.ErrUnknown) {
		sentence := "There is no queue " + output.Plain(queue) + "."
		if all, listed := o.Queues(ctx); listed == nil && len(all) > 0 {
			names := make([]string, len(all))
			for i, one := range all {
				names[i] = one.Name
			}
			sentence = fmt.Sprintf("There is no queue %s: there are %s.", output.Plain(queue), strings.Join(names, ", "))
		}
		return &plan.Fault{Sentence: plan.Quote(sentence), Err: err}
	}
	if err != nil {
		return err
	}
	if q.JSON {
		return output.JSON(c.Stdout, map[string]any{"queue": queue, done: n})
	}
	return output.Say(c.Stdout, "Queue %s: %s %s.\n", queue, output.Counted(n, "failed task"), done)
}

func (q *QueuesCommand) list(ctx context.Context, c *command.Call, o control.Jobs) error {
	queues, err := o.Queues(ctx)
	if err != nil {
		return err
	}
	workers, err := o.Workers(ctx)
	if err != nil {
		return err
	}
	var listed struct {
		Queues  []QueueLine  `json:"queues"`
		Workers []WorkerLine `json:"workers"`
	}
	listed.Queues, listed.Workers = []QueueLine{}, []WorkerLine{}
	for _, one := range queues {
		listed.Queues = append(listed.Queues, QueueLine{
			one.Name, one.Waiting, one.Active, one.Later, one.Failed, one.Oldest.Milliseconds(), one.Workers,
		})
	}
	for _, w := range workers {
		listed.Workers = append(listed.Workers, WorkerLine{
			w.ID, w.Host, w.Process, w.Since, append([]string{}, w.Queues...), append([]string{}, w.Tasks...), len(w.Tools),
		})
	}
	if q.JSON {
		return output.JSON(c.Stdout, listed)
	}
	text := queueTable(listed.Queues)
	text = append(append(text, ""), workerTable(listed.Workers, time.Local)...) //nolint:gosmopolitan // for people at this machine
	return output.Print(c.Stdout, text)
}

func queueTable(queues []QueueLine) []string {
	rows := [][]string{{"QUEUE", "WAITING", "ACTIVE", "LATER", "FAILED", "OLDEST", "WORKERS"}}
	for _, q := range queues {
		oldest := "-"
		if q.OldestMS > 0 {
			oldest = output.Brief(time.Duration(q.OldestMS) * time.Millisecond)
		}
		rows = append(rows, []string{
			q.Name, strconv.Itoa(q.Waiting), strconv.Itoa(q.Active), strconv.Itoa(q.Later), strconv.Itoa(q.Failed), oldest, strconv.Itoa(q.Workers),
		})
	}
	return output.Align(rows)
}

func workerTable(workers []WorkerLine, zone *time.Location) []string {
	if len(workers) == 0 {
		return []string{"No worker is alive. Start one: bot serve"}
	}
	rows := [][]string{{"WORKER", "HOST", "PROCESS", "SINCE", "TOOLS", "QUEUES", "RUNNING"}}
	for _, w := range workers {
		running := "-"
		if len(w.Tasks) > 0 {
			running = strings.Join(w.Tasks, " ")
		}
		rows = append(rows, []string{
			w.ID, output.Plain(w.Host), strconv.Itoa(w.Process), moment(w.Since, zone), strconv.Itoa(w.Tools), strings.Join(w.Queues, " "), running,
		})
	}
	return output.Align(rows)
}
