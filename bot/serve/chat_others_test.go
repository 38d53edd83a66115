package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
)

// team is a town in which other people act, too.
type team interface {
	talk
	// mutter writes a message in the channel that is not for the bot, and returns its thread.
	mutter(text string) (thread string)
	// unmention removes the mention from the first message of a thread.
	unmention(thread, text string)
	// unsay deletes the first message of a thread.
	unsay(thread string)
	// react adds a reaction to a message, as ann or as somebody else. An empty id means the first message of the thread.
	react(other bool, thread, id, emoji string, added bool)
	// halt presses the button to stop below the latest progress in a thread, as ann or as somebody else; it is false if
	// there is none.
	halt(other bool, thread string) bool
	// private is what ann, or somebody else, was told in private.
	private(other bool) []string
	// visible returns the visible text of the bot's messages in a thread, with the labels of their buttons.
	visible(thread string) (text string, labels []string)
}

// person is ann or somebody else.
func (d *inDiscord) person(other bool) discordtest.User {
	if other {
		return d.bob
	}
	return d.ann
}

func (s *inSlack) person(other bool) string {
	if other {
		return s.bob
	}
	return s.ann
}

func (d *inDiscord) mutter(text string) string {
	return d.People.Say(discordtest.Post{Channel: d.channel, By: d.ann, Content: text}).ID
}

func (d *inDiscord) unmention(thread, text string) { d.People.Edit(d.channel, thread, text, false) }

func (d *inDiscord) unsay(thread string) { d.People.Delete(d.channel, thread) }

func (d *inDiscord) react(other bool, thread, id, emoji string, added bool) {
	by, in := d.person(other), thread
	if id == "" {
		in, id = d.channel, thread
	}
	d.People.React(by, in, id, emoji, added)
}

func (d *inDiscord) halt(other bool, thread string) bool {
	by := d.person(other)
	for _, m := range slices.Backward(d.World.Messages(thread)) {
		if slices.ContainsFunc(m.Buttons, func(b discordtest.Button) bool { return b.CustomID == "stop" }) {
			d.pressed = append(d.pressed, d.Interactions.Press(by, thread, m.ID, "stop"))
			return true
		}
	}
	return false
}

func (d *inDiscord) private(other bool) []string { return d.whispered(d.person(other).ID) }

// whispered is what a person was told in private.
func (d *inDiscord) whispered(id string) (all []string) {
	for _, i := range d.pressed {
		for _, m := range i.Followups() {
			if i.By.ID == id && m.Ephemeral {
				all = append(all, m.Content)
			}
		}
	}
	return all
}

func (d *inDiscord) visible(thread string) (text string, labels []string) {
	var all strings.Builder
	for _, m := range d.World.Messages(thread) {
		if m.Author.ID != d.BotID() {
			continue
		}
		fmt.Fprintln(&all, m.Content)
		for _, a := range m.Attachments {
			fmt.Fprintln(&all, a.Name, a.Description)
		}
		for _, b := range m.Buttons {
			labels = append(labels, b.Label)
		}
	}
	return all.String(), labels
}

func (s *inSlack) mutter(text string) string {
	return s.People.Say(slacktest.Post{Channel: s.channel, By: s.ann, Text: text})
}

func (s *inSlack) unmention(thread, text string) { s.People.Edit(s.channel, thread, text) }

func (s *inSlack) unsay(thread string) { s.People.Delete(s.channel, thread) }

func (s *inSlack) react(other bool, thread, id, emoji string, added bool) {
	by := s.person(other)
	if id == "" {
		id = thread
	}
	s.People.React(by, s.channel, id, map[string]string{"🛑": "octagonal_sign", "🔁": "repeat", "🗑": "wastebasket", adapters.Digit(2): "two"}[emoji], added)
}

func (s *inSlack) halt(other bool, thread string) bool {
	by := s.person(other)
	for _, m := range slices.Backward(s.Workspace.Messages(s.channel, thread)) {
		if strings.Contains(string(m.Blocks), `"action_id":"halt"`) {
			s.Interactions.Press(by, s.channel, m.TS, "halt")
			return true
		}
	}
	return false
}

func (s *inSlack) private(other bool) []string { return s.whispered(s.person(other)) }

// whispered is what a person was told in private.
func (s *inSlack) whispered(id string) (all []string) {
	for _, m := range s.Workspace.Ephemerals(id) {
		all = append(all, m.Text)
	}
	return all
}

func (s *inSlack) visible(thread string) (text string, labels []string) {
	var all strings.Builder
	for _, m := range s.Workspace.Messages(s.channel, thread) {
		if m.User != s.BotUser() {
			continue
		}
		fmt.Fprintln(&all, m.Text)
		for _, f := range m.Files {
			fmt.Fprintln(&all, f.Name, f.AltTxt)
		}
		var blocks any
		if len(m.Blocks) > 0 && json.Unmarshal(m.Blocks, &blocks) == nil {
			read, found := readBlocks(blocks)
			all.WriteString(read)
			labels = append(labels, found...)
		}
	}
	return all.String(), labels
}

