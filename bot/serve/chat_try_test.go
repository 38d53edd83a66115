package serve_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/agent/toolbox/slow"
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

// TestExamplesOfACommandAreTried checks that only the person who asked sees the help, and everybody sees the example run.
func TestExamplesOfACommandAreTried(t *testing.T) {
	t.Parallel()
	by := newInDiscord(t, discordtest.Options{})
	in := resident{t, by}
	o := in.serve(append(by.settings(), "ATELIER_DATA="+t.TempDir()))
	in.until(o, "the commands", func() bool { return len(by.Interactions.Commands()) > 0 })
	help := by.Interactions.Slash(discordtest.SlashCommand{By: by.ann, Channel: by.channel, Name: "atelier", Sub: "help"})
	var shown discordtest.Message
	in.until(o, "help", func() bool {
		shown, _ = help.Response()
		return strings.HasSuffix(shown.Content, "You can try:")
	})
	if !slices.ContainsFunc(shown.Buttons, func(b discordtest.Button) bool { return b.Label == "make it black and white" }) {
		t.Errorf("help has the buttons %+v", shown.Buttons)
	}
	by.Interactions.Press(by.ann, by.channel, shown.ID, "try:greyscale_image")
	in.until(o, "what was tried", func() bool { return len(pictures(by, by.channel)) == 1 })
}
