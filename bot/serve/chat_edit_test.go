package serve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/bot/clitest"
)

// talk is a town in which people also write without pictures, edit, and read the reactions on messages.
type talk interface {
	town
	// say mentions the bot in a new message, and returns its thread.
	say(text string) (thread string)
	// edit changes the first message of a thread.
	edit(thread, text string)
	// signs returns the bot's reactions on that message, and signsOn those on another message of the thread.
	signs(thread string) []string
	signsOn(thread, id string) []string
}

func (d *inDiscord) say(text string) string {
	return d.People.Say(discordtest.Post{Channel: d.channel, By: d.ann, Content: d.Bot().Mention() + " " + text}).ID
}

func (d *inDiscord) edit(thread, text string) {
	d.People.Edit(d.channel, thread, d.Bot().Mention()+" "+text, false)
}

func (d *inDiscord) signs(thread string) []string { return d.signsOn(d.channel, thread) }

func (d *inDiscord) signsOn(channel, id string) []string {
	m, _ := d.World.Message(channel, id)
	var all []string
	for _, r := range m.Reactions {
		if slices.Contains(r.Users, d.BotID()) {
			all = append(all, r.Emoji)
		}
	}
	return all
}

func (s *inSlack) say(text string) string {
	return s.People.Say(slacktest.Post{Channel: s.channel, By: s.ann, Text: slacktest.Mention(s.BotUser()) + " " + text})
}

func (s *inSlack) edit(thread, text string) {
	s.People.Edit(s.channel, thread, slacktest.Mention(s.BotUser())+" "+text)
}

func (s *inSlack) signs(thread string) []string { return s.signsOn(thread, thread) }

func (s *inSlack) signsOn(_, id string) []string {
	m, _ := s.Workspace.Message(s.channel, id)
	var all []string
	for _, r := range m.Reactions {
		if slices.Contains(r.Users, s.BotUser()) {
			all = append(all, r.Name)
		}
	}
	return all
}

// inBoth runs a test on Discord and on Slack.
func inBoth(t *testing.T, test func(in resident, by talk)) {
	t.Helper()
	for name, build := range map[string]func() talk{
		"Discord": func() talk { return newInDiscord(t, discordtest.Options{}) },
		"Slack":   func() talk { return newInSlack(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := build()
			test(resident{t, by}, by)
		})
	}
}

// until waits until a condition holds in a town.
func (r resident) until(o *clitest.Open, what string, holds func() bool) {
	r.Helper()
	ctx, stop := context.WithTimeout(r.Context(), clitest.Busy)
	defer stop()
	if err := r.await(ctx, holds); err != nil {
		r.Fatalf("it did not come to it: %s: %v\n%s", what, err, o.Log)
	}
}

// TestEditsRestartRequests edits a request twice after its answer.
func TestEditsRestartRequests(t *testing.T) {
	t.Parallel()
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
		thread := in.asks()
		in.answer(o, thread, 1)
		for n, text := range []string{"make it black and white", "rotate it by 90 degrees"} {
			by.edit(thread, text)
			in.until(o, text, func() bool {
				replaced := 0
				for _, p := range by.posts(thread) {
					if strings.Contains(p.text, "This answer replaces my earlier one.") {
						replaced++
					}
				}
				return replaced == n+1
			})
		}
	})
}

// TestSmallTalkIsNoFailure checks that thanks and greetings get no warning.
func TestSmallTalkIsNoFailure(t *testing.T) {
	t.Parallel()
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir()))
		for _, text := range []string{"thanks, you are great!", "hi", "lol", "good morning", "nice work! 🎉"} {
			thread := by.say(text)
			in.until(o, text, func() bool {
				return slices.ContainsFunc(by.signs(thread), func(s string) bool { return s != "eyes" && s != "👀" })
			})
			if signs := by.signs(thread); !slices.Contains(signs, "white_check_mark") && !slices.Contains(signs, "✅") {
				in.Errorf("%q gets %v", text, signs)
			}
			if all, ok := by.(team); ok {
				if _, labels := all.visible(thread); slices.ContainsFunc(labels, func(l string) bool { return strings.Contains(l, "Again") }) {
					in.Errorf("%q can be asked again: %q", text, labels)
				}
			}
			for _, p := range by.posts(thread) {
				if strings.Contains(p.text, "Sorry") || strings.Contains(p.text, "Nothing was done") {
					in.Errorf("%q is answered with %q", text, p.text)
				}
			}
		}
	})
}