// readBlocks returns the texts in blocks of Slack, and the labels of the buttons.
func readBlocks(v any) (text string, labels []string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			read, found := readBlocks(one)
			text, labels = text+read, append(labels, found...)
		}
	case map[string]any:
		for key, one := range v {
			if said, ok := one.(string); ok && slices.Contains([]string{"text", "alt_text", "title"}, key) {
				text += said + "\n"
			}
			read, found := readBlocks(one)
			text, labels = text+read, append(labels, found...)
		}
		if v["type"] == "button" {
			return "", []string{strings.TrimSpace(text)}
		}
	}
	return text, labels
}

// inTeams runs a test on Discord and on Slack, with the service that draws stickers.
func inTeams(t *testing.T, test func(in resident, by team, w *stickers, o *clitest.Open)) {
	t.Helper()
	for name, build := range map[string]func() team{
		"Discord": func() team { return newInDiscord(t, discordtest.Options{}) },
		"Slack":   func() team { return newInSlack(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by, w := build(), newStickers(t)
			in := resident{t, by}
			test(in, by, w, in.serve(append(w.settings(t), by.settings()...)))
		})
	}
}

// says waits until the bot has written something in a thread.
func (r resident) says(o *clitest.Open, thread, text string) {
	r.Helper()
	r.until(o, text, func() bool {
		return slices.ContainsFunc(r.posts(thread), func(p post) bool { return strings.Contains(p.text, text) })
	})
}

// shows waits until the first message of a thread has a reaction, by either platform's name of it.
func (r resident) shows(o *clitest.Open, by talk, thread string, signs ...string) {
	r.Helper()
	r.until(o, fmt.Sprint("a sign of ", signs), func() bool {
		return slices.ContainsFunc(by.signs(thread), func(s string) bool { return slices.Contains(signs, s) })
	})
}

// TestMentionAddedAndRemoved checks that an edit that adds the mention starts a request, and one that removes it stops
// the request. If the mention is added again, no answer is replaced.
func TestMentionAddedAndRemoved(t *testing.T) {
	t.Parallel()
	inTeams(t, func(in resident, by team, w *stickers, o *clitest.Open) {
		thread := by.mutter("make a sticker that says hello")
		by.edit(thread, "make a sticker that says hello")
		w.draw("hello")
		in.until(o, "a sticker", func() bool { return len(pictures(by, thread)) == 1 })

		thread = by.say("make a sticker that says nothing")
		in.asked(o, w, "nothing")
		by.unmention(thread, "well")
		in.shows(o, by, thread, "🚫", "no_entry_sign")
		if words := w.all(); len(words) != 1 || len(pictures(by, thread)) != 0 {
			in.Errorf("drawn are %q", words)
		}

		by.edit(thread, "make a sticker that says nothing")
		w.draw("nothing")
		in.says(o, thread, "You edited your message, so I started again.")
	})
}

// TestLastEditCounts checks that several edits of a running request get one answer, to the last edit.
func TestLastEditCounts(t *testing.T) {
	t.Parallel()
	inTeams(t, func(in resident, by team, w *stickers, o *clitest.Open) {
		thread := by.say("make a sticker that says good morning")
		in.asked(o, w, "good morning")
		for n := range 10 {
			by.edit(thread, fmt.Sprintf("make a sticker that says number %d", n))
		}
		by.edit(thread, "make a sticker that says good night")
		in.asked(o, w, "good night")
		w.draw("good night")
		in.shows(o, by, thread, "✅", "white_check_mark")
		words := w.all()
		if !slices.Equal(words, []string{"good night"}) {
			in.Errorf("drawn are %q", words)
		}
		if n := len(pictures(by, thread)); n != 1 {
			in.Errorf("there are %d answers: %s", n, by.posts(thread))
		}
	})
}

// TestWhoMayStop checks that others are told that they may not stop a request, in private if the platform can, that the
// asker may, and that a repeat ends when its reaction is removed.
func TestWhoMayStop(t *testing.T) {
	t.Parallel()
	inTeams(t, func(in resident, by team, w *stickers, o *clitest.Open) {
		thread := by.say("make a sticker that says good morning")
		in.asked(o, w, "good morning")
		by.react(true, thread, "", "🛑", true)
		const refusal = "Only the person who asked for this, or an admin, can stop it."
		if _, slack := by.(*inSlack); slack {
			in.until(o, "a private word", func() bool { return slices.Contains(by.private(true), refusal) })
		} else { // Discord has no private answer to a reaction
			in.says(o, thread, refusal)
		}
		by.react(false, thread, "", "🛑", true)
		in.says(o, thread, "Stopped, as you asked.")

		thread = by.say("make a sticker that says good night")
		told := len(by.private(true))
		in.until(o, "a button to stop it", func() bool { return by.halt(true, thread) })
		in.asked(o, w, "good night")
		by.halt(true, thread)
		in.until(o, "a private word", func() bool {
			return slices.Contains(by.private(true)[told:], refusal)
		})
		by.halt(false, thread)
		in.stops(o, w, "good night")
		in.says(o, thread, "Stopped, as you asked.")

		thread = by.say("make a sticker that says good evening")
		in.asked(o, w, "good evening")
		w.draw("good evening")
		in.shows(o, by, thread, "✅", "white_check_mark")
		answer := by.posts(thread)[len(by.posts(thread))-1]
		by.react(false, thread, answer.id, "🔁", true)
		in.asked(o, w, "good evening")
		by.react(false, thread, answer.id, "🔁", false)
		in.says(o, thread, "Stopped, as you asked.")
	})
}

