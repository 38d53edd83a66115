package respond

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
	"atelier/agent/wording"
)

// record describes a request for the model. It is the data of the prompt.
type record struct {
	Turns    []earlierTurn
	Question *openQuestion
	Wish     string
	Parts    []partOutcome
	Steps    []stepOutcome
	Left     int // omitted intermediate steps
	Unlisted int // other steps, parts and sentences omitted for lack of space
	Ways     []requiredSentence
	Missing  []requiredSentence

	texts wholeTexts
	// must are the sentences that the answer must contain, by mark.
	must []string
	// unlisted are the steps that the model is not told about but people are.
	unlisted map[int]bool
}

type earlierTurn struct {
	Person string   `json:"person"`
	You    string   `json:"you"`
	Made   []string `json:"made,omitempty"`
}

type openQuestion struct {
	Wish     string `json:"wish"`
	Question string `json:"question"`
}

// partOutcome is a subtask and its outcome.
type partOutcome struct {
	Part   int    `json:"part"`
	Wanted string `json:"wanted"`
	Came   string `json:"what_came"`
}

// requiredSentence is a sentence that the answer must contain, with its mark.
type requiredSentence struct {
	Sentence string `json:"sentence"`
	Told     string `json:"told"`
}

// stepOutcome is a step and its outcome.
type stepOutcome struct {
	Step        int      `json:"step"`
	Does        string   `json:"does,omitempty"`
	Is          string   `json:"is,omitempty"`
	By          string   `json:"by,omitempty"`
	Model       string   `json:"model,omitempty"`
	From        []string `json:"from,omitempty"`
	Came        string   `json:"what_came"`
	OnTheWay    bool     `json:"on_the_way,omitempty"`
	Problem     string   `json:"problem,omitempty"`
	Told        string   `json:"told,omitempty"`
	Made        []made   `json:"made,omitempty"`
	More        int      `json:"more_made,omitempty"`
	Approximate bool     `json:"approximate,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// limits bounds the size of each part of the record.
type limits struct {
	turns    int
	wish     int // bytes, like text, short and sentence
	text     int // of a text that a tool read or wrote
	short    int // of minor texts
	sentence int // of an error sentence
	items    int // per list
	files    int // per step
	listed   int // parts, steps, and sentences of each kind
	does     bool
	way      bool // whether to list finished intermediate steps
}

// levels are the limits to try in turn, from full detail to a record that fits any context.
var levels = []limits{
	{turns: 2, wish: 4000, text: 800, short: 400, sentence: 1000, items: 20, files: 12, listed: math.MaxInt, does: true, way: true},
	{turns: 1, wish: 2000, text: 400, short: 200, sentence: 600, items: 8, files: 6, listed: math.MaxInt, does: true, way: true},
	{wish: 1000, text: 160, short: 120, sentence: 300, items: 4, files: 4, listed: math.MaxInt, way: true},
	{wish: 500, text: 80, short: 80, sentence: 200, items: 2, files: 2, listed: math.MaxInt},
	{wish: 500, text: 80, short: 80, sentence: 200, items: 2, files: 2, listed: 20},
	{wish: 300, text: 80, short: 60, sentence: 150, items: 2, files: 2, listed: 8},
	{wish: 200, text: 60, short: 40, sentence: 100, items: 1, files: 1, listed: 3},
	{wish: 100, text: 40, short: 30, sentence: 60, items: 1, files: 1, listed: 1},
}

// tell makes the record, and the part of the prompt with it, in as much detail as fits into a token
// budget.
func (job *Responder) tell(a planner.Account, budget int) (record, string, error) {
	for i, size := range levels {
		r := job.record(a, size)
		user, err := job.prompt.User(r)
		if err != nil || token.Count(user) <= budget || i == len(levels)-1 {
			return r, user, err
		}
	}
	return record{}, "", nil // not reached
}

func (job *Responder) record(a planner.Account, size limits) record {
	r := record{
		Wish:     token.Excerpt(a.Request.Wish, size.wish),
		Unlisted: max(0, len(a.Plan.Tasks)-size.listed),
		unlisted: unlisted(a, size),
	}
	turns := a.Request.Turns
	for _, t := range turns[max(0, len(turns)-size.turns):] {
		told := earlierTurn{Person: token.Excerpt(t.Wish, size.short), You: token.Excerpt(a.Readable(t.Reply), size.short)}
		for _, name := range t.Made[:min(len(t.Made), size.files)] {
			told.Made = append(told.Made, a.Readable(name))
		}
		r.Turns = append(r.Turns, told)
	}
	if q := a.Request.Question; q != nil {
		r.Question = &openQuestion{token.Excerpt(q.Wish, size.wish), token.Excerpt(q.Listed(), size.short)}
	}
	for i, t := range a.Plan.Tasks[:min(len(a.Plan.Tasks), size.listed)] {
		if t.Unread != "" { // a sentence before the model's message says so
			continue
		}
		r.Parts = append(r.Parts, partOutcome{i + 1, token.Excerpt(t.Subtask.Description, size.short), cameOf(a, i)})
	}
	is := wording.Made(job.config.Catalogue, a)
	for i, s := range a.Steps {
		result := a.Results[i]
		if !size.way && !s.Final && result.Status == plan.Done {
			r.Left++
			continue
		}
		if r.unlisted[i] {
			continue
		}
		told := job.stepOutcome(a, i, size, r.keeper(job.config.Catalogue, a, i))
		switch result.Status {
		case plan.Done:
			told.Is = token.Excerpt(is[i].String(), size.short)
		case plan.Failed:
			told.Told = r.mark(job.config.Tell.In(a.Request.Language, wording.Failure(a, s, result.Problem)))
		default: // it did not run
		}
		r.Steps = append(r.Steps, told)
	}
	r.Ways, r.Missing = r.sentences(a, a.Fallbacks, size), r.sentences(a, a.Missing, size)
	r.Unlisted += len(r.unlisted) + len(a.Fallbacks) - len(r.Ways) + len(a.Missing) - len(r.Missing)
	return r
}

// mark returns the mark of a sentence that the answer must contain.
func (r *record) mark(sentence string) string {
	r.must = append(r.must, sentence)
	return fmt.Sprintf("[[told %d]]", len(r.must))
}

// sentences returns the first sentences, shortened.
func (r *record) sentences(a planner.Account, all []string, size limits) []requiredSentence {
	var told []requiredSentence
	for _, s := range all[:min(len(all), size.listed)] {
		told = append(told, requiredSentence{token.Excerpt(a.Readable(s), size.sentence), r.mark(s)})
	}
	return told
}

// keeper returns a function that stores the long texts of a final step and returns their
// placeholders. People expect those texts that no other step uses; of facts about a file, and of counts,
// perhaps just one. A file of data, such as a table, they open.
func (r *record) keeper(catalogue *toolbox.Catalogue, a planner.Account, i int) func(made plan.Resource) string {
	if !a.Steps[i].Final {
		return nil
	}
	tool, _ := catalogue.Tool(a.Steps[i].Action.Tool)
	several := a.Steps[i].Action.Returns == plan.Facts || tool.Effects.Number()
	return func(made plan.Resource) string {
		ext := strings.ToLower(filepath.Ext(made.File))
		data := ext != "" && ext != ".txt" && ext != ".md"
		r.texts = append(r.texts, wholeText{strings.TrimSpace(made.Value), !feedsOn(a.Steps, i) && !several && !data})
		return placeFor(len(r.texts) - 1)
	}
}

func (job *Responder) stepOutcome(a planner.Account, i int, size limits, keep func(made plan.Resource) string) stepOutcome {
	s, result := a.Steps[i], a.Results[i]
	told := stepOutcome{
		Step: i + 1, From: sources(a, s.Action, size.short),
		Came: "not done", OnTheWay: !s.Final || a.UsedUp(i),
	}
	if t, ok := job.config.Catalogue.Tool(s.Action.Tool); ok && size.does {
		told.Does = t.Description
	}
	switch result.Status {
	case plan.Failed:
		told.Came, told.Problem = "failed", token.Excerpt(a.Readable(result.Problem), size.sentence)
	case plan.Done:
		told.Came, told.Model = "done", result.Model
		told.By, _, _ = strings.Cut(result.Candidate, ":")
		told.Approximate, told.Note = result.Approximate, token.Excerpt(a.Readable(result.Note), size.text)
		outs := result.Outputs()
		told.More = max(0, len(outs)-size.files)
		for at, out := range outs {
			if at < size.files-1 || at == len(outs)-1 { // the last one shows the range
				told.Made = append(told.Made, show(out, size, keep))
			}
		}
	default:
	}
	return told
}

// unlisted returns the steps beyond the limit. Failed steps are listed first, then final ones.
func unlisted(a planner.Account, size limits) map[int]bool {
	rank := func(i int) int {
		switch {
		case a.Results[i].Status == plan.Failed:
			return 0
		case a.Steps[i].Final:
			return 1
		}
		return 2
	}
	var steps []int
	for i, s := range a.Steps {
		if size.way || s.Final || a.Results[i].Status != plan.Done {
			steps = append(steps, i)
		}
	}
	slices.SortStableFunc(steps, func(i, j int) int { return rank(i) - rank(j) })
	left := map[int]bool{}
	for _, i := range steps[min(len(steps), size.listed):] {
		left[i] = true
	}
	return left
}

// feedsOn reports whether another step uses the output of step i.
func feedsOn(steps []plan.Step, i int) bool {
	return slices.ContainsFunc(steps, func(s plan.Step) bool { return slices.Contains(s.Inputs(), i) })
}

// cameOf describes the outcome of a subtask, which is that of the last step that makes its result.
func cameOf(a planner.Account, task int) string {
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

// sources describes the inputs of an action, with the names used by people and the record.
func sources(a planner.Account, action plan.Action, short int) []string {
	var from []string
	name := func(s plan.Source) string {
		if s.Kind == plan.OfAction {
			return fmt.Sprintf("what step %d made", s.Index+1)
		}
		return a.Readable(s.String())
	}
	for _, b := range action.Args {
		switch s := b.Source; s.Kind {
		case plan.Blank:
		case plan.OfValue:
			from = append(from, b.Arg+": "+token.Excerpt(s.Value, short))
		case plan.OfText:
			from = append(from, b.Arg+": "+token.Excerpt(s.Expand(name), short))
		default:
			from = append(from, b.Arg+": "+name(s))
		}
	}
	return from
}
