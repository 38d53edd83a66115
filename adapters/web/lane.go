package web

import "time"

// ask notes who asked, and tells whether an attempt is to begin.
func (l *listener) ask(a ask) bool {
	lane := l.lane(a.thread)
	lane.next = append(lane.next, a.done)
	if lane.running {
		lane.again = true
	}
	return !lane.running
}

// after lets an attempt begin in so much time, if none is near.
func (l *listener) after(thread string, d time.Duration) {
	switch lane := l.lane(thread); {
	case lane.running:
		lane.again = lane.again || d == 0
	case lane.timer == nil:
		lane.timer = l.timer(thread, d)
	}
}

// timer says after so much time that a thread is due.
func (l *listener) timer(thread string, d time.Duration) *time.Timer {
	return time.AfterFunc(d, func() {
		select {
		case l.due <- thread:
		case <-l.ended:
		}
	})
}

func (l *listener) lane(thread string) *lane {
	if l.lanes[thread] == nil {
		l.lanes[thread] = &lane{}
	}
	return l.lanes[thread]
}

// begin notes that an attempt runs.
func (a *lane) begin() {
	if a.timer != nil {
		a.timer.Stop()
	}
	*a = lane{running: true, asked: a.next, failures: a.failures}
}

// ends tells those who asked what became of an attempt, and whether another one is to begin.
// One that failed is made again after a while.
func (l *listener) ends(a attempt) bool {
	lane := l.lanes[a.thread]
	for _, done := range lane.asked {
		done <- a.err == nil
	}
	lane.running, lane.asked = false, nil
	if a.err != nil {
		lane.failures++
	} else {
		lane.failures = 0
	}
	switch {
	case lane.again:
		return true
	case lane.failures > 0:
		lane.timer = l.timer(a.thread, min(firstRetry<<min(lane.failures-1, 10), lastRetry))
	default:
		delete(l.lanes, a.thread)
	}
	return false
}

// end lets go of all.
func (l *listener) end() {
	close(l.ended)
	for _, lane := range l.lanes {
		if lane.timer != nil {
			lane.timer.Stop()
		}
	}
}
