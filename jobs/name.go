package jobs

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"

	"atelier/adapters"
)

// Keys of State. All of a request is one group, and so is all of a thread, so that each
// lies in one slot of a cluster and can be deleted at once.

const (
	workersGroup = "workers"
	recentKey    = "/line" // behind the group of a day
)

// hash is a short name for something longer: 16 letters and digits in lower case.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// RequestID is the id of the request that an event starts. It is the same however often
// the event comes.
func RequestID(e adapters.Event) string { return hash(e.Key()) }

// ThreadID is the id of a thread, by which people name it to [Jobs.Forget].
func ThreadID(t adapters.Thread) string { return hash(t.Key()) }

func requestGroup(id string) string { return "request-" + id }
func requestLog(id string) string   { return requestGroup(id) + "/log" }

// requestTime is the key of a value that is there as long as a run has time.
func requestTime(id string, run int) string {
	return requestGroup(id) + "/time-" + strconv.Itoa(run)
}

// requestTurn is the key of a value that is there once the request's turn has come.
func requestTurn(id string) string { return requestGroup(id) + "/turn" }

func threadGroup(id string) string { return "thread-" + id }
func threadLog(id string) string   { return threadGroup(id) + "/log" }
func messageGroup(k string) string { return "message-" + hash(k) }
func messageKey(k string) string   { return messageGroup(k) + "/of" }
func workerKey(id string) string   { return workersGroup + "/" + id }

// ThreadFolder is the folder of Blobs below which all media of a thread lie.
func ThreadFolder(thread string) string { return "threads/" + thread }

// sendKey is the key under which a run's answer is sent.
func sendKey(request string, run int) string {
	key := request + "-" + strconv.Itoa(run)
	if len(key) > adapters.MaxKey {
		key = hash(key)
	}
	return key
}
