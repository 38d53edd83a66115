// Package jobs runs requests durably: each stage of a request is an asynq task, and its result is
// recorded before the next stage is enqueued. So any number of processes can share the work, and
// any of them may crash at any time.
//
//	Handle ─► admit ─► fetch ─► plan ─► act … ─► compose ─► send
//	                             └►write─┘         ▲
//	                            deadline ──────────┘
//
// # The path of a request
//
// [Jobs.Handle] (handle.go) passes a platform's event to the type that handles it. A message
// goes through the stages, each a type with its own file and dependencies:
//
//   - admission (admit.go) records the request, within the quota (limits.go), puts it in its
//     thread's line and starts its deadline.
//   - flow (flow.go) begins it when its turn comes, and after each stage enqueues what has
//     become ready. A few other places enqueue as well: admit.go the first request of a thread,
//     stop.go the answer of a run that was stopped, run_step.go the writing of a program, every
//     run its deadline, and queue/recovery.go and queue/reaper.go what a process left behind.
//   - dispatcher (dispatch.go) passes each task to its stage. A task that fails is retried, or
//     given up with an answer that says why.
//   - fetcher (fetch.go) collects the files and the thread's history (package intake).
//   - transcriber (transcribe.go) turns a voice message into the request.
//   - planner (plan.go) has the agent plan.
//   - actor (act.go) runs one step, through runner (run_step.go), here or in another process. If a
//     step needs a program, a task of the kind write on the queue plan has a language model
//     draft it first, and redraft it when it fails.
//   - composer (compose.go) writes the answer, once.
//   - sender (send.go) posts it (package post) and ends the run; the thread goes on.
//
// A reaction on an answer (react.go) starts a further run (choose.go), stops one (stop.go), or continues from its
// results (rework.go): in a request of its own, or with the person's next message.
// Events about a message that is not recorded yet are held back (early.go).
// A run that exceeds its deadline is closed (deadline.go).
//
// The stages use package agent only through [Agent], which bot/workshop/jobs_agent.go implements.
// Package record stores requests and threads, queue manages the tasks and the processes that share
// them, progress shows the progress of requests, view shows requests to people, retention deletes
// them, and quota limits who may ask for how much.
//
// # Guarantees
//
//   - An event for which Handle returned nil is recorded, and its request is answered once: with
//     a result or an error. A repeated event is the same request.
//   - Requests of one thread begin in the order in which they were handled, each when the one
//     before it has ended. Further runs of a request (an alternative, a repeat) begin at once.
//   - A run ends within its deadline plus the time to send the answer, which waits for a platform
//     that is down. The deadline of the first run counts from its turn in the thread. The
//     deadline's task is never given up, and a patrol finds runs that lost even that.
//   - No task is given up without an answer: while State cannot be written, it is retried with
//     backoff.
//   - Each attempt at a step has its own folder for media. The first attempt to be recorded counts,
//     and the media of others are deleted.
//   - Concurrent runs share the plan and every step they have in common, and a later run reuses
//     finished steps. [Jobs.Again] shares nothing.
//   - A task whose worker died is taken over within half a minute, and a task that keeps
//     killing its workers is abandoned (package queue).
//   - A cancelled run stops on every worker: at once if the hint arrives, and at the next stage
//     if it is lost.
//   - During shutdown, a process takes no more work, lets its tasks run for the grace period,
//     cancels them, and only then returns them to the queue.
//   - No log line, metric or error that asynq stores quotes a request, a file name or any other
//     words of a person.
//
// # What may happen twice
//
//   - A step: if its worker dies before the result is recorded, or is considered dead because its
//     heartbeats fail for some seconds.
//   - An answer: only if a process dies between the post and its record, or is considered dead
//     while it posts, and the platform does not recognize the key of the second post. The adapter
//     documents when it does. The benchmark in jobs/faults counts both.
package jobs
