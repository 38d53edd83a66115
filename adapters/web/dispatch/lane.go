package dispatch

import "time"

// lanes schedule delivery attempts for [Dispatcher.Run], one at a time per thread.
type lanes struct {
	asks  chan ask
	over  chan attempt
	due   chan string   // threads whose scheduled attempt is due
	ended chan struct{} // closed at the end

	all map[string]*lane
}

// ask is a request to deliver a thread's events now.
type ask struct {
	thread string
	done   chan bool // gets the result; buffered
}

// attempt is a finished attempt.
type attempt struct {
	thread string
	err    error
}

// lane is a thread with a running or scheduled attempt.
type lane struct {
	running  bool
	again    bool        // another attempt is needed
	asked    []chan bool // callers waiting for the running attempt
	next     []chan bool // callers waiting for the one after it
	failures int
	timer    *time.Timer
}

func newLanes() *lanes {
	return &lanes{
		asks: make(chan ask), over: make(chan attempt), due: make(chan string), ended: make(chan struct{}),
		all: map[string]*lane{},
	}
}

// ask registers the caller, and reports whether to begin an attempt now.
func (l *lanes) ask(a ask) bool {
	lane := l.lane(a.thread)
	lane.next = append(lane.next, a.done)
	if lane.running {
		lane.again = true
	}
	return !lane.running
}

// after schedules an attempt, unless one is already due sooner or running.
func (l *lanes) after(thread string, d time.Duration) {
	switch lane := l.lane(thread); {
	case lane.running:
		lane.again = lane.again || d == 0
	case lane.timer == nil:
		lane.timer = l.timer(thread, d)
	}
}

// timer makes a thread due after d.
func (l *lanes) timer(thread string, d time.Duration) *time.Timer {
	return time.AfterFunc(d, func() {
		select {
		case l.due <- thread:
		case <-l.ended:
		}
	})
}

func (l *lanes) lane(thread string) *lane {
	if l.all[thread] == nil {
		l.all[thread] = &lane{}
	}
	return l.all[thread]
}

// begin marks an attempt as running.
func (a *lane) begin() {
	if a.timer != nil {
		a.timer.Stop()
	}
	*a = lane{running: true, asked: a.next, failures: a.failures}
}

// ends tells the callers the result, and reports whether to begin another attempt now.
func (l *lanes) ends(a attempt) bool {
	lane := l.all[a.thread]
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
		lane.timer = l.timer(a.thread, min(FirstRetry<<min(lane.failures-1, 10), LastRetry))
	default:
		delete(l.all, a.thread)
	}
	return false
}

// end stops all timers.
func (l *lanes) end() {
	close(l.ended)
	for _, lane := range l.all {
		if lane.timer != nil {
			lane.timer.Stop()
		}
	}
}
