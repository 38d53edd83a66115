package record

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

// Version is the version of the entries and task payloads that this program writes. It reads
// every version from OldestVersion on.
const (
	Version       = 2
	OldestVersion = 1
)

var (
	// ErrVersion means that something was written by a version that is too old.
	ErrVersion = errors.New("it was written by an earlier version of the program")
	// ErrLater means that something was written by a later version. It is left to processes of
	// that version.
	ErrLater = errors.New("it was written by a later version of the program")
)

// Entry is one thing that happened to a request or in a thread: the one field that is set.
type Entry struct {
	Version int `json:"v"`
	// outdated entries are too old to be read, except for what it takes to answer the request.
	outdated bool
	// At is when it was written, by the writer's clock. It is for people: nothing is decided by it.
	At time.Time `json:"at"`
	// Run counts the runs of a request from 1.
	Run int `json:"run,omitempty"`

	// Of a request.
	Asked   *Asked   `json:"asked,omitempty"`
	Given   *Given   `json:"given,omitempty"`
	Begun   *Begun   `json:"begun,omitempty"`
	Planned *Planned `json:"planned,omitempty"`
	Started *Started `json:"started,omitempty"`
	Stopped *Started `json:"stopped,omitempty"`
	Ended   *StepEnd `json:"ended,omitempty"`
	// Drafted is a program that was written for a step, or the trouble of running it.
	Drafted *Drafted `json:"drafted,omitempty"`
	// Transcribed is what the request's voice message says, as transcribed for one generation.
	Transcribed *Transcript `json:"heard,omitempty"`
	// Released means that the process of a step shut down properly, and did not die of the step.
	Released *Started `json:"released,omitempty"`
	Halted   *Halted  `json:"halted,omitempty"`
	// TakenBack means that a person took a pick back.
	TakenBack *TakenBack `json:"taken_back,omitempty"`
	Answer    *Answer    `json:"answer,omitempty"`
	Sent      *Sent      `json:"sent,omitempty"`
	// AnswerDeleted means that the message of the run's answer is gone.
	AnswerDeleted bool `json:"answer_deleted,omitempty"`
	// Rated is what a person thinks of the run's answer.
	Rated *Vote `json:"rated,omitempty"`
	// AnsweredBy is the id of the request that answers the question of this one.
	AnsweredBy string `json:"answered_by,omitempty"`
	// ActedOnBy is the id of a request that goes on from a result of this one.
	ActedOnBy string `json:"acted_on_by,omitempty"`
	// Over ends the run: its answer was sent.
	Over bool `json:"over,omitempty"`
	// Restarted means that every process that worked on the request has ended, so that steps
	// without an end do not run any more.
	Restarted bool `json:"restarted,omitempty"`

	// Of a thread.
	Joined *Joined `json:"joined,omitempty"`
	Left   *Left   `json:"left,omitempty"`
	// QuestionClosed is the run whose question is answered, since one of its guesses was picked.
	QuestionClosed *RunRef         `json:"settled,omitempty"`
	Claimed        *nameClaim      `json:"claimed,omitempty"`
	Present        *Present        `json:"present,omitempty"`
	Marked         *adapters.Event `json:"marked,omitempty"`
	// Selected are results that a person's next message works on.
	Selected *Selected `json:"selected,omitempty"`
	// History is what was written in the thread before a request, and not to the bot.
	History *History `json:"recalled,omitempty"`
}

// Asked is what a person asked for. It is a request's first entry.
type Asked struct {
	Event adapters.Event `json:"event"`
	// Answers is the id of the request whose question this one answers.
	Answers string `json:"answers,omitempty"`
	// Guess is the guess of that question whose number the message is. It becomes the request.
	Guess   string  `json:"guess,omitempty"`
	Options Options `json:"options,omitzero"`
	// Language is the BCP 47 tag of the language in which people are told fixed sentences;
	// "" is that of the request.
	Language string `json:"language,omitempty"`
	// Refused is what the person is told instead of an answer.
	Refused string `json:"refused,omitempty"`
	// Told is what the person is told: nothing is left to be done.
	Told string `json:"told,omitempty"`
	// Act is what a request without words does; otherwise nil.
	Act *Act `json:"act,omitempty"`
	// Replaces is what the request replaces, if it was made by an edit; otherwise nil.
	Replaces *Replaced `json:"replaces,omitempty"`
}

// Replaced are the requests of a message before it was edited.
type Replaced struct {
	// Requests are their ids, the latest last.
	Requests []string `json:"requests"`
	// Answered means that one of them has an answer, which people see.
	Answered bool `json:"answered,omitempty"`
}

// Act is what a button under the answer of a run asked for: to go on from its results, or to try an example.
type Act struct {
	// How is how it goes on from the results; "" is an example.
	How plan.Rework `json:"how,omitempty"`
	// Sample is the type of the file with which an example is tried, "" for none.
	Sample plan.Type `json:"sample,omitempty"`

	Of RunRef `json:"of"`
	// Root is the request with which it began, and Message the message of that, by which the work is shown.
	Root    string              `json:"root"`
	Message adapters.MessageRef `json:"message,omitzero"`
	// Wish says in words what is done.
	Wish string `json:"wish"`
}

