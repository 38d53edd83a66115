// Package jobs does requests durably: each stage of one is a task of asynq, and what came
// of it is written down before the next is handed over, so that any number of processes
// share the work and any of them may die at any moment.
//
//	Handle ─► fetch ─► plan ─► act … ─► compose ─► send
//	                     deadline ────────┘
//
// # What is stored
//
// A request is a log, a list in State that only grows: what was asked, what was given, the
// plan, each step's start and end, the answer, where it was sent. A thread is a log too:
// who joined its line, what each left behind, its open question. All else is folded from
// the two, by every process alike; where two entries say the same, the first one counts.
// That is what makes every stage repeatable: it looks into the log, does what is missing,
// writes it down, and hands over what has become ready.
//
// Texts of more than a few KB are kept in the Blobs and named in the logs, so that an entry
// always fits.
//
// # Promises
//
//   - An event for which Handle returned nil is recorded, and its request is answered once:
//     by what was asked for, or by what went wrong. The same event is one request.
//   - Requests of one thread are begun in the order in which they were handed over, each
//     when the one before it has ended. Further runs of a request (another way, once more)
//     begin at once.
//   - A run ends within its deadline, the first one's counted from its turn in the thread,
//     plus the time to send the answer, which waits for a platform that is away. The task
//     of the deadline is never given up, and a patrol finds what lost even that.
//   - Nothing is given up that could not be answered: as long as State takes nothing, it is
//     tried again, at growing intervals.
//   - What a step made is kept under a folder of the attempt's own. Of two attempts the
//     first one that is written down counts, and the media of the other are deleted.
//   - Runs that are worked on at the same time share the plan and every step they have in
//     common. A later run takes over what was done. Again shares nothing.
//   - A task whose worker died is begun anew by another one within about 20 seconds: each
//     process says every Beat which tasks it runs, and what nobody runs is handed over
//     again, under a further attempt. asynq's own recovery comes after one or two minutes,
//     and finds it done. What every worker dies of is given up.
//   - Who stops a run is obeyed by whoever works on it, at once where the hint is heard,
//     and at the next stage where it is not.
//   - A process that is to end takes no more work, lets its tasks run for the grace period,
//     ends them, and only then hands them back.
//   - No log line, metric or error that asynq keeps holds a wish, a file's name or another
//     sentence of a person's.
//
// # What may happen twice
//
//   - A step: where its worker died after it was done and before that was written down, or
//     was taken for dead because State did not hear of it for some seconds.
//   - An answer: only where a process dies between the platform's taking the post and its
//     record in the log, or is taken for dead while it posts, and the platform does not know
//     the key that the second try has. The adapter's own promise says how far it does. The
//     benchmark in jobs/faults counts both.
//
// # States of a run
//
//	waiting ─► planning ─► running ─► done, asking, failed or cancelled
package jobs
