package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// Answers measures how well answers are worded. No tool runs: the results of a plan are invented
// from the types that its steps return, always the same for the same plan. In one of five requests,
// selected by id, one step fails and its dependents are skipped. An answer is good if it is not
// empty, names no file that does not exist, names every final file if there are several, and
// reports the error of a failed step.
type Answers struct {
	Asked int `json:"asked"`
	Good  int `json:"good"`
	// LeftOut counts the answers for which no planner was asked, by reason; they do not count in
	// Asked.
	LeftOut map[string]int `json:"left_out,omitempty"`
	// Misses are the bad answers; only set with [Options].Failures.
	Misses []AnswerMiss `json:"misses,omitempty"`
}

// AnswerMiss is a bad answer.
type AnswerMiss struct {
	ID          string   `json:"id"`
	Instruction string   `json:"instruction"`
	Why         []string `json:"why"`
	Text        string   `json:"text"`
}

// rehearsed is an answer to invented results, and its faults.
type rehearsed struct {
	text string
	why  []string
	// unasked says why no planner was asked; "" if one was.
	unasked string
}

// rehearse has the answer to a plan worded and checks it. The cost is added to took. It returns nil
// if the plan has no valid steps, which is a miss already.
func rehearse(ctx context.Context, c Case, p *plan.Plan, o Options, took *plan.Thinking) *rehearsed {
	account, err := madeUp(c, p)
	if err != nil {
		return nil
	}
	text, err := o.Respond(ctx, account, took)
	if err != nil {
		return &rehearsed{why: []string{fmt.Sprintf("failed: %v", err)}, unasked: o.unasked(err)}
	}
	return &rehearsed{text: text, why: faults(account, text)}
}

// madeUp returns the account of an invented run.
func madeUp(c Case, p *plan.Plan) (planner.Account, error) {
	steps, _, err := p.Steps(p.Best())
	if err != nil {
		return planner.Account{}, err
	}
	account := planner.Account{Request: c.Request, Plan: p, Steps: steps, Results: make([]plan.Result, len(steps)), Left: p.LeftBy(p.Best())}
	for _, t := range p.Tasks {
		if len(t.Solutions) == 0 {
			account.Missing = append(account.Missing, lacking(t))
		}
	}
	fails := failing(c.ID, len(steps))
	namer := plan.NewNamer(p.Resources...)
	for i, s := range steps {
		switch {
		case i == fails:
			account.Results[i] = plan.Result{
				Status: plan.Failed, Took: madeUpTime,
				Problem: "Its server stopped with the error " + madeUpError + ".",
			}
		case slices.ContainsFunc(s.Inputs(), func(in int) bool { return account.Results[in].Status != plan.Done }):
			account.Results[i] = plan.Result{Status: plan.Skipped}
		default:
			account.Results[i] = plan.Result{
				Status: plan.Done, Took: madeUpTime,
				Candidate: cmp.Or(s.Action.Candidate, "native:"+s.Action.Tool),
				Output:    output(namer, account, s),
			}
		}
	}
	return account, nil
}

const (
	madeUpTime = 2 * time.Second
	// madeUpError is the same in every language.
	madeUpError = "4711"
)

// lacking says why a part of the request cannot be done, like the agent.
func lacking(t plan.Task) string {
	if len(t.Missing) == 0 {
		return fmt.Sprintf("I know no way to do “%s”.", t.Subtask.Description)
	}
	return fmt.Sprintf("I cannot do “%s” here. It needs a tool server, which is not set up here.", t.Subtask.Description)
}

// failing returns the index of the failing step; -1 in four of five requests.
func failing(id string, steps int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	n := h.Sum32()
	if n%5 != 0 || steps == 0 {
		return -1
	}
	return int(n/5) % steps
}

// output invents the output of a step.
func output(namer *plan.Namer, account planner.Account, s plan.Step) *plan.Resource {
	var inputs []string
	for _, b := range s.Action.Args {
		for _, leaf := range b.Source.Leaves() {
			switch leaf.Kind {
			case plan.OfResource:
				inputs = append(inputs, leaf.Name)
			case plan.OfAction:
				inputs = append(inputs, account.Results[leaf.Index].Output.Name)
			default: // texts have no name
			}
		}
	}
	op := s.Action.Tool
	if s.Action.Returns.ImageMap() {
		op = string(s.Action.Returns)
	}
	value, ext := content(s.Action.Returns)
	made := &plan.Resource{Name: namer.Derived(op, s.Key, ext, inputs...), Type: s.Action.Returns, Value: value}
	if ext != "" {
		made.File = plan.FileName(op, "", ext)
	}
	return made
}

// content returns an invented value of a type, or its file extension.
func content(t plan.Type) (value, ext string) {
	switch t {
	case plan.Video:
		return "", ".mp4"
	case plan.Audio:
		return "", ".wav"
	case plan.Document:
		return "", ".pdf"
	case plan.Archive:
		return "", ".zip"
	case plan.HTML:
		return "", ".html"
	case plan.Tags:
		return "dog, sofa, living room", ""
	case plan.Title:
		return "An afternoon on the sofa", ""
	case plan.Location:
		return "Lisbon", ""
	case plan.Weather:
		return "18 °C, light rain, wind from the west", ""
	case plan.Time:
		return "2026-03-02 09:00", ""
	case plan.Facts:
		return "File type: PNG picture\nSize: 52.3 kB (52,300 bytes)", ""
	case plan.BBox:
		return `[{"label":"dog","score":0.93,"xmin":40,"ymin":120,"xmax":310,"ymax":400},` +
			`{"label":"sofa","score":0.58,"xmin":0,"ymin":200,"xmax":640,"ymax":480}]`, ""
	case plan.Points:
		return `[{"x":175,"y":260}]`, ""
	case plan.Category:
		return `[{"label":"dog","score":0.93},{"label":"fox","score":0.04}]`, ""
	default:
		if t.Media() {
			return "", ".png"
		}
		return "A brown dog lies on a red sofa.", ""
	}
}

// faults lists what is wrong with an answer.
func faults(account planner.Account, text string) []string {
	if strings.TrimSpace(text) == "" {
		return []string{"empty"}
	}
	var why []string
	files := 0
	for i, s := range account.Steps {
		if s.Final && account.Results[i].Status == plan.Done && s.Action.Returns.Media() && !account.UsedUp(i) {
			files++
		}
	}
	if invented := account.Invents(text); len(invented) > 0 {
		why = append(why, "names "+strings.Join(invented, ", ")+", which does not exist")
	}
	for i, s := range account.Steps {
		switch result := account.Results[i]; {
		case result.Status == plan.Failed && !strings.Contains(text, madeUpError):
			why = append(why, fmt.Sprintf("does not report that %s failed", s.Action.Tool))
		case files > 1 && result.Status == plan.Done && s.Final && s.Action.Returns.Media() && !account.UsedUp(i) &&
			!strings.Contains(text, result.Output.File):
			why = append(why, "does not name "+result.Output.File)
		}
	}
	return why
}
