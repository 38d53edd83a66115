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
	"atelier/storage"
)

// Version is the version of the entries and task payloads that this program writes. It reads all versions
// from OldestVersion on.
const (
	Version       = 2
	OldestVersion = 1
)

var (
	// ErrVersion means that data was written by a version that is too old.
	ErrVersion = errors.New("written by an older version of the program")
	// ErrLater means that data was written by a newer version. It is left to processes of that version.
	ErrLater = errors.New("written by a newer version of the program")
)

// Entry is an event of a request or thread. One of its pointers or flags is set.
type Entry struct {
	Version int `json:"v"`
	// outdated entries are too old to read, except for the fields needed to answer the request.
	outdated bool
	// At is the writer's time, only shown to people.
	At time.Time `json:"at"`
	// Run is the number of the run, from 1.
	Run int `json:"run,omitempty"`

	// Entries of a request.
	Asked   *Asked   `json:"asked,omitempty"`
	Given   *Given   `json:"given,omitempty"`
	Begun   *Begun   `json:"begun,omitempty"`
	Planned *Planned `json:"planned,omitempty"`
	// Started means that a step runs.
	Started *StepTurn `json:"started,omitempty"`
	// Stopped means that a step was stopped because no run needs it.
	Stopped *StepTurn `json:"stopped,omitempty"`
	Ended   *StepEnd  `json:"ended,omitempty"`
	// Drafted is a program written for a step, or why it failed.
	Drafted *Drafted `json:"drafted,omitempty"`
	// Transcribed is the transcript of the request's voice message for one generation.
	Transcribed *Transcript `json:"heard,omitempty"`
	// Released means that the process of a step shut down gracefully, so the step did not crash it.
	Released *StepTurn `json:"released,omitempty"`
	Halted   *Halted   `json:"halted,omitempty"`
	// TakenBack means that a person took a pick back.
	TakenBack *TakenBack `json:"taken_back,omitempty"`
	Answer    *Answer    `json:"answer,omitempty"`
	Sent      *Sent      `json:"sent,omitempty"`
	// AnswerDeleted means that the message of the run's answer was deleted.
	AnswerDeleted bool `json:"answer_deleted,omitempty"`
	// Rated is a person's rating of the run's answer.
	Rated *Vote `json:"rated,omitempty"`
	// AnsweredBy is the id of the request that answers this one's question.
	AnsweredBy string `json:"answered_by,omitempty"`
	// ContinuedBy is the id of a request that continues from a result of this one.
	ContinuedBy string `json:"acted_on_by,omitempty"`
	// Over ends the run: its answer was sent.
	Over bool `json:"over,omitempty"`
	// Restarted means that every process that worked on the request has ended, so that steps without an
	// end no longer run.
	Restarted bool `json:"restarted,omitempty"`

	// Entries of a thread.
	Joined *Joined `json:"joined,omitempty"`
	Left   *Left   `json:"left,omitempty"`
	// QuestionClosed is the run whose question was answered by picking a guess.
	QuestionClosed *RunRef `json:"settled,omitempty"`
	// Deleted is the run whose answer was deleted, with its results.
	Deleted *RunRef         `json:"deleted,omitempty"`
	Claimed *nameClaim      `json:"claimed,omitempty"`
	Present *Present        `json:"present,omitempty"`
	Marked  *adapters.Event `json:"marked,omitempty"`
	// Selected are the results that a person's next message works on.
	Selected *Selected `json:"selected,omitempty"`
	// History is the messages before a request that were not for the bot.
	History *History `json:"recalled,omitempty"`
}

