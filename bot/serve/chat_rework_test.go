package serve_test

import (
	"bytes"
	"image"
	_ "image/jpeg" // what answers are
	_ "image/png"  // what drawings are
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
)

// pressing is a town in which people also press buttons, and write without a mention.
type pressing interface {
	talk
	// press presses the first button with an emoji in a thread, and reports whether there was one.
	press(thread, sign string) bool
	// write writes in a thread, and returns the message.
	write(thread, text string) (id string)
}

func (d *inDiscord) press(thread, sign string) bool {
	for _, m := range d.World.Messages(thread) {
		if slices.ContainsFunc(m.Buttons, func(b discordtest.Button) bool { return b.CustomID == sign }) {
			d.Interactions.Press(d.ann, thread, m.ID, sign)
			return true
		}
	}
	return false
}

func (d *inDiscord) write(thread, text string) string {
	return d.People.Say(discordtest.Post{Channel: thread, By: d.ann, Content: text}).ID
}

func (s *inSlack) press(thread, sign string) bool {
	for _, m := range s.Workspace.Messages(s.channel, thread) {
		if strings.Contains(string(m.Blocks), `"action_id":"`+sign+`"`) {
			s.Interactions.Press(s.ann, s.channel, m.TS, sign)
			return true
		}
	}
	return false
}

func (s *inSlack) write(thread, text string) string {
	return s.People.Say(slacktest.Post{Channel: s.channel, ThreadTS: thread, By: s.ann, Text: text})
}

// pictures returns the pictures that the bot has posted in a thread.
func pictures(by town, thread string) (all []shown) {
	for _, p := range by.posts(thread) {
		all = append(all, p.pictures...)
	}
	return all
}

// goneOn is somebody who continues from results in a thread.
type goneOn struct {
	resident

	by     pressing
	o      *clitest.Open
	thread string
}

// next waits for the n-th picture of the thread, and returns its size and bytes.
func (g goneOn) next(what string, n int) (size image.Point, bytesOf int) {
	g.Helper()
	var sent []shown
	g.until(g.o, what, func() bool { sent = pictures(g.by, g.thread); return len(sent) >= n })
	read, _, err := image.DecodeConfig(bytes.NewReader(sent[n-1].content))
	if err != nil {
		g.Fatalf("%s: %v", what, err)
	}
	return image.Pt(read.Width, read.Height), len(sent[n-1].content)
}

// pressed presses a button as soon as it appears.
func (g goneOn) pressed(sign string) {
	g.Helper()
	g.until(g.o, "the button "+sign, func() bool { return g.by.press(g.thread, sign) })
}

// told waits until the bot has said something that many times.
func (g goneOn) told(text string, times int) {
	g.Helper()
	g.until(g.o, text, func() bool {
		n := 0
		for _, p := range g.by.posts(g.thread) {
			if strings.Contains(p.text, text) {
				n++
			}
		}
		return n >= times
	})
}

// TestPeopleGoOnFromResults uses a result for the next message, makes it larger and its file smaller, and varies a
// drawing.
func TestPeopleGoOnFromResults(t *testing.T) {
	t.Parallel()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	bottest.Check(t, err)
	for name, build := range map[string]func() pressing{
		"Discord": func() pressing { return newInDiscord(t, discordtest.Options{}) },
		"Slack":   func() pressing { return newInSlack(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := build()
			in := resident{t, by}
			o := in.serve(append(by.settings(), "ATELIER_DATA="+t.TempDir(), "TOOL_SERVER_URL="+hftasktest.New(t, hftasktest.Config{}).URL()))
			g := goneOn{in, by, o, by.wish("make it black and white", photo)}
			size, grey := g.next("a picture in black and white", 1)
			by.write(g.thread, "draw a fox in a spacesuit")
			drawing, _ := g.next("a drawing", 2)

			g.pressed("use")
			g.told("Your next message here works on", 1)
			by.write(g.thread, "blur it")
			if used, _ := g.next("what was chosen, blurred", 3); used != size || used == drawing {
				t.Errorf("it is %v, what was chosen is %v", used, size)
			}
			g.pressed("larger")
			if larger, _ := g.next("the first picture, larger", 4); larger != size.Mul(2) {
				t.Errorf("it is %v, and was %v", larger, size)
			}
			g.pressed("smaller")
			if _, small := g.next("the first picture as a smaller file", 5); small > grey/2 {
				t.Errorf("it has %d bytes, and had %d", small, grey)
			}

			g.pressed("vary")
			if grid, _ := g.next("variations of the drawing", 6); grid.X < 2*drawing.X || grid.Y < 2*drawing.Y {
				t.Errorf("the grid is %v, and a drawing %v", grid, drawing)
			}
			var answer post
			g.until(o, "four numbers to choose by", func() bool {
				all := by.posts(g.thread)
				answer = all[len(all)-1]
				return answer.numbers == 4
			})
			by.choose(g.thread, answer, 3)
			g.told("Your next message here works on", 2)
			if chosen, _ := g.next("the variation", 7); chosen != drawing {
				t.Errorf("it is %v, and a drawing %v", chosen, drawing)
			}
			by.write(g.thread, "rotate it by 90 degrees")
			if turned, _ := g.next("the variation, turned", 8); turned != drawing {
				t.Errorf("it is %v, and a drawing %v", turned, drawing)
			}
			if n := len(pictures(by, g.thread)); n != 8 {
				t.Errorf("there are %d pictures", n)
			}
		})
	}
}

// TestMusicIsVaried checks that varying music makes four other pieces, and that the next message works on the chosen one.
func TestMusicIsVaried(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	if _, err := exec.LookPath("fluidsynth"); err != nil && os.Getenv("CI") == "" {
		t.Skip("fluidsynth is not installed")
	}
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir()))
		presses, ok := by.(pressing)
		if !ok {
			in.Fatal("nobody presses here")
		}
		g := goneOn{in, presses, o, by.say("compose a calm piano piece of 5 seconds")}
		in.until(o, "a piece", func() bool { return len(pictures(by, g.thread)) == 1 })
		g.pressed("vary")
		var answer post
		in.until(o, "four other pieces to choose from", func() bool {
			all := by.posts(g.thread)
			answer = all[len(all)-1]
			return answer.numbers == 4
		})
		heard := map[string]bool{}
		for _, p := range pictures(by, g.thread) {
			heard[string(p.content)] = true
		}
		if len(heard) != 5 {
			in.Errorf("%d pieces differ", len(heard))
		}
		by.choose(g.thread, answer, 3)
		g.told("Your next message here works on number 3", 1)
		presses.write(g.thread, "reverse it")
		in.until(o, "the third one, reversed", func() bool { return len(pictures(by, g.thread)) == 6 })
	})
}
