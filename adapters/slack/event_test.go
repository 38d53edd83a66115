package slack

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// object is a JSON object.
type object = map[string]any

// told sends the adapter an event as Slack does, and reports whether it is confirmed.
func (h *heard) told(t *testing.T, event object) <-chan struct{} {
	t.Helper()
	b, err := json.Marshal(object{"type": "event_callback", "event_id": "Ev1", "event": event})
	if err != nil {
		t.Fatal(err)
	}
	confirmed := make(chan struct{})
	h.s.events.Receive(b, func() { close(confirmed) })
	return confirmed
}

// written is a message event.
func (h *heard) written(text string, more object) object {
	e := object{"type": "message", "channel_type": "channel", "channel": h.channel, "user": h.ana, "text": text, "ts": "1790000000.000100"}
	maps.Copy(e, more)
	return e
}

func picture() []object {
	return []object{{"id": "F1", "name": "a.png", "mimetype": "image/png"}}
}

func TestMentionsWithoutTheirFiles(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{false, true} {
		for _, byHTTP := range []bool{false, true} {
			h := listenTo(t, workspaceOf(t, byHTTP, slacktest.Options{MentionFirst: first, MentionBare: true}))
			root := h.say(slacktest.Post{Text: h.mention("look"), Files: []slacktest.File{{Name: "a.png", Data: []byte("PNG")}}})
			if e := h.next(t); e.Message == nil || len(e.Message.Files) != 1 {
				t.Errorf("the mention first %v: received %+v", first, e.Message)
			}
			h.say(slacktest.Post{Text: h.mention("look"), ThreadTS: root, Files: []slacktest.File{{Name: "a.png", Data: []byte("PNG")}}})
			if e := h.next(t); e.Message == nil || len(e.Message.Files) != 1 {
				t.Errorf("in a thread, the mention first %v: received %+v", first, e.Message)
			}
			if err := h.Until(t.Context(), h.Deliveries.Idle); err != nil {
				t.Fatal(err)
			}
			if n := h.API.Calls()["conversations.replies"]; !first && !byHTTP && n > 0 {
				t.Errorf("the messages that are known are asked for %d times", n)
			}
			if n := len(h.events); n > 0 {
				t.Errorf("%d were received twice", n)
			}
		}
	}
}

// If Slack does not tell the files now, the mention is left to its message event.
func TestMentionWaitsForItsMessage(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	h.Faults.FailNext("conversations.replies", 1, slacktest.Failure{Error: "internal_error"})
	mention := h.told(t, h.written(h.mention("look"), object{"type": "app_mention"}))
	h.told(t, h.written(h.mention("look"), object{"subtype": "file_share", "files": picture()}))
	if e := h.next(t); len(e.Message.Files) != 1 {
		t.Errorf("received %+v", e.Message)
	}
	select {
	case <-mention:
		t.Error("the mention is confirmed")
	default:
	}
}

func TestForwardedMessages(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	share := []object{{
		"is_share": true, "is_msg_unfurl": true, "text": "a picture", "files": picture(), "author_id": h.zoe, "ts": "1780000000.000100", "channel_id": "C9",
	}, {"text": "a preview"}}
	h.told(t, h.written(h.mention("make it blue"), object{"attachments": share}))
	m := h.next(t).Message
	if to := m.ReplyTo; m.Text != "make it blue" || to == nil || to.Text != "a picture" || len(to.Files) != 1 || to.By.Name != "Zoe" || to.Ref.ID != "1780000000.000100" || to.Ref.Channel != "C9" {
		t.Errorf("received %+v with %+v", m, m.ReplyTo)
	}
	h.told(t, h.written("", object{"channel": h.Workspace.DM(h.ana), "channel_type": "im", "attachments": share}))
	if m := h.next(t).Message; m == nil || m.For != adapters.Direct || m.ReplyTo == nil || len(m.ReplyTo.Files) != 1 {
		t.Errorf("a forwarded message without words arrived as %+v", m)
	}
	h.told(t, h.written(h.mention("and mine"), object{"ts": "1790000000.000200", "attachments": []object{{"is_share": true, "ts": 5, "text": "x"}}}))
	if m := h.next(t).Message; m.ReplyTo == nil || m.ReplyTo.Ref.ID != m.Ref.ID || m.ReplyTo.By.ID == "" {
		t.Errorf("a message without an address arrived as %+v", m.ReplyTo)
	}
}

