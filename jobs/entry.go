package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// What is stored of a request and of a thread is a log each: a list of entries that only
// grows. Everything else is folded from it, so that all processes agree, and the first
// entry of its kind wins where several say the same. Long texts among the resources are
// kept beside it (see texts).

// version is that of the entries and payloads that this program writes. It reads those
// of every version from oldest on.
const (
	version = 2
	oldest  = 1
)

var (
	// errVersion tells that something was written by a version that is too old.
	errVersion = errors.New("it was written by an earlier version of the program")
	// errLater tells that something was written by a later version. It is left to that one:
	// a process that knows it may run.
	errLater = errors.New("it was written by a later version of the program")
)

// entry is one thing that happened to a request, or in a thread. Which of the pointers is
// set tells what.
type entry struct {
	Version int `json:"v"`
	// outdated entries are of a version that is not read any more, but for what it takes to
	// answer the request.
	outdated bool
	// At is when, by the clock of who wrote it: for people, nothing is decided by it.
	At time.Time `json:"at"`
	// Run counts the runs of a request from 1.
	Run int `json:"run,omitempty"`

	// Of a request.
	Asked   *asked   `json:"asked,omitempty"`
	Given   *given   `json:"given,omitempty"`
	Begun   *begun   `json:"begun,omitempty"`
	Planned *planned `json:"planned,omitempty"`
	Started *started `json:"started,omitempty"`
	Stopped *started `json:"stopped,omitempty"`
	Ended   *stepEnd `json:"ended,omitempty"`
	// Drafted tells that a program was written for a step, or what came of running it.
	Drafted *drafted `json:"drafted,omitempty"`
	// Heard is what the voice message says that the request consists of, as one generation
	// has understood it.
	Heard *heard `json:"heard,omitempty"`
	// Released tells that whoever did a step ended in good order, and not of the step.
	Released *started `json:"released,omitempty"`
	Halted   *halted  `json:"halted,omitempty"`
	// TakenBack tells that somebody does not want any more what they had chosen.
	TakenBack *takenBack `json:"taken_back,omitempty"`
	Answer    *Answer    `json:"answer,omitempty"`
	Sent      *sent      `json:"sent,omitempty"`
	// AnsweredBy is the id of the request that answers what this one asked back.
	AnsweredBy string `json:"answered_by,omitempty"`
	// Over ends the run: everybody who had to be told was told.
	Over bool `json:"over,omitempty"`
	// Restarted tells that every process that worked on the request has ended, so that
	// what was started and has no end does not run any more.
	Restarted bool `json:"restarted,omitempty"`

	// Of a thread.
	Joined *joined `json:"joined,omitempty"`
	Left   *left   `json:"left,omitempty"`
	// Settled is the run whose question is answered, since one of its guesses was chosen.
	Settled *answered       `json:"settled,omitempty"`
	Claimed *claim          `json:"claimed,omitempty"`
	Present *present        `json:"present,omitempty"`
	Marked  *adapters.Event `json:"marked,omitempty"`
	// Recalled is what was written in the thread before a request, and not to the bot.
	Recalled *recalled `json:"recalled,omitempty"`
}

// asked is what somebody asked for. It is a request's first entry.
type asked struct {
	Event adapters.Event `json:"event"`
	// Answers is the id of the request whose question this one answers.
	Answers string `json:"answers,omitempty"`
	// Guess is that of the question whose number the message is. It is the wish, about what the
	// question was about.
	Guess   string  `json:"guess,omitempty"`
	Options Options `json:"options,omitzero"`
	// Language is the BCP 47 tag of the language in which people are told fixed sentences;
	// "" is that of the wish.
	Language string `json:"language,omitempty"`
	// Refused is what the person is told in the place of an answer.
	Refused string `json:"refused,omitempty"`
}

// aside tells that the request waits for no turn: what a command asks for is about those
// that do, and a refusal does nothing.
func (a *asked) aside() bool { return a.Event.Command != nil || a.Refused != "" }

// given is the request as its files were fetched: the thread as it was then is the first
// Thread entries of the thread's log.
type given struct {
	Resources []plan.Resource `json:"resources,omitempty"`
	// Without is what people are told of the files that could not be taken beside these.
	Without  []string       `json:"without,omitempty"`
	Thread   int            `json:"thread"`
	Question *plan.Question `json:"question,omitempty"`
}

// taken is what of the offers of a run somebody takes.
type taken struct {
	// Of is the run whose plan it is another choice of, or whose question the guess is of. 0 takes
	// nothing of any: all is planned and computed anew.
	Of     int         `json:"of,omitempty"`
	Choice plan.Choice `json:"choice,omitempty"`
	// Guess is planned in the place of what was wished for, "" where the Choice is run.
	Guess string `json:"guess,omitempty"`
}

// equal tells whether both take the same.
func (t taken) equal(other taken) bool {
	return t.Of == other.Of && t.Guess == other.Guess && slices.Equal(t.Choice, other.Choice)
}

// begun is a further run of a request.
type begun struct {
	taken

	// Anew computes all of it anew.
	Anew bool `json:"anew,omitempty"`
	// By and Event tell who wanted it, and by what.
	By    string `json:"by,omitempty"`
	Event string `json:"event,omitempty"`
	// Once tells that By shares the run that an earlier one has begun by the same choice,
	// where there is one.
	Once bool `json:"once,omitempty"`
	// Refused is what By is told in the place of an answer.
	Refused string `json:"refused,omitempty"`
}

