package record

import (
	"cmp"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/adapters/messages"
	"atelier/agent/plan"
)

const (
	// maxMarked is the maximum number of marked pictures of a request.
	maxMarked = 16
	// MaxMarks is the maximum number of marks until a request uses them.
	MaxMarks = 500
)

// Thread is a thread as folded from its log.
type Thread struct {
	ID         string
	Line       []*Place // the requests in order
	By         []string // the people who write in it
	turns      []*turn
	marks      []mark          // at most [maxMarked] per request
	seen       map[string]bool // keys of all marks
	FreshMarks int             // number of mark entries since the last request
	selections []selection
	asks       *OpenQuestion
	// ClosedQuestions are the runs whose questions were answered by choosing a guess.
	ClosedQuestions map[RunRef]bool
	deleted         map[RunRef]bool // the runs whose answers were deleted
	// historyRead holds the requests for which the thread's history was read, and ReadUntil is the id of
	// the last message read.
	historyRead map[string]bool
	ReadUntil   string
	Size        int       // entries
	files       fileNames // the readable names of generated files
	// language is the BCP 47 tag of the last request's language, "" if unknown.
	language string
}

// Place is a request's place in the line.
type Place struct {
	Request string
	by      string
	at      int // position of its entry
	Left    bool
	aside   bool
	talk    bool // it was only small talk
}

// turn is the memory of a run, or of a message that was not for the bot.
type turn struct {
	request   string // "" for a message that was not for the bot
	run       int
	turn      *plan.Turn
	resources []plan.Resource
	position  int
}

// selection is a set of results that a person selected.
type selection struct {
	*Selected

	position int
}

// mark is a mark on a picture that no message has used yet.
type mark struct {
	event    *adapters.Event
	position int
}

// FoldThread folds the first entries of a thread's log.
func FoldThread(id string, entries []*Entry) *Thread {
	t := &Thread{
		ID: id, Size: len(entries), seen: map[string]bool{}, ClosedQuestions: map[RunRef]bool{}, deleted: map[RunRef]bool{},
		historyRead: map[string]bool{}, files: newFiles(),
	}
	for at, e := range entries {
		switch {
		case e.Joined != nil:
			t.join(e.Joined, at)
		case e.Left != nil:
			t.leave(e.Left, at)
		case e.QuestionClosed != nil:
			t.closeQuestion(*e.QuestionClosed)
		case e.Deleted != nil:
			t.deleted[*e.Deleted] = true
		case e.Claimed != nil:
			t.files.add(e.Claimed)
		case e.Present != nil:
			t.meet(e.Present.By)
		case e.Marked != nil:
			t.mark(e.Marked, at)
		case e.Selected != nil:
			t.selections = append(t.selections, selection{e.Selected, at})
		case e.History != nil:
			t.addHistory(e.History, at)
		}
	}
	return t
}

// PlaceOf returns the place of a request, nil if it has none.
func (t *Thread) PlaceOf(request string) *Place {
	if i := slices.IndexFunc(t.Line, func(p *Place) bool { return p.Request == request }); i >= 0 {
		return t.Line[i]
	}
	return nil
}

// Head returns the request whose turn it is, "" if the line is empty.
func (t *Thread) Head() string {
	for _, p := range t.Line {
		if !p.Left {
			return p.Request
		}
	}
	return ""
}

// Alone reports whether only this person has written here.
func (t *Thread) Alone(by string) bool { return len(t.By) == 1 && t.By[0] == by }

// Question returns the question that is open at a time, nil if there is none.
func (t *Thread) Question(now time.Time) *OpenQuestion {
	if t.asks == nil || now.After(t.asks.Until) {
		return nil
	}
	return t.asks
}

// Memory returns what the agent sees of the thread for a request: the turns, and the last version of every
// resource, without those of requests that it replaces and the results of deleted answers.
func (t *Thread) Memory(r *Request) (turns []plan.Turn, resources []plan.Resource) {
	for _, o := range t.turns {
		if by := r.Asked.Replaces; by != nil && slices.Contains(by.Requests, o.request) {
			continue
		}
		var gone []string
		if o.turn != nil {
			said := *o.turn
			if t.deleted[RunRef{o.request, o.run}] {
				gone, said.Made = said.Made, nil
			}
			turns = append(turns, said)
		}
		for _, r := range o.resources {
			if slices.Contains(gone, r.Name) {
				continue
			}
			resources = slices.DeleteFunc(resources, func(other plan.Resource) bool { return other.Name == r.Name })
			resources = append(resources, r)
		}
	}
	return turns, resources
}

// Deleted reports whether the answer with a result was deleted.
func (t *Thread) Deleted(result string) bool {
	return slices.ContainsFunc(t.turns, func(o *turn) bool {
		return o.turn != nil && t.deleted[RunRef{o.request, o.run}] && slices.Contains(o.turn.Made, result)
	})
}

// Recent returns up to n requests of the thread: those that have not ended, and those whose runs ended last.
func (t *Thread) Recent(n int) []string {
	var requests []string
	add := func(id string) {
		if id != "" && len(requests) < n && !slices.Contains(requests, id) {
			requests = append(requests, id)
		}
	}
	for _, p := range slices.Backward(t.Line) {
		if !p.Left {
			add(p.Request)
		}
	}
	for _, o := range slices.Backward(t.turns) {
		add(o.request)
	}
	return requests
}

