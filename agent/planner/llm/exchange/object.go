package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ReadObject reads the object in an answer. Fields that the model left out are empty, because not
// every server enforces the schema.
func ReadObject[T any](content string) (T, error) {
	object, ok := findObject(content)
	if !ok {
		var none T
		return none, Complain(NotJSON, "There is no JSON object in the answer. Answer with the object only.")
	}
	return Decode[T](object)
}

// Decode reads JSON of the requested form. It passes on T's own complaints.
func Decode[T any](encoded json.RawMessage) (T, error) {
	var v T
	if err := json.Unmarshal(encoded, &v); err != nil {
		return v, misshapen(err)
	}
	return v, nil
}

// misshapen returns the complaint about JSON that does not have the requested form.
func misshapen(err error) error {
	if own, ok := errors.AsType[*ComplaintError](err); ok {
		return own
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return Complain(WrongShape, "The object does not have the form that was asked for: %v.", err)
	}
	field := "the answer"
	if wrong.Field != "" {
		field = fmt.Sprintf("%q", wrong.Field)
	}
	return Complain(WrongShape, "The object does not have the form that was asked for: %s is of the JSON type %s, which does not fit there.",
		field, wrong.Value)
}

// beginnings is how many braces are tried as the start of an object.
const beginnings = 64

// findObject finds the JSON object in an answer: the whole answer, or the first object in it, for
// example in a code fence or after some words.
func findObject(content string) (json.RawMessage, bool) {
	content = strings.TrimSpace(content)
	if json.Valid([]byte(content)) && strings.HasPrefix(content, "{") {
		return json.RawMessage(content), true
	}
	rest := content
	for range beginnings {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			break
		}
		rest = rest[at:]
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&object) == nil {
			return bytes.TrimSpace(object), true
		}
		rest = rest[1:]
	}
	return nil, false
}
