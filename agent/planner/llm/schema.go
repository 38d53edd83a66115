package llm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// schema is the form of an answer, made from a Go type as the strict mode of OpenAI's
// structured outputs wants it: every field required, no further ones, closed sets as
// enumerations. It is the same for every request, since servers compile schemas.
type schema struct {
	name string
	json json.RawMessage
}

// schemas are those of the jobs that answer in JSON.
type schemas struct {
	decompose, assess, settle *schema
}

// The words of closed sets in the answers.
type (
	typeWord    string // a resource type
	domainWord  string // a domain of the catalogue
	meaningWord string // what a text stands for, "" where it is no text
	settingWord string // a type of settings
)

func newSchemas(c *toolbox.Catalogue) (schemas, error) {
	words := newVocabulary(c)
	types := make([]string, len(words.types))
	for i, t := range words.types {
		types[i] = t.Word
	}
	meanings := []string{""}
	for _, m := range explain(meaningsText) {
		meanings = append(meanings, m.Word)
	}
	closed := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[typeWord]():    oneOf(types),
		reflect.TypeFor[domainWord]():  oneOf(words.domains),
		reflect.TypeFor[meaningWord](): oneOf(meanings),
		reflect.TypeFor[settingWord](): oneOf(param.Types()),
	}}
	var s schemas
	var err error
	if s.decompose, err = newSchema[decomposition](decomposeJob, closed); err != nil {
		return s, err
	}
	if s.assess, err = newSchema[assessment](assessJob, closed); err != nil {
		return s, err
	}
	s.settle, err = newSchema[settlement](settleJob, closed)
	return s, err
}

func oneOf(words []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

func newSchema[T any](name string, closed *jsonschema.ForOptions) (*schema, error) {
	form, err := jsonschema.For[T](closed)
	if err != nil {
		return nil, fmt.Errorf("schema of the job %s: %w", name, err)
	}
	full(form)
	encoded, err := json.Marshal(form)
	if err != nil {
		return nil, fmt.Errorf("schema of the job %s: %w", name, err)
	}
	return &schema{name: name, json: encoded}, nil
}

// full takes null out of the types of lists: an empty list says nothing is there.
func full(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
		s.Type = s.Types[(slices.Index(s.Types, "null")+1)%2]
		s.Types = nil
	}
	full(s.Items)
	for _, p := range s.Properties {
		full(p)
	}
}
