// Package plan holds the vocabulary that every part of Atelier shares: resources and their types,
// subtasks, actions, solutions, plans and results.
//
// Guarantees:
//   - It is a leaf: it imports nothing of ours, does no I/O and starts nothing.
//   - Values are plain data: they survive a round trip through encoding/json.
//   - [Plan.Validate] accepts a plan only if every argument is bound to something that is given
//     or made by an earlier part of the plan, with a type that the argument takes. A valid plan
//     refers to no resource that does not exist.
//   - [Plan.Steps] is deterministic: the same plan and choice give the same steps with the same
//     keys, in every process. So is [Route]: the same records give the same way through the plan.
package plan

import (
	"cmp"
	"slices"
	"time"
)

// Request is one request of one person in one thread.
type Request struct {
	ID     string `json:"id"`
	Thread string `json:"thread,omitempty"`
	Wish   string `json:"wish"`
	// Given are the resources that came with this message, in the order in which
	// they were attached.
	Given []Resource `json:"given,omitempty"`
	// Earlier are the resources of the thread before this message, oldest first.
	Earlier []Resource `json:"earlier,omitempty"`
	// Turns are the earlier messages of the thread, oldest first.
	Turns []Turn `json:"turns,omitempty"`
	// Question is the open question that this message answers, nil if there is none.
	Question *Question `json:"question,omitempty"`
	// At is when the message was accepted; "what time is it" is answered from it.
	At time.Time `json:"at,omitzero"`
	// Language is the BCP 47 tag of the language in which the request is written, of those
	// in which the program has its fixed sentences; "" is English.
	Language string `json:"language,omitempty"`
	// NoPrograms forbids programs for this request, whatever can run.
	NoPrograms bool `json:"no_programs,omitempty"`
	// Improvises is set where a program can be written for what no tool does.
	Improvises bool `json:"improvises,omitempty"`
	// Operator marks a request of who runs the program: it is told which settings would help.
	Operator bool `json:"operator,omitempty"`
}

// Resources lists what the request may use: the thread's resources and then those
// of this message, so that the latest comes last.
func (r Request) Resources() []Resource {
	all := make([]Resource, 0, len(r.Earlier)+len(r.Given))
	return append(append(all, r.Earlier...), r.Given...)
}

// WithTypes is the request with the types of resources that are known better than from
// their files.
func (r Request) WithTypes(types map[string]Type) Request {
	if len(types) == 0 {
		return r
	}
	change := func(rs []Resource) []Resource {
		rs = slices.Clone(rs)
		for i := range rs {
			if t, ok := types[rs[i].Name]; ok && t.Fits(rs[i].Type) {
				rs[i].Type = t
			}
		}
		return rs
	}
	r.Given, r.Earlier = change(r.Given), change(r.Earlier)
	return r
}

// Turn is one earlier exchange of a thread. Where people wrote to one another, Wish begins with
// the name of who did, and there is no Reply.
type Turn struct {
	Wish  string `json:"wish"`
	Reply string `json:"reply"`
	// Made are the names of the resources that the turn produced.
	Made []string `json:"made,omitempty"`
}

// Sample is a request that can be done here, for people who do not know what to ask.
type Sample struct {
	// Key tells the samples apart, and stays the same: printable ASCII without space.
	Key  string `json:"key"`
	Wish string `json:"wish"`
	// Needs is the type of the file that it is about, "" for none.
	Needs Type `json:"needs,omitempty"`
}

// Plan is what Atelier means to do for a request: its subtasks, the ranked
// solutions of each, and which one is chosen. A plan without subtasks either asks
// back (Question) or is plain conversation (Reply).
type Plan struct {
	Wish      string     `json:"wish"`
	Resources []Resource `json:"resources,omitempty"`
	Tasks     []Task     `json:"tasks,omitempty"`
	// Left are the parts of the request that no task does.
	Left     []Leftover `json:"left,omitempty"`
	Question string     `json:"question,omitempty"`
	// Guesses are requests that the Question may mean, in plain words, at most [MaxGuesses].
	Guesses []string `json:"guesses,omitempty"`
	Reply   string   `json:"reply,omitempty"`
	// Refused marks a Reply that turns the request down.
	Refused bool `json:"refused,omitempty"`
	// Samples are offered with a Question or a Reply to people who do not know what to ask.
	Samples []Sample `json:"samples,omitempty"`
	// Visited counts the tools that the search looked at, over all subtasks.
	Visited int `json:"visited,omitempty"`
	// Ranking counts the solutions that were ranked, over all subtasks.
	Ranking Ranking `json:"ranking,omitzero"`
	// Thinking is what it took to make the plan.
	Thinking Thinking `json:"thinking,omitzero"`
}

