package cover_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/agent/planner/llm/cover"
)

func TestLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		passages   []string
		want       []string
	}{
		{"all", "Please crop it to a square, thanks!", []string{"crop it to a square"}, nil},
		{"nothing", "crop it to a square", nil, []string{"crop it to a square"}},
		{"a constraint", "write Hello on it, semi transparent and in red", []string{"write Hello on it", "in red"}, []string{"semi transparent"}},
		{"two clauses apart", "loop it. crop it. mail it", []string{"crop it"}, []string{"loop", "mail"}},
		{"joined by a courtesy", "crop it, mail it and print it", []string{"crop it"}, []string{"mail it and print"}},
		{"other capitals and spaces", "CROP  it to a Square", []string{"crop it to a square"}, nil},
		{"not word for word", "make the old photo of Ana bigger", []string{"make the photo bigger"}, []string{"old", "Ana"}},
		{"a long passage", "sum up: one two three four five six seven", []string{"sum up: one two [...] six seven"}, nil},
		{"a long passage whose end is not there", "sum up one two three", []string{"sum up [...] nine"}, []string{"one two three"}},
		{"a greeting and a signature", "Hi there! Crop it to a square. Thanks, Miriam", []string{"Crop it to a square"}, nil},
		{"a signature of two words", "crop it\nBest regards\nMiriam Olsen", []string{"crop it"}, nil},
		{"no signature", "crop it for Miriam", []string{"crop it"}, []string{"for Miriam"}},
		{"an order after thanks", "thanks, crop it", nil, []string{"crop"}},
		{"German", "Könntest du bitte das Foto drehen und rahmen? Danke!", []string{"das Foto drehen"}, []string{"rahmen"}},
		{"Chinese", "请把照片变成黑白，然后加边框", []string{"照片变成黑白"}, []string{"加边框"}},
		{"Chinese, all", "请把照片变成黑白，谢谢", []string{"照片变成黑白"}, nil},
		{"only courtesies", "hello, please, thanks!", nil, nil},
		{"only emoji", "🎉🎉", nil, nil},
		{"empty", "", []string{"x", ""}, nil},
		{"one letter", "crop it x", []string{"crop it"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := cover.Of(c.text)
			for _, p := range c.passages {
				request.Account(p)
			}
			if got := request.Left(); !slices.Equal(got, c.want) {
				t.Errorf("left is %q, want %q", got, c.want)
			}
		})
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	request := cover.Of("Crop it to a square, then mail it to Ann.")
	for passage, want := range map[string]bool{
		"then mail it to Ann": true, "mail it  TO ann!": true, "Crop [...] Ann": true, "mail Ann": false, "Ann [...] crop": false, "": false, "…": false,
	} {
		if got := request.Holds(passage); got != want {
			t.Errorf("%q: %v", passage, got)
		}
	}
}

func FuzzLeft(f *testing.F) {
	f.Add("crop it, then mail it", "crop it")
	f.Add("请把照片变成黑白", "照片 [...] 黑白")
	f.Fuzz(func(t *testing.T, text, passage string) {
		request := cover.Of(text)
		request.Account(passage)
		for _, part := range request.Left() {
			if part == "" || !strings.Contains(text, part) {
				t.Errorf("%q is left of %q", part, text)
			}
		}
		request.Account(text)
		if left := request.Left(); len(left) > 0 {
			t.Errorf("%q is left of all of %q", left, text)
		}
	})
}
