package exchange

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFindObject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, want string }{
		{"by itself", ` {"a": 1} `, `{"a": 1}`},
		{"in a fence", "```json\n{\"a\": 1}\n```", `{"a": 1}`},
		{"behind words", `Sure, here it is: {"a": {"b": "}"}} Anything else?`, `{"a": {"b": "}"}}`},
		{"behind thoughts with braces", `<think>a set {x, y}</think>{"a": 1}`, `{"a": 1}`},
		{"the first of two", `{"a": 1} {"b": 2}`, `{"a": 1}`},
		{"cut off", `{"a": [1, 2`, ""},
		{"a list", `[1, 2]`, ""},
		{"a text", `I cannot do that.`, ""},
		{"nothing", ``, ""},
		{"many beginnings", strings.Repeat("{", 10_000), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := findObject(c.content)
			if string(got) != c.want || ok != (c.want != "") {
				t.Errorf("found %q, %v, want %q", got, ok, c.want)
			}
		})
	}
}

// FuzzFindObject checks that the result is always an object, and that an object is always found.
func FuzzFindObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":{"b":[1,"}"]}}`, "```\n{}\n```", "{{{", `{"a":`, "x{\"a\":1}y", "\x00{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		got, ok := findObject(content)
		var object map[string]any
		if ok && json.Unmarshal(got, &object) != nil {
			t.Fatalf("%q in %q is no object", got, content)
		}
		if !ok && json.Unmarshal([]byte(content), &object) == nil && object != nil {
			t.Fatalf("the object %q was not found", content)
		}
	})
}
