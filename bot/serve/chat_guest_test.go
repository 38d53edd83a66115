package serve_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/discordtest"
	"atelier/bot/clitest"
)

// TestAsAGuest checks that in a conversation without the bot, a command of a person who has installed it is answered
// with the picture, and the button below it with the alternative's.
func TestAsAGuest(t *testing.T) {
	t.Parallel()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	if err != nil {
		t.Fatal(err)
	}
	in := newInDiscord(t, discordtest.Options{})
	o := resident{t, in}.serve(append(in.settings(), "ATELIER_DATA="+t.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
	ctx, stop := context.WithTimeout(t.Context(), clitest.Busy)
	defer stop()
	answered := func(i *discordtest.Interaction) (answer discordtest.Message) {
		t.Helper()
		if err := in.await(ctx, func() bool {
			for _, m := range i.Followups() {
				if len(m.Attachments) == 1 {
					answer = m
				}
			}
			return answer.ID != ""
		}); err != nil {
			t.Fatalf("%v: there are %+v\n%s", err, i.Followups(), o.Log)
		}
		return answer
	}
	if err := in.await(ctx, func() bool { return len(in.Interactions.Commands()) > 0 }); err != nil {
		t.Fatal(err)
	}
	asked := in.Interactions.Slash(discordtest.SlashCommand{
		By: in.ann, Channel: in.World.Group(), Name: convert.CommandName, Sub: "ask",
		Options: map[string]string{convert.RequestOption: "find the edges in this picture"},
		Files:   map[string]discordtest.File{"file1": {Name: "photo.jpg", Type: "image/jpeg", Content: photo}},
	})
	first := answered(asked)
	if !strings.Contains(first.Content, "Alternatives, with a button:") {
		t.Errorf("it says %q", first.Content)
	}
	for _, b := range first.Buttons {
		if strings.HasPrefix(b.CustomID, convert.ChooseButton+"2:") {
			second := answered(in.Interactions.Press(in.ann, first.Channel, first.ID, b.CustomID))
			if string(second.Attachments[0].Content) == string(first.Attachments[0].Content) {
				t.Error("the other way gives the same picture")
			}
			return
		}
	}
	t.Errorf("there is no second way: %+v", first.Buttons)
}
