package assess

import (
	"math"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/exchange"
)

// assessment is the model's answer.
type assessment struct {
	Tasks []taskScores `json:"tasks"`
}

// taskScores are the scores of one task.
type taskScores struct {
	Task int `json:"task"`
	// Way is the model's plan. It comes first, so that tools needed on the way are not forgotten.
	Way    string      `json:"way"`
	Scores []toolScore `json:"scores"`
}

// toolScore is the score of a tool for a task.
type toolScore struct {
	Tool  string  `json:"tool"`
	Score float64 `json:"score"`
}

// unknownTool is the kind of complaint about a tool that does not exist.
const unknownTool = "unknown tool"

// readAssessment parses the scores for each list, by tool name.
func readAssessment(content string, lists []*shortlist) ([]map[string]float64, error) {
	answer, err := exchange.ReadObject[assessment](content)
	if err != nil {
		return nil, err
	}
	scores := make([]map[string]float64, len(lists))
	var wrong exchange.Faults
	for _, a := range answer.Tasks {
		switch {
		case a.Task < 1 || a.Task > len(lists):
			wrong.Addf(exchange.UnknownNumber, "There is no task %d.", a.Task)
		case scores[a.Task-1] != nil:
			wrong.Addf(exchange.GivenTwice, "Task %d stands there twice.", a.Task)
		default:
			scores[a.Task-1] = a.read(lists[a.Task-1], lists, &wrong)
		}
	}
	for i, s := range scores {
		if s == nil {
			wrong.Addf(exchange.MissingPart, "Task %d is missing.", i+1)
		}
	}
	return scores, wrong.Err()
}

// read parses and checks the scores of one task.
func (a taskScores) read(l *shortlist, lists []*shortlist, wrong *exchange.Faults) map[string]float64 {
	scores := map[string]float64{}
	for _, s := range a.Scores {
		before, twice := scores[s.Tool]
		switch {
		case !l.has(s.Tool) && !known(lists, s.Tool):
			wrong.Addf(unknownTool, "Task %d: there is no tool %s.", a.Task, brief.Quoted(s.Tool, brief.ShownBytes))
		case !l.has(s.Tool):
			wrong.Addf(exchange.NotOffered, "Task %d: %s is not among its candidates.", a.Task, s.Tool)
		case s.Score != math.Trunc(s.Score) || s.Score < plan.Worst || s.Score > plan.Best:
			wrong.Addf(exchange.OutOfRange, "Task %d: %s has the score %v; a score is 1, 2, 3, 4 or 5.", a.Task, s.Tool, s.Score)
		case twice && before != s.Score:
			wrong.Addf(exchange.GivenTwice, "Task %d: %s has two scores, %v and %v.", a.Task, s.Tool, before, s.Score)
		default:
			scores[s.Tool] = s.Score
		}
	}
	return scores
}

// known reports whether a tool is a candidate of some task.
func known(lists []*shortlist, tool string) bool {
	for _, l := range lists {
		if l.has(tool) {
			return true
		}
	}
	return false
}
