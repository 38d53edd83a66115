package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/agent/plan"
	"atelier/storage"
)

// Worker is what a process tells of itself. It is kept in State as long as the process
// lives, and is gone a few seconds after that.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host,omitempty"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	// Queues are those that it works on.
	Queues []string `json:"queues,omitempty"`
	// Tools are those that it can run, each with its candidates.
	Tools map[string][]string `json:"tools,omitempty"`
	// Tasks are the ids of those that run.
	Tasks []string `json:"tasks,omitempty"`
}

// beat says again and again that this process lives, what it can do, and what it does.
func (j *Jobs) beat(ctx context.Context) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	me := Worker{ID: j.id, Host: host, Process: os.Getpid(), Since: j.config.Now()}
	for _, p := range j.config.Pools {
		me.Queues = append(me.Queues, slices.Sorted(maps.Keys(j.queuesOf(p)))...)
	}
	for ctx.Err() == nil {
		if err := j.tell(ctx, me); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "this process could not say that it lives", "error", plan.ForOperator(err))
		}
		pause(ctx, j.config.Beat)
	}
}

// tell publishes what this process is and does now.
func (j *Jobs) tell(ctx context.Context, me Worker) error {
	if j.config.Agent != nil && (j.serves(QueueCPU) || j.serves(QueueGPU)) {
		tools, err := j.config.Agent.Capabilities(ctx)
		if err != nil {
			return fmt.Errorf("look at the tools: %w", err)
		}
		me.Tools = tools
	}
	me.Tasks = j.active.ids()
	b, err := json.Marshal(me)
	if err != nil {
		return fmt.Errorf("encode a worker: %w", err)
	}
	return j.config.State.Put(ctx, workerKey(j.id), b, j.expires())
}

// expires is after how long a process that is not heard of is taken for dead.
func (j *Jobs) expires() time.Duration { return j.config.Beat*7/2 + time.Millisecond }

// farewell takes this process from the list.
func (j *Jobs) farewell(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := j.config.State.Delete(ctx, workerKey(j.id)); err != nil {
		return fmt.Errorf("say farewell: %w", err)
	}
	return nil
}

// Workers are the processes that live, by id.
func (j *Jobs) Workers(ctx context.Context) ([]Worker, error) {
	keys, err := j.config.State.Keys(ctx, workersGroup)
	if err != nil {
		return nil, fmt.Errorf("list the workers: %w", err)
	}
	var all []Worker
	for _, key := range keys {
		b, err := j.config.State.Get(ctx, key)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		var w Worker
		if err == nil {
			err = json.Unmarshal(b, &w)
		}
		if err != nil {
			return nil, fmt.Errorf("read a worker: %w", err)
		}
		all = append(all, w)
	}
	return all, nil
}

// known is what the other processes can do, as far as it was looked up lately.
type known struct {
	jobs *Jobs

	mu    sync.Mutex
	at    time.Time
	tools map[string][]string
}

// Elsewhere are the tools that other processes can run now, each with its candidates: the
// planner searches over them too. It is looked up once in a beat.
func (j *Jobs) Elsewhere(ctx context.Context) (map[string][]string, error) {
	k := j.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.at.IsZero() && time.Since(k.at) < j.config.Beat {
		return k.tools, nil
	}
	workers, err := j.Workers(ctx)
	if err != nil {
		return nil, err
	}
	tools := map[string][]string{}
	for _, w := range workers {
		if w.ID == j.id {
			continue
		}
		for tool, candidates := range w.Tools {
			for _, c := range candidates {
				if !slices.Contains(tools[tool], c) {
					tools[tool] = append(tools[tool], c)
				}
			}
		}
	}
	k.at, k.tools = time.Now(), tools
	return tools, nil
}

// others tells whether another process can run the tool. Where that cannot be found out,
// it may be so.
func (k *known) others(ctx context.Context, tool string) bool {
	tools, err := k.jobs.Elsewhere(ctx)
	return err != nil || len(tools[tool]) > 0
}

// reap finds tasks whose worker has died, and gives them to another one. asynq does that
// too, by itself, but only after one or two minutes.
//
// A task is an orphan if asynq holds it for active and no living process says that it runs
// it, for longer than a process takes to say so.
func (j *Jobs) reap(ctx context.Context) {
	orphans := map[string]time.Time{} // since when
	for ctx.Err() == nil {
		if err := j.reapOnce(ctx, orphans); err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "tasks of dead workers could not be looked for", "error", plan.ForOperator(err))
			clear(orphans) // whoever could not say that it lives may live
		}
		pause(ctx, j.config.Beat)
	}
}

func (j *Jobs) reapOnce(ctx context.Context, orphans map[string]time.Time) error {
	queues, err := j.inspector.Queues()
	if err != nil {
		return fmt.Errorf("list the queues: %w", err)
	}
	active := map[string]task{}
	for _, queue := range queues {
		tasks, err := j.activeTasks(queue)
		if err != nil {
			return err
		}
		maps.Copy(active, tasks)
	}
	workers, err := j.Workers(ctx) // after the tasks, so that what ends meanwhile is no orphan
	if err != nil {
		return err
	}
	for _, w := range workers {
		for _, id := range w.Tasks {
			delete(active, id)
		}
	}
	for _, id := range j.active.ids() {
		delete(active, id)
	}
	maps.DeleteFunc(orphans, func(id string, _ time.Time) bool { _, still := active[id]; return !still })
	for id, t := range active {
		since, seen := orphans[id]
		switch {
		case !seen:
			orphans[id] = time.Now()
		case time.Since(since) > j.config.Beat*5/2:
			if err := j.rerun(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxAttempts is how many workers may die over a task: it may be what they die of.
const maxAttempts = 8

// rerun gives a task to another worker, as a further attempt.
func (j *Jobs) rerun(ctx context.Context, t task) error {
	before := t.id()
	if t.Attempt++; t.Attempt > maxAttempts && t.Kind != kindDeadline {
		return j.giveUp(ctx, t, &plan.Fault{Sentence: fmt.Sprintf("It was begun %d times, and each time I broke down over it.", t.Attempt)})
	}
	if _, err := j.inspector.GetTaskInfo(t.queue, t.id()); err == nil {
		return nil // somebody has done it already
	}
	j.log.WarnContext(ctx, "a worker has died: its task runs again", "request", t.Request, "run", t.Run, "stage", string(t.Kind), "task", before)
	return j.enqueue(ctx, t, 0)
}

// superseded tells whether a further attempt of the task was begun, because its worker was
// taken for dead: then that one does it.
func (j *Jobs) superseded(t task) bool {
	t.Attempt++
	_, err := j.inspector.GetTaskInfo(t.queue, t.id())
	return err == nil
}

// taskOf reads what asynq tells of a task.
func taskOf(queue, kindName, id string, payload []byte) (task, bool) {
	var t task
	if err := json.Unmarshal(payload, &t); err != nil || t.Request == "" || !strings.HasPrefix(id, kindName+":") {
		return t, false
	}
	t.Kind, t.queue = kind(kindName), queue
	return t, true
}
