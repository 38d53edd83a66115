package record

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"

	"atelier/adapters"
)

// Keys of State. Each request and each thread is a group, which lies in one slot of a cluster and can be
// deleted at once.

const (
	// WorkersGroup is the group of the live processes.
	WorkersGroup = "workers"
	recentKey    = "/line" // suffix after the group of a day
)

// Hash returns a short hash of s: 16 lowercase letters and digits.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// RequestID is the id of the request that an event starts. A repeated event has the same id.
func RequestID(e adapters.Event) string { return Hash(e.Key()) }

// ThreadID is the id of a thread, as people see it.
func ThreadID(t adapters.Thread) string { return Hash(t.Key()) }

// RequestGroup returns the group, a key prefix in State, of a request.
func RequestGroup(id string) string { return "request-" + id }

// RequestLog is the key of a request's log.
func RequestLog(id string) string { return RequestGroup(id) + "/log" }

// progressKey is the key of the progress of a step.
func progressKey(id string, generation int, step string) string {
	return fmt.Sprintf("%s/step-%d-%s", RequestGroup(id), generation, Hash(step))
}

// requestTime is the key of a value that expires at a run's deadline.
func requestTime(id string, run int) string {
	return RequestGroup(id) + "/time-" + strconv.Itoa(run)
}

// requestTurn is the key of a value that exists once the request's turn has come.
func requestTurn(id string) string { return RequestGroup(id) + "/turn" }

// ThreadGroup is the group of a thread.
func ThreadGroup(id string) string { return "thread-" + id }

// ThreadLog is the key of a thread's log.
func ThreadLog(id string) string { return ThreadGroup(id) + "/log" }

// MessageGroup is the group of a message of a platform, by its key there.
func MessageGroup(key string) string { return "message-" + Hash(key) }

func messageKey(key string) string { return MessageGroup(key) + "/of" }

// WorkerKey is the key of a process.
func WorkerKey(id string) string { return WorkersGroup + "/" + id }

// ThreadFolder is the folder in Blobs that holds all media of a thread.
func ThreadFolder(thread string) string { return "threads/" + thread }

// SendKey is the key under which a run's answer is sent.
func SendKey(request string, run int) string {
	key := request + "-" + strconv.Itoa(run)
	if len(key) > adapters.MaxKey {
		key = Hash(key)
	}
	return key
}