// takenBack tells that somebody takes back a choice. With the last one's the run is stopped.
type takenBack struct {
	taken

	By string `json:"by"`
}

// planned is the plan of a generation.
type planned struct {
	Plan plan.Plan `json:"plan"`
}

// started tells that a step runs, or that it was stopped because nobody wanted it any more.
type started struct {
	Generation int    `json:"generation"`
	Step       string `json:"step"`
	Worker     string `json:"worker"`
	// Turn counts how often the step was stopped before.
	Turn int `json:"turn,omitempty"`
}

// drafted is a program that was written for a step: the Draft of that number, from 1. With its Trouble it
// was run in vain. Worker and Turn are of who did it.
type drafted struct {
	started

	N     int        `json:"n"`
	Draft plan.Draft `json:"draft"`
}

// stepEnd is what came of a step.
type stepEnd struct {
	Generation int         `json:"generation"`
	Step       string      `json:"step"`
	Result     plan.Result `json:"result"`
	// Last is the last program that could be written for the step, with its Trouble, where that did
	// not do its job either.
	Last *plan.Draft `json:"last,omitempty"`
}

// halted ends a run before its time.
type halted struct {
	Why Reason `json:"why"`
	// By is the id of who stopped it, and Name how others see that person; no id is whoever
	// runs the program.
	By   string `json:"by,omitempty"`
	Name string `json:"name,omitempty"`
	// Problem is told to people; "" is that what is known of the run cannot be read any more.
	Problem string `json:"problem,omitempty"`
	// Thinking is what models took for a plan that came to nothing.
	Thinking plan.Thinking `json:"thinking,omitzero"`
}

// stopped tells the person of that id that a run was stopped, and by whom.
func (h *halted) stopped(to string) plan.Message {
	switch {
	case h.By == to:
		return plan.Say("Stopped, as you asked.")
	case h.By == "":
		return plan.Say("Stopped by whoever runs me.")
	case h.Name == "":
		return plan.Say("Stopped by somebody else.")
	}
	return plan.Say("Stopped by %s.", h.Name)
}

// Reason is why a run ended before its time.
type Reason string

const (
	haltCancelled Reason = "cancelled"
	haltDeleted   Reason = "deleted" // the message is gone: nothing is posted
	haltOverdue   Reason = "overdue"
	haltRefused   Reason = "refused" // it was never begun
	// Broken tells that a stage could not be done.
	Broken Reason = "failed"
)

// sent is where the answer stands; zero where nothing was to be posted, or could be.
type sent struct {
	Ref     adapters.MessageRef `json:"ref,omitzero"`
	Problem string              `json:"problem,omitempty"`
	// Incomplete tells that files of the answer were left out, as the answer says.
	Incomplete bool `json:"incomplete,omitempty"`
}

// failed tells whether an answer was to be posted, and could not be or not with all its files.
func (s *sent) failed() bool { return s != nil && (s.Problem != "" || s.Incomplete) }

// joined puts a request at the end of its thread's line.
type joined struct {
	Request string `json:"request"`
	By      string `json:"by"`
	// Answers is the id of the request whose open question it answers.
	Answers string `json:"answers,omitempty"`
	// Language is the BCP 47 tag of the request's language, "" where nobody wrote a word.
	Language string `json:"language,omitempty"`
	// Aside tells that it is in nobody's way, and says nothing about the thread.
	Aside bool `json:"aside,omitempty"`
}

// left tells that a run is over, and with the first one its request leaves the line.
type left struct {
	Request   string          `json:"request"`
	Run       int             `json:"run"`
	Turn      *plan.Turn      `json:"turn,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  *openQuestion   `json:"question,omitempty"`
}

// openQuestion waits for an answer.
type openQuestion struct {
	Request string              `json:"request"`
	Asker   string              `json:"asker"`
	Text    string              `json:"text"`
	Wish    string              `json:"wish"`
	Guesses []string            `json:"guesses,omitempty"`
	Ref     adapters.MessageRef `json:"ref"`
	Until   time.Time           `json:"until"`
}

// present notes that somebody else writes in the thread too; who it is nobody needs.
type present struct {
	By string `json:"by"`
}

// begins tells whether a log may begin with the entry.
func (e entry) begins() bool {
	return e.Asked != nil || e.Joined != nil || e.Present != nil || e.Marked != nil
}

func (e entry) encode() ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false) // no browser reads it, and a page would take several times the room
	if err := to.Encode(e); err != nil {
		return nil, fmt.Errorf("encode an entry: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decodeEntry reads an entry of this version or an older one. One that is too old is
// outdated.
func decodeEntry(b []byte) (*entry, error) {
	var head struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("decode an entry: %w", err)
	}
	if head.Version > version {
		return nil, fmt.Errorf("entry of version %d: %w", head.Version, errLater)
	}
	var e entry
	err := json.Unmarshal(b, &e)
	switch {
	case head.Version < oldest && err != nil:
		return &entry{Version: head.Version, outdated: true}, nil //nolint:nilerr // nobody can read it
	case head.Version < oldest:
		return &entry{
			Version: head.Version, outdated: true, At: e.At, Run: e.Run,
			Asked: e.Asked, Sent: e.Sent, Over: e.Over, Joined: e.Joined, Left: e.Left, Present: e.Present,
		}, nil
	case err != nil:
		return nil, fmt.Errorf("decode an entry: %w", err)
	}
	return &e, nil
}