// Ranking counts what the search handed over to be ranked. A subtask with one solution in
// which nothing is open is not ranked.
type Ranking struct {
	Subtasks  int `json:"subtasks"`
	Solutions int `json:"solutions"`
	// Good counts the solutions with a score of 3 or more, Several the subtasks with more
	// than one of them.
	Good    int `json:"good"`
	Several int `json:"several"`
}

// Add adds the counts of another ranking.
func (r *Ranking) Add(other Ranking) {
	r.Subtasks += other.Subtasks
	r.Solutions += other.Solutions
	r.Good += other.Good
	r.Several += other.Several
}

// Leftover is a part of a request that is not done, as it was written.
type Leftover struct {
	Part string `json:"part"`
	// Unknown are the words of it that nobody knew what to do with. Empty means that it goes
	// on from another part that is not done.
	Unknown []string `json:"unknown,omitempty"`
}

// Task is a subtask with its solutions, the best first; behind those that differ stand
// some that do as the best one, with other candidates ([Solution.Varies]). A task without solutions says
// in Missing which tools would solve it.
type Task struct {
	Subtask   Subtask    `json:"subtask"`
	Solutions []Solution `json:"solutions,omitempty"`
	// Missing are the tools of the best solution over the whole catalogue that
	// nobody can run now; set only where Solutions is empty.
	Missing []string `json:"missing,omitempty"`
	// Unread is a sentence on a setting that could not be read, for which the task is left out;
	// set only where Solutions is empty.
	Unread string `json:"unread,omitempty"`
	// Asked are the models, servers and programs that the request names for this subtask and
	// that were taken, Absent those that cannot be had here, as the request calls them.
	Asked  []string `json:"asked,omitempty"`
	Absent []string `json:"absent,omitempty"`
	// Besides are those that the request names as well: one was taken, and they are among the
	// solutions behind it.
	Besides []string `json:"besides,omitempty"`
}

// Subtask is one part of a request, in the form of ControlLLM's Table 5.
type Subtask struct {
	// Description says what is wanted, with its objects and prompts, in plain words.
	Description string `json:"description"`
	// Tool is the tool by which the built-in rules understood the subtask. A language model sets none.
	Tool string `json:"tool,omitempty"`
	// Decided means that the subtask is done by its Tool, and by no other.
	Decided bool `json:"decided,omitempty"`
	// Domains narrow the search; tools of the domain "general" are always in.
	// Empty means every domain.
	Domains []string `json:"domains,omitempty"`
	// Args are the inputs that the user gave for this subtask.
	Args []Arg `json:"args,omitempty"`
	// Said are the settings that the request states. The search does not see them.
	Said []Said `json:"said,omitempty"`
	// Returns is the type of what is wanted.
	Returns Type `json:"returns"`
	// After are the indexes of the subtasks that must be done before this one,
	// those whose results stand in Args included. They are smaller than its own.
	After []int `json:"after,omitempty"`
}

// Arg is an input of a subtask. Its Source is a resource, a literal value or the
// result of an earlier subtask, never an action.
type Arg struct {
	Type   Type   `json:"type"`
	Source Source `json:"source"`
	// Meaning says what a text stands for (see the Meaning constants); empty if unknown.
	Meaning Meaning `json:"meaning,omitempty"`
}

// Said is what a request states of a setting: how much, when, where on a picture, in which format
// or language.
type Said struct {
	// Words are those of the request.
	Words string `json:"words"`
	// Type is the type of the parameter that they are for (package param).
	Type string `json:"type"`
	// Value is what is read: English words or a canonical value. Empty means Words.
	Value string `json:"value,omitempty"`
}

// Text is what the value is read from.
func (s Said) Text() string { return cmp.Or(s.Value, s.Words) }

// Meaning is what a text argument stands for.
type Meaning string

// The meanings of text arguments.
const (
	Object      Meaning = "object"      // a short noun phrase: "umbrella"
	Prompt      Meaning = "prompt"      // what a new picture, video or sound shows or sounds like
	Instruction Meaning = "instruction" // how something is to be changed: "make the sky purple"
	Query       Meaning = "question"    // a question to be answered
	Content     Meaning = "content"     // a text to be worked on: summarised, spoken, drawn
	Amount      Meaning = "amount"      // how much, how large, how long: "half", "90 degrees", "2 MB"
	Place       Meaning = "place"       // where on a picture or in the world: "top left", "Paris"
	Format      Meaning = "format"      // a file format: "webp"
	Language    Meaning = "language"    // a language: "German"
)
