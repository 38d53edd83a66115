package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ReadObject reads the object in an answer. What a model leaves out of it is empty: a
// server that takes no schema holds it to nothing.
func ReadObject[T any](content string) (T, error) {
	object, ok := findObject(content)
	if !ok {
		var none T
		return none, Complain(NotJSON, "There is no JSON object in the answer. Answer with the object only.")
	}
	return Decode[T](object)
}

// Decode reads JSON of the form that was asked for. An own complaint of T is passed on.
func Decode[T any](encoded json.RawMessage) (T, error) {
	var v T
	if err := json.Unmarshal(encoded, &v); err != nil {
		return v, misshapen(err)
	}
	return v, nil
}

// misshapen is the complaint about JSON that does not have the form of the contract.
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

// beginnings is how many braces are tried as the beginning of an object.
const beginnings = 64

// findObject finds the JSON object in an answer: the whole of it, or the first that
// stands within it, as in a code fence or behind words of the model.
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
