package table

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRewritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		to   Format
		want string // "" is that it is not rewritten
	}{
		"nested JSON":       {`{"b":{"x":[1,"007",null]},"a":"true"}`, YAML, "b:\n  x:\n    - 1\n    - \"007\"\n    - null\na: \"true\""},
		"nested YAML":       {"b:\n  x: [1, '007', ~]\na: yes please # no\n", JSON, "{\n  \"b\": {\n    \"x\": [\n      1,\n      \"007\",\n      null\n    ]\n  },\n  \"a\": \"yes please\"\n}"},
		"a list":            {"- a\n- b: <1>\n", JSON, "[\n  \"a\",\n  {\n    \"b\": \"<1>\"\n  }\n]"},
		"the same form":     {`{"a":1}`, JSON, ""},
		"a table":           {"a,b\n1,2", YAML, ""},
		"words":             {"just words", JSON, ""},
		"JSON as a table":   {`[{"a":1}]`, CSV, ""},
		"something damaged": {"a: [1", JSON, ""},
	} {
		got, ok, err := Rewritten(c.text, c.to)
		if err != nil || ok != (c.want != "") || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, _, err := Rewritten("a: &x [1]\nb: *x\n", JSON); err == nil {
		t.Error("an alias is written")
	}
}

// FuzzRewritten: the output is valid, and converting it back gives the same value.
func FuzzRewritten(f *testing.F) {
	f.Add(`{"a":[1,{"b":"x: y\n- z"}],"":false}`)
	f.Fuzz(func(t *testing.T, text string) {
		there, ok, err := Rewritten(text, YAML)
		if err != nil || !ok || json.Valid([]byte(there)) { // "{}" is of both forms
			return
		}
		back, _, err := Rewritten(there, JSON)
		var first, second any
		if err := errors.Join(err, json.Unmarshal([]byte(text), &first), json.Unmarshal([]byte(back), &second)); err != nil || !cmp.Equal(first, second) {
			t.Errorf("%q becomes %q and %q: %v", text, there, back, err)
		}
	})
}
