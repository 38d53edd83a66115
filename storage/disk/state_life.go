package disk

import "time"

// life is until when something is kept, in Unix milliseconds; zero is for ever.
type life struct {
	wall int64 // by the clock: what the log tells the next process
	own  int64 // by this process's time, which goes on as it did where the clock is set anew
}

// steady is a time that begins with what a clock says, and then goes on by the time that
// passes: by the clock's monotonic reading, if it has one.
func steady(clock func() time.Time) func() time.Time {
	began := clock()
	return func() time.Time { return began.Add(clock().Sub(began)) }
}

// until is how long something is kept that is written now. The lock is held.
func (d *durable) until(expiry time.Duration) life {
	return life{wall: after(d.wall(), expiry), own: after(d.now(), expiry)}
}

// milliseconds is a time rounded up.
func milliseconds(t time.Time) int64 {
	return t.Add(time.Millisecond - 1).UnixMilli()
}

// after is the end of an expiry that begins now; both are rounded up, so that it is never
// too early.
func after(now time.Time, expiry time.Duration) int64 {
	if expiry == 0 {
		return 0
	}
	whole := int64(expiry / time.Millisecond)
	if expiry%time.Millisecond > 0 {
		whole++
	}
	return milliseconds(now) + whole
}

// later is the longer of two lives.
func later(a, b life) life {
	if a.own == 0 || b.own == 0 {
		return life{}
	}
	return life{wall: max(a.wall, b.wall), own: max(a.own, b.own)}
}
