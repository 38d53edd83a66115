package exchange

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the form of an answer, derived from a Go type for the strict mode of OpenAI's structured
// outputs: every field is required, no others are allowed, and closed sets are enumerations. It is
// the same for every request, because servers compile schemas.
type Schema struct {
	name string
	json json.RawMessage
}

// NewSchema derives the schema of a job. The values of some of its types come from closed sets.
func NewSchema[T any](name string, closed map[reflect.Type][]string) (*Schema, error) {
	types := make(map[reflect.Type]*jsonschema.Schema, len(closed))
	for t, words := range closed {
		types[t] = oneOf(words)
	}
	form, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, fmt.Errorf("schema of job %s: %w", name, err)
	}
	full(form)
	encoded, err := json.Marshal(form)
	if err != nil {
		return nil, fmt.Errorf("schema of job %s: %w", name, err)
	}
	return &Schema{name: name, json: encoded}, nil
}

func oneOf(words []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// full removes null from the types of lists: an empty list says the same.
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
