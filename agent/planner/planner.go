// Package planner is the contract for the language side of Atelier: six jobs in at most four rounds
// per request.
//
//	Decompose  request, thread and resources → subtasks, a question back, or conversation
//	Assess     every subtask × its candidate tools → scores
//	Settle     every subtask × its solutions → Rank (scores), Fill (blank arguments)
//	           and Choose (one of a tool's candidate models), in one round
//	Respond    request, plan and results → the answer
//
// Guarantees of every implementation:
//   - Each method is called at most once per request, and not at all if there is only one answer
//     (one tool; one solution with nothing open).
//   - A result names only known tools, types and resources. An implementation checks its own answers
//     and returns an error rather than an invention. People read questions and replies as they are, so
//     these name no invented file either ([Account.Invents]).
//   - It is safe for concurrent use and stops with its context.
//   - Errors carry a sentence for people ([plan.Fault]) apart from the detail. A final error is about
//     the request, which was declined or exceeds a limit: no other planner should try.
//   - Each method notes its costs in the request's [plan.Thinking], even if it fails. A Thinking
//     belongs to one request, whose jobs run one after another.
package planner

import (
	"context"
	"slices"

	"atelier/agent/plan"
)

// Planner does the language work.
type Planner interface {
	Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (Decomposition, error)
	// Assess scores each candidate of each subtask from 1 (unrelated) to 5 (surely needed). The
	// result has the shape of tasks and their candidates.
	Assess(ctx context.Context, r plan.Request, tasks []Assessment, t *plan.Thinking) ([][]float64, error)
	Settle(ctx context.Context, r plan.Request, tasks []Contest, t *plan.Thinking) ([]Settlement, error)
	// Respond words the answer. It includes every sentence of a.Missing, in the user's language. It
	// names no tool, and uses the file names that people know.
	Respond(ctx context.Context, a Account, t *plan.Thinking) (string, error)
}

// Decomposition is the result of analysing a request. Exactly one of Subtasks, Question and Reply
// is set.
type Decomposition struct {
	Subtasks []plan.Subtask
	// Left are the parts of the request that no subtask covers.
	Left []plan.Unhandled
	// Question is asked back when the resource or the intent is unclear.
	Question string
	// Guesses are requests that the person may have meant, each of which this planner can plan
	// without asking back; at most [plan.MaxGuesses], and only with a Question.
	Guesses []string
	// Reply answers plain conversation, and requests that no tool of the catalogue could do.
	Reply string
	// Brings are the names of the earlier results that come with Reply, such as the picture from before to "undo that".
	Brings []string
	// Refused reports whether Reply declines a request.
	Refused bool
	// Samples reports whether the person does not know what to ask, so that examples are shown.
	Samples bool
	// Types are better resource types than the files alone reveal: in "the depth map room.png",
	// room.png has type depth, not just image.
	Types map[string]plan.Type
}

// Assessment asks for the scores of the candidate tools of a subtask, by tool name.
type Assessment struct {
	Subtask plan.Subtask
	// Earlier are the preceding subtasks of the plan, to which this one refers by index.
	Earlier    []plan.Subtask
	Candidates []string
}

// Contest asks for the ranking and completion of a subtask's solutions.
type Contest struct {
	Subtask plan.Subtask
	// Earlier are the preceding subtasks of the plan, to which this one and its solutions refer by
	// index.
	Earlier   []plan.Subtask
	Solutions []plan.Solution
	// Scores are the assessment's scores by tool name.
	Scores map[string]float64
	// Models lists the live candidates, best first, of each tool that has several to choose from.
	Models map[string][]Model
}

// Model is a candidate of a tool, described so that one can be chosen.
type Model struct {
	// Candidate is its name in an action.
	Candidate string
	// Called is what people call it; unique within the tool.
	Called string
	// About describes its strengths, its licence, its number of downloads if known, and where it
	// runs; "" if nothing is known.
	About string
}

// Settlement is the ranked and completed contest: the solutions in the order of the contest, each
// with its Score set, its blanks filled from their options, and candidates named where models were
// offered.
type Settlement struct {
	Solutions []plan.Solution
}

// Account holds everything that an answer may mention.
type Account struct {
	Request plan.Request
	Plan    *plan.Plan
	Steps   []plan.Step
	// Results are in the order of the steps.
	Results []plan.Result
	// Fallbacks are sentences about anything that was done differently than planned.
	Fallbacks []string
	// Left are the parts of the request that are not done. The answer always begins with them,
	// whatever the planner writes.
	Left []plan.Unhandled
	// Missing are sentences about parts of the request that cannot be done here, and what they
	// would need.
	Missing []string
}

// UsedUp reports whether step i made files of which a finished step made others. People expect those, unless they asked
// for the first ones as well.
func (a Account) UsedUp(i int) bool {
	if !a.Steps[i].Action.Returns.Media() {
		return false
	}
	for at, s := range a.Steps {
		if a.Results[at].Status == plan.Done && s.Action.Returns.Media() && slices.Contains(s.Inputs(), i) {
			return true
		}
	}
	return false
}
