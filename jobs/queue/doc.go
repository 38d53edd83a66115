// Package queue runs tasks durably over asynq: each stage of a request is a task, and any
// number of processes share them, any of which may die at any moment.
//
//   - [Tasks] enqueues a task once, whoever enqueues it: its id is the same for the same work.
//   - [Servers] hand tasks to a handler, and try them again as its error says ([Wait],
//     [GiveUp]). Nothing that asynq stores of an error quotes a person.
//   - [Heartbeat] publishes every beat which tasks a process runs, [Workers] lists the living
//     processes, and [Others] says what they can run.
//   - [Reaper] gives a task whose worker died to another one within about 20 seconds, as a
//     further attempt. asynq's own recovery comes after one or two minutes, and finds it done.
//     A task that keeps killing its workers is abandoned.
//   - [Recovery] takes up requests that were recorded by half, or whose tasks were lost.
//
// What a task does is up to the handler.
package queue
