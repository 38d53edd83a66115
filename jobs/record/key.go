package record

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"

	"atelier/adapters"
)

// Keys of State. Everything of a request is one group, and so is everything of a thread: each
// lies in one slot of a cluster and can be deleted at once.

const (
	// WorkersGroup is the group of the processes that run.
	WorkersGroup = "workers"
	recentKey    = "/line" // behind the group of a day
)

// Hash is a short name for something longer: 16 letters and digits in lower case.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// RequestID is the id of the request that an event starts. It is the same however often
// the event comes.
func RequestID(e adapters.Event) string { return Hash(e.Key()) }

// ThreadID is the id of a thread, by which people name it.
func ThreadID(t adapters.Thread) string { return Hash(t.Key()) }

// RequestGroup is the group of a request.
func RequestGroup(id string) string { return "request-" + id }

// RequestLog is the key of a request's log.
func RequestLog(id string) string { return RequestGroup(id) + "/log" }

// requestTime is the key of a value that exists while a run has time.
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

// ThreadFolder is the folder of Blobs below which all media of a thread lie.
func ThreadFolder(thread string) string { return "threads/" + thread }

// SendKey is the key under which a run's answer is sent.
func SendKey(request string, run int) string {
	key := request + "-" + strconv.Itoa(run)
	if len(key) > adapters.MaxKey {
		key = Hash(key)
	}
	return key
}
