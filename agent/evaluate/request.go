package evaluate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
)

// entry is a request in a benchmark file: ControlLLM's fields, and those added by the project's own
// benchmark.
type entry struct {
	ID          string `json:"id"`
	Class       string `json:"class"`
	Level       string `json:"level"`
	Instruction string `json:"instruction"`
	// Files come with the request, even if it does not name them.
	Files    []file       `json:"files"`
	Thread   *thread      `json:"thread"`
	Subtasks []refSubtask `json:"subtasks"`
}

type file struct {
	Name  string    `json:"name"`
	Type  plan.Type `json:"type"`
	Value string    `json:"value"`
	About string    `json:"about"`
}

type thread struct {
	Resources []file         `json:"resources"`
	Turns     []plan.Turn    `json:"turns"`
	Question  *plan.Question `json:"question"`
}

// ReadCases reads requests (a JSON array) and their judgements (one JSON object per line), and
// binds every file named in a request to a placeholder of its type. Without a gold reader the cases
// have no judgements; otherwise requests and judgements must match one to one.
func ReadCases(requests, gold Input) ([]Case, error) {
	items, err := requests.array()
	if err != nil {
		return nil, err
	}
	entries, err := decode(items, func(e entry) string { return e.ID }, entry.check)
	if err != nil {
		return nil, err
	}
	judgements := map[string]*Gold{}
	if gold.Reader != nil {
		all, err := readGold(gold)
		if err != nil {
			return nil, err
		}
		for i := range all {
			judgements[all[i].ID] = &all[i]
		}
	}
	cases := make([]Case, 0, len(entries))
	for _, e := range entries {
		g := judgements[e.ID]
		if g == nil && gold.Reader != nil {
			return nil, fmt.Errorf("%s has no judgement for request %q", gold.Name, e.ID)
		}
		delete(judgements, e.ID)
		cases = append(cases, Case{ID: e.ID, Class: e.Class, Level: e.Level, Request: e.request(g), Gold: g, subtasks: e.Subtasks})
	}
	for id := range judgements {
		return nil, fmt.Errorf("%s judges request %q, which is not in %s", gold.Name, id, requests.Name)
	}
	return cases, nil
}

// ReadWishes reads requests without judgements (one JSON object with id and user_request per line),
// to be planned and timed.
func ReadWishes(in Input) ([]Case, error) {
	items, err := in.lines()
	if err != nil {
		return nil, err
	}
	labelled, err := decode(items, func(l label) string { return l.ID }, label.check)
	if err != nil {
		return nil, err
	}
	cases := make([]Case, len(labelled))
	for i, l := range labelled {
		cases[i] = Case{ID: l.ID, Class: l.Type, Request: l.request()}
	}
	return cases, nil
}

func (e entry) check() error {
	if strings.TrimSpace(e.Instruction) == "" {
		return errors.New("has no instruction")
	}
	if !slices.Contains([]string{"easy", "medium", "hard"}, e.Level) {
		return fmt.Errorf("has an unknown level %q: expected easy, medium or hard", e.Level)
	}
	files := e.Files
	if e.Thread != nil {
		files = slices.Concat(files, e.Thread.Resources)
	}
	seen := map[string]bool{}
	for _, f := range files {
		if f.Name == "" || seen[f.Name] {
			return fmt.Errorf("the file name %q is empty or duplicate", f.Name)
		}
		seen[f.Name] = true
		if _, err := plan.ParseType(string(f.Type)); err != nil {
			return fmt.Errorf("file %s: %w", f.Name, err)
		}
	}
	return nil
}

// asked is the time of every request.
var asked = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// request converts the entry for a planner. Its resources are the files that come with it, then
// those that it names, then those that the judgement attaches or uses.
func (e entry) request(g *Gold) plan.Request {
	r := plan.Request{ID: e.ID, Thread: "evaluation-" + e.ID, Wish: e.Instruction, At: asked}
	if e.Thread != nil {
		r.Turns, r.Question = e.Thread.Turns, e.Thread.Question
		for _, f := range e.Thread.Resources {
			r.Earlier = append(r.Earlier, f.placeholder())
		}
	}
	told := map[string]plan.Type{}
	var unnamed []file
	if g != nil {
		unnamed = append(unnamed, g.Attached...)
		for _, goal := range g.Goals {
			maps.Copy(told, goal.Given)
			for _, reading := range goal.readings() {
				for _, name := range reading.Uses {
					unnamed = append(unnamed, file{Name: name})
				}
			}
		}
	}
	give := func(f file) {
		if slices.ContainsFunc(r.Resources(), func(have plan.Resource) bool { return have.Name == f.Name }) {
			return
		}
		if t, ok := told[f.Name]; ok {
			f.Type = t
		}
		r.Given = append(r.Given, f.placeholder())
	}
	for _, f := range e.Files {
		give(f)
	}
	for _, f := range mentions(e.Instruction) {
		if f.Type != urlType { // only TaskBench's tools take URLs
			give(f)
		}
	}
	for _, f := range unnamed {
		give(f)
	}
	return r
}

// placeholder returns a resource for the file. If its type is unknown it is a picture, like most
// files of the benchmark.
func (f file) placeholder() plan.Resource {
	r := plan.Resource{Name: f.Name, Type: f.Type, Value: f.Value, File: f.Name, About: f.About}
	if r.Type != "" {
		return r
	}
	if t, err := plan.ParseType(f.Name); err == nil {
		r.Type = t
	} else if t, ok := typeOfEnding(f.Name); ok {
		r.Type = t
	} else {
		r.Type = plan.Image
	}
	return r
}