// hashed matches the internal names of files.
var hashed = regexp.MustCompile(`-[0-9a-f]{4}\.`)

// TestNoInternalNamesInChat checks that people see no names of tools and no internal names of files. An answer is one
// message with its files, its text, its buttons, and each alternative once.
func TestNoInternalNamesInChat(t *testing.T) {
	t.Parallel()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	bottest.Check(t, err)
	c, err := bottest.Builtin()
	bottest.Check(t, err)
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
		all, ok := by.(team)
		if !ok {
			in.Fatal("nobody reads here")
		}
		for wish, want := range map[string][]string{
			"find the edges in this picture":              {"Here is the edge map of photo.jpg.", "finds the straight edges", "Use this", "Again", "Delete"},
			"rotate it by 90 degrees and then blur it":    {"rotated 90 degrees clockwise, blurred", "Use this", "Larger", "Again", "Delete"},
			"make it warmer, crop the left half, blur it": {"cropped to the left half", "Use this", "Again", "Delete"},
			"speed it up": {"has no speed", "Again", "Delete"},
		} {
			thread := by.wish(wish, photo)
			in.shows(o, by, thread, "✅", "white_check_mark", "⚠️", "warning")
			text, labels := all.visible(thread)
			for _, tool := range c.All() {
				for _, name := range []string{tool.Name, strings.ReplaceAll(tool.Name, "_", " ")} {
					if strings.Contains(tool.Name, "_") && strings.Contains(text+strings.Join(labels, "\n"), name) {
						in.Errorf("after %q people read %q: %s %q", wish, name, text, labels)
					}
				}
			}
			if hashed.MatchString(text) {
				in.Errorf("after %q people read %s", wish, text)
			}
			for _, one := range want {
				if !strings.Contains(text+strings.Join(labels, "\n"), one) {
					in.Errorf("after %q people do not read %q: %s %q", wish, one, text, labels)
				}
			}
			posts := by.posts(thread)
			if last := posts[len(posts)-1]; wish != "speed it up" && (last.text == "" || len(last.pictures) == 0 || len(pictures(by, thread)) != len(last.pictures)) {
				in.Errorf("after %q there are %s", wish, posts)
			}
		}
	})
}

// TestQuotasAreSaid checks that a limit is explained once, and then only marked with a reaction that the explanation
// mentions.
func TestQuotasAreSaid(t *testing.T) {
	t.Parallel()
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_USER_REQUESTS=1"))
		first := by.say("what time is it in Tokyo?")
		in.shows(o, by, first, "✅", "white_check_mark")
		second := by.say("what time is it in Paris?")
		in.says(o, second, "If you write here again soon, I only mark your message with ⛔.")
		in.shows(o, by, second, "⛔", "no_entry")
		third := by.say("what time is it in Rome?")
		in.shows(o, by, third, "⛔", "no_entry")
		if posts := by.posts(third); len(posts) != 0 {
			in.Errorf("it is said again: %s", posts)
		}
	})
}

// TestNumbersAndUndoInWords checks that a number picks from the last list even after somebody else has picked, and that
// undo names the file to continue with.
func TestNumbersAndUndoInWords(t *testing.T) {
	t.Parallel()
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
		all, ok := by.(pressing)
		if !ok {
			in.Fatal("nobody writes here")
		}
		thread := in.asks()
		first := in.answer(o, thread, 1)
		number := all.write(thread, "2")
		in.showsLines(in.answer(o, thread, 2), first)
		in.until(o, "the number is marked as done", func() bool {
			return slices.ContainsFunc(by.signsOn(thread, number), func(s string) bool { return s == "✅" || s == "white_check_mark" })
		})
		all.write(thread, "undo")
		in.says(o, thread, "Your own file is unchanged: photo.jpg. To continue from it, name it.")

		photo, err := os.ReadFile("../testdata/photo.jpg")
		bottest.Check(in.T, err)
		thread = by.wish("resize it", photo)
		var question post
		in.until(o, "a question", func() bool {
			for _, question = range by.posts(thread) { // on a slow machine, its progress comes before
				if question.numbers > 2 {
					return true
				}
			}
			return false
		})
		by.choose(thread, question, 2)
		in.until(o, "the second guess", func() bool { return len(pictures(by, thread)) == 1 })
		all.write(thread, "1")
		in.until(o, "the first guess", func() bool { return len(pictures(by, thread)) == 2 })
	})
}
