package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/bot/bottest"
)

// crowd is a town in which several people write in one thread.
type crowd interface {
	team
	// begin lets somebody post a picture in the channel, and gives its thread.
	begin(name, text string, picture []byte) (thread string)
	// tell lets somebody write in a thread, with or without a mention of the bot, and gives the message.
	tell(name, thread, text string, mention bool) (id string)
	// change lets the author edit a message of a thread, which mentions the bot.
	change(thread, id, text string)
	// retract deletes a message of a thread.
	retract(thread, id string)
	// push lets somebody press a button below a message of the bot; it is false if there is none.
	push(name, thread, id, button string) bool
	// told is what somebody was told in private.
	told(name string) []string
	// transcript is what everybody reads in a thread.
	transcript(thread string) []string
}

// discordCrowd are people in Discord, by their names.
type discordCrowd struct {
	*inDiscord

	people map[string]discordtest.User
}

func newDiscordCrowd(t *testing.T) crowd {
	t.Helper()
	d := newInDiscord(t, discordtest.Options{})
	return &discordCrowd{d, map[string]discordtest.User{"ann": d.ann, "bob": d.bob, "carol": d.World.User("carol")}}
}

func (d *discordCrowd) begin(name, text string, picture []byte) string {
	id := d.People.Say(discordtest.Post{
		Channel: d.channel, By: d.people[name], Content: text, Files: []discordtest.File{{Name: "photo.jpg", Type: "image/jpeg", Content: picture}},
	}).ID
	return d.People.Thread(d.channel, id, text, d.people[name])
}

func (d *discordCrowd) tell(name, thread, text string, mention bool) string {
	if mention {
		text = d.Bot().Mention() + " " + text
	}
	return d.People.Say(discordtest.Post{Channel: thread, By: d.people[name], Content: text}).ID
}

func (d *discordCrowd) change(thread, id, text string) {
	d.People.Edit(thread, id, d.Bot().Mention()+" "+text, false)
}

func (d *discordCrowd) retract(thread, id string) { d.People.Delete(thread, id) }

func (d *discordCrowd) push(name, thread, id, button string) bool {
	m, _ := d.World.Message(thread, id)
	if !slices.ContainsFunc(m.Buttons, func(b discordtest.Button) bool { return b.CustomID == button }) {
		return false
	}
	d.pressed = append(d.pressed, d.Interactions.Press(d.people[name], thread, id, button))
	return true
}

func (d *discordCrowd) told(name string) []string { return d.whispered(d.people[name].ID) }

func (d *discordCrowd) transcript(thread string) (all []string) {
	for _, m := range d.World.Messages(thread) {
		var labels []string
		for _, b := range m.Buttons {
			labels = append(labels, strings.TrimSpace(b.Emoji+" "+b.Label))
		}
		all = append(all, line(m.Author.Name, m.Content, len(m.Attachments), labels))
	}
	return all
}

// slackCrowd are people in Slack, by their names.
type slackCrowd struct {
	*inSlack

	people map[string]string
}

func newSlackCrowd(t *testing.T) crowd {
	t.Helper()
	s := newInSlack(t, false)
	carol := s.Workspace.User("carol")
	s.Workspace.Join(s.channel, carol)
	return &slackCrowd{s, map[string]string{"ann": s.ann, "bob": s.bob, "carol": carol}}
}

func (s *slackCrowd) begin(name, text string, picture []byte) string {
	return s.People.Say(slacktest.Post{Channel: s.channel, By: s.people[name], Text: text, Files: []slacktest.File{{Name: "photo.jpg", Data: picture}}})
}

func (s *slackCrowd) tell(name, thread, text string, mention bool) string {
	if mention {
		text = slacktest.Mention(s.BotUser()) + " " + text
	}
	return s.People.Say(slacktest.Post{Channel: s.channel, ThreadTS: thread, By: s.people[name], Text: text})
}

func (s *slackCrowd) change(_, id, text string) {
	s.People.Edit(s.channel, id, slacktest.Mention(s.BotUser())+" "+text)
}

func (s *slackCrowd) retract(_, id string) { s.People.Delete(s.channel, id) }

func (s *slackCrowd) push(name, _, id, button string) bool {
	if button == "stop" {
		button = "halt"
	}
	m, _ := s.Workspace.Message(s.channel, id)
	if !strings.Contains(string(m.Blocks), `"action_id":"`+button+`"`) {
		return false
	}
	s.Interactions.Press(s.people[name], s.channel, id, button)
	return true
}

func (s *slackCrowd) told(name string) []string { return s.whispered(s.people[name]) }

func (s *slackCrowd) transcript(thread string) (all []string) {
	names := map[string]string{s.BotUser(): "the bot"}
	for name, id := range s.people {
		names[id] = name
	}
	for _, m := range s.Workspace.Messages(s.channel, thread) {
		var blocks any
		if m.Blocks != nil && json.Unmarshal(m.Blocks, &blocks) != nil {
			blocks = nil
		}
		_, labels := readBlocks(blocks)
		all = append(all, line(names[m.User], m.Text, len(m.Files), labels))
	}
	return all
}

