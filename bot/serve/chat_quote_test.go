package serve_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/agent/toolbox/slow"
)

// TestRepliesToAText checks that the text of the message replied to is read aloud in a voice message, and that a request
// that needs no text ignores it.
func TestRepliesToAText(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("espeak-ng is not installed")
		}
		t.Skip("espeak-ng is not installed")
	}
	by := newInDiscord(t, discordtest.Options{})
	in := resident{t, by}
	o := in.serve(append(by.settings(), "ATELIER_DATA="+t.TempDir()))
	bob := by.World.User("bob")
	for wish, want := range map[string]struct {
		text  string
		voice bool
	}{
		"make a voice message of this": {"read aloud", true}, "make a QR code for https://example.com": {"QR code", false},
	} {
		said := by.People.Say(discordtest.Post{Channel: by.channel, By: bob, Content: "Good morning everybody, the train leaves at nine."})
		thread := by.People.Say(discordtest.Post{Channel: by.channel, By: by.ann, Content: by.Bot().Mention() + " " + wish, ReplyTo: said.ID}).ID
		in.until(o, wish, func() bool {
			return slices.ContainsFunc(by.posts(thread), func(p post) bool { return strings.Contains(p.text, want.text) && !strings.Contains(p.text, "⏳") })
		})
		in.shows(o, by, thread, "✅")
		files, voice := 0, false
		for _, m := range by.World.Messages(thread) {
			files += len(m.Attachments)
			voice = voice || m.Flags&(1<<13) != 0 && len(m.Attachments) == 1 && m.Attachments[0].Name == "voice-message.ogg"
		}
		if files != 1 || voice != want.voice {
			t.Errorf("%q is answered with %s", wish, by.posts(thread))
		}
	}
}
