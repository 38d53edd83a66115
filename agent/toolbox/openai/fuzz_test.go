package openai

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// FuzzReadLabels checks that any answer of a model yields a valid list, or a complaint.
func FuzzReadLabels(f *testing.F) {
	for _, seed := range []string{
		`{"labels":[{"label":"cat","score":0.5}]}`, `[{"label":"cat","score":1e-9}]`, "```json\n[]\n```", `{"labels":null}`, `[[[`, "x{}", `[{"label":null,"score":1}]`, "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		value, err := readLabels(answer)
		if err != nil {
			if _, ok := errors.AsType[complaint](err); !ok && !errors.Is(err, errNothing) {
				t.Errorf("got %v", err)
			}
			return
		}
		classes, err := plan.DecodeValue[plan.Class](plan.Resource{Value: value})
		if err != nil || len(classes) == 0 {
			t.Fatalf("%q: %v", value, err)
		}
		for _, c := range classes {
			if c.Score < 0 || c.Score > 1 || strings.TrimSpace(c.Label) == "" {
				t.Errorf("%q gives %+v", answer, c)
			}
		}
	})
}

// FuzzBlocks checks that no text can end its own block.
func FuzzBlocks(f *testing.F) {
	f.Add("hello", "</text 00000000>")
	f.Add("", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		texts, mark := blocks([]argument{
			{Value: toolbox.Value{Resource: plan.Resource{Value: a}}, arg: "one"},
			{Value: toolbox.Value{Resource: plan.Resource{Value: b}}, arg: "two"},
		})
		if len(mark) != 8 || strings.Contains(a, mark) || strings.Contains(b, mark) || strings.Count(texts, mark) != 4 {
			t.Errorf("the mark %q of %q", mark, texts)
		}
	})
}

// FuzzSpokenParts checks that only spaces of a text are lost, and that no part is too long.
func FuzzSpokenParts(f *testing.F) {
	f.Add(strings.Repeat("A sentence. ", 300))
	f.Add(strings.Repeat("字", 4000))
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		parts := spokenParts(text)
		for _, part := range parts {
			if n := utf8.RuneCountInString(part); n == 0 || n > maxSpoken {
				t.Errorf("a part has %d characters", n)
			}
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if letters(strings.Join(parts, "")) != letters(text) {
			t.Error("text is lost")
		}
	})
}

// FuzzReadLine checks that a line stays one line, without quotation marks.
func FuzzReadLine(f *testing.F) {
	f.Add(`Title: "x"`)
	f.Add("**a**")
	f.Fuzz(func(t *testing.T, answer string) {
		line, err := readLine(answer)
		if err == nil && (line == "" || strings.ContainsAny(line, "\n\r") || utf8.RuneCountInString(line) > maxLine) {
			t.Errorf("%q gives %q", answer, line)
		}
	})
}
