package serve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
)

// drawing asks the bot for a sticker, which is drawn when the test allows it.
func drawing(t *testing.T, by *inSlack) (in resident, o *clitest.Open, thread string, draw func()) {
	t.Helper()
	w := newStickers(t)
	in = resident{t, by}
	o = in.serve(append(w.settings(t), by.settings()...))
	return in, o, by.say("make a sticker that says good morning"), func() { w.draw("good morning") }
}

// TestSlackShowsSteps checks that during the work the thread has one message with the steps, a stream if Slack supports
// them, and at the end that message and one answer.
func TestSlackShowsSteps(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]slacktest.Options{"streams": {}, "no streams": {Lacks: []string{"chat.startStream"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := inSlackOf(t, o, false)
			in, open, thread, draw := drawing(t, by)
			in.until(open, "the progress is shown", func() bool { return len(by.posts(thread)) == 1 })
			progress, _ := by.Workspace.Message(by.channel, by.posts(thread)[0].id)
			if progress.Streaming != (len(o.Lacks) == 0) {
				t.Errorf("the progress is %+v", progress)
			}
			draw()
			in.until(open, "the request is done", func() bool { return slices.Contains(by.signs(thread), "white_check_mark") })
			in.until(open, "the progress has ended", func() bool {
				m, _ := by.Workspace.Message(by.channel, progress.TS)
				return !m.Streaming && m.Edited > 0 && !strings.Contains(string(m.Blocks), "🛑")
			})
			if posts := by.posts(thread); len(posts) != 2 || posts[0].id != progress.TS || len(posts[1].pictures) != 1 {
				t.Errorf("the thread has %s", posts)
			}
		})
	}
}

// TestSlackStopsByItself checks that Slack's own button stops a request, and that the bot says so once.
func TestSlackStopsByItself(t *testing.T) {
	t.Parallel()
	by := newInSlack(t, true)
	in, o, thread, _ := drawing(t, by)
	in.until(o, "the progress is shown", func() bool { return len(by.posts(thread)) == 1 })
	by.People.Stop(by.ann, by.channel, thread)
	in.until(o, "the request is stopped", func() bool { return slices.Contains(by.signs(thread), "no_entry_sign") })
	in.until(o, "the progress has ended", func() bool { return len(by.posts(thread)) > 0 && strings.Contains(by.posts(thread)[0].text, "topped") })
	if posts := by.posts(thread); len(posts) > 2 {
		t.Errorf("the thread has %s", posts)
	}
}

// TestProgressInPercent checks that the progress of a drawing is shown if its server reports it.
func TestProgressInPercent(t *testing.T) {
	t.Parallel()
	inBoth(t, func(in resident, by talk) {
		server := hftasktest.New(in.T, hftasktest.Config{})
		server.Lengthen("text-to-image", -1)
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "TOOL_SERVER_URL="+server.URL()))
		all, ok := by.(team)
		if !ok {
			in.Fatal("nobody reads here")
		}
		thread := by.say("draw a fox in a spacesuit")
		ctx, stop := context.WithTimeout(in.Context(), clitest.Busy)
		defer stop()
		job, err := server.AwaitJob(ctx, hftasktest.Queued)
		bottest.Check(in.T, err)
		server.Step(job.ID, hftasktest.Running, 0.47)
		in.until(o, "45 percent are shown", func() bool { text, _ := all.visible(thread); return strings.Contains(text, "(45 %)") })
		server.Step(job.ID, hftasktest.Done, 1)
		in.until(o, "a drawing", func() bool { return len(pictures(by, thread)) == 1 })
	})
}
