package llm

import "math"

// assessment is the answer of the job.
type assessment struct {
	Tasks []taskScores `json:"tasks"`
}

// taskScores are the scores for one task of the question.
type taskScores struct {
	Task int `json:"task"`
	// Way is how the model would go. It comes first, so that tools in the middle of a
	// way are not forgotten.
	Way    string      `json:"way"`
	Scores []toolScore `json:"scores"`
}

// toolScore is the score of a tool for a task.
type toolScore struct {
	Tool  string  `json:"tool"`
	Score float64 `json:"score"`
}

// shownBytes is how much of a wrong name is told again.
const shownBytes = 60

// readAssessment reads the scores for each of the lists, by the names of the tools.
func readAssessment(content string, lists []*shortlist) ([]map[string]float64, error) {
	answer, err := readObject[assessment](content)
	if err != nil {
		return nil, err
	}
	scores := make([]map[string]float64, len(lists))
	var wrong faults
	for _, a := range answer.Tasks {
		switch {
		case a.Task < 1 || a.Task > len(lists):
			wrong.addf(unknownNumber, "There is no task %d.", a.Task)
		case scores[a.Task-1] != nil:
			wrong.addf(givenTwice, "Task %d stands there twice.", a.Task)
		default:
			scores[a.Task-1] = a.read(lists[a.Task-1], lists, &wrong)
		}
	}
	for i, s := range scores {
		if s == nil {
			wrong.addf(missingPart, "Task %d is missing.", i+1)
		}
	}
	return scores, wrong.err()
}

// read checks the scores for one task.
func (a taskScores) read(l *shortlist, lists []*shortlist, wrong *faults) map[string]float64 {
	scores := map[string]float64{}
	for _, s := range a.Scores {
		before, twice := scores[s.Tool]
		switch {
		case !l.has(s.Tool) && !known(lists, s.Tool):
			wrong.addf(unknownTool, "Task %d: there is no tool %s.", a.Task, quoted(s.Tool, shownBytes))
		case !l.has(s.Tool):
			wrong.addf(notOffered, "Task %d: %s is not among its candidates.", a.Task, s.Tool)
		case s.Score != math.Trunc(s.Score) || s.Score < lowest || s.Score > highest:
			wrong.addf(outOfRange, "Task %d: %s has the score %v; a score is 1, 2, 3, 4 or 5.", a.Task, s.Tool, s.Score)
		case twice && before != s.Score:
			wrong.addf(givenTwice, "Task %d: %s has two scores, %v and %v.", a.Task, s.Tool, before, s.Score)
		default:
			scores[s.Tool] = s.Score
		}
	}
	return scores
}

// known tells whether a tool is a candidate of some task.
func known(lists []*shortlist, tool string) bool {
	for _, l := range lists {
		if l.has(tool) {
			return true
		}
	}
	return false
}
