package output

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
)

// Spent is the model usage of an answer. Calls and Tokens are those of planning and answering; Tools come
// on top.
type Spent struct {
	Calls   int       `json:"calls"`
	Repairs int       `json:"repairs"`
	Tokens  int       `json:"tokens"`
	Jobs    []jobLine `json:"jobs"`
	// Tools is absent if no tool called a model.
	Tools   *ToolsSpent `json:"tools,omitempty"`
	StoodIn string      `json:"stood_in,omitempty"`
}

// ToolsSpent is the model usage of tools.
type ToolsSpent struct {
	Calls  int `json:"calls"`
	Tokens int `json:"tokens"`
	// Estimated marks tokens that a server did not count.
	Estimated bool `json:"estimated,omitempty"`
}

type jobLine struct {
	Name    string `json:"name"`
	Model   string `json:"model"`
	Calls   int    `json:"calls"`
	Repairs int    `json:"repairs,omitempty"`
	Input   int    `json:"input"`
	Cached  int    `json:"cached"`
	Output  int    `json:"output"`
	// Estimated marks tokens that the server did not count.
	Estimated bool  `json:"estimated,omitempty"`
	TookMS    int64 `json:"took_ms"`
}

// NewSpent returns nil if no model was called.
func NewSpent(t plan.Thinking, tools plan.Tokens) *Spent {
	if len(t.Jobs) == 0 && t.StoodIn == "" && tools.Calls == 0 {
		return nil
	}
	l := &Spent{Tokens: t.Tokens(), Jobs: []jobLine{}, StoodIn: t.StoodIn}
	l.Calls, l.Repairs = t.Calls()
	if tools.Calls > 0 {
		l.Tools = &ToolsSpent{Calls: tools.Calls, Tokens: tools.Sum(), Estimated: tools.Estimated}
	}
	for _, j := range t.Jobs {
		l.Jobs = append(l.Jobs, jobLine{
			Name: j.Name, Model: j.Model, Calls: j.Calls, Repairs: j.Repairs,
			Input: j.Input, Cached: j.Cached, Output: j.Output, Estimated: j.Estimated, TookMS: j.Took.Milliseconds(),
		})
	}
	return l
}

// String is one line for people, such as
//
//	Model: 3 calls, 5,120 tokens (decompose 2,900 in 4.1 s, assess 1,400 in 2.0 s, respond 820 in 1.2 s); tools: 1 call, 700 tokens
func (l *Spent) String() string {
	calls := Counted(l.Calls, "call")
	if l.Repairs > 0 {
		calls += fmt.Sprintf(" (%d to repair an answer)", l.Repairs)
	}
	about := ""
	jobs := make([]string, len(l.Jobs))
	for i, j := range l.Jobs {
		if j.Estimated {
			about = "about "
		}
		took := time.Duration(j.TookMS) * time.Millisecond
		jobs[i] = fmt.Sprintf("%s %s in %.1f s", j.Name, thousands(j.Input+j.Output), took.Seconds())
	}
	line := fmt.Sprintf("Model: %s, %s%s", calls, about, Counted(l.Tokens, "token"))
	if len(jobs) > 0 {
		line += " (" + strings.Join(jobs, ", ") + ")"
	}
	if t := l.Tools; t != nil {
		about := ""
		if t.Estimated {
			about = "about "
		}
		line += fmt.Sprintf("; tools: %s, %s%s", Counted(t.Calls, "call"), about, Counted(t.Tokens, "token"))
	}
	return line
}

// Counted formats a number with a noun: "1 call", "5,120 tokens".
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return thousands(n) + " " + thing
}

// thousands formats a non-negative number with commas between the thousands.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
