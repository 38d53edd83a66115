package main

import (
	"strconv"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/serve"
	"atelier/bot/settings"
	"atelier/bot/website"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// TestFirstWishesWork does each request that a newcomer is shown.
func TestFirstWishesWork(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	p := clitest.NewParlour()
	o := clitest.OpenService(t, serve.Service{Web: true, Adapters: []adapters.Adapter{p}}, "ATELIER_DATA="+t.TempDir())
	config, err := settings.Read([]string{"PLANNER=rules"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := bottest.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w := &website.Backstage{Jobs: o.Jobs}
	if w.Toolbox, err = (workshop.Workshop{Config: config}).Toolbox(t.Context(), catalogue); err != nil {
		t.Fatal(err)
	}
	examples, err := w.Examples(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) != website.MaxExamples {
		t.Errorf("there are %d", len(examples))
	}
	_, page := o.Get("/")
	for i, e := range examples {
		if !strings.Contains(page, e.Wish) {
			t.Errorf("the page has no %q", e.Wish)
		}
		wish := p.Wish("m"+strconv.Itoa(i), e.Wish)
		wish.Thread.ID, wish.Message.Files = strconv.Itoa(i), nil
		switch e.Needs {
		case "image":
			wish.Message.Files = []adapters.File{{ID: "f", Name: "photo.jpg", Handle: "f"}}
		case "video":
			wish.Message.Files = []adapters.File{{ID: "f", Name: "film.mp4", Handle: newThings(t)[plan.Video].Path}}
		case "audio":
			wish.Message.Files = []adapters.File{{ID: "f", Name: "voice.wav", Handle: prop(t, t.TempDir(), "voice.wav", "voice hello world")}}
		case "document":
			wish.Message.Files = []adapters.File{{ID: "f", Name: "pages.pdf", Handle: newThings(t)["compress_pdf"].Path}}
		case "":
		default:
			t.Fatalf("%q needs %s", e.Wish, e.Needs)
		}
		p.Says <- wish
		<-p.Replies
		if run := o.WaitFor(wish).Runs[0]; run.Status != jobs.Done {
			t.Errorf("%q: %s, %s", e.Wish, run.Status, run.Answer.Reply.Text)
		}
	}
}
