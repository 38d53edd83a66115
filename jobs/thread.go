package jobs

import (
	"cmp"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

const (
	// maxMarked is the most pictures that are pointed at for one request.
	maxMarked = 16
	// maxMarks is how often people may point before they say what is to be done.
	maxMarks = 500
)

// thread is what a thread's log comes to.
type thread struct {
	id    string
	line  []*place // the requests in their order
	by    []string // who writes in it, each once
	turns []*turn
	marks []mark          // at most [maxMarked] for each request
	seen  map[string]bool // keys of all marks
	fresh int             // entries with marks since the last request
	asks  *openQuestion
	// settled are the runs whose questions are answered by a guess that was chosen.
	settled map[answered]bool
	// recalled are the requests before which it was read what others wrote, and readUntil is the
	// id of the last message that was read so.
	recalled  map[string]bool
	readUntil string
	size      int   // entries
	files     files // the readable names of what was made
	// language is the BCP 47 tag of the last request's language, "" where none is known.
	language string
}

// place is a request's in the line.
type place struct {
	request string
	by      string
	at      int // its entry's position
	left    bool
	aside   bool
}

// turn is what one run left behind, or one message that was not to the bot.
type turn struct {
	request   string // "" of such a message
	run       int
	turn      *plan.Turn
	resources []plan.Resource
	position  int
}

// mark is what somebody pointed at, until a message takes it.
type mark struct {
	event    *adapters.Event
	position int
}

// foldThread reads the first entries of a thread's log.
func foldThread(id string, entries []*entry) *thread {
	t := &thread{id: id, size: len(entries), seen: map[string]bool{}, settled: map[answered]bool{}, recalled: map[string]bool{}, files: newFiles()}
	for at, e := range entries {
		switch {
		case e.Joined != nil:
			t.join(e.Joined, at)
		case e.Left != nil:
			t.leave(e.Left, at)
		case e.Settled != nil:
			t.settle(*e.Settled)
		case e.Claimed != nil:
			t.files.add(e.Claimed)
		case e.Present != nil:
			t.meet(e.Present.By)
		case e.Marked != nil:
			t.mark(e.Marked, at)
		case e.Recalled != nil:
			t.recall(e.Recalled, at)
		}
	}
	return t
}

// recall takes in what was written before a request, once.
func (t *thread) recall(past *recalled, at int) {
	if t.recalled[past.Request] {
		return
	}
	t.recalled[past.Request], t.readUntil = true, past.Until
	for _, by := range past.By {
		t.meet(by)
	}
	for i := range past.Turns {
		t.turns = append(t.turns, &turn{turn: &past.Turns[i], position: at})
	}
	t.turns = append(t.turns, &turn{resources: past.Resources, position: at})
}

func (t *thread) join(j *joined, at int) {
	if t.placeOf(j.Request) != nil {
		return
	}
	t.line = append(t.line, &place{request: j.Request, by: j.By, at: at, left: j.Aside, aside: j.Aside})
	if j.Aside {
		return
	}
	t.fresh = 0
	t.language = cmp.Or(j.Language, t.language)
	t.meet(j.By)
	if t.asks != nil && t.asks.Request == j.Answers {
		t.asks = nil
	}
}

func (t *thread) leave(l *left, at int) {
	p := t.placeOf(l.Request)
	if p == nil {
		return // it was forgotten, with the thread as it was then
	}
	p.left = p.left || l.Run == 1
	if slices.ContainsFunc(t.turns, func(o *turn) bool { return o.request == l.Request && o.run == l.Run }) {
		return
	}
	t.turns = append(t.turns, &turn{l.Request, l.Run, l.Turn, l.Resources, at})
	if l.Question != nil && !t.settled[answered{l.Request, l.Run}] {
		t.asks = l.Question
	}
}

// settle closes the question of a run.
func (t *thread) settle(a answered) {
	t.settled[a] = true
	if t.asks != nil && t.asks.Request == a.Request {
		t.asks = nil
	}
}

// mark notes what somebody pointed at, once however often the platform tells of it. Of a
// picture that was marked again before anything was said, the last mark counts, and of all
// pictures those that were marked last.
func (t *thread) mark(e *adapters.Event, at int) {
	t.fresh++
	if t.seen[e.Key()] {
		return
	}
	t.seen[e.Key()] = true
	from := len(t.marks)
	for from > 0 && t.marks[from-1].position > t.joinedAt() {
		from--
	}
	fresh := slices.DeleteFunc(t.marks[from:], func(m mark) bool { return m.event.Mark.Picture == e.Mark.Picture })
	if len(fresh) == maxMarked {
		fresh = slices.Delete(fresh, 0, 1)
	}
	t.marks = append(t.marks[:from+len(fresh)], mark{e, at})
}

// joinedAt is the position at which the last request joined the line, -1 without one.
func (t *thread) joinedAt() int {
	for _, p := range slices.Backward(t.line) {
		if !p.aside {
			return p.at
		}
	}
	return -1
}

func (t *thread) meet(by string) {
	if by != "" && !slices.Contains(t.by, by) {
		t.by = append(t.by, by)
	}
}

func (t *thread) placeOf(request string) *place {
	if i := slices.IndexFunc(t.line, func(p *place) bool { return p.request == request }); i >= 0 {
		return t.line[i]
	}
	return nil
}

// head is the request whose turn it is, "" if none waits.
func (t *thread) head() string {
	for _, p := range t.line {
		if !p.left {
			return p.request
		}
	}
	return ""
}

// alone tells whether nobody but this person has written here.
func (t *thread) alone(by string) bool { return len(t.by) == 1 && t.by[0] == by }

// question is the one that is open at that time.
func (t *thread) question(now time.Time) *openQuestion {
	if t.asks == nil || now.After(t.asks.Until) {
		return nil
	}
	return t.asks
}

// memory is what the agent may know of the thread: the turns, and every resource once, as
// it was last.
func (t *thread) memory() (turns []plan.Turn, resources []plan.Resource) {
	for _, o := range t.turns {
		if o.turn != nil {
			turns = append(turns, *o.turn)
		}
		for _, r := range o.resources {
			resources = slices.DeleteFunc(resources, func(other plan.Resource) bool { return other.Name == r.Name })
			resources = append(resources, r)
		}
	}
	return turns, resources
}

// pointed are the marks since the last request before this one joined.
func (t *thread) pointed(request string) []*adapters.Event {
	from, to := -1, t.size
	for _, p := range t.line {
		if p.request == request {
			to = p.at
			break
		}
		if !p.aside {
			from = p.at
		}
	}
	var events []*adapters.Event
	for _, m := range t.marks {
		if m.position > from && m.position < to {
			events = append(events, m.event)
		}
	}
	return events
}
