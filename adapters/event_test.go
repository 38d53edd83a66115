package adapters_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/adapters"
)

func TestEventRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := events().Draw(t, "event")
		if err := e.Validate(); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back adapters.Event
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, back); d != "" {
			t.Errorf("%s: %s", b, d)
		}
	})
}

// FuzzEvent checks that every parsed event is rejected, or can be stored, read and identified.
func FuzzEvent(f *testing.F) {
	for seed := range 20 {
		b, err := json.Marshal(events().Example(seed))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e, back adapters.Event
		if json.Unmarshal(b, &e) != nil || e.Validate() != nil {
			return
		}
		again, err := json.Marshal(e)
		if err == nil {
			err = json.Unmarshal(again, &back)
		}
		if err == nil {
			err = back.Validate()
		}
		if err != nil || back.Key() != e.Key() || back.Thread.Key() != e.Thread.Key() || !aKey.MatchString(e.Key()) {
			t.Errorf("%s became %s: %v", b, again, err)
		}
	})
}

func TestInvalidEvents(t *testing.T) {
	t.Parallel()
	ref := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "m"}
	file := adapters.File{ID: "f", Handle: "h"}
	message := func(change func(m *adapters.Message)) func(*adapters.Event) {
		return func(e *adapters.Event) {
			change(e.Message)
		}
	}
	other := func(change func(e *adapters.Event)) func(*adapters.Event) {
		return func(e *adapters.Event) {
			e.Message = nil
			change(e)
		}
	}
	mark := func(m adapters.Mark) func(*adapters.Event) {
		m.Picture, m.Width, m.Height = "p", 10, 10
		return other(func(e *adapters.Event) { e.Kind, e.Mark = adapters.PictureMarked, &m })
	}
	react := func(r adapters.Reaction) func(*adapters.Event) {
		return other(func(e *adapters.Event) { e.Kind, e.Reaction = adapters.ReactionAdded, &r })
	}
	for why, change := range map[string]func(*adapters.Event){
		"":                                       func(*adapters.Event) {},
		"has an unknown kind":                    other(func(e *adapters.Event) { e.Kind = "wave" }),
		"and no other":                           func(e *adapters.Event) { e.Command = &adapters.Command{Name: "x"} },
		"of kind \"message\" must":               func(e *adapters.Event) { e.Message = nil },
		"of kind \"command\" must":               func(e *adapters.Event) { e.Kind = adapters.CommandGiven },
		"lacks id":                               func(e *adapters.Event) { e.ID = "" },
		"invalid adapter name in adapter":        func(e *adapters.Event) { e.Adapter = "Chat" },
		"has no time":                            func(e *adapters.Event) { e.At = time.Time{} },
		"lacks by":                               func(e *adapters.Event) { e.By.ID = "" },
		"character in by.name":                   func(e *adapters.Event) { e.By.Name = "a\nb" },
		"invalid adapter name in thread.adapter": func(e *adapters.Event) { e.Thread = adapters.Thread{} },
		"lacks thread.channel":                   func(e *adapters.Event) { e.Thread.Channel = "" },
		"in thread.id":                           func(e *adapters.Event) { e.Thread.ID = strings.Repeat("x", 256) },
		"lacks message.ref.id":                   message(func(m *adapters.Message) { m.Ref.ID = "" }),
		"whom its message is for":                message(func(m *adapters.Message) { m.For = "" }),
		"invalid UTF-8 in message.text":          message(func(m *adapters.Message) { m.Text = "\xff" }),
		"bytes in message.text":                  message(func(m *adapters.Message) { m.Text = strings.Repeat("x", adapters.MaxText+1) }),
		"101 in message.files":                   message(func(m *adapters.Message) { m.Files = slices.Repeat([]adapters.File{file}, 101) }),
		"lacks message.files.handle":             message(func(m *adapters.Message) { m.Files = []adapters.File{{ID: "f"}} }),
		"negative size in message":               message(func(m *adapters.Message) { m.Files = []adapters.File{{ID: "f", Handle: "h", Size: -1}} }),
		"lacks message.reply_to.ref.id": message(func(m *adapters.Message) {
			m.ReplyTo = &adapters.Earlier{Ref: adapters.MessageRef{Adapter: "chat", Channel: "c"}}
		}),
		"chooses an unknown":           react(adapters.Reaction{On: ref, Sign: adapters.Choose}),
		"an unknown alternative":       react(adapters.Reaction{On: ref, Sign: adapters.Choose, Number: 10}),
		"names no example":             react(adapters.Reaction{On: ref, Sign: adapters.Try}),
		"which its sign does not take": react(adapters.Reaction{On: ref, Sign: adapters.Again, Number: 1}),
		"with an unknown sign":         react(adapters.Reaction{On: ref}),
		"lacks reaction.on.channel":    react(adapters.Reaction{On: adapters.MessageRef{Adapter: "chat", ID: "m"}, Sign: adapters.Again}),
		"the deleted message": other(func(e *adapters.Event) {
			e.Kind, e.Cancel, e.By = adapters.CancelAsked, &adapters.Cancel{Deleted: true}, adapters.Person{}
		}),
		"lacks command.name":    other(func(e *adapters.Event) { e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{} }),
		"an empty mark":         mark(adapters.Mark{}),
		"a point outside":       mark(adapters.Mark{Points: []adapters.Point{{X: 10}}}),
		"a box outside":         mark(adapters.Mark{Boxes: []adapters.Box{{XMin: 2, XMax: 2, YMax: 1}}}),
		"must name one picture": other(func(e *adapters.Event) { e.Kind, e.Mark = adapters.PictureMarked, &adapters.Mark{Width: 1, Height: 1} }),
		"that is too large": other(func(e *adapters.Event) {
			e.Kind, e.Mark = adapters.PictureMarked, &adapters.Mark{Picture: "p", Width: 1 << 21, Height: 1}
		}),
		"that is not attached": message(func(m *adapters.Message) { m.Marks = []adapters.Mark{{File: "f", Width: 1, Height: 1}} }),
		"marks on 17 pictures": message(func(m *adapters.Message) { m.Marks = make([]adapters.Mark, 17) }),
		"lacks mark.mask.id":   mark(adapters.Mark{Mask: &adapters.File{Handle: "h"}}),
	} {
		e := adapters.Event{
			Kind: adapters.MessageSent, ID: "e", Adapter: "chat", Thread: adapters.Thread{Adapter: "chat", Channel: "c"}, By: adapters.Person{ID: "u"}, At: time.Unix(1, 0),
			Message: &adapters.Message{Ref: ref, For: adapters.Mentioned, Text: "hello"},
		}
		change(&e)
		if err := e.Validate(); (err == nil) != (why == "") || err != nil && (!errors.Is(err, adapters.ErrInvalid) || !strings.Contains(err.Error(), why)) {
			t.Errorf("%q: %v", why, err)
		}
	}
}