// Asked is a request as asked. It is the first entry of a request.
type Asked struct {
	Event adapters.Event `json:"event"`
	// Answers is the id of the request whose question this one answers.
	Answers string `json:"answers,omitempty"`
	// Guess is the guess of that question that the message picks by its number. It becomes the request.
	Guess   string  `json:"guess,omitempty"`
	Options Options `json:"options,omitzero"`
	// Language is the BCP 47 tag of the language of fixed sentences; "" means that of the request.
	Language string `json:"language,omitempty"`
	// Refused is what the person is told instead of an answer.
	Refused string `json:"refused,omitempty"`
	// Told is a fixed answer to a request that needs no work, and Shows are its files.
	Told  string          `json:"told,omitempty"`
	Shows []plan.Resource `json:"shows,omitempty"`
	// Press is set for a request that a button made, which has no words.
	Press *Press `json:"act,omitempty"`
	// Replaces is set for a request made by an edit.
	Replaces *Replaced `json:"replaces,omitempty"`
}

// Replaced lists the requests of a message before it was edited.
type Replaced struct {
	// Requests are their ids, latest last.
	Requests []string `json:"requests"`
	// Answered means that people see an answer to one of them.
	Answered bool `json:"answered,omitempty"`
}

// Press is a press of a button under an answer, or its reaction: it continues from the results of the answer, or tries an example.
type Press struct {
	// How is the rework of the results; "" for an example.
	How plan.Rework `json:"how,omitempty"`
	// Sample is the type of the sample file for an example, "" for none.
	Sample plan.Type `json:"sample,omitempty"`

	Of RunRef `json:"of"`
	// Root is the request that it derives from, and Message that request's message, which shows the status.
	Root    string              `json:"root"`
	Message adapters.MessageRef `json:"message,omitzero"`
	// Wish is the equivalent request in words.
	Wish string `json:"wish"`
}

// Tries reports whether the press tries an example.
func (p *Press) Tries() bool { return p != nil && p.How == "" }

// Selected are the results that a person's next message in a thread works on.
type Selected struct {
	By        string   `json:"by"`
	Resources []string `json:"resources"` // their names
	// Until is when that message starts to need a mention again.
	Until time.Time `json:"until"`
}

// Aside reports whether the request does not wait for its turn: commands, refusals and notices.
func (a *Asked) Aside() bool { return a.Event.Command != nil || a.Refused != "" || a.Told != "" }

// Given holds the inputs of a request once its files are fetched. Thread is the length of the thread's log
// at that time.
type Given struct {
	Resources []plan.Resource `json:"resources,omitempty"`
	// Beside are the names of resources that the request need not be about.
	Beside []string `json:"beside,omitempty"`
	// Without tells people about the files that could not be taken.
	Without []string `json:"without,omitempty"`
	// Wish is the text of the request with file names in place of links; "" if there are no links.
	Wish string `json:"wish,omitempty"`
	// Closed are the hosts of links to media that are not opened.
	Closed   []string       `json:"closed,omitempty"`
	Thread   int            `json:"thread"`
	Question *plan.Question `json:"question,omitempty"`
}

// Pick identifies an offer that a person picked.
type Pick struct {
	// Of is the run that made the offer. 0 means no offer but a repeat from the beginning.
	Of     int         `json:"of,omitempty"`
	Choice plan.Choice `json:"choice,omitempty"`
	// Guess is planned instead of the request; "" if the Choice is run.
	Guess string `json:"guess,omitempty"`
}

// Equal reports whether both pick the same offer.
func (t Pick) Equal(other Pick) bool {
	return t.Of == other.Of && t.Guess == other.Guess && slices.Equal(t.Choice, other.Choice)
}

// Begun starts a further run of a request.
type Begun struct {
	Pick

	// Anew runs all steps again.
	Anew bool `json:"anew,omitempty"`
	// By is the person who wanted it, and Event the key of the event.
	By    string `json:"by,omitempty"`
	Event string `json:"event,omitempty"`
	// Once means that By shares the run of an earlier pick of the same offer.
	Once bool `json:"once,omitempty"`
	// Refused is what By is told instead of an answer.
	Refused string `json:"refused,omitempty"`
	// Message is the message whose number picked it; zero for a button or a reaction.
	Message adapters.MessageRef `json:"message,omitzero"`
}

