package rules_test

import (
	"flag"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// request returns a request with up to four files, whose types are given by the letters of kinds. Every second file
// is from the thread.
func request(wish, files, kinds string, question string) plan.Request {
	types := map[byte]plan.Type{'i': plan.Image, 'v': plan.Video, 'a': plan.Audio, 't': plan.Text, 'm': plan.Mask, 'd': plan.Depth}
	r := plan.Request{Wish: wish}
	seen := map[string]bool{"": true}
	for i, name := range strings.Split(files, "|") {
		if seen[name] || i >= len(kinds) || i >= 4 || types[kinds[i]] == "" {
			continue
		}
		seen[name] = true
		res := plan.Resource{Name: name, Type: types[kinds[i]]}
		if i%2 == 0 {
			r.Given = append(r.Given, res)
		} else {
			r.Earlier = append(r.Earlier, res)
		}
	}
	if question != "" {
		r.Question = &plan.Question{Text: question, Wish: question}
	}
	return r
}

// FuzzDecompose checks that any text and any file names yield a valid decomposition.
func FuzzDecompose(f *testing.F) {
	for _, c := range readCases(f) {
		if flag.Lookup("test.fuzz").Value.String() == "" {
			break // TestDecompose checks them
		}
		r := c.request
		var names, kinds []string
		for _, res := range r.Resources() {
			names = append(names, res.Name)
			kinds = append(kinds, string(res.Type[:1]))
		}
		question := ""
		if r.Question != nil {
			question = r.Question.Wish
		}
		f.Add(r.Wish, strings.Join(names, "|"), strings.Join(kinds, ""), question)
	}
	for _, wish := range oddWishes {
		f.Add(wish[:min(len(wish), 200)], "a.png|b.png", "ii", "")
	}
	f.Add("blur .", ".|..|\xff|a b", "iiii", "blur .")
	f.Add("İ.png blur ẞ", "i̇.png|ß", "im", "")
	m := thePlanner(f)
	f.Fuzz(func(t *testing.T, wish, files, kinds, question string) {
		r := request(wish, files, kinds, question)
		d, err := m.Decompose(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, r, d)
	})
}

// oddWishes are meaningless or very long.
var oddWishes = []string{
	"", " ", "\n\n\t", ".", "?!", "\x00\xff\xfe", "👍🏽", "\u202e\u200f", "\u0301\u0301", "and and and then then", "1. 2. 3.", "- - -",
	strings.Repeat("blur it and ", 200),
	strings.Repeat("a.png, ", 1200),
	strings.Repeat("word", 2000),
	strings.Repeat("get ", 2000),
	strings.Repeat("thanks ", 1200),
	strings.Repeat("then ", 1600),
	strings.Repeat("«", 4000),
	strings.Repeat("find the dog of the ", 400),
	strings.Repeat("a photo of a dog with a hat in the style of ", 180),
	strings.Repeat("is there a dog? ", 150),
	strings.Repeat("é", 8000),
	"translate this into German: " + strings.Repeat("Lorem ipsum dolor sit amet. ", 300),
	strings.Repeat("x", 100_000),
}

// TestOddRequests checks that long and odd wishes yield a valid decomposition.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	m := thePlanner(t)
	for _, wish := range oddWishes {
		r := request(wish, "a.png|b.png|c.mp4", "iiv", "")
		d, err := m.Decompose(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, r, d)
	}
}
