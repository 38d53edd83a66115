package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Input is a benchmark file: its content, and its name for errors.
type Input struct {
	Name string
	io.Reader
}

// maxInput is the size limit of a file in bytes.
const maxInput = 64 << 20

func (in Input) read() ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.Name, err)
	}
	if len(b) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d MB", in.Name, maxInput>>20)
	}
	return b, nil
}

// item is one JSON value of a file and its position.
type item struct {
	file string
	line int
	raw  json.RawMessage
}

// array returns the elements of a file that contains one JSON array.
func (in Input) array() ([]item, error) {
	b, err := in.read()
	if err != nil {
		return nil, err
	}
	fault := func(at int64, err error) error {
		return fmt.Errorf("%s, line %d: %w", in.Name, lineAt(b, at), err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, fault(0, errors.New("not a JSON array of requests"))
	}
	var items []item
	for dec.More() {
		at := dec.InputOffset()
		for at < int64(len(b)) && strings.IndexByte(", \t\r\n", b[at]) >= 0 {
			at++
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fault(at, fmt.Errorf("the entry starting here is not JSON: %w", err))
		}
		items = append(items, item{in.Name, lineAt(b, at), raw})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fault(int64(len(b)), errors.New("unterminated array"))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault(dec.InputOffset(), errors.New("unexpected data after the array"))
	}
	return items, nil
}

// lines returns the values of a file with one JSON value per line. Blank lines are skipped.
func (in Input) lines() ([]item, error) {
	b, err := in.read()
	if err != nil {
		return nil, err
	}
	var items []item
	for i, line := range bytes.Split(b, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			items = append(items, item{in.Name, i + 1, line})
		}
	}
	return items, nil
}

// lineAt returns the line number of an offset, counting from 1.
func lineAt(b []byte, at int64) int {
	return 1 + bytes.Count(b[:min(at, int64(len(b)))], []byte("\n"))
}

// fault adds the file, the line and, if it is readable, the id to an error.
func (it item) fault(err error) error {
	var named struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(it.raw, &named) == nil && named.ID != "" {
		return fmt.Errorf("%s, line %d, id %q: %w", it.file, it.line, named.ID, err)
	}
	return fmt.Errorf("%s, line %d: %w", it.file, it.line, err)
}

// decode parses every item as a T and checks it. IDs must be unique. It stops at the first error.
func decode[T any](items []item, id func(T) string, check func(T) error) ([]T, error) {
	all := make([]T, 0, len(items))
	seen := map[string]int{}
	for _, it := range items {
		var v T
		if err := json.Unmarshal(it.raw, &v); err != nil {
			return nil, it.fault(err)
		}
		if id(v) == "" {
			return nil, it.fault(errors.New("has no id"))
		}
		if first, twice := seen[id(v)]; twice {
			return nil, it.fault(fmt.Errorf("has the same id as line %d", first))
		}
		seen[id(v)] = it.line
		if err := check(v); err != nil {
			return nil, it.fault(err)
		}
		all = append(all, v)
	}
	return all, nil
}
