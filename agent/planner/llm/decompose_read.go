package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
)

// A server that takes no schema lets a model leave out what is empty, write one for a
// list of one, and -1 where ControlLLM's data has it: all that is read as it is meant.

// readDecomposition finds the answer in what a model wrote.
func readDecomposition(content string) (decomposition, error) {
	var d decomposition
	content = endpoint.WithoutThoughts(content)
	encoded, ok := findList(content)
	if !ok {
		if encoded, ok = findObject(content); !ok {
			return d, complain(notJSON, "There is no JSON object in the answer. Answer with the object only.")
		}
	}
	if err := json.Unmarshal(encoded, &d); err != nil {
		return d, misshapen(err)
	}
	return d, nil
}

// The wrappings in which a list is still the whole of an answer.
var (
	fenced   = lazyregexp.New("(?s)^```[a-z]*\n(.*)\n```$")
	solution = lazyregexp.New(`(?s)<Solution>(.*?)</Solution>`) // ControlLLM, Table 6
)

// findList finds a list that is the whole answer.
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

// misshapen is the complaint about JSON that does not have the form of the contract.
func misshapen(err error) error {
	if own, ok := errors.AsType[*complaint](err); ok {
		return own
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return complain(wrongShape, "The object does not have the form that was asked for: %v.", err)
	}
	field := "the answer"
	if wrong.Field != "" {
		field = fmt.Sprintf("%q", wrong.Field)
	}
	return complain(wrongShape, "The object does not have the form that was asked for: %s is of the JSON type %s, which does not fit there.",
		field, wrong.Value)
}

// UnmarshalJSON reads the answer, or a bare list of subtasks.
func (d *decomposition) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("[")) {
		d.listed = true
		return json.Unmarshal(b, &d.Subtasks) //nolint:wrapcheck // misshapen looks into it
	}
	type plain decomposition
	return json.Unmarshal(b, (*plain)(d)) //nolint:wrapcheck // misshapen looks into it
}

// noID marks a subtask without an id: its place in the list stands for it.
const noID = -1

// UnmarshalJSON reads a subtask.
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
		return err //nolint:wrapcheck // misshapen looks into it
	}
	if len(loose.Returns) > 1 {
		return complain(wrongShape, "A subtask returns %d things. It returns exactly one: make a subtask of each.", len(loose.Returns))
	}
	*s = subtask{Of: loose.Of, Description: loose.Description, Task: loose.Task, ID: loose.ID, Dep: loose.Dep, Args: loose.Args, Said: loose.Said}
	if len(loose.Returns) == 1 {
		s.Returns = loose.Returns[0]
	}
	return nil
}

// some is a list of which one may stand alone.
type some[T any] []T

func (s *some[T]) UnmarshalJSON(b []byte) error {
	switch {
	case bytes.Equal(b, []byte("null")):
		return nil
	case bytes.HasPrefix(b, []byte("[")):
		return json.Unmarshal(b, (*[]T)(s)) //nolint:wrapcheck // misshapen looks into it
	}
	var one T
	if err := json.Unmarshal(b, &one); err != nil {
		return err //nolint:wrapcheck // misshapen looks into it
	}
	*s = some[T]{one}
	return nil
}
