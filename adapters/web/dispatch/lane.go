package dispatch

import "time"

// lanes schedule the attempts to hand over, one at a time per thread, for [Dispatcher.Run].
type lanes struct {
	asks  chan ask
	over  chan attempt
	due   chan string   // threads whose time has come
	ended chan struct{} // closed at the end

	all map[string]*lane
}

// ask asks to hand over a thread's events now.
type ask struct {
	thread string
	done   chan bool // gets the outcome; it has room for it
}

// attempt is one that has ended.
type attempt struct {
	thread string
	err    error
}

// lane is a thread that has an attempt running or planned.
type lane struct {
	running  bool
	again    bool        // another attempt is needed
	asked    []chan bool // who asked for the running attempt
	next     []chan bool // and for the one after it
	failures int
	timer    *time.Timer
}

func newLanes() *lanes {
	return &lanes{
		asks: make(chan ask), over: make(chan attempt), due: make(chan string), ended: make(chan struct{}),
		all: map[string]*lane{},
	}
}

// ask notes who asked, and reports whether to begin an attempt.
func (l *lanes) ask(a ask) bool {
	lane := l.lane(a.thread)
	lane.next = append(lane.next, a.done)
	if lane.running {
		lane.again = true
	}
	return !lane.running
}

// after plans an attempt, unless one is near.
func (l *lanes) after(thread string, d time.Duration) {
	switch lane := l.lane(thread); {
	case lane.running:
		lane.again = lane.again || d == 0
	case lane.timer == nil:
		lane.timer = l.timer(thread, d)
	}
}

// timer makes a thread due after that time.
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

// begin notes that an attempt runs.
func (a *lane) begin() {
	if a.timer != nil {
		a.timer.Stop()
	}
	*a = lane{running: true, asked: a.next, failures: a.failures}
}

// ends reports the outcome to those who asked, and whether to begin another attempt now.
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