// A mention added by an edit is received; one that was received is not received again.
func TestEditsThatMention(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	root := h.say(slacktest.Post{Text: "hello"})
	in := object{"thread_ts": root}
	h.told(t, h.written("make it blue", in))
	if e := h.next(t); e.Message.For != adapters.Overheard {
		t.Fatalf("received %+v", e)
	}
	now := h.written(h.mention("make it blue"), in)
	h.told(t, object{"type": "message", "subtype": "message_changed", "channel": h.channel, "channel_type": "channel", "message": now, "previous_message": h.written("make it blue", in)})
	e := h.next(t)
	if e.Message == nil || e.Message.For != adapters.Mentioned || e.Message.Text != "make it blue" || e.Thread.ID != root || e.By.ID != h.ana {
		t.Errorf("received %+v", e)
	}
	if e.Kind != adapters.MessageEdited || e.Message.Edited.Event != "m-"+h.channel+"-1790000000.000100" {
		t.Errorf("received %q, %+v", e.Kind, e.Message.Edited)
	}
	now["type"], now["edited"] = "app_mention", object{"user": h.ana, "ts": "1790000001.000000"}
	<-h.told(t, now)
	h.idle(t)
}

func (h *heard) idle(t *testing.T) {
	t.Helper()
	if err := h.Until(t.Context(), h.Deliveries.Idle); err != nil {
		t.Fatal(err)
	}
	if n := len(h.events); n > 0 {
		t.Errorf("received %d more, such as %+v", n, <-h.events)
	}
}

// An edit is received once, by whichever of its two events, with the current text; previews, new replies and edits
// of messages that are not for the bot are ignored.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{false, true} {
		h := listenTo(t, workspaceOf(t, false, slacktest.Options{MentionFirst: first, MentionBare: true}))
		ts := h.say(slacktest.Post{Text: h.mention("red"), Files: []slacktest.File{{Name: "a.png", Data: []byte("PNG")}}})
		sent := h.next(t)
		h.People.Edit(h.channel, ts, h.mention("green"))
		e := h.next(t)
		if e.Kind != adapters.MessageEdited || e.ID == sent.ID || e.Message.Edited.Event != sent.ID || !e.Message.Edited.At.Equal(sent.At) || !e.At.After(sent.At) ||
			e.Message.Text != "green" || len(e.Message.Files) != 1 || e.By.ID != h.ana || e.Thread.Key() != sent.Thread.Key() {
			t.Errorf("received %+v with %+v", e, e.Message)
		}
		h.People.Unfurl(h.channel, ts)
		h.say(slacktest.Post{Text: "a reply of somebody", ThreadTS: ts, Silent: true})
		h.People.Edit(h.channel, ts, "nobody")
		if e := h.next(t); e.Kind != adapters.MessageEdited || e.Message.For != adapters.Overheard || e.Message.Text != "nobody" {
			t.Errorf("without the mention it is %+v", e.Message)
		}
		h.People.Edit(h.channel, ts, "still nobody")
		h.People.Edit(h.channel, ts, h.mention(""))
		if e := h.next(t); e.Message == nil || e.Message.For != adapters.Mentioned || e.Message.Text != "" || len(e.Message.Files) != 1 {
			t.Errorf("a mention alone is %+v", e)
		}
		other := h.say(slacktest.Post{Text: "not for you"})
		h.People.Edit(h.channel, other, "nor is this")
		h.idle(t)
	}
}

