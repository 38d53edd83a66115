package adapters_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
)

func TestReplies(t *testing.T) {
	t.Parallel()
	full := func() adapters.Reply {
		return adapters.Reply{
			Thread: adapters.Thread{Adapter: "chat", Channel: "c", ID: "m"}, AnswerTo: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "m"}, Mention: "u",
			Text: "Done.", Language: "zh-CN",
			Files: []adapters.Attachment{
				{Name: "a.png", Size: 3, Type: "image/png", Alt: "a cat", Handle: "t/a.png", MarkLink: "https://a.example/mark?t=1"},
				{Name: "b.mp4", Size: 1 << 33, Type: "video/mp4", Note: "too large", Link: "http://127.0.0.1:8080/b.mp4"},
			},
			Choices:  []adapters.Choice{{ID: "r1.2", Text: "with the other model"}},
			GoOn:     []adapters.Sign{adapters.Use, adapters.Smaller},
			Examples: []adapters.Example{{Key: "make_gif", Text: "make a GIF of it", Needs: "video"}},
		}
	}
	for why, change := range map[string]func(*adapters.Reply){
		"":                                   func(*adapters.Reply) {},
		"is empty":                           func(r *adapters.Reply) { r.Text, r.Files = "", nil },
		"lacks thread.channel":               func(r *adapters.Reply) { r.Thread.Channel = "" },
		"lacks answer_to.id":                 func(r *adapters.Reply) { r.AnswerTo.ID = "" },
		"character in mention":               func(r *adapters.Reply) { r.Mention = "a\x00" },
		"bytes in text":                      func(r *adapters.Reply) { r.Text = strings.Repeat("x", 1<<20+1) },
		"lacks files.name":                   func(r *adapters.Reply) { r.Files[0].Name = "" },
		"without a handle or a link":         func(r *adapters.Reply) { r.Files[0].Handle = "" },
		"a negative size":                    func(r *adapters.Reply) { r.Files[0].Size = -1 },
		"invalid URL in files.link":          func(r *adapters.Reply) { r.Files[1].Link = "file:///etc/passwd" },
		"characters in files.link other":     func(r *adapters.Reply) { r.Files[1].Link = "https://a b" },
		"invalid URL in files.mark_link":     func(r *adapters.Reply) { r.Files[0].MarkLink = "https://u:p@a.example/" },
		"has the sign \"again\"":             func(r *adapters.Reply) { r.GoOn[1] = adapters.Again },
		"has 10 choices":                     func(r *adapters.Reply) { r.Choices = slices.Repeat(r.Choices, 10) },
		"one without id or text in choices":  func(r *adapters.Reply) { r.Choices[0].Text = "" },
		"has 10 examples":                    func(r *adapters.Reply) { r.Examples = slices.Repeat(r.Examples, 10) },
		"one without id or text in examples": func(r *adapters.Reply) { r.Examples[0].Key = "" },
		"in examples.needs":                  func(r *adapters.Reply) { r.Examples[0].Needs = "a b" },
		"character in choices.text":          func(r *adapters.Reply) { r.Choices[0].Text = "a\nb" },
		"bytes in choices.id":                func(r *adapters.Reply) { r.Choices[0].ID = strings.Repeat("x", 81) },
	} {
		r := full()
		change(&r)
		if err := r.Validate(); (err == nil) != (why == "") || err != nil && (!errors.Is(err, adapters.ErrInvalid) || !strings.Contains(err.Error(), why)) {
			t.Errorf("%q: %v", why, err)
		}
	}
	var back adapters.Reply
	b, err := json.Marshal(full())
	if err == nil {
		err = json.Unmarshal(b, &back)
	}
	if d := cmp.Diff(full(), back); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestReplyKeys(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{"": false, "r-1.1": true, strings.Repeat("k", 25): true, strings.Repeat("k", 26): false, "a b": false, "é": false} {
		if err := adapters.CheckKey(key); (err == nil) != ok || err != nil && !errors.Is(err, adapters.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	on := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "m"}
	type event = adapters.Event
	sign := func(s adapters.Sign, n int) event {
		return event{Kind: adapters.ReactionAdded, Reaction: &adapters.Reaction{On: on, Sign: s, Number: n}}
	}
	stop := event{Kind: adapters.CancelAsked, Cancel: &adapters.Cancel{On: on}}
	for emoji, want := range map[string]event{
		"1️⃣": sign(adapters.Choose, 1), "2⃣": sign(adapters.Choose, 2), adapters.Digit(9): sign(adapters.Choose, 9),
		"🔁": sign(adapters.Again, 0), "🔄": sign(adapters.Again, 0), "🗑️": sign(adapters.Remove, 0), "🗑": sign(adapters.Remove, 0),
		"📌": sign(adapters.Use, 0), "🎲": sign(adapters.Vary, 0), "🔍": sign(adapters.Larger, 0), "🗜️": sign(adapters.Smaller, 0),
		"🛑": stop, "❌": stop, "⏹️": stop,
		"0️⃣": {}, "🔟": {}, "*️⃣": {}, "1": {}, "👍🏽": {}, "": {}, ":one:": {},
	} {
		got, ok := adapters.Reacted(event{}, on, emoji, true)
		if wanted := want.Kind != ""; ok != wanted || ok && cmp.Diff(want, got) != "" {
			t.Errorf("%s means %+v, %v", emoji, got, ok)
		}
		taken, ok := adapters.Reacted(event{}, on, emoji, false)
		if ok != (want.Reaction != nil) || ok && (taken.Kind != adapters.ReactionRemoved || cmp.Diff(want.Reaction, taken.Reaction) != "") {
			t.Errorf("%s removed means %+v, %v", emoji, taken, ok)
		}
	}
}

// TestButtons checks the meaning of buttons, including those of earlier versions.
func TestButtons(t *testing.T) {
	t.Parallel()
	r := adapters.Reply{Answer: true, GoOn: []adapters.Sign{adapters.Use, adapters.Vary, adapters.Larger, adapters.Smaller}}
	faces := map[string]bool{}
	for _, sign := range r.Acts() {
		emoji, label := sign.Button(strings.ToUpper)
		e, ok := adapters.Reacted(adapters.Event{}, adapters.MessageRef{}, emoji, true)
		pressed := adapters.Pressed(adapters.MessageRef{}, sign.ButtonID())
		if !ok || e.Reaction.Sign != sign || pressed == nil || pressed.Sign != sign || label == "" || label != strings.ToUpper(label) {
			t.Errorf("the button %s %q of %s is %+v", emoji, label, sign, pressed)
		}
		faces[emoji+label] = true
	}
	if len(faces) != 6 || len(adapters.Reply{}.Acts()) != 0 {
		t.Errorf("the buttons are %v", faces)
	}
	if talk := (adapters.Reply{Answer: true, Talk: true}).Acts(); !slices.Equal(talk, []adapters.Sign{adapters.Remove}) {
		t.Errorf("small talk has the buttons %v", talk)
	}
	for id, want := range map[string]adapters.Sign{"again": adapters.Again, "delete": adapters.Remove, "choose": "", "stop": "", "try": "", "": ""} {
		if pressed := adapters.Pressed(adapters.MessageRef{}, id); (pressed != nil) != (want != "") || pressed != nil && pressed.Sign != want {
			t.Errorf("%q is %+v", id, pressed)
		}
	}
	on := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "m"}
	tried := adapters.Pressed(on, adapters.Example{Key: "make_gif"}.ButtonID())
	if tried == nil || tried.On.ID != "m" || tried.Sign != adapters.Try || tried.Choice != "make_gif" || tried.Number != 0 {
		t.Errorf("an example is %+v", tried)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	detail := errors.New("detail")
	for _, c := range []struct {
		err   error
		is    []error
		wait  time.Duration
		final bool
		says  string
	}{
		{&adapters.Fault{Sentence: "A.", Kind: adapters.ErrRateLimited, After: time.Minute, Err: detail}, []error{adapters.ErrRateLimited, detail}, time.Minute, false, "A.: detail"},
		{&adapters.Fault{Sentence: "A.", Kind: adapters.ErrTooLarge, Files: []int{2}, Limit: 10 << 20}, []error{adapters.ErrTooLarge}, 0, true, "A."},
		{&adapters.Fault{Sentence: "A.", Err: detail}, []error{detail}, 0, false, "A.: detail"},
		{adapters.ErrGone, []error{adapters.ErrGone}, 0, true, adapters.ErrGone.Error()},
		{adapters.ErrForbidden, []error{adapters.ErrForbidden}, 0, true, adapters.ErrForbidden.Error()},
		{adapters.ErrRefused, []error{adapters.ErrRefused}, 0, true, adapters.ErrRefused.Error()},
		{adapters.ErrInvalid, []error{adapters.ErrInvalid}, 0, true, adapters.ErrInvalid.Error()},
		{detail, []error{detail}, 0, false, "detail"},
	} {
		for _, kind := range []error{adapters.ErrRateLimited, adapters.ErrTooLarge, adapters.ErrGone, detail} {
			if errors.Is(c.err, kind) != slices.Contains(c.is, kind) {
				t.Errorf("%v is %v: %v", c.err, kind, !slices.Contains(c.is, kind))
			}
		}
		if adapters.Wait(c.err) != c.wait || adapters.Final(c.err) != c.final || c.err.Error() != c.says {
			t.Errorf("%v: wait %v, final %v", c.err, adapters.Wait(c.err), adapters.Final(c.err))
		}
	}
}
