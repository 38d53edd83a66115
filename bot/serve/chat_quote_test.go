package serve_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
)

// TestRepliesToAText: what somebody has written is read aloud, and a request that needs no text is done without it.
func TestRepliesToAText(t *testing.T) {
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
	for wish, answer := range map[string]string{
		"make a voice message of this": "read aloud", "make a QR code for https://example.com": "QR code",
	} {
		said := by.People.Say(discordtest.Post{Channel: by.channel, By: bob, Content: "Good morning everybody, the train leaves at nine."})
		thread := by.People.Say(discordtest.Post{Channel: by.channel, By: by.ann, Content: by.Bot().Mention() + " " + wish, ReplyTo: said.ID}).ID
		in.until(o, wish, func() bool {
			for _, p := range by.posts(thread) {
				if strings.Contains(p.text, answer) && len(p.pictures) == 1 {
					return true
				}
			}
			return false
		})
	}
}
