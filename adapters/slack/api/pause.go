package api

import (
	"sync/atomic"
	"time"
)

// PausedFor is how long something that Slack has refused is not tried again: the workspace may allow it later, or the
// refusal was a passing fault.
const PausedFor = time.Hour

// Pause is a refusal of Slack's, for a while. Its zero value has not begun.
type Pause struct{ until atomic.Int64 }

// Begin begins the pause, or extends it.
func (p *Pause) Begin() { p.until.Store(time.Now().Add(PausedFor).UnixNano()) }

// Lasts reports whether it has begun and is not over.
func (p *Pause) Lasts() bool { return time.Now().UnixNano() < p.until.Load() }
