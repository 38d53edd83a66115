package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/agent/evaluate"
	"atelier/agent/mind"
	"atelier/agent/mind/llm/llmtest"
	"atelier/agent/plan"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
)

// script answers as a model would that decomposes by reference and scores as the
// rules planner does.
type script struct {
	tb     testing.TB
	scorer *rules.Planner

	mu         sync.Mutex
	references map[string][]plan.Subtask
	assess     map[string][]mind.Assessment // what was asked last, by request
	settle     map[string][]mind.Contest
	used       map[string]*spending
}

// spending is what a request took, and what it would take one by one.
type spending struct {
	calls, tokens int
	// items are what is asked about one by one: tools, or solutions and blanks. fixed
	// is the part of a job's prompt that is sent with every call, in tokens.
	items, fixed map[string]int
}

// oneByOne is the number of calls and tokens when each item is asked about by itself.
func (u *spending) oneByOne() (calls, tokens int) {
	calls, tokens = u.calls, u.tokens
	for job, n := range u.items {
		calls += n - 1
		tokens += (n - 1) * u.fixed[job]
	}
	return calls, tokens
}

func newScript(tb testing.TB, catalogue *toolbox.Catalogue, cases []evaluate.Case) *script {
	tb.Helper()
	scorer, err := rules.New(rules.Config{Catalogue: catalogue})
	if err != nil {
		tb.Fatal(err)
	}
	s := &script{
		tb: tb, scorer: scorer, references: map[string][]plan.Subtask{}, assess: map[string][]mind.Assessment{},
		settle: map[string][]mind.Contest{}, used: map[string]*spending{},
	}
	for _, c := range cases {
		if s.references[c.ID], err = c.Reference(); err != nil {
			tb.Fatalf("%s: %v", c.ID, err)
		}
	}
	return s
}

// watched tells the script what a mind is asked, so that it need not read prompts.
type watched struct {
	mind.Mind

	script *script
}

func (w watched) Assess(ctx context.Context, r plan.Request, tasks []mind.Assessment, t *plan.Thinking) ([][]float64, error) {
	w.script.mu.Lock()
	w.script.assess[r.ID] = tasks
	w.script.mu.Unlock()
	return w.Mind.Assess(ctx, r, tasks, t)
}

func (w watched) Settle(ctx context.Context, r plan.Request, tasks []mind.Contest, t *plan.Thinking) ([]mind.Settlement, error) {
	w.script.mu.Lock()
	w.script.settle[r.ID] = tasks
	w.script.mu.Unlock()
	return w.Mind.Settle(ctx, r, tasks, t)
}

// answer is that to one call.
func (s *script) answer(r llmtest.Request) llmtest.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Round > 1 {
		s.tb.Errorf("%s: the answer to the job %s was complained of: %s", r.ID, r.Job, r.Messages[len(r.Messages)-1].Text)
	}
	u := s.used[r.ID]
	if u == nil {
		u = &spending{items: map[string]int{}, fixed: map[string]int{}}
		s.used[r.ID] = u
	}
	var text string
	switch r.Job {
	case "decompose":
		text = s.decompose(r.ID)
	case "assess":
		text = s.assessed(r.ID)
		for _, a := range s.assess[r.ID] {
			u.items[r.Job] += len(a.Candidates)
		}
	case "settle":
		text = s.settled(r)
		for _, c := range s.settle[r.ID] {
			for _, solution := range c.Solutions {
				u.items[r.Job]++
				for _, a := range solution.Actions {
					if len((plan.Solution{Actions: []plan.Action{a}}).Blanks()) > 0 {
						u.items[r.Job]++
					}
				}
			}
		}
	case "respond":
		text = respond(r.User())
	}
	u.calls++
	u.tokens += estimate(r.System()) + estimate(r.User()) + estimate(text)
	u.fixed[r.Job] = estimate(r.System())
	return llmtest.Response{Text: text}
}

// estimate is the number of tokens of a text, at four bytes each.
func estimate(text string) int { return (len(text) + 3) / 4 }

// object is a JSON object of an answer.
type object map[string]any

func (s *script) encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		s.tb.Errorf("encode an answer: %v", err)
	}
	return string(b)
}

