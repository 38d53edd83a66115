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

// TestAsAGuest: in a conversation of people who have installed the bot, which is not there itself, a command is
// answered with its picture, and the button below it with that of the other way.
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
