package disk

import "time"

// life is an expiry time in Unix milliseconds; zero means never.
type life struct {
	wall int64 // by the wall clock, for the log
	own  int64 // by this process's clock, which is not affected if the wall clock is set
}

// steady returns a clock that starts with the time of the given clock and then advances with
// elapsed time: by its monotonic reading, if it has one.
func steady(clock func() time.Time) func() time.Time {
	began := clock()
	return func() time.Time { return began.Add(clock().Sub(began)) }
}

// until returns the expiry time of a value written now. The caller holds the lock.
func (d *durable) until(expiry time.Duration) life {
	return life{wall: after(d.wall(), expiry), own: after(d.now(), expiry)}
}

// milliseconds rounds a time up.
func milliseconds(t time.Time) int64 {
	return t.Add(time.Millisecond - 1).UnixMilli()
}

// after returns the expiry time for an expiry that begins now. Both are rounded up, so that it is
// never too early.
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

// later returns the later of two expiry times.
func later(a, b life) life {
	if a.own == 0 || b.own == 0 {
		return life{}
	}
	return life{wall: max(a.wall, b.wall), own: max(a.own, b.own)}
}