// An edit of the files only is received, with the current files.
func TestEditOfTheFilesOnly(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	text := h.mention("make it blue")
	two := append(picture(), object{"id": "F2", "name": "b.png", "mimetype": "image/png"})
	h.told(t, h.written(text, object{"files": two}))
	if e := h.next(t); len(e.Message.Files) != 2 {
		t.Fatalf("received %+v", e.Message)
	}
	h.told(t, object{
		"type": "message", "subtype": "message_changed", "channel": h.channel, "channel_type": "channel", "event_ts": "1790000001.000100",
		"message": h.written(text, object{"files": picture()}), "previous_message": h.written(text, object{"files": two}),
	})
	if e := h.next(t); e.Kind != adapters.MessageEdited || e.Message.Text != "make it blue" || len(e.Message.Files) != 1 || e.Message.Files[0].ID != "F1" {
		t.Errorf("received %+v with %+v", e, e.Message)
	}
	h.idle(t)
}

// A person whose name Slack does not tell now delays nobody else, and is received in time.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	h := listen(t, true)
	h.Faults.RateLimit("users.info", 1, 25*time.Second)
	codes := make(chan int, 8)
	for i := range cap(codes) {
		user := h.Workspace.User(fmt.Sprintf("P%d", i))
		body := fmt.Sprintf(
			`{"type":"event_callback","event":{"type":"message","channel_type":"channel","channel":%q,"user":%q,"text":"<@%s> hi","ts":"179000000%d.000100","files":[{"id":"F1"}]}}`,
			h.channel, user, h.BotUser(), i)
		go func() { codes <- signed(t, h.s, time.Now(), "events", body) }()
	}
	for range cap(codes) {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("it is answered with %d", code)
		}
	}
}

// A lane that waits for Slack does not delay the others.
func TestStalledNames(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	h.told(t, h.written(h.mention("known"), object{"files": picture()}))
	h.next(t)
	_, release := h.Faults.Stall("users.info")
	defer release()
	h.told(t, h.written(h.mention("who?"), object{"user": h.zoe, "ts": "1790000002.000100", "files": picture()}))
	h.told(t, h.written(h.mention("at once"), object{"ts": "1790000003.000100", "files": picture()}))
	if e := h.next(t); e.Message.Text != "at once" {
		t.Errorf("received first %q", e.Message.Text)
	}
	if e := h.next(t); e.Message.Text != "who?" || e.By.ID != h.zoe {
		t.Errorf("received %+v", e)
	}
}

// A reaction by an unknown user may be a bot's.
func TestReactionsOfUnknown(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	ts := h.say(slacktest.Post{Text: "x"})
	h.Faults.FailNext("users.info", 1, slacktest.Failure{Error: "internal_error"})
	reaction := object{
		"type": "reaction_added", "user": h.Bot(t).ID, "reaction": "two", "event_ts": "1790000001.000000",
		"item": object{"type": "message", "channel": h.channel, "ts": ts},
	}
	bots := h.told(t, reaction)
	h.DropScope("users:read")
	reaction["user"] = h.zoe
	<-h.told(t, reaction) // who cannot be known is taken for a person
	if e := h.next(t); e.By.ID != h.zoe {
		t.Errorf("received %+v", e)
	}
	select {
	case <-bots:
		t.Error("the bot's is confirmed")
	default:
	}
}

// An audio clip is a voice message, however Slack reports it: by a mention whose files arrive later, as a file of
// another workspace, and with any media type.
func TestAudioClips(t *testing.T) {
	t.Parallel()
	for name, stub := range map[string]bool{"of this workspace": false, "of another workspace": true} {
		h := listenTo(t, workspaceOf(t, false, slacktest.Options{MentionFirst: true, MentionBare: true}))
		clip := slacktest.File{Name: "audio_message.webm", Type: "video/webm", Data: []byte("sound"), Clip: true, Stub: stub}
		h.say(slacktest.Post{Text: h.mention(""), Files: []slacktest.File{clip}})
		e := h.next(t)
		if e.Message == nil || e.Message.For != adapters.Mentioned || e.Message.Text != "" || len(e.Message.Files) != 1 || !e.Message.Files[0].Voice {
			t.Errorf("%s: received %+v", name, e.Message)
		}
		clip.Clip = false
		h.say(slacktest.Post{Text: h.mention(""), Files: []slacktest.File{clip}})
		if e := h.next(t); len(e.Message.Files) != 1 || e.Message.Files[0].Voice {
			t.Errorf("%s: a sound that was shared as a file arrived as %+v", name, e.Message.Files)
		}
	}
}