// line is a message in a transcript.
func line(by, text string, files int, labels []string) string {
	said := fmt.Sprintf("%s: %s", by, text)
	if files > 0 {
		said += fmt.Sprintf(" [%d files]", files)
	}
	if len(labels) > 0 {
		said += fmt.Sprintf(" {%s}", strings.Join(labels, " | "))
	}
	return said
}

// presses lets somebody press a button below the latest message of the bot that has it.
func (g goneOn) presses(by crowd, name, button string) {
	g.Helper()
	g.until(g.o, "the button "+button, func() bool {
		for _, p := range slices.Backward(by.posts(g.thread)) {
			if by.push(name, g.thread, p.id, button) {
				return true
			}
		}
		return false
	})
}

// TestDayInAThread plays three people in one thread. Ann posts a picture, Bob asks about it, and Carol goes on from the
// results. They stop, use, vary, edit and delete, and after each step the test checks what everybody sees.
func TestDayInAThread(t *testing.T) {
	t.Parallel()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	bottest.Check(t, err)
	for name, build := range map[string]func(*testing.T) crowd{"Discord": newDiscordCrowd, "Slack": newSlackCrowd} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by, w := build(t), newStickers(t)
			in := resident{t, by}
			o := in.serve(slices.Concat(w.settings(t), by.settings(), []string{"TOOL_SERVER_URL=" + hftasktest.New(t, hftasktest.Config{}).URL()}))
			g := goneOn{in, nil, o, by.begin("ann", "look at this", photo)}
			shown := func() int { return len(pictures(by, g.thread)) }
			refused := func(why string) {
				in.until(o, "a private word to Carol", func() bool { return slices.Contains(by.told("carol"), why) })
			}
			picture := func(what string, n int) image.Point {
				in.until(o, what, func() bool { return shown() >= n })
				if got := shown(); got != n {
					t.Errorf("%s: there are %d pictures, want %d", what, got, n)
				}
				size, _, err := image.DecodeConfig(bytes.NewReader(pictures(by, g.thread)[n-1].content))
				bottest.Check(t, err)
				return image.Pt(size.Width, size.Height)
			}
			defer func() { t.Log("\n" + strings.Join(by.transcript(g.thread), "\n")) }()

			wish := by.tell("bob", g.thread, "make it black and white", true)
			grey := picture("Ann's picture for Bob", 1)
			g.presses(by, "carol", "larger")
			if size := picture("a larger one for Carol", 2); size != grey.Mul(2) {
				t.Errorf("it is %v, and was %v", size, grey)
			}

			in.until(o, "the end of all work", func() bool { // else Carol may press the button of her own
				return !slices.ContainsFunc(by.transcript(g.thread), func(line string) bool {
					return strings.Contains(line, "🛑") || strings.Contains(line, "Stop")
				})
			})
			by.tell("bob", g.thread, "make a sticker that says good morning", true)
			in.asked(o, w, "good morning")
			g.presses(by, "carol", "stop")
			refused("Only the person who asked for this, or an admin, can stop it.")
			g.presses(by, "bob", "stop")
			in.stops(o, w, "good morning")
			in.says(o, g.thread, "Stopped, as you asked.")

			by.tell("ann", g.thread, "draw a fox in a spacesuit", true)
			fox := picture("a fox for Ann", 3)
			g.presses(by, "carol", "vary")
			if grid := picture("variations for Carol", 4); grid.X < 2*fox.X || grid.Y < 2*fox.Y {
				t.Errorf("the grid is %v, and a fox %v", grid, fox)
			}
			in.until(o, "four numbers", func() bool {
				all := by.posts(g.thread)
				return all[len(all)-1].numbers == 4
			})
			number := by.tell("carol", g.thread, "2", true)
			in.says(o, g.thread, "Your next message here works on number 2")
			picture("Carol's second variation", 5)
			by.change(g.thread, number, "3")
			in.says(o, g.thread, "Your next message here works on number 3")
			picture("Carol's third variation", 6)
			by.tell("carol", g.thread, "rotate it by 90 degrees", false)
			if size := picture("Carol's variation, turned", 7); size != image.Pt(fox.Y, fox.X) {
				t.Errorf("it is %v, and a fox %v", size, fox)
			}

			by.change(g.thread, wish, "rotate photo.jpg by 90 degrees")
			in.says(o, g.thread, "You edited your message. This answer replaces my earlier one.")
			if size := picture("Bob's other request", 8); size != image.Pt(grey.Y, grey.X) {
				t.Errorf("it is %v, and was %v", size, grey)
			}

			g.presses(by, "carol", "delete")
			refused("Only the person who asked for this, or an admin, can delete it.")
			g.presses(by, "bob", "delete")
			in.until(o, "the deletion", func() bool { return shown() == 7 })

			last := by.tell("bob", g.thread, "make a sticker that says good night", true)
			in.asked(o, w, "good night")
			by.retract(g.thread, last)
			in.stops(o, w, "good night")
			if words := w.all(); len(words) != 0 || shown() != 7 {
				t.Errorf("drawn are %q, shown %d", words, shown())
			}
		})
	}
}
