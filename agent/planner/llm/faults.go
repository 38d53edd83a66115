package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// faults collects all that is wrong with an answer, so that one repair puts it right.
type faults struct {
	kind  string
	texts []string
}

// The kinds of complaints about answers that name what they speak of by numbers.
const (
	unknownNumber = "unknown number"
	outOfRange    = "out of range"
	givenTwice    = "given twice"
	notOffered    = "not offered"
)

func (f *faults) addf(kind, format string, args ...any) {
	f.kind = cmp.Or(f.kind, kind)
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

// faultsTold is how many of them are told at once.
const faultsTold = 12

func (f *faults) err() error {
	if len(f.texts) == 0 {
		return nil
	}
	return complain(f.kind, "%s", strings.Join(f.texts[:min(faultsTold, len(f.texts))], " "))
}

// readObject reads the object in an answer. What a model leaves out of it is empty: a
// server that takes no schema holds it to nothing.
func readObject[T any](content string) (T, error) {
	var v T
	object, ok := findObject(content)
	if !ok {
		return v, complain(notJSON, "There is no JSON object in the answer. Answer with the object only.")
	}
	if err := json.Unmarshal(object, &v); err != nil {
		return v, misshapen(err)
	}
	return v, nil
}
