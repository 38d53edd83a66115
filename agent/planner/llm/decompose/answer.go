package decompose

import (
	"bytes"
	"encoding/json"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner/llm/exchange"
)

// decomposition is the model's answer: ControlLLM's subtasks (Table 5), a question back, or plain
// conversation.
type decomposition struct {
	// Thought comes first, so that a model without reasoning states what is wanted before it
	// decides.
	Thought  string    `json:"thought"`
	Subtasks []subtask `json:"subtasks"`
	// Left are passages of the request that cannot be done here.
	Left     []string `json:"left"`
	Question string   `json:"question"`
	// Guesses are requests that the person may have meant.
	Guesses []string `json:"guesses"`
	Reply   string   `json:"reply"`
	Refused bool     `json:"refused"`
	Types   []told   `json:"types"`

	// listed marks a bare list of subtasks, the format of a model tuned on ControlLLM's data.
	listed bool
}

// subtask is a subtask in ControlLLM's format.
type subtask struct {
	// Of lists the passages of the request that it covers.
	Of          []string     `json:"of"`
	Description string       `json:"description"`
	Task        []domainWord `json:"task"`
	ID          int          `json:"id"`
	Dep         []int        `json:"dep"`
	Args        []argument   `json:"args"`
	Said        []setting    `json:"said"`
	Returns     returned     `json:"returns"`
}

// setting is a setting stated in the request, in its words and in English.
type setting struct {
	Words string      `json:"words"`
	Type  settingWord `json:"type"`
	Value string      `json:"value"`
}

// argument is an input: a resource, <GENERATED>-n, or a text.
type argument struct {
	Type    typeWord    `json:"type"`
	Value   string      `json:"value"`
	Meaning meaningWord `json:"meaning"`
}

// returned is the result of a subtask: <GENERATED>- and its own id.
type returned struct {
	Type  typeWord `json:"type"`
	Value string   `json:"value"`
}

// told is a resource whose type the request states.
type told struct {
	Resource string   `json:"resource"`
	Type     typeWord `json:"type"`
}

// The enumerations in the answers.
type (
	typeWord    string // a resource type
	domainWord  string // a domain of the catalogue
	meaningWord string // the meaning of a text, "" if it is not a text
	settingWord string // a type of settings
)

// Without a schema, a model may omit empty fields, write a single value instead of a list, and
// write -1 like ControlLLM's data. All of this is accepted.

// readDecomposition parses the answer in a model's output.
func readDecomposition(content string) (decomposition, error) {
	if list, ok := findList(content); ok {
		return exchange.Decode[decomposition](list)
	}
	return exchange.ReadObject[decomposition](content)
}

// The wrappers that may enclose an answer that is a list.
var (
	fenced   = lazyregexp.New("(?s)^```[a-z]*\n(.*)\n```$")
	solution = lazyregexp.New(`(?s)<Solution>(.*?)</Solution>`) // ControlLLM, Table 6
)

// findList finds a list that is the entire answer.
func findList(content string) (json.RawMessage, bool) {
	content = strings.TrimSpace(content)
	for _, wrapping := range []lazyregexp.Regexp{solution, fenced} {
		if m := wrapping.FindStringSubmatch(content); m != nil {
			content = strings.TrimSpace(m[1])
		}
	}
	if strings.HasPrefix(content, "[") && json.Valid([]byte(content)) {
		return json.RawMessage(content), true
	}
	return nil, false
}

// UnmarshalJSON parses the answer, or a bare list of subtasks.
func (d *decomposition) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("[")) {
		d.listed = true
		return json.Unmarshal(b, &d.Subtasks) //nolint:wrapcheck // exchange looks into it
	}
	type plain decomposition
	return json.Unmarshal(b, (*plain)(d)) //nolint:wrapcheck // exchange looks into it
}

// noID marks a subtask without an id; its index is used instead.
const noID = -1

// UnmarshalJSON parses a subtask.
func (s *subtask) UnmarshalJSON(b []byte) error {
	loose := struct {
		Of          some[string]     `json:"of"`
		Description string           `json:"description"`
		Task        some[domainWord] `json:"task"`
		ID          int              `json:"id"`
		Dep         some[int]        `json:"dep"`
		Args        []argument       `json:"args"`
		Said        []setting        `json:"said"`
		Returns     some[returned]   `json:"returns"`
	}{ID: noID}
	if err := json.Unmarshal(b, &loose); err != nil {
		return err //nolint:wrapcheck // exchange looks into it
	}
	if len(loose.Returns) > 1 {
		return exchange.Complain(exchange.WrongShape, "A subtask returns %d things. It returns exactly one: make a subtask of each.", len(loose.Returns))
	}
	*s = subtask{Of: loose.Of, Description: loose.Description, Task: loose.Task, ID: loose.ID, Dep: loose.Dep, Args: loose.Args, Said: loose.Said}
	if len(loose.Returns) == 1 {
		s.Returns = loose.Returns[0]
	}
	return nil
}

// some is a list; in JSON a single element may stand alone.
type some[T any] []T

func (s *some[T]) UnmarshalJSON(b []byte) error {
	switch {
	case bytes.Equal(b, []byte("null")):
		return nil
	case bytes.HasPrefix(b, []byte("[")):
		return json.Unmarshal(b, (*[]T)(s)) //nolint:wrapcheck // exchange looks into it
	}
	var one T
	if err := json.Unmarshal(b, &one); err != nil {
		return err //nolint:wrapcheck // exchange looks into it
	}
	*s = some[T]{one}
	return nil
}