// Tries reports whether the act is an example that is tried.
func (a *Act) Tries() bool { return a != nil && a.How == "" }

// Selected are results that the next message of a person in a thread works on.
type Selected struct {
	By        string   `json:"by"`
	Resources []string `json:"resources"` // their names
	// Until is how long the message is taken without a mention.
	Until time.Time `json:"until"`
}

// Aside reports whether the request does not wait for its turn: commands, refusals and notices.
func (a *Asked) Aside() bool { return a.Event.Command != nil || a.Refused != "" || a.Told != "" }

// Given is what the request has once its files are fetched. Thread is how many entries the
// thread's log had then.
type Given struct {
	Resources []plan.Resource `json:"resources,omitempty"`
	// Beside are the names of those that the request need not be about.
	Beside []string `json:"beside,omitempty"`
	// Without is what people are told about the files that could not be taken.
	Without []string `json:"without,omitempty"`
	// Wish is what was asked, with the names of the files in place of the links to them; "" if there
	// are none.
	Wish string `json:"wish,omitempty"`
	// Closed are the hosts of links to media that are not opened.
	Closed   []string       `json:"closed,omitempty"`
	Thread   int            `json:"thread"`
	Question *plan.Question `json:"question,omitempty"`
}

// Pick is an offer that a person picked.
type Pick struct {
	// Of is the run that made the offer. 0 is no offer: everything is planned and computed anew.
	Of     int         `json:"of,omitempty"`
	Choice plan.Choice `json:"choice,omitempty"`
	// Guess is planned instead of the request; "" if the Choice is run.
	Guess string `json:"guess,omitempty"`
}

// Equal reports whether both pick the same.
func (t Pick) Equal(other Pick) bool {
	return t.Of == other.Of && t.Guess == other.Guess && slices.Equal(t.Choice, other.Choice)
}

// Begun is a further run of a request.
type Begun struct {
	Pick

	// Anew computes all steps anew.
	Anew bool `json:"anew,omitempty"`
	// By is the person who wanted it, and Event the key of the event.
	By    string `json:"by,omitempty"`
	Event string `json:"event,omitempty"`
	// Once means that By shares the run that an earlier pick of the same offer began.
	Once bool `json:"once,omitempty"`
	// Refused is what By is told instead of an answer.
	Refused string `json:"refused,omitempty"`
}

// TakenBack means that a person takes a pick back. The last one stops the run.
type TakenBack struct {
	Pick

	By string `json:"by"`
}

// Planned is the plan of a generation.
type Planned struct {
	Plan plan.Plan `json:"plan"`
}

// Started means that a step runs, or as Stopped that it stopped since no run needs it.
type Started struct {
	Generation int    `json:"generation"`
	Step       string `json:"step"`
	Worker     string `json:"worker"`
	// Turn counts how often the step was stopped before.
	Turn int `json:"turn,omitempty"`
}

// Drafted is the Nth program that was written for a step, from 1. If it has Trouble, it was run
// and failed.
type Drafted struct {
	Started

	N     int        `json:"n"`
	Draft plan.Draft `json:"draft"`
}

// StepEnd is what came of a step.
type StepEnd struct {
	Generation int         `json:"generation"`
	Step       string      `json:"step"`
	Result     plan.Result `json:"result"`
	// Last is the last program that could be written for the step, with its Trouble, if it failed
	// too.
	Last *plan.Draft `json:"last,omitempty"`
}

// Halted ends a run early.
type Halted struct {
	Why Reason `json:"why"`
	// By is the id of the person who stopped it, and Name the person's name; no id is the
	// operator.
	By   string `json:"by,omitempty"`
	Name string `json:"name,omitempty"`
	// Problem is told to people; "" means that the run's log is too old to be read.
	Problem string `json:"problem,omitempty"`
	// Thinking is what models used for a plan that failed.
	Thinking plan.Thinking `json:"thinking,omitzero"`
}

// Sentence tells a person that a run was stopped, and by whom.
func (h *Halted) Sentence(to string) plan.Message {
	switch {
	case h.By == to:
		return plan.Say("Stopped, as you asked.")
	case h.By == "":
		return plan.Say("Stopped by the operator.")
	case h.Name == "":
		return plan.Say("Stopped by somebody else.")
	}
	return plan.Say("Stopped by %s.", h.Name)
}

// Silent reports whether nothing is posted of the run, even if its answer is ready.
func (h *Halted) Silent() bool { return h != nil && (h.Why == HaltDeleted || h.Why == HaltReplaced) }

// Reason is why a run ended early.
type Reason string

