// Package queue runs tasks durably on asynq: each stage of a request is a task. Any number of processes
// share the tasks, and any of them may crash at any time.
//
//   - [Tasks] enqueues each task once across all processes: its id is the same for the same work.
//   - [Servers] passes tasks to a handler, and retries them depending on its error ([Wait],
//     [GiveUp]). The errors that asynq stores never quote people.
//   - [Heartbeat] publishes every beat which tasks a process runs, [Workers] lists the living
//     processes, and [Others] their tools.
//   - [Reaper] passes a task whose worker died to another one within half a minute, as a further
//     attempt, before asynq's own recovery, which takes one or two minutes. A task that keeps
//     killing its workers is abandoned.
//   - [Recovery] resumes requests that were only half recorded, or whose tasks were lost.
//
// The handler decides what a task does.
package queue
