package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/adapters/slack/convert"
	"atelier/bot/clitest"
)

// TestSlackSurfaces checks that an answer is one message with its buttons, that votes are counted, and that the home
// tab links to the thread.
func TestSlackSurfaces(t *testing.T) {
	t.Parallel()
	by := newInSlack(t, false)
	in := resident{t, by}
	o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
	thread := in.asks()
	in.answer(o, thread, 1)
	answers := by.posts(thread)
	last := answers[len(answers)-1]
	if len(last.pictures) != 1 || last.text == "" {
		t.Errorf("the answer is %+v", answers)
	}
	by.Interactions.Rate(by.ann, by.channel, last.id, convert.RateAction, true)
	voted := func() bool {
		told := o.Ask(http.MethodGet, "/metrics").Text
		return strings.Contains(told, `atelier_votes_total{adapter="slack",vote="good"} 1`)
	}
	for begun := time.Now(); !voted(); { // the workspace does not change by it
		if time.Since(begun) > clitest.Busy {
			t.Fatal("the vote is not counted")
		}
	}
	by.People.Open(by.ann, "messages")
	in.until(o, "what works here is suggested", func() bool {
		prompts := by.Workspace.Prompts(by.Workspace.DM(by.ann))
		return len(prompts) > 1 && prompts[len(prompts)-1].Message == "What can you do?"
	})
	by.People.Open(by.ann, "home")
	in.until(o, "the home tab shows the result", func() bool {
		home := string(by.Interactions.Home(by.ann))
		return strings.Contains(home, "You can try:") && strings.Contains(home, "/archives/"+by.channel+"/p"+strings.ReplaceAll(thread, ".", ""))
	})
}