// TakenBack means that a person takes a pick back. Without picks, the run stops.
type TakenBack struct {
	Pick

	By string `json:"by"`
}

// Planned is the plan of a generation.
type Planned struct {
	Plan plan.Plan `json:"plan"`
}

// StepTurn is a turn of a step in a process. A step that was stopped has a new turn when a run needs it again.
type StepTurn struct {
	Generation int    `json:"generation"`
	Step       string `json:"step"`
	Worker     string `json:"worker"`
	// Turn is how often the step was stopped before.
	Turn int `json:"turn,omitempty"`
}

// Drafted is the Nth program written for a step, from 1. If it has Trouble, it ran and failed.
type Drafted struct {
	StepTurn

	N     int        `json:"n"`
	Draft plan.Draft `json:"draft"`
}

// StepEnd is the end of a step.
type StepEnd struct {
	Generation int         `json:"generation"`
	Step       string      `json:"step"`
	Result     plan.Result `json:"result"`
	// Last is the last possible draft for the step with its Trouble, if that failed too.
	Last *plan.Draft `json:"last,omitempty"`
}

// Halted ends a run early, or without work.
type Halted struct {
	Why Reason `json:"why"`
	// By is the id of the person who stopped it, and Name the person's name. An empty id means the
	// operator.
	By   string `json:"by,omitempty"`
	Name string `json:"name,omitempty"`
	// Message is the message in words that stopped it; zero for a button.
	Message adapters.MessageRef `json:"message,omitzero"`
	// Withdrawn means that an edit removed the mention, or everything, from the message.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// Problem is the answer of a run that is refused ([HaltRefused]), only a fixed answer ([HaltTold]) or
	// [Broken]; for the last, "" means that the run's log is too old to be read.
	Problem string `json:"problem,omitempty"`
	// Cause is what the operator is told about a run that is [Broken] ([plan.ForOperator]).
	Cause string `json:"cause,omitempty"`
	// Thinking is what models used for a plan that failed.
	Thinking plan.Thinking `json:"thinking,omitzero"`
}

// Sentence tells the person with id to that a run was stopped, and by whom.
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

// Silent reports whether nothing is posted for the run, even if its answer is ready.
func (h *Halted) Silent() bool { return h != nil && (h.Why == HaltDeleted || h.Why == HaltReplaced) }

// Ends reports whether it changes anything for a run: a silent one also keeps an answer that is ready from being posted.
func (h *Halted) Ends(run *Run) bool {
	return run.Active() || h.Silent() && !run.Over && run.Halted == nil
}

// Reason is why a run ended early.
type Reason string

const (
	// HaltCancelled means that a person stopped the run.
	HaltCancelled Reason = "cancelled"
	// HaltDeleted means that the request's message was deleted: nothing is posted.
	HaltDeleted Reason = "deleted"
	// HaltReplaced means that the request's message was edited and is a new request: nothing is posted.
	HaltReplaced Reason = "replaced"
	// HaltOverdue means that the run took too long.
	HaltOverdue Reason = "overdue"
	// HaltRefused means that the run was refused and never started.
	HaltRefused Reason = "refused"
	// HaltTold means that the run is only a fixed answer.
	HaltTold Reason = "told"
	// Broken means that a stage failed.
	Broken Reason = "failed"
)

// Vote is a person's rating of an answer.
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

// Failed reports whether posting the answer failed, or left out files.
func (s *Sent) Failed() bool { return s != nil && (s.Problem != "" || s.Incomplete) }

// Joined adds a request to the end of its thread's line.
type Joined struct {
	Request string `json:"request"`
	By      string `json:"by"`
	// Answers is the id of the request whose open question it answers.
	Answers string `json:"answers,omitempty"`
	// Language is the BCP 47 tag of the request's language, "" if unknown.
	Language string `json:"language,omitempty"`
	// Aside requests do not wait in line and are not part of the conversation.
	Aside bool `json:"aside,omitempty"`
	// Press means a request that a button made. It has no words and uses neither marks nor a selection.
	Press bool `json:"act,omitempty"`
}