const (
	// HaltCancelled means that a person stopped the run.
	HaltCancelled Reason = "cancelled"
	// HaltDeleted means that the request's message is gone: nothing is posted.
	HaltDeleted Reason = "deleted"
	// HaltReplaced means that the request's message was edited, and is another request now: nothing
	// is posted.
	HaltReplaced Reason = "replaced"
	// HaltOverdue means that the run took too long.
	HaltOverdue Reason = "overdue"
	// HaltRefused means that the run was refused and never begun.
	HaltRefused Reason = "refused"
	// HaltTold means that there is only something to tell.
	HaltTold Reason = "told"
	// Broken means that a stage could not be done.
	Broken Reason = "failed"
)

// Vote is what a person thinks of an answer.
type Vote struct {
	By   string `json:"by"` // the person's id
	Good bool   `json:"good"`
}

// Sent is the message of the answer; zero if nothing was posted.
type Sent struct {
	Ref     adapters.MessageRef `json:"ref,omitzero"`
	Problem string              `json:"problem,omitempty"`
	// Incomplete means that files of the answer were left out, as the answer says.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Failed reports whether an answer was to be posted, and could not be or not with all its files.
func (s *Sent) Failed() bool { return s != nil && (s.Problem != "" || s.Incomplete) }

// Joined puts a request at the end of its thread's line.
type Joined struct {
	Request string `json:"request"`
	By      string `json:"by"`
	// Answers is the id of the request whose open question it answers.
	Answers string `json:"answers,omitempty"`
	// Language is the BCP 47 tag of the request's language, "" where nobody wrote a word.
	Language string `json:"language,omitempty"`
	// Aside requests do not wait in line, and say nothing about the thread.
	Aside bool `json:"aside,omitempty"`
	// Act requests have no words, and use no marks and no selection.
	Act bool `json:"act,omitempty"`
}

// Left means that a run is over. With its first run a request leaves the line.
type Left struct {
	Request   string          `json:"request"`
	Run       int             `json:"run"`
	Turn      *plan.Turn      `json:"turn,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  *OpenQuestion   `json:"question,omitempty"`
}

// OpenQuestion waits for an answer.
type OpenQuestion struct {
	Request string              `json:"request"`
	Asker   string              `json:"asker"`
	Text    string              `json:"text"`
	Wish    string              `json:"wish"`
	Guesses []string            `json:"guesses,omitempty"`
	Ref     adapters.MessageRef `json:"ref"`
	Until   time.Time           `json:"until"`
}

// Present notes that another person writes in the thread.
type Present struct {
	By string `json:"by"`
}

// begins reports whether a log may begin with the entry.
func (e Entry) begins() bool {
	return e.Asked != nil || e.Joined != nil || e.Present != nil || e.Marked != nil || e.Selected != nil
}

func (e Entry) encode() ([]byte, error) {
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
func decodeEntry(b []byte) (*Entry, error) {
	var head struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("decode an entry: %w", err)
	}
	if head.Version > Version {
		return nil, fmt.Errorf("entry of version %d: %w", head.Version, ErrLater)
	}
	var e Entry
	err := json.Unmarshal(b, &e)
	switch {
	case head.Version < OldestVersion && err != nil:
		return &Entry{Version: head.Version, outdated: true}, nil //nolint:nilerr // nobody can read it
	case head.Version < OldestVersion:
		return &Entry{
			Version: head.Version, outdated: true, At: e.At, Run: e.Run,
			Asked: e.Asked, Sent: e.Sent, Over: e.Over, Joined: e.Joined, Left: e.Left, Present: e.Present,
		}, nil
	case err != nil:
		return nil, fmt.Errorf("decode an entry: %w", err)
	}
	return &e, nil
}

// PointedAt are the marks among the given resources, and the pictures that they are on.
func (g *Given) PointedAt() []plan.Resource {
	var all []plan.Resource
	for _, r := range g.Resources {
		marked := func(m plan.Resource) bool { return m.On == r.Name }
		if r.On != "" || slices.ContainsFunc(g.Resources, marked) {
			all = append(all, r)
		}
	}
	return all
}

// linkedWish is the request with names in place of links, "" if there are none.
func (g *Given) linkedWish() string {
	if g == nil {
		return ""
	}
	return g.Wish
}

// Options say how a request is to be done.
type Options struct {
	// PlanOnly plans and runs nothing. If the plan can be done, nothing is sent: the plan is the
	// answer.
	PlanOnly bool `json:"plan_only,omitempty"`
	// Operator means that the operator asks, and is told which settings would help.
	Operator bool `json:"operator,omitempty"`
}

// RunRef names a run.
type RunRef struct {
	Request string `json:"request"`
	Run     int    `json:"run"`
}

// Title tells a person why a run does not go on.
func (h *Halted) Title(by string) plan.Message {
	switch h.Why {
	case HaltCancelled:
		return h.Sentence(by)
	case HaltDeleted:
		return plan.Say("Stopped: the message was deleted.")
	case HaltReplaced:
		return plan.Say("Stopped: the message was edited.")
	case HaltOverdue:
		return plan.Say("Stopped: it took too long.")
	default:
		return plan.Say("It did not work.")
	}
}
