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
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Request is one request of one person in one thread.
type Request struct {
	ID     string `json:"id"`
	Thread string `json:"thread,omitempty"`
	Wish   string `json:"wish"`
	// Given are the resources attached to this message, in order.
	Given []Resource `json:"given,omitempty"`
	// Earlier are the resources of the thread before this message, oldest first.
	Earlier []Resource `json:"earlier,omitempty"`
	// Turns are the earlier messages of the thread, oldest first.
	Turns []Turn `json:"turns,omitempty"`
	// Question is the open question that this message answers, nil if there is none.
	Question *Question `json:"question,omitempty"`
	// At is when the message was accepted, which is the current time for "what time is it".
	At time.Time `json:"at,omitzero"`
	// Language is the BCP 47 tag of the request's language if the program has translations for it;
	// "" means English.
	Language string `json:"language,omitempty"`
	// NoPrograms forbids writing programs for this request.
	NoPrograms bool `json:"no_programs,omitempty"`
	// Improvises is set if a program can be written when no tool fits.
	Improvises bool `json:"improvises,omitempty"`
	// Operator marks a request by the operator, who may see which settings would help.
	Operator bool `json:"operator,omitempty"`
}

// Resources returns what the request may use: the thread's resources, then those of this message,
// so that the latest is last.
func (r Request) Resources() []Resource {
	all := make([]Resource, 0, len(r.Earlier)+len(r.Given))
	return append(append(all, r.Earlier...), r.Given...)
}

// WithTypes returns the request with more specific types of some resources.
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

// Turn is one earlier exchange of a thread. For a message between people, Wish begins with the
// author's name, and there is no Reply.
type Turn struct {
	Wish  string `json:"wish"`
	Reply string `json:"reply"`
	// Made are the names of the resources made in the turn.
	Made []string `json:"made,omitempty"`
}

// Sample is an example request that can be done here, for people who do not know what to ask.
type Sample struct {
	// Key identifies the sample permanently: printable ASCII without spaces.
	Key  string `json:"key"`
	Wish string `json:"wish"`
	// Needs is the type of the file it needs, "" for none.
	Needs Type `json:"needs,omitempty"`
}

// Label returns the request in people's language, for a button. What runs is Wish, which every planner understands.
func (s Sample) Label() Message { return Message{Format: strings.ReplaceAll(s.Wish, "%", "%%")} }

// Plan is how Atelier will do a request: its subtasks with ranked solutions. A plan without
// subtasks either asks back (Question) or is plain conversation (Reply).
type Plan struct {
	Wish      string     `json:"wish"`
	Resources []Resource `json:"resources,omitempty"`
	Tasks     []Task     `json:"tasks,omitempty"`
	// Left are the parts of the request that no task covers.
	Left     []Unhandled `json:"left,omitempty"`
	Question string      `json:"question,omitempty"`
	// Guesses are requests that the person may have meant, in plain words, at most [MaxGuesses].
	Guesses []string `json:"guesses,omitempty"`
	Reply   string   `json:"reply,omitempty"`
	// Brings are the names of the earlier results that come with Reply.
	Brings []string `json:"brings,omitempty"`
	// Refused reports whether Reply declines the request.
	Refused bool `json:"refused,omitempty"`
	// Samples are shown with a Question or a Reply to people who do not know what to ask.
	Samples []Sample `json:"samples,omitempty"`
	// Visited counts the tools that the search visited, over all subtasks.
	Visited int `json:"visited,omitempty"`
	// Ranking counts the solutions that were ranked, over all subtasks.
	Ranking Ranking `json:"ranking,omitzero"`
	// Thinking is the cost of planning.
	Thinking Thinking `json:"thinking,omitzero"`
}

