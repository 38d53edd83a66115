package planner_test

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

func TestInvents(t *testing.T) {
	t.Parallel()
	account := planner.Account{
		Request: plan.Request{
			Wish:     "把照片sketch.png变成卡通, and save it as out.webp",
			Turns:    []plan.Turn{{Wish: "look at plan.pdf", Reply: "Made plan.docx."}},
			Question: &plan.Question{Wish: "blur old.gif", Text: "Do you mean new.gif?"},
			Given:    []plan.Resource{{Name: "photo-3f2a.png", File: "photo.png", Type: plan.Image}},
		},
		Plan: &plan.Plan{Resources: []plan.Resource{{Name: "चित्र-77aa.jpg", Type: plan.Image}}},
		Results: []plan.Result{
			{
				Status: plan.Done,
				Output: &plan.Resource{Name: "photo-3f2a.edge-91bc.png", Type: plan.Edge, About: "lines of house.jpg"},
				More:   []plan.Resource{{Name: "photo-3f2a.edge-92bc.png", Type: plan.Edge}},
			},
			{Status: plan.Done, Output: &plan.Resource{Name: "text-1", Type: plan.Text, Value: "See report.html for more."}},
			{Status: plan.Running, Output: &plan.Resource{Name: "half.mp4", Type: plan.Video}},
			{Status: plan.Failed, Problem: "There is no voice.mp3 to be heard."},
		},
		Fallbacks: []string{"lost.wav was not there. I went another way: dub_video."},
		Missing:   []string{"The tool sing cannot run here: it needs song.flac."},
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"no file", "I counted 3.5 dogs, i.e. many.", ""},
		{"a result", "Here is photo-3f2a.edge-91bc.png.", ""},
		{"each result of a step", "photo-3f2a.edge-91bc.png, photo-3f2a.edge-92bc.png", ""},
		{"a name in marks", "Here is `photo-3f2a.edge-91bc.png`, made from **photo.png**.", ""},
		{"a name with signs above letters", "चित्र-77aa.jpg", ""},
		{"Chinese words touch the name", "这是photo-3f2a.edge-91bc.png。", ""},
		{"a German word is made of it", "die photo-3f2a.png-Datei", ""},
		{"the end of a sentence", "I used photo.png.", ""},
		{"named in the wish", "It is not saved as out.webp.", ""},
		{"named in the wish, with words before", "我没有找到图像sketch.png。", ""},
		{"named in the question", "You meant old.gif, not new.gif.", ""},
		{"named by results", "The text says report.html, the picture shows house.jpg, and voice.mp3, lost.wav and song.flac are missing.", ""},
		{"named in an earlier wish", "You spoke of plan.pdf.", ""},
		{"named in an earlier answer only", "I made plan.docx.", "plan.docx"},
		{
			"files of all kinds", "report.pdf notes.txt a.csv b.srt c.svg d.opus e.aac f.avif g.heic h.zip i.docx j.json k.tar.gz secret.env",
			"report.pdf notes.txt a.csv b.srt c.svg d.opus e.aac f.avif g.heic h.zip i.docx j.json k.tar.gz secret.env",
		},
		{"endings by themselves", "I can make .pdf, .txt or PNG.", ""},
		{"another name", "I made photo-3f2a.cartoon-11aa.png.", "photo-3f2a.cartoon-11aa.png"},
		{"after Chinese words", "这是photo-3f2a.cartoon-11aa.png。", "这是photo-3f2a.cartoon-11aa.png"},
		{"nothing but such words", "这是图.png。", "这是图.png"},
		{"a longer name", "I made my-photo-3f2a.png.", "my-photo-3f2a.png"},
		{"a further link", "I made photo-3f2a.png.edge-0000.png.", "edge-0000.png"},
		{"what a step left that is not done", "I made half.mp4.", "half.mp4"},
		{"each once", "a.mp4, b.html, a.mp4", "a.mp4 b.html"},
		{"in capitals", "I made FINAL.PNG.", "FINAL.PNG"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(account.Invents(c.text), " "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	for quotation, says := range map[string]bool{"report.html for": true, "out.webp": true, "lines of house": true, "old.gif": true, "photo.png": false} {
		if account.Says(quotation) != says {
			t.Errorf("says %q: %v", quotation, !says)
		}
	}
	if got := (planner.Account{}).Invents("a.png"); len(got) != 1 {
		t.Errorf("where there is nothing: %q", got)
	}
}

func TestResultsNamed(t *testing.T) {
	t.Parallel()
	r := plan.Request{
		Earlier: []plan.Resource{
			{Name: "own-1111.png", File: "own.png"}, {Name: "fox-77aa.png", File: "fox.png"}, {Name: "fox-88bb.png", File: "red-fox.png"}, {Name: "text-1"},
		},
		Turns: []plan.Turn{{Made: []string{"fox-77aa.png"}}, {Made: []string{"fox-88bb.png", "text-1"}}},
	}
	for text, want := range map[string]string{
		"You are welcome.":               "",
		"It is made from own.png.":       "",
		"This is it: fox.png.":           "fox-77aa.png",
		"This is it: red-fox.png.":       "fox-88bb.png",
		"Here are fox-77aa.png, text-1.": "fox-77aa.png text-1",
	} {
		if got := strings.Join(planner.ResultsNamed(r, text), " "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
