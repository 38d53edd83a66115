// Package jobs does requests durably: each stage of one is a task of asynq, and what came
// of it is written down before the next is handed over, so that any number of processes
// share the work and any of them may die at any moment.
//
//	Handle ─► fetch ─► plan ─► act … ─► compose ─► send
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
// # Promises
//
//   - An event for which Handle returned nil is recorded, and its request is answered once:
//     by what was asked for, or by what went wrong. The same event is one request.
//   - Requests of one thread are begun in the order in which they were handed over, each
//     when the one before it has ended. Further runs of a request (another way, once more)
//     begin at once.
//   - A request ends within its deadline, counted from its turn in the thread, plus the
//     time to send the answer; where the platform is away, the answer waits for it.
//   - What a step made is kept under a folder of the attempt's own. Of two attempts the
//     first one that is written down counts, and the media of the other are deleted.
//   - Runs that are worked on at the same time share the plan and every step they have in
//     common. A later run takes over what was done. Again shares nothing.
//   - A task whose worker died is begun anew by another one within about 20 seconds: each
//     process says every Beat which tasks it runs, and what nobody runs is handed over
//     again, under a further attempt. asynq's own recovery comes after one or two minutes,
//     and finds it done.
//   - Who stops a run is obeyed by whoever works on it, at once where the hint is heard,
//     and at the next stage where it is not.
//
// # What may happen twice
//
//   - A step: where its worker died after it was done and before that was written down, or
//     was taken for dead because State did not hear of it.
//   - An answer: only where the process dies between the platform's taking the post and its
//     record in the log, and the platform does not know the key that the second try has.
//     The adapter's own promise says how far it does.
//
// # States of a run
//
//	waiting ─► planning ─► running ─► done, asking, failed or cancelled
package jobs
