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

	"atelier/agent/plan"
)

// Planner does the language jobs.
type Planner interface {
	Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (Decomposition, error)
	// Assess scores each candidate of each subtask from 1 (unrelated) to 5 (surely
	// needed); the answer has the shape of the question.
	Assess(ctx context.Context, r plan.Request, tasks []Assessment, t *plan.Thinking) ([][]float64, error)
	Settle(ctx context.Context, r plan.Request, tasks []Contest, t *plan.Thinking) ([]Settlement, error)
	// Respond words the answer. Every sentence of a.Missing is told in it, in whatever
	// language. It names no tool, and files by the names by which people know them.
	Respond(ctx context.Context, a Account, t *plan.Thinking) (string, error)
}

// Decomposition is what a request comes down to. Exactly one of Subtasks, Question and
// Reply is set.
type Decomposition struct {
	Subtasks []plan.Subtask
	// Left are the parts of the request that no subtask does.
	Left []plan.Leftover
	// Question is asked back when it is unclear which resource or what is meant.
	Question string
	// Guesses are requests that the Question may mean, each of which this planner plans without
	// asking back; at most [plan.MaxGuesses], and only with a Question.
	Guesses []string
	// Reply answers plain conversation that needs no tool, and requests that no tool of
	// the catalogue could do.
	Reply string
	// Refused marks a Reply that turns a request down.
	Refused bool
	// Samples reports whether the person does not know what to ask, and is shown what can be tried.
	Samples bool
	// Types are resources whose type the request tells better than the file does: "the
	// depth map room.png" is of type depth, not just image.
	Types map[string]plan.Type
}

// Assessment asks for the scores of the candidate tools of a subtask, by tool name.
type Assessment struct {
	Subtask plan.Subtask
	// Earlier are the subtasks of the plan before this one, to which it refers by index.
	Earlier    []plan.Subtask
	Candidates []string
}

// Contest asks for the ranking and completion of a subtask's solutions.
type Contest struct {
	Subtask plan.Subtask
	// Earlier are the subtasks of the plan before this one, to which it and its
	// solutions refer by index.
	Earlier   []plan.Subtask
	Solutions []plan.Solution
	// Scores are those of the assessment, by tool name.
	Scores map[string]float64
	// Models are, for each tool with several live candidates to choose among, those, best
	// first.
	Models map[string][]Model
}

// Model is a candidate of a tool as it is chosen: what people call it, and what is known
// of it.
type Model struct {
	// Candidate is its name in an action.
	Candidate string
	// Called is what people call it, unlike the others of the tool.
	Called string
	// About says what it is good at, its licence, how often it is downloaded if that is
	// known, and where it runs; "" if nothing is known.
	About string
}

// Settlement ranks and completes. Solutions stand in the order of the contest, each
// with its Score set, its blanks filled from their options, and candidates named
// where models were offered.
type Settlement struct {
	Solutions []plan.Solution
}

// Account is all that an answer may speak of.
type Account struct {
	Request plan.Request
	Plan    *plan.Plan
	Steps   []plan.Step
	// Results stand in the order of the steps.
	Results []plan.Result
	// Fallbacks are sentences on what was done another way than first meant.
	Fallbacks []string
	// Left are the parts of the request that are not done. The answer begins with them, whatever a
	// planner writes.
	Left []plan.Leftover
	// Missing are sentences on parts of the request that cannot be done here, and on what
	// they would need.
	Missing []string
}
