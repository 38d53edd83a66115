// Package progress shows the progress of requests in their threads. It follows hints about new
// entries and reads the rest from the records. One of the processes connected to a platform
// claims a run's progress message and edits it until the answer is posted; then the message
// stays as it is.
package progress