// MarksFor returns the marks between the previous request and this one.
func (t *Thread) MarksFor(request string) []*adapters.Event {
	from, to := -1, t.Size
	for _, p := range t.Line {
		if p.Request == request {
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

// SelectedFor returns the names of the results that a request works on because its asker selected them. The
// requests that it replaces or answers do not use the selection up.
func (t *Thread) SelectedFor(r *Request) []string {
	same := []string{r.ID, r.Asked.Answers}
	if by := r.Asked.Replaces; by != nil {
		same = append(same, by.Requests...)
	}
	for _, id := range same {
		if p := t.PlaceOf(id); p != nil && !p.aside {
			if s := t.selected(p.by, p.at); s != nil {
				return s.Resources
			}
		}
	}
	return nil
}

// Selected returns the selection for the next message of a person, nil if there is none.
func (t *Thread) Selected(by string) *Selected { return t.selected(by, t.Size) }

// NeedsHistory reports whether the thread may have messages before a request that are not in its log: before
// the first request, or if others write in it too. Channels and direct messages need no history.
func (t *Thread) NeedsHistory(r *Request) bool {
	e := r.Asked.Event
	if e.Message == nil || e.Thread.ID == "" || e.Thread.Direct || t.historyRead[r.ID] {
		return false
	}
	if e.Message.Ref.ID == e.Thread.ID && e.Message.ReplyTo == nil { // the message starts the thread
		return false
	}
	first := slices.IndexFunc(t.Line, func(p *Place) bool { return !p.aside })
	return len(t.By) > 1 || first >= 0 && t.Line[first].Request == r.ID
}

// LanguageOf returns the BCP 47 tag of the language of fixed sentences about a request. It is the language
// of the message or, if that has no words, of the open question it answers, of another person's message it
// replies to, or of the previous request; "" if none has words.
func (t *Thread) LanguageOf(m *adapters.Message, answers *OpenQuestion) string {
	var said, replied string
	own := false
	if m != nil {
		said = m.Text
		if m.ReplyTo != nil {
			replied, own = m.ReplyTo.Text, m.ReplyTo.Own
		}
	}
	texts := []string{said}
	if answers != nil {
		texts = append(texts, answers.Wish)
	}
	if !own {
		texts = append(texts, replied)
	}
	if tag := messages.Written(texts...); tag != "" {
		return tag
	}
	if t.language != "" {
		return t.language
	}
	var earlier []string // of old threads, whose requests did not record their language
	for _, o := range slices.Backward(t.turns) {
		if o.turn != nil && o.request != "" {
			earlier = append(earlier, o.turn.Wish)
		}
	}
	return messages.Written(append(earlier, replied)...)
}

// addHistory adds the history before a request, once.
func (t *Thread) addHistory(past *History, at int) {
	if t.historyRead[past.Request] {
		return
	}
	t.historyRead[past.Request], t.ReadUntil = true, past.Until
	for _, by := range past.By {
		t.meet(by)
	}
	for i := range past.Turns {
		t.turns = append(t.turns, &turn{turn: &past.Turns[i], position: at})
	}
	t.turns = append(t.turns, &turn{resources: past.Resources, position: at})
}

// selected returns a person's last selection before a position, nil if a message has used it since. Small talk does not use it.
func (t *Thread) selected(by string, before int) *Selected {
	from := -1
	for _, p := range t.Line {
		if p.by == by && !p.aside && !p.talk && p.at < before {
			from = p.at
		}
	}
	for _, s := range slices.Backward(t.selections) {
		if s.By == by && s.position > from && s.position < before {
			return s.Selected
		}
	}
	return nil
}

func (t *Thread) join(j *Joined, at int) {
	if t.PlaceOf(j.Request) != nil {
		return
	}
	t.Line = append(t.Line, &Place{Request: j.Request, by: j.By, at: at, Left: j.Aside, aside: j.Aside || j.Press})
	if t.asks != nil && t.asks.Request == j.Answers {
		t.asks = nil
	}
	if j.Press && len(t.Line) == 1 {
		t.meet(j.By) // it began the thread
	}
	if j.Aside || j.Press {
		return
	}
	t.FreshMarks = 0
	t.language = cmp.Or(j.Language, t.language)
	t.meet(j.By)
}

func (t *Thread) leave(l *Left, at int) {
	p := t.PlaceOf(l.Request)
	if p == nil {
		return // the thread was forgotten meanwhile
	}
	p.Left, p.talk = p.Left || l.Run == 1, p.talk || l.Talk
	if slices.ContainsFunc(t.turns, func(o *turn) bool { return o.request == l.Request && o.run == l.Run }) {
		return
	}
	t.turns = append(t.turns, &turn{l.Request, l.Run, l.Turn, l.Resources, at})
	if l.Question != nil && !t.ClosedQuestions[RunRef{l.Request, l.Run}] {
		t.asks = l.Question
	}
}

// closeQuestion closes the question of a run.
func (t *Thread) closeQuestion(a RunRef) {
	t.ClosedQuestions[a] = true
	if t.asks != nil && t.asks.Request == a.Request {
		t.asks = nil
	}
}

// mark adds a mark; repeated events are ignored. If a picture is marked again before the next request, only
// its last mark counts, and only the last [maxMarked] pictures count.
func (t *Thread) mark(e *adapters.Event, at int) {
	t.FreshMarks++
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

// joinedAt is the position at which the last request joined the line, -1 if there is none.
func (t *Thread) joinedAt() int {
	for _, p := range slices.Backward(t.Line) {
		if !p.aside {
			return p.at
		}
	}
	return -1
}

// History is the messages in a thread before a request that were not for the bot.
type History struct {
	Request string `json:"request"`
	// Until is the id of the last message read, from which the next reading starts.
	Until string `json:"until"`
	// By are the authors.
	By        []string        `json:"by,omitempty"`
	Turns     []plan.Turn     `json:"turns,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
}

func (t *Thread) meet(by string) {
	if by != "" && !slices.Contains(t.By, by) {
		t.By = append(t.By, by)
	}
}
