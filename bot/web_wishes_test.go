package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters"
	webpage "atelier/adapters/web/page"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/serve"
	"atelier/bot/settings"
	"atelier/bot/website"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// TestFirstWishesWork runs each example for newcomers, in each language, on its sample file.
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
	if w.Tell, err = workshop.NewTell(); err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "zh-Hans"} {
		examples, err := w.Examples(t.Context(), language)
		if err != nil || len(examples) != website.MaxExamples {
			t.Errorf("there are %d, %v", len(examples), err)
		}
		_, page := o.Get("/")
		for i, e := range examples {
			if language == "en" && !strings.Contains(page, e.Wish) {
				t.Errorf("the page has no %q", e.Wish)
			}
			wish := p.Wish(language+strconv.Itoa(i), e.Wish)
			wish.Thread.ID, wish.Message.Files = language+strconv.Itoa(i), nil
			if e.Needs != "" {
				wish.Message.Files = []adapters.File{{ID: "f", Name: webpage.SampleName(e.Needs), Handle: sampleFile(t, e.Needs)}}
			}
			p.Says <- wish
			<-p.Replies
			run := o.WaitFor(wish).Runs[0]
			if run.Status != jobs.Done {
				t.Errorf("%q: %s, %s", e.Wish, run.Status, run.Answer.Reply.Text)
			}
		}
	}
}

// sampleFile writes the web page's sample of a type to a file.
func sampleFile(t *testing.T, needs string) string {
	t.Helper()
	from, err := webpage.OpenSample(needs)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(from)
	path := filepath.Join(t.TempDir(), webpage.SampleName(needs))
	if err := errors.Join(err, from.Close(), os.WriteFile(path, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}
