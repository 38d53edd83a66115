package llm

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// record is what the model is told of a request: the data of the prompt.
type record struct {
	Turns    []turnTold
	Question *questionTold
	Wish     string
	Parts    []partTold
	Steps    []stepTold
	Left     int // steps on the way that are left out
	Ways     []string
	Missing  []string

	texts wholeTexts
}

type turnTold struct {
	Person string   `json:"person"`
	You    string   `json:"you"`
	Made   []string `json:"made,omitempty"`
}

type questionTold struct {
	Wish     string `json:"wish"`
	Question string `json:"question"`
}

// partTold is a subtask and what came of it.
type partTold struct {
	Part   int    `json:"part"`
	Wanted string `json:"wanted"`
	Came   string `json:"what_came"`
}

// stepTold is a step and what came of it.
type stepTold struct {
	Step        int      `json:"step"`
	Tool        string   `json:"tool"`
	Does        string   `json:"does,omitempty"`
	By          string   `json:"by,omitempty"`
	Model       string   `json:"model,omitempty"`
	From        []string `json:"from,omitempty"`
	Came        string   `json:"what_came"`
	OnTheWay    bool     `json:"on_the_way,omitempty"`
	Problem     string   `json:"problem,omitempty"`
	Made        []made   `json:"made,omitempty"`
	More        int      `json:"more_made,omitempty"`
	Approximate bool     `json:"approximate,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// measure is how much of everything is told.
type measure struct {
	turns int
	wish  int // bytes, as are text and short
	text  int // of what a tool read or wrote
	short int // of what is said in passing
	items int // of a list
	files int // of a step
	does  bool
	way   bool // tell of steps on the way that are done
}

// measures, from all that is of use to what fits nearly everywhere.
var measures = []measure{
	{turns: 2, wish: 4000, text: 800, short: 400, items: 20, files: 12, does: true, way: true},
	{turns: 1, wish: 2000, text: 400, short: 200, items: 8, files: 6, does: true, way: true},
	{turns: 0, wish: 1000, text: 160, short: 120, items: 4, files: 4, way: true},
	{turns: 0, wish: 500, text: 80, short: 80, items: 2, files: 2},
}

// tell makes the record and the part of the prompt that holds it, in as much detail as
// fits into a budget of tokens.
func (m *Mind) tell(a mind.Account, budget int) (record, string, error) {
	for i, size := range measures {
		r := m.record(a, size)
		user, err := m.prompts.write(respondJob, "user", r)
		if err != nil || tokens(user) <= budget || i == len(measures)-1 {
			return r, user, err
		}
	}
	return record{}, "", nil // there is a measure
}

func (m *Mind) record(a mind.Account, size measure) record {
	r := record{
		Wish:    excerpt(a.Request.Wish, size.wish),
		Ways:    a.Fallbacks,
		Missing: a.Missing,
	}
	turns := a.Request.Turns
	for _, t := range turns[max(0, len(turns)-size.turns):] {
		r.Turns = append(r.Turns, turnTold{excerpt(t.Wish, size.short), excerpt(t.Reply, size.short), t.Made[:min(len(t.Made), size.files)]})
	}
	if q := a.Request.Question; q != nil {
		r.Question = &questionTold{excerpt(q.Wish, size.wish), excerpt(q.Text, size.short)}
	}
	for i, t := range a.Plan.Tasks {
		r.Parts = append(r.Parts, partTold{i + 1, excerpt(t.Subtask.Description, size.short), cameOf(a, i)})
	}
	for i, s := range a.Steps {
		result := a.Results[i]
		if !size.way && !s.Final && result.Status == plan.Done {
			r.Left++
			continue
		}
		r.Steps = append(r.Steps, m.stepTold(a, i, size, r.keeper(a, i)))
	}
	return r
}

// keeper keeps the long texts of a step that makes a result of the wish. People wait
// for those that no other step takes up.
func (r *record) keeper(a mind.Account, i int) func(text string) string {
	if !a.Steps[i].Final {
		return nil
	}
	return func(text string) string {
		r.texts = append(r.texts, wholeText{strings.TrimSpace(text), !feedsOn(a.Steps, i)})
		return placeFor(len(r.texts) - 1)
	}
}

func (m *Mind) stepTold(a mind.Account, i int, size measure, keep func(text string) string) stepTold {
	s, result := a.Steps[i], a.Results[i]
	told := stepTold{
		Step: i + 1, Tool: s.Action.Tool, From: sources(s.Action, size.short),
		Came: "not done", OnTheWay: !s.Final,
	}
	if t, ok := m.config.Catalogue.Tool(s.Action.Tool); ok && size.does {
		told.Does = t.Description
	}
	switch result.Status {
	case plan.Failed:
		told.Came, told.Problem = "failed", result.Problem
	case plan.Done:
		told.Came, told.By, told.Model = "done", result.Candidate, result.Model
		told.Approximate, told.Note = result.Approximate, excerpt(result.Note, size.text)
		outs := outputs(result)
		told.More = max(0, len(outs)-size.files)
		for at, out := range outs {
			if at < size.files-1 || at == len(outs)-1 { // the last one says how far they go
				told.Made = append(told.Made, show(out, size, keep))
			}
		}
	default:
	}
	return told
}

// outputs are what a step made.
func outputs(r plan.Result) []plan.Resource {
	if r.Status != plan.Done || r.Output == nil {
		return nil
	}
	return append([]plan.Resource{*r.Output}, r.More...)
}

// feedsOn tells whether another step takes the output of step i.
func feedsOn(steps []plan.Step, i int) bool {
	return slices.ContainsFunc(steps, func(s plan.Step) bool { return slices.Contains(s.Inputs(), i) })
}

// cameOf says what came of a subtask: of the last step that makes its result.
func cameOf(a mind.Account, task int) string {
	if len(a.Plan.Tasks[task].Solutions) == 0 {
		return "cannot be done here"
	}
	for i, s := range slices.Backward(a.Steps) {
		if !s.Final || s.Task != task && !slices.Contains(s.Also, task) {
			continue
		}
		switch a.Results[i].Status {
		case plan.Done:
			return fmt.Sprintf("done by step %d", i+1)
		case plan.Failed:
			return fmt.Sprintf("not done, step %d failed", i+1)
		default:
			return "not done, since a step before it failed"
		}
	}
	return "not tried, since what it needs is not there"
}

// sources are the inputs of an action, as people and the record name them.
func sources(action plan.Action, short int) []string {
	var from []string
	name := func(s plan.Source) string {
		if s.Kind == plan.OfAction {
			return fmt.Sprintf("what step %d made", s.Index+1)
		}
		return s.String()
	}
	for _, b := range action.Args {
		switch s := b.Source; s.Kind {
		case plan.Blank:
		case plan.OfValue:
			from = append(from, b.Arg+": "+excerpt(s.Value, short))
		case plan.OfText:
			from = append(from, b.Arg+": "+excerpt(s.Expand(name), short))
		default:
			from = append(from, b.Arg+": "+name(s))
		}
	}
	return from
}

// excerpt is the beginning of a text, and its end where that is cut off: what is wanted
// of a long text is said before or behind it.
func excerpt(s string, most int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "�")
	if len(s) <= most {
		return s
	}
	tail := most / 4
	from := len(s) - tail
	for from < len(s) && s[from]&0xC0 == 0x80 { // amid a rune
		from++
	}
	return clip(s, most-tail) + " […] " + s[from:]
}