func TestReactionWithoutThread(t *testing.T) {
	t.Parallel()
	on := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "m"}
	e := adapters.Event{ID: "e", Adapter: "chat", At: time.Unix(1, 0)}
	for _, e := range []adapters.Event{
		{Kind: adapters.ReactionAdded, ID: e.ID, Adapter: e.Adapter, At: e.At, By: adapters.Person{ID: "u"}, Reaction: &adapters.Reaction{On: on, Sign: adapters.Choose, Choice: "r1.2"}},
		{Kind: adapters.CancelAsked, ID: e.ID, Adapter: e.Adapter, At: e.At, Cancel: &adapters.Cancel{On: on, Deleted: true}},
	} {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// aKey matches what every storage accepts as one part of a key.
var aKey = regexp.MustCompile(`^[A-Za-z0-9_~=-][A-Za-z0-9._~=-]{0,159}$`)

func TestKeysAreUnique(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := threads().Draw(t, "a"), threads().Draw(t, "b")
		if long := rapid.Bool().Draw(t, "long"); long {
			a.Channel = strings.Repeat(a.Channel, 100)
		}
		same := a
		same.Direct = !a.Direct
		a2, b2 := a, b
		a2.Direct, b2.Direct = false, false
		if a.Key() != same.Key() || (a.Key() == b.Key()) != (a2 == b2) || !aKey.MatchString(a.Key()) || !aKey.MatchString(b.Key()) {
			t.Errorf("%+v is %s, %+v is %s", a, a.Key(), b, b.Key())
		}
	})
	m := adapters.MessageRef{Adapter: "chat", Workspace: "T1", Channel: "C/1", ID: "17.5", Parts: []string{"17.6"}}
	if d := cmp.Diff([]string{"chat~T1~C=2F1~17.5", "chat~T1~C=2F1~17.6"}, m.Keys()); d != "" {
		t.Error(d)
	}
}

func TestLogsContainNoContent(t *testing.T) {
	t.Parallel()
	e := adapters.Event{
		Kind: adapters.MessageSent, ID: "e", Adapter: "chat", Thread: adapters.Thread{Adapter: "chat", Channel: "c"},
		By: adapters.Person{ID: "u", Name: "secret"}, Message: &adapters.Message{Text: "secret"},
	}
	f := adapters.File{ID: "f", Name: "secret", Alt: "secret", Handle: "https://cdn.example.com/?sig=secret", Size: 3}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("taken", "event", e, "file", f)
	if s := b.String(); strings.Contains(s, "secret") || !strings.Contains(s, "event.key=chat~e event.thread=chat~~c~") || !strings.Contains(s, "file.id=f file.size=3") {
		t.Error(s)
	}
}