// Ranking counts what the planner had to rank. A subtask whose only solution has nothing open is
// not ranked.
type Ranking struct {
	Subtasks  int `json:"subtasks"`
	Solutions int `json:"solutions"`
	// Good counts the solutions with a score of 3 or more, Several the subtasks with several of
	// them.
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

// Unhandled is a part of a request that is not done, in the words of the request.
type Unhandled struct {
	Part string `json:"part"`
	// Unknown are the words in Part that were not understood. Empty means that the part depends on
	// another part that is not done.
	Unknown []string `json:"unknown,omitempty"`
}

// Task is a subtask with its solutions, best first, followed by variants of the best one with other
// candidates ([Solution.Varies]). A task without solutions names the tools that would solve it in
// Missing.
type Task struct {
	Subtask   Subtask    `json:"subtask"`
	Solutions []Solution `json:"solutions,omitempty"`
	// Missing are the tools in the best solution from the whole catalogue that no process can run
	// now; set only if Solutions is empty.
	Missing []string `json:"missing,omitempty"`
	// Unread is a sentence about a setting that could not be parsed, because of which the task is
	// not done; set only if Solutions is empty.
	Unread string `json:"unread,omitempty"`
	// Asked are the models, servers and programs that the request names for this subtask and that
	// are used; Absent are those that are unavailable. Both are in the words of the request.
	Asked  []string `json:"asked,omitempty"`
	Absent []string `json:"absent,omitempty"`
	// Besides are others that the request names: they were not chosen but are among the
	// alternatives.
	Besides []string `json:"besides,omitempty"`
}

// Subtask is one part of a request, in the form of ControlLLM's Table 5.
type Subtask struct {
	// Description says what is wanted, with its objects and prompts, in plain words.
	Description string `json:"description"`
	// Tool is the tool that the built-in rules recognised. A language model does not set it.
	Tool string `json:"tool,omitempty"`
	// Decided means that only Tool may do the subtask.
	Decided bool `json:"decided,omitempty"`
	// Domains restrict the search; tools of the domain "general" are always included. Empty means
	// every domain.
	Domains []string `json:"domains,omitempty"`
	// Args are the inputs from the user for this subtask.
	Args []Arg `json:"args,omitempty"`
	// Said are the settings stated in the request. The search ignores them.
	Said []Said `json:"said,omitempty"`
	// Returns is the type of the wanted result.
	Returns Type `json:"returns"`
	// After are the indexes of the subtasks that must be done before this one, including those
	// whose results are in Args. They are lower than its own.
	After []int `json:"after,omitempty"`
	// Passing means that the result is only made for another subtask of the same order: people did not ask for it.
	Passing bool `json:"passing,omitempty"`
}

// Arg is an input of a subtask. Its Source is a resource, a literal value or the
// result of an earlier subtask, never an action.
type Arg struct {
	Type   Type   `json:"type"`
	Source Source `json:"source"`
	// Meaning says what a text is (see the Meaning constants); empty if unknown.
	Meaning Meaning `json:"meaning,omitempty"`
}

// Said is a setting stated in a request: an amount, a time, a place in a picture, a format or a
// language.
type Said struct {
	// Words are the words of the request.
	Words string `json:"words"`
	// Type is the type of the parameter it is for (package param).
	Type string `json:"type"`
	// Value is parsed instead of Words if it is set: English words or a canonical value.
	Value string `json:"value,omitempty"`
}

// Text returns the text to parse.
func (s Said) Text() string { return cmp.Or(s.Value, s.Words) }

// Meaning is the meaning of a text argument.
type Meaning string

// The meanings of text arguments.
const (
	Object      Meaning = "object"      // a short noun phrase: "umbrella"
	Prompt      Meaning = "prompt"      // a description of a new picture, video or sound
	Instruction Meaning = "instruction" // how to change something: "make the sky purple"
	Query       Meaning = "question"    // a question to answer
	Content     Meaning = "content"     // a text to work on: to summarise, speak, draw
	Amount      Meaning = "amount"      // how much, how large, how long: "half", "90 degrees", "2 MB"
	Place       Meaning = "place"       // where on a picture or in the world: "top left", "Paris"
	Format      Meaning = "format"      // a file format: "webp"
	Language    Meaning = "language"    // a language: "German"
)

// Offer is a choice for people with its score, or a guess at what they mean.
type Offer struct {
	Choice Choice `json:"choice,omitempty"`
	// Task is the subtask in which the offer differs from the chosen plan, -1 for the chosen plan
	// itself.
	Task  int     `json:"task"`
	Score float64 `json:"score"`
	// Guess is the request to plan if the offer is taken; "" if the Choice is run.
	Guess string `json:"guess,omitempty"`
	// Use is the existing result to continue with if the offer is taken; "" if something is run.
	Use string `json:"use,omitempty"`
}

// Offers returns the chosen plan and then the best variations of it, in which one subtask is done
// another way. They are sorted by score, then by subtask and solution, and limited to limit. A plan
// that asks back offers its guesses instead.
func (p *Plan) Offers(chosen Choice, limit int) []Offer {
	var others []Offer
	if p.Question != "" {
		for _, guess := range p.Guesses {
			others = append(others, Offer{Guess: guess, Task: -1})
		}
		return others[:min(limit, len(others))]
	}
	for t, task := range p.Tasks {
		for s := range task.Solutions {
			if s == chosen[t] {
				continue
			}
			c := slices.Clone(chosen)
			c[t] = s
			others = append(others, Offer{Choice: c, Task: t, Score: task.Solutions[s].Score})
		}
	}
	slices.SortStableFunc(others, func(a, b Offer) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	all := append([]Offer{{Choice: slices.Clone(chosen), Task: -1, Score: p.score(chosen)}}, others...)
	return all[:min(limit, len(all))]
}

// Doubtful reports whether some part of the plan has no solution good enough to run without asking,
// so that people should choose.
func (p *Plan) Doubtful() bool {
	return Solution{Score: p.score(p.Best())}.doubtful()
}

// doubtful reports whether the solution is not good enough to run without asking. A score of 0
// means that it was not scored.
func (s Solution) doubtful() bool { return s.Score > 0 && s.Score < Good }

// score returns the lowest score of the chosen solutions: a plan is as good as its worst part.
func (p *Plan) score(c Choice) float64 {
	var worst float64
	for t, task := range p.Tasks {
		if c[t] < 0 {
			continue
		}
		if s := task.Solutions[c[t]].Score; worst == 0 || s < worst {
			worst = s
		}
	}
	return worst
}

// Question is a question that Atelier asked back.
type Question struct {
	Text string `json:"text"`
	// Wish is the request that led to the question; the answer completes it.
	Wish string `json:"wish"`
	// Guesses are the guesses offered with it, in the order of their numbers.
	Guesses []string `json:"guesses,omitempty"`
}

const (
	// MaxGuesses is the maximum number of guesses per question.
	MaxGuesses = 4
	// MaxGuess is the maximum length of a guess in bytes: it is the label of a button.
	MaxGuess = 200
)

// Listed returns the question as shown: its text, followed by the numbered guesses.
func (q Question) Listed() string {
	var b strings.Builder
	b.WriteString(q.Text)
	for i, guess := range q.Guesses {
		fmt.Fprintf(&b, "\n%d. %s", i+1, guess)
	}
	return b.String()
}

// Picked returns the guess selected by a text that is only its number: "2", "2.", "#2"; "" if there
// is none.
func (q Question) Picked(text string) string {
	if n := Number(text); n >= 1 && n <= len(q.Guesses) {
		return q.Guesses[n-1]
	}
	return ""
}

// Number returns the number that a text consists of: "2", "2.", "#2" or the keycap 2️⃣; 0 for other texts.
func Number(text string) int {
	text = strings.NewReplacer("\ufe0f", "", "\u20e3", "").Replace(strings.TrimSpace(text))
	text = strings.TrimRight(strings.TrimPrefix(text, "#"), ".)!")
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return max(n, 0)
	}
	return 0
}

// ValidateGuesses checks the guesses of a question: there must not be too many, and none may be
// empty, too long, on several lines or duplicate.
func ValidateGuesses(guesses []string) error {
	var errs []error
	if len(guesses) > MaxGuesses {
		errs = append(errs, fmt.Errorf("there are %d guesses, at most %d are allowed", len(guesses), MaxGuesses))
	}
	for i, guess := range guesses {
		switch {
		case strings.TrimSpace(guess) == "":
			errs = append(errs, fmt.Errorf("guess %d is empty", i+1))
		case len(guess) > MaxGuess:
			errs = append(errs, fmt.Errorf("guess %d has %d bytes, at most %d are allowed", i+1, len(guess), MaxGuess))
		case strings.ContainsFunc(guess, unicode.IsControl):
			errs = append(errs, fmt.Errorf("guess %d is not on one line", i+1))
		case slices.Contains(guesses[:i], guess):
			errs = append(errs, fmt.Errorf("guess %d stands twice", i+1))
		}
	}
	return errors.Join(errs...)
}
