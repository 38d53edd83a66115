package serve_test

import (
	"os"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
)

// poster is a town in which people link to pictures that others have posted.
type poster interface {
	talk
	// posted posts a picture as somebody else, and returns the link to the message.
	posted(picture []byte) (link string)
}

func (d *inDiscord) posted(picture []byte) string {
	m := d.People.Say(discordtest.Post{
		Channel: d.channel, By: d.bob, Content: "look", Files: []discordtest.File{{Name: "photo.jpg", Type: "image/jpeg", Content: picture}},
	})
	return "https://discord.com/channels/1/" + d.channel + "/" + m.ID
}

func (s *inSlack) posted(picture []byte) string {
	bob := s.bob
	ts := s.People.Say(slacktest.Post{Channel: s.channel, By: bob, Text: "look", Files: []slacktest.File{{Name: "photo.jpg", Data: picture}}})
	return "<https://team.slack.com/archives/" + s.channel + "/p" + strings.ReplaceAll(ts, ".", "") + ">"
}

// TestLinkToAMessageGivesItsPicture checks that a request works on the picture of a linked message.
func TestLinkToAMessageGivesItsPicture(t *testing.T) {
	t.Parallel()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	if err != nil {
		t.Fatal(err)
	}
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_LINK_HOSTS=localhost"))
		town, ok := by.(poster)
		if !ok {
			in.Fatal("nobody posts here")
		}
		for _, text := range []string{"rotate LINK by 90 degrees", "make this black and white: LINK", "please blur LINK, and make it smaller than 40 kB"} {
			thread := by.say(strings.ReplaceAll(text, "LINK", town.posted(photo)))
			pictures := func() (n int) {
				for _, p := range by.posts(thread) {
					n += len(p.pictures)
				}
				return n
			}
			in.until(o, text, func() bool {
				return len(by.posts(thread)) > 0 && (pictures() > 0 || len(by.signs(thread)) > 0 && by.signs(thread)[0] != "👀" && by.signs(thread)[0] != "eyes")
			})
			if pictures() == 0 {
				in.Errorf("%q is answered with %s", text, by.posts(thread))
			}
		}
		for link, said := range map[string]string{
			"https://example.com/cat.png":      "I do not open links to example.com.",
			"http://169.254.169.254/cat.png":   "I do not open links to 169.254.169.254.",
			"https://localhost/private.png":    "The link leads into a private network, and I download nothing from there. Please upload the file here.",
			"http://localhost/unencrypted.png": "I do not open links to localhost.",
		} {
			thread := by.say("make " + link + " black and white")
			in.says(o, thread, said)
			if len(pictures(by, thread)) > 0 {
				in.Errorf("%s is opened", link)
			}
		}
	})
}
