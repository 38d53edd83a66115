package decompose

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/workshoptest"
	"atelier/agent/toolbox"
)

// FuzzDecomposition checks that any answer yields a decomposition with its guarantees, or a complaint that says
// what is wrong.
func FuzzDecomposition(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name == "answer.txt" {
				f.Add(string(part.Data), "say {0} and \"cat.png\" once more", "sky.png|lake-1a2b.jpg|notes-5.txt|talk.mp3", "imta")
			}
		}
	}
	f.Add(goodAnswer(), "make it blue", "kitchen.png", "i")
	f.Add(anAnswer(aSubtask(0, "-1"), aSubtask(7, "0", anArg("text", "{0} <GENERATED>-0 <a{1}> <GENERATED>-0 {00}", "question"))), "", "a{1}|b", "tt")
	f.Add(anAnswer(aSubtask(0, "", anArg("text", "one [...] three", "content"), anArg("depth", "a", ""))), "one two three", "a", "i")
	f.Add(`{"subtasks":[{"returns":[{},{}]}]}`, "", "", "")
	f.Add(`[[]]`, "", "", "")
	known := newVocabulary(toolbox.NewCatalogue(workshoptest.Tools()))
	kinds := map[rune]plan.Type{'i': plan.Image, 'a': plan.Audio, 't': plan.Text, 'm': plan.Mask, 'b': plan.BBox}
	f.Fuzz(func(t *testing.T, answer, wish, names, types string) {
		r := plan.Request{Wish: wish, Question: &plan.Question{Wish: wish}}
		for i, name := range strings.SplitN(names, "|", 8) {
			if i >= len(types) || name == "" || kinds[rune(types[i])] == "" {
				continue
			}
			if !slices.ContainsFunc(r.Given, func(g plan.Resource) bool { return g.Name == name }) {
				r.Given = append(r.Given, plan.Resource{Name: name, Type: kinds[rune(types[i])], File: names})
			}
		}
		read, err := readDecomposition(answer)
		if err == nil {
			d, err2 := bind(read, r, known)
			if err2 == nil {
				holds(t, r, d)
				return
			}
			err = err2
		}
		wrong, ok := errors.AsType[*exchange.ComplaintError](err)
		if !ok || wrong.Kind == "" || wrong.Text == "" {
			t.Errorf("it is no complaint: %v", err)
		}
	})
}
