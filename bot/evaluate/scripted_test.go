package evaluate

import (
	"context"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/agent/evaluate"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
)

// script answers like a model that decomposes as the references do, and scores as the rules planner does.
type script struct {
	tb     testing.TB
	scorer *rules.Planner

	mu         sync.Mutex
	references map[string][]plan.Subtask
	assess     map[string][]planner.Assessment // what was asked last, by request
	settle     map[string][]planner.Contest
	used       map[string]*spending
}

// spending is the cost of a request, and what it would cost one by one.
type spending struct {
	calls, tokens int
	// items counts what would be asked about one by one: tools, or solutions and blanks. fixed is the size of the
	// part of a job's prompt that every call contains, in tokens.
	items, fixed map[string]int
}

// oneByOne returns the number of calls and tokens if each item had its own call.
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
		tb: tb, scorer: scorer, references: map[string][]plan.Subtask{}, assess: map[string][]planner.Assessment{},
		settle: map[string][]planner.Contest{}, used: map[string]*spending{},
	}
	for _, c := range cases {
		if s.references[c.ID], err = c.Reference(); err != nil {
			tb.Fatalf("%s: %v", c.ID, err)
		}
	}
	return s
}

// watched tells the script what a planner is asked, so that it need not parse prompts.
type watched struct {
	planner.Planner

	script *script
}

func (w watched) Assess(ctx context.Context, r plan.Request, tasks []planner.Assessment, t *plan.Thinking) ([][]float64, error) {
	w.script.mu.Lock()
	w.script.assess[r.ID] = tasks
	w.script.mu.Unlock()
	return w.Planner.Assess(ctx, r, tasks, t)
}

func (w watched) Settle(ctx context.Context, r plan.Request, tasks []planner.Contest, t *plan.Thinking) ([]planner.Settlement, error) {
	w.script.mu.Lock()
	w.script.settle[r.ID] = tasks
	w.script.mu.Unlock()
	return w.Planner.Settle(ctx, r, tasks, t)
}

// answer answers one call.
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
		text = bottest.Respond(r.User())
	}
	u.calls++
	u.tokens += estimate(r.System()) + estimate(r.User()) + estimate(text)
	u.fixed[r.Job] = estimate(r.System())
	return llmtest.Response{Text: text}
}

// estimate returns the number of tokens of a text, at four bytes each.
func estimate(text string) int { return (len(text) + 3) / 4 }

func (s *script) encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		s.tb.Errorf("encode an answer: %v", err)
	}
	return string(b)
}

// decompose returns a reference in the prompt's format.
func (s *script) decompose(id string) string {
	subtasks := []bottest.Object{}
	special := []bottest.Object{}
	for i, t := range s.references[id] {
		args := []bottest.Object{}
		for _, a := range t.Args {
			args = append(args, bottest.Object{"type": a.Type, "value": valueOf(a.Source), "meaning": meaningOf(a)})
			if a.Source.Kind == plan.OfResource && a.Type.ImageMap() {
				special = append(special, bottest.Object{"resource": a.Source.Name, "type": a.Type})
			}
		}
		after := t.After
		if after == nil {
			after = []int{}
		}
		subtasks = append(subtasks, bottest.Object{
			"description": t.Description, "task": t.Domains, "id": i, "dep": after, "args": args,
			"returns": bottest.Object{"type": t.Returns, "value": bottest.Generated(i)},
		})
	}
	return s.encode(bottest.Object{"thought": "", "subtasks": subtasks, "question": "", "reply": "", "refused": false, "types": special})
}

func valueOf(s plan.Source) string {
	switch s.Kind {
	case plan.OfResource:
		return s.Name
	case plan.OfSubtask:
		return bottest.Generated(s.Index)
	case plan.OfText:
		return s.Expand(valueOf)
	default:
		return s.Value
	}
}

// meaningOf returns the meaning of an argument. References have none: a text of few words is an object, a longer
// one a description.
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
	tasks := []bottest.Object{}
	for i, a := range asked {
		list := []bottest.Object{}
		for j, name := range a.Candidates {
			if score := math.Round(scores[i][j]); score > 1 {
				list = append(list, bottest.Object{"tool": name, "score": score})
			}
		}
		tasks = append(tasks, bottest.Object{"task": i + 1, "way": "", "scores": list})
	}
	return s.encode(bottest.Object{"tasks": tasks})
}

// taskLine matches the heading of a task in a prompt, with the beginning of its description.
var taskLine = regexp.MustCompile(`(?m)^Task \d+: "([^"\\]*)`)

// blank matches a blank that must be filled, with its options.
var blank = regexp.MustCompile(`\?(\d+) \{(1: [^}]*)\}`)

func (s *script) settled(r llmtest.Request) string {
	asked := s.settle[r.ID]
	settled, err := s.scorer.Settle(context.Background(), plan.Request{ID: r.ID}, asked, nil)
	if err != nil {
		s.tb.Errorf("%s: %v", r.ID, err)
	}
	fills := []bottest.Object{}
	for line := range strings.SplitSeq(r.User(), "\n") {
		for i, m := range blank.FindAllStringSubmatch(line, -1) {
			number, err := strconv.Atoi(m[1])
			if err != nil {
				s.tb.Error(err)
			}
			options := strings.Count(m[2], " | ") + 1
			fills = append(fills, bottest.Object{"blank": number, "option": i%options + 1, "text": ""})
		}
	}
	tasks := []bottest.Object{}
	at := 0
	for i, told := range taskLine.FindAllStringSubmatch(r.User(), -1) {
		for at < len(asked)-1 && !strings.HasPrefix(asked[at].Subtask.Description, told[1]) { // that one was forced
			at++
		}
		scores := []bottest.Object{}
		for j, solution := range settled[at].Solutions {
			scores = append(scores, bottest.Object{"solution": j + 1, "score": math.Round(2*solution.Score) / 2})
		}
		at++
		task := bottest.Object{"task": i + 1, "thought": "", "scores": scores, "fills": []bottest.Object{}, "models": []bottest.Object{}}
		if i == 0 {
			task["fills"] = fills
		}
		tasks = append(tasks, task)
	}
	return s.encode(bottest.Object{"tasks": tasks})
}