// decompose writes a reference in the form that the prompt asks for.
func (s *script) decompose(id string) string {
	subtasks := []object{}
	special := []object{}
	for i, t := range s.references[id] {
		args := []object{}
		for _, a := range t.Args {
			args = append(args, object{"type": a.Type, "value": valueOf(a.Source), "meaning": meaningOf(a)})
			if a.Source.Kind == plan.OfResource && a.Type.ImageMap() {
				special = append(special, object{"resource": a.Source.Name, "type": a.Type})
			}
		}
		after := t.After
		if after == nil {
			after = []int{}
		}
		subtasks = append(subtasks, object{
			"description": t.Description, "task": t.Domains, "id": i, "dep": after, "args": args,
			"returns": object{"type": t.Returns, "value": generated(i)},
		})
	}
	return s.encode(object{"thought": "", "subtasks": subtasks, "question": "", "reply": "", "refused": false, "types": special})
}

func generated(i int) string { return "<GENERATED>-" + strconv.Itoa(i) }

func valueOf(s plan.Source) string {
	switch s.Kind {
	case plan.OfResource:
		return s.Name
	case plan.OfSubtask:
		return generated(s.Index)
	case plan.OfText:
		return s.Expand(valueOf)
	default:
		return s.Value
	}
}

// meaningOf is the meaning of an argument. References have none: a text of few words is
// an object, a longer one says what is wanted.
func meaningOf(a plan.Arg) plan.Meaning {
	const few = 3
	switch words := len(strings.Fields(a.Source.Value)); {
	case a.Type != plan.Text:
		return ""
	case a.Source.Kind != plan.OfValue:
		return plan.Content
	case strings.HasSuffix(a.Source.Value, "?"):
		return plan.Query
	case words <= few:
		return plan.Object
	}
	return plan.Instruction
}

func (s *script) assessed(id string) string {
	asked := s.assess[id]
	scores, err := s.scorer.Assess(context.Background(), plan.Request{ID: id}, asked, nil)
	if err != nil {
		s.tb.Errorf("%s: %v", id, err)
	}
	tasks := []object{}
	for i, a := range asked {
		list := []object{}
		for j, name := range a.Candidates {
			if score := math.Round(scores[i][j]); score > 1 {
				list = append(list, object{"tool": name, "score": score})
			}
		}
		tasks = append(tasks, object{"task": i + 1, "way": "", "scores": list})
	}
	return s.encode(object{"tasks": tasks})
}

// taskLine is the heading of a task in a prompt, with the beginning of its description.
var taskLine = regexp.MustCompile(`(?m)^Task \d+: "([^"\\]*)`)

// blank finds a blank that must be filled, and the number of its options.
var blank = regexp.MustCompile(`\?(\d+) \{(1: [^}]*)\}`)

func (s *script) settled(r llmtest.Request) string {
	asked := s.settle[r.ID]
	settled, err := s.scorer.Settle(context.Background(), plan.Request{ID: r.ID}, asked, nil)
	if err != nil {
		s.tb.Errorf("%s: %v", r.ID, err)
	}
	fills := []object{}
	for line := range strings.SplitSeq(r.User(), "\n") {
		for i, m := range blank.FindAllStringSubmatch(line, -1) {
			number, err := strconv.Atoi(m[1])
			if err != nil {
				s.tb.Error(err)
			}
			options := strings.Count(m[2], " | ") + 1
			fills = append(fills, object{"blank": number, "option": i%options + 1, "text": ""})
		}
	}
	tasks := []object{}
	at := 0
	for i, told := range taskLine.FindAllStringSubmatch(r.User(), -1) {
		for at < len(asked)-1 && !strings.HasPrefix(asked[at].Subtask.Description, told[1]) { // that one was forced
			at++
		}
		scores := []object{}
		for j, solution := range settled[at].Solutions {
			scores = append(scores, object{"solution": j + 1, "score": math.Round(2*solution.Score) / 2})
		}
		at++
		task := object{"task": i + 1, "thought": "", "scores": scores, "fills": []object{}, "models": []object{}}
		if i == 0 {
			task["fills"] = fills
		}
		tasks = append(tasks, task)
	}
	return s.encode(object{"tasks": tasks})
}

var (
	madeFile = regexp.MustCompile(`"file":"([^"]+)"`)
	toldMark = regexp.MustCompile(`\[\[told \d+\]\]`)
)

// respond names the files of the record, and what the answer must tell.
func respond(record string) string {
	var names []string
	for _, m := range madeFile.FindAllStringSubmatch(record, -1) {
		names = append(names, m[1])
	}
	return fmt.Sprintf("This is what came of it: %s. %s", strings.Join(names, ", "), strings.Join(toldMark.FindAllString(record, -1), " "))
}