// Left means that a run has ended. A request leaves the line with its first run.
type Left struct {
	Request   string          `json:"request"`
	Run       int             `json:"run"`
	Turn      *plan.Turn      `json:"turn,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  *OpenQuestion   `json:"question,omitempty"`
	// Talk means that the request was only small talk.
	Talk bool `json:"talk,omitempty"`
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

// Present means that another person writes in the thread.
type Present struct {
	By string `json:"by"`
}

// begins reports whether the entry may be the first of a log.
func (e Entry) begins() bool {
	return e.Asked != nil || e.Joined != nil || e.Present != nil || e.Marked != nil || e.Selected != nil
}

func (e Entry) encode() ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false) // no browser reads it, and escaped HTML takes several times the space
	if err := to.Encode(e); err != nil {
		return nil, fmt.Errorf("encode an entry: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decodeEntry decodes an entry of this version or an older one. Entries that are too old are marked as
// outdated.
func decodeEntry(b []byte) (*Entry, error) {
	var head struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("decode an entry: %w", err)
	}
	if head.Version > Version {
		return nil, fmt.Errorf("entry version %d: %w", head.Version, ErrLater)
	}
	var e Entry
	err := json.Unmarshal(b, &e)
	switch {
	case head.Version < OldestVersion && err != nil:
		return &Entry{Version: head.Version, outdated: true}, nil //nolint:nilerr // nobody can decode it
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

// PointedAt returns the marks among the given resources, and the pictures that they are on.
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

// linkedWish is the text of the request with names in place of links, "" if there are none.
func (g *Given) linkedWish() string {
	if g == nil {
		return ""
	}
	return g.Wish
}

// Options are the settings of a request.
type Options struct {
	// PlanOnly plans without running anything. If planning succeeds, nothing is sent: the plan is the
	// answer.
	PlanOnly bool `json:"plan_only,omitempty"`
	// Operator means that the operator asks. Answers may name settings that would help.
	Operator bool `json:"operator,omitempty"`
}

// RunRef identifies a run.
type RunRef struct {
	Request string `json:"request"`
	Run     int    `json:"run"`
}

// Title tells a person why a run was halted.
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

// FaultOf returns the sentence for people about an error that has none of its own.
func FaultOf(err error) plan.Message {
	switch {
	case errors.Is(err, ErrVersion):
		return plan.Say("This request was made with another version of the bot, so I cannot read it. Please ask again.")
	case errors.Is(err, storage.ErrUnreachable), errors.Is(err, storage.ErrFull), errors.Is(err, storage.ErrRefused), errors.Is(err, storage.ErrNoBucket):
		return plan.Say("I cannot reach my file storage at the moment. Please ask again later, and tell the operator.")
	}
	return plan.Say("Something unexpected went wrong. The operator can find out more in the log.")
}

// ForOperator formats an error of a platform for the log. Missing permissions keep the platform's own
// words, which never quote people ([adapters.Fault]).
func ForOperator(err error) string {
	own, ok := errors.AsType[*adapters.Fault](err)
	if ok && (errors.Is(own.Kind, adapters.ErrForbidden) || errors.Is(own.Kind, adapters.ErrRefused)) {
		return own.Text() + " " + plan.ForOperator(err)
	}
	return plan.ForOperator(err)
}

// WaitFor returns how long the platform's rate limit asks to wait, 0 if not at all.
func WaitFor(err error) time.Duration {
	wait := adapters.Wait(err)
	if wait <= 0 && errors.Is(err, adapters.ErrRateLimited) {
		wait = time.Second
	}
	return wait
}

// PickedGuess returns the guess that the message picks by its number, "" if it picks none.
func (q *OpenQuestion) PickedGuess(m *adapters.Message) string {
	if m == nil || len(m.Files) > 0 {
		return ""
	}
	return plan.Question{Guesses: q.Guesses}.Picked(m.Text)
}
