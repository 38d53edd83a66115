package serve_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/slow"
)

// TestRefusedSurfaces checks that if a platform rejects a newer feature, there is still one answer, in the old form.
func TestRefusedSurfaces(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for method, code := range map[string]string{
		"agents.sessions.setStatus": "unknown_method", "assistant.threads.setStatus": "missing_scope", "chat.startStream": "missing_scope",
		"chat.stopStream": "unknown_method", "files.completeUploadExternal": "invalid_blocks",
	} {
		t.Run("Slack "+method, func(t *testing.T) {
			t.Parallel()
			o := slacktest.Options{}
			if method == "assistant.threads.setStatus" { // which is there for apps without sessions
				o.Lacks = []string{"agents.sessions.setStatus"}
			}
			by := inSlackOf(t, o, false)
			times := 1
			if code == "invalid_blocks" { // with feedback buttons, and without
				times = 2
			}
			by.Faults.FailNext(method, times, slacktest.Failure{Error: code})
			answersOnce(t, by, func() {})
			if by.API.Calls()[method] == 0 {
				t.Error("it is not tried")
			}
		})
	}
	t.Run("Slack the last progress", func(t *testing.T) {
		t.Parallel()
		by := inSlackOf(t, slacktest.Options{Lacks: []string{"chat.startStream"}}, false)
		answersOnce(t, by, func() { by.Faults.FailNext("chat.update", 1, slacktest.Failure{Error: "cant_update_message"}) })
	})
	for name, refuse := range map[string]func(f *discordtest.Faults){
		"the last progress": func(f *discordtest.Faults) { f.RefuseNext(1, 403, 50005, discordtest.EditMessage) },
		"typing":            func(f *discordtest.Faults) { f.FailNext(2, 403, discordtest.ShowTyping) },
		"components": func(f *discordtest.Faults) {
			f.RefuseForm(1, "components", "UNION_TYPE_CHOICES", discordtest.PostMessage)
		},
		"the answer": func(f *discordtest.Faults) { f.RefuseNext(1, 400, 50006, discordtest.PostMessage) },
	} {
		t.Run("Discord "+name, func(t *testing.T) {
			t.Parallel()
			by := newInDiscord(t, discordtest.Options{})
			answersOnce(t, by, func() { refuse(by.Faults) })
		})
	}
}

// answersOnce has a sticker drawn, rejects something meanwhile, and expects one answer with the sticker.
func answersOnce(t *testing.T, by team, refuse func()) {
	t.Helper()
	w, in := newStickers(t), resident{t, by}
	o := in.serve(append(w.settings(t), by.settings()...))
	thread := by.say("make a sticker that says good morning")
	in.asked(o, w, "good morning")
	in.until(o, "the progress is shown", func() bool { return len(by.posts(thread)) == 1 })
	refuse()
	w.draw("good morning")
	in.shows(o, by, thread, "✅", "white_check_mark")
	in.until(o, "the progress has ended", func() bool {
		_, labels := by.visible(thread)
		return !slices.ContainsFunc(labels, func(l string) bool { return strings.Contains(l, "Stop") }) && !strings.Contains(by.posts(thread)[0].text, "⏳")
	})
	answers := 0
	for _, p := range by.posts(thread) {
		if strings.Contains(p.text, "Here is a sticker.") {
			answers++
		}
	}
	if n := len(pictures(by, thread)); n != 1 || answers != 1 {
		t.Errorf("there are %d answers with %d pictures: %s\n%s", answers, n, by.posts(thread), o.Log)
	}
}
