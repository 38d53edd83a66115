package discordtest_test

import (
	"testing"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters/discord/discordtest"
)

func TestHearing(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	for _, text := range []string{"one", "two", "three"} {
		said := s.say(text)
		heard := l.message(t)
		if heard.ID != said.ID || heard.Content != text || heard.GuildID != s.guild || heard.Author.Username != "Ana" {
			t.Errorf("said %+v, heard %+v", said, heard.Message)
		}
	}
	if s.Intents() != int(least|discordgo.IntentMessageContent) {
		t.Errorf("the intents are %d", s.Intents())
	}
}
