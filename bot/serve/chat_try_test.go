package serve_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/clitest"
)

// TestExamplesAreTried checks that a mention without text, or a greeting, shows examples that work here, and that
// pressing one runs it with a sample picture, in the same thread.
func TestExamplesAreTried(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, build := range map[string]func() pressing{
		"Discord": func() pressing { return newInDiscord(t, discordtest.Options{}) },
		"Slack":   func() pressing { return newInSlack(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := build()
			in := resident{t, by}
			o := in.serve(append(by.settings(), "ATELIER_DATA="+t.TempDir()))
			for _, text := range []string{"", "hi"} {
				g := goneOn{in, by, o, by.say(text)}
				g.told("You can try:", 1)
				if by.press(g.thread, "try:text_to_image") {
					t.Error("it offers to draw, and no tool can")
				}
				g.pressed("try:make_gif")
				g.told("You tried “make a GIF of it” with a sample file.", 1)
				g.pressed("try:greyscale_image")
				g.told("You tried “make it black and white” with a sample file.", 1)
				if n := len(pictures(by, g.thread)); n != 2 {
					t.Errorf("there are %d results: %v", n, by.posts(g.thread))
				}
			}
		})
	}
}

// helping is a town in which ann asks for help by the command.
type helping interface {
	pressing
	// help enters the command.
	help(in resident, o *clitest.Open)
	// try presses an example in the help, and reports whether there was one.
	try(example string) bool
	// channelPosts returns the bot's messages outside of threads.
	channelPosts() []post
}

func (d *inDiscord) help(in resident, o *clitest.Open) {
	in.until(o, "the commands", func() bool { return len(d.Interactions.Commands()) > 0 })
	d.helped = d.Interactions.Slash(discordtest.SlashCommand{By: d.ann, Channel: d.channel, Name: "atelier", Sub: "help"})
}

func (d *inDiscord) try(example string) bool {
	shown, _ := d.helped.Response()
	if !slices.ContainsFunc(shown.Buttons, func(b discordtest.Button) bool { return b.CustomID == example }) {
		return false
	}
	d.Interactions.Press(d.ann, d.channel, shown.ID, example)
	return true
}

func (d *inDiscord) channelPosts() []post { return d.posts(d.channel) }

func (s *inSlack) help(resident, *clitest.Open) {
	s.Interactions.Command(s.ann, s.channel, "/atelier", "help")
}

func (s *inSlack) try(example string) bool {
	for _, e := range s.Workspace.Ephemerals(s.ann) {
		if strings.Contains(string(e.Blocks), `"action_id":"`+example+`"`) {
			s.Interactions.PressEphemeral(e, s.channel, example)
			return true
		}
	}
	return false
}

func (s *inSlack) channelPosts() []post { return s.posts("") }

// TestExamplesOfACommandAreTried checks that only the person who asked sees the help, that everybody sees the example run, and
// that the person goes on from its result in its thread.
func TestExamplesOfACommandAreTried(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() helping{
		"Discord": func() helping { return newInDiscord(t, discordtest.Options{}) },
		"Slack":   func() helping { return newInSlack(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := build()
			in := resident{t, by}
			o := in.serve(append(by.settings(), "ATELIER_DATA="+t.TempDir()))
			by.help(in, o)
			in.until(o, "an example", func() bool { return by.try("try:greyscale_image") })
			var begun []post
			in.until(o, "what is tried", func() bool { begun = by.channelPosts(); return len(begun) == 1 })
			if !strings.HasSuffix(begun[0].text, "tries “make it black and white”.") {
				t.Errorf("it says %q", begun[0].text)
			}
			g := goneOn{in, by, o, begun[0].id}
			size, _ := g.next("what was tried", 1)
			g.pressed("use")
			g.told("Your next message here works on", 1)
			by.write(g.thread, "blur it")
			if blurred, _ := g.next("what was tried, blurred", 2); blurred != size {
				t.Errorf("it is %v, and was %v", blurred, size)
			}
			if n := len(by.channelPosts()); n != 1 {
				t.Errorf("the channel has %d messages", n)
			}
			if s, ok := by.(*inSlack); ok {
				s.Workspace.NotInChannel(s.channel)
				by.try("try:greyscale_image")
				in.until(o, "how to invite the bot", func() bool {
					return slices.ContainsFunc(s.private(false), func(told string) bool { return strings.Contains(told, "invite it with /invite") })
				})
			}
		})
	}
}
