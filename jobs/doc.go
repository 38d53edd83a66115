// Package jobs does requests durably: each stage of one is a task of asynq, and its result is
// recorded before the next stage is enqueued, so that any number of processes share the work
// and any of them may die at any moment.
//
//	Handle ─► admit ─► fetch ─► plan ─► act … ─► compose ─► send
//	                             └►write─┘         ▲
//	                            deadline ──────────┘
//
// # The way of a request
//
// [Jobs.Handle] (handle.go) passes a platform's event to the type that handles it. A message
// goes through the stages, each a type with its own file and dependencies:
//
//   - admission (admit.go) records the request, within the quota (limits.go), puts it in its
//     thread's line and starts its deadline.
//   - flow (flow.go) begins it when its turn comes, and after each stage enqueues what has
//     become ready. Three other places enqueue as well: admit.go the first request of a thread,
//     stop.go the answer of a run that was stopped, and queue/recovery.go, after a restart,
//     whatever has not ended.
//   - dispatcher (dispatch.go) hands each task to its stage, and decides what becomes of one
//     that fails: it is retried, or given up with an answer that says why.
//   - fetcher (fetch.go) collects what it is about: files and the thread's history (package
//     intake).
//   - transcriber (transcribe.go) turns a voice message into the request.
//   - planner (plan.go) has the agent plan.
//   - actor (act.go) does one step, by runner (run_step.go) here or in another process. For a
//     step that needs a program, a task of the kind write on the queue plan has a language model
//     draft it first, and draft it anew when it failed.
//   - composer (compose.go) writes the answer, once.
//   - sender (send.go) posts it (package post) and ends the run; the thread goes on.
//
// A reaction on an answer (react.go) starts a further run (choose.go) or stops one (stop.go), or goes on from its
// results (rework.go): by a request of its own, or with the person's next message.
// What people do with a message before it is recorded waits for that (early.go).
// A run that has not ended in time is closed by its deadline (deadline.go).
//
// [Agent] is all that the stages know of package agent; bot/workshop/jobs_agent.go implements
// it. Package record holds what is known of requests and threads, package queue
// the tasks and the processes that share them, progress shows how far requests have come, view
// shows them to people, retention deletes them, and quota says who may ask for how much.
//
// # Guarantees
//
//   - An event for which Handle returned nil is recorded, and its request is answered once: by
//     a result, or by what went wrong. The same event is one request.
//   - Requests of one thread begin in the order in which they were handled, each when the one
//     before it has ended. Further runs of a request (an alternative, a repeat) begin at once.
//   - A run ends within its deadline, the first one's counted from its turn in the thread, plus
//     the time to send the answer, which waits for a platform that is away. The deadline's task
//     is never given up, and a patrol finds runs that lost even that.
//   - Nothing is given up that could not be answered: while State cannot be written, it is
//     retried with backoff.
//   - Media that a step makes are in a folder of the attempt. Of two attempts the first one that
//     is recorded counts, and the media of the other are deleted.
//   - Runs that work at the same time share the plan and every step they have in common. A later
//     run takes over what was done. [Jobs.Again] shares nothing.
//   - A task whose worker died is done by another one within about 20 seconds, and a task that
//     keeps killing its workers is abandoned (package queue).
//   - A cancelled run stops on every worker: at once if the hint arrives, and at the next stage
//     if it is lost.
//   - A process that shuts down takes no more work, lets its tasks run for the grace period,
//     ends them, and only then hands them back.
//   - No log line, metric or error that asynq stores quotes a request, a file's name or another
//     sentence of a person.
//
// # What may happen twice
//
//   - A step: if its worker died between its end and the record of it, or was taken for dead
//     because State did not hear of it for some seconds.
//   - An answer: only if a process dies between the platform's accepting the post and the record
//     of it, or is taken for dead while it posts, and the platform does not know the key of the
//     second try. The adapter documents how far it does. The benchmark in jobs/faults counts both.
package jobs
