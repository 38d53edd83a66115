package post

import (
	"errors"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/api"
)

// refusals records where Slack has rejected something that a message can do without.
type refusals struct {
	mu       sync.Mutex
	off      bool                 // the workspace does not allow it
	channels map[string]time.Time // where it is not allowed, and until when it is not retried
}

// isRefused reports whether it must not be tried in a channel.
func (r *refusals) isRefused(channel string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.off || time.Now().Before(r.channels[channel])
}

// note reports whether an error of Slack's is a rejection, and records it: for the channel if the error is about
// that, and otherwise for the whole workspace, as long as the process lives.
func (r *refusals) note(channel string, err error) bool {
	told := api.Fault(err)
	switch {
	case api.IsUnknownMethod(err), api.HasCode(err, "missing_scope", "not_allowed_token_type"), isUnknownRefusal(err, told):
		r.refuse("")
	case adapters.Final(told):
		r.refuse(channel)
	default:
		return false
	}
	return true
}

// refuse records that it is not allowed in a channel, or with "" anywhere.
func (r *refusals) refuse(channel string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if channel == "" {
		r.off = true
		return
	}
	if r.channels == nil || len(r.channels) >= maxChannels {
		r.channels = map[string]time.Time{}
	}
	r.channels[channel] = time.Now().Add(silentFor)
}

// isUnknownRefusal reports whether Slack rejected a call with a code that is not about the channel.
func isUnknownRefusal(err, told error) bool {
	return api.IsNotPosted(err) && !adapters.Final(told) && !errors.Is(told, adapters.ErrRateLimited)
}
