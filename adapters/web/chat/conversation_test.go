package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/adapters"
)

// state is everything of a conversation that can be compared.
func (c *Conversation) state() map[string]any {
	return map[string]any{
		"next": c.Next, "title": c.title, "known": c.known, "sent": c.sent, "working": slices.Clone(c.working),
		"at": c.at, "busy": c.busy(), "messages": told(c.messages), "waiting": waiting(c.waiting),
	}
}

// told returns messages without computed fields.
func told(all []*Message) []string {
	var out []string
	for _, m := range all {
		n := *m
		n.Text = nil
		var what []byte
		for _, part := range []any{n.Wrote, n.Said, n.Progress} {
			b, err := json.Marshal(part)
			if err != nil {
				panic(err)
			}
			what = append(what, b...)
		}
		n.Wrote, n.Said, n.Progress = nil, nil, nil
		out = append(out, fmt.Sprintf("%+v %s", n, what))
	}
	return out
}

func waiting(all []Happening) []string {
	var out []string
	for _, h := range all {
		out = append(out, h.ID)
	}
	return out
}

// entries draws the entries of a thread, with few ids, so that they collide.
func entries() *rapid.Generator[[][]byte] {
	ids := []string{"person00000000001", "person00000000002", AnswerID("k1"), AnswerID("k2"), ProgressID("k1"), ProgressID("k3"), ""}
	id := rapid.SampledFrom(ids)
	one := rapid.Custom(func(t *rapid.T) []byte {
		e := Entry{At: time.Unix(rapid.Int64Range(0, 1000).Draw(t, "at"), 0).UTC()}
		key := rapid.SampledFrom([]string{"k1", "k2", "k3"}).Draw(t, "key")
		by := adapters.Person{ID: rapid.SampledFrom([]string{"ana", "bob"}).Draw(t, "by"), Name: rapid.SampledFrom([]string{"", "Ana"}).Draw(t, "name")}
		switch rapid.IntRange(0, 12).Draw(t, "kind") {
		case 0, 1:
			e.Wrote = &Wrote{ID: id.Draw(t, "id"), By: by, Text: rapid.String().Draw(t, "text"), ReplyTo: id.Draw(t, "to")}
			e.Wrote.Files = []Upload{{ID: rapid.SampledFrom([]string{"f1", "f2"}).Draw(t, "file"), Name: "a.png"}}
		case 2:
			e.Taken = &Taken{ID: id.Draw(t, "id")}
		case 3:
			e.Said = &Said{Key: key, Reply: adapters.Reply{Text: "Done.", AnswerTo: adapters.MessageRef{ID: id.Draw(t, "to")}, Choices: make([]adapters.Choice, 2), Mention: by.ID}}
		case 4, 5:
			e.Reported = &Reported{Key: key, Progress: adapters.Progress{Request: id.Draw(t, "to"), Ended: rapid.Bool().Draw(t, "ended")}}
		case 6:
			e.Shown = &Shown{ID: id.Draw(t, "id"), Status: rapid.SampledFrom([]adapters.Status{adapters.Seen, adapters.Done}).Draw(t, "status")}
		case 7:
			e.Offered = &Offered{ID: id.Draw(t, "id"), N: rapid.IntRange(0, 3).Draw(t, "n")}
		case 8, 9:
			e.Reacted = &Reacted{
				ID: rapid.SampledFrom([]string{"r1", "r2", "r3", ids[0]}).Draw(t, "reaction"), By: by, On: id.Draw(t, "on"), Sign: adapters.Choose,
				Number: rapid.IntRange(1, 2).Draw(t, "number"), Back: rapid.Bool().Draw(t, "back"),
			}
		case 10:
			e.Removed = &Removed{ID: id.Draw(t, "id")}
		case 11:
			e.Renamed = &Renamed{By: by.ID, Title: rapid.String().Draw(t, "title")}
		case 12:
			e.Wrote = &Wrote{ID: rapid.SampledFrom([]string{"e1", "e2", ids[0]}).Draw(t, "edit"), By: by, Text: "other", Edits: id.Draw(t, "of"), ReplyTo: id.Draw(t, "to")}
			e.Wrote.Files = []Upload{{ID: "f1", Name: "a.png"}, {ID: "f3", Name: "b.png", Made: true}}
		}
		b, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		return b
	})
	strange := rapid.SampledFrom([][]byte{[]byte(`{}`), []byte(`{"later":{"id":"x"}}`), []byte(`no JSON`), nil, []byte(`{"wrote":{"id":7}}`)})
	return rapid.SliceOfN(rapid.OneOf(one, one, one, strange), 0, 40)
}

// TestFoldGoesOn checks that a conversation read in pieces equals one read at once, and that its snapshots do not
// change.
func TestFoldGoesOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries().Draw(t, "entries")
		whole, parts := NewConversation(), NewConversation()
		whole.Fold(all)
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		parts.Fold(all[:cut])
		early := parts.Snapshot()
		before := append(told(early.Messages), waiting(early.Waiting)...)
		parts.Fold(all[cut:])
		if d := cmp.Diff(whole.state(), parts.state()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(before, append(told(early.Messages), waiting(early.Waiting)...)); d != "" {
			t.Error("what was given out has changed:", d)
		}
		if whole.Next != int64(len(all)) {
			t.Errorf("%d entries are counted as %d", len(all), whole.Next)
		}
	})
}

// TestFoldTellsWhatChanged checks that a reader who knows the conversation at a position only needs the messages
// that have changed since.
func TestFoldTellsWhatChanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := entries().Draw(t, "entries")
		c := NewConversation()
		page := map[string]string{}
		var order []string
		position := int64(-1)
		for len(all) > 0 {
			n := rapid.IntRange(1, len(all)).Draw(t, "n")
			c.Fold(all[:n])
			all = all[n:]
			s := c.Snapshot()
			for _, m := range s.ChangedAfter(position, 0) {
				if _, ok := page[m.ID]; !ok {
					order = append(order, m.ID)
				}
				page[m.ID] = told([]*Message{m})[0]
			}
			position = s.Next - 1
		}
		now := c.Snapshot().ChangedAfter(-1, 0)
		if len(now) != len(order) {
			t.Fatalf("%d messages are shown as %d", len(now), len(order))
		}
		for i, m := range now {
			if order[i] != m.ID {
				t.Errorf("message %d is %q, and not %q", i, order[i], m.ID)
			}
			if d := cmp.Diff(told([]*Message{m})[0], page[m.ID]); d != "" {
				t.Error(d)
			}
		}
	})
}

// FuzzFold checks that no list of entries breaks the fold.
func FuzzFold(f *testing.F) {
	f.Add([]byte("{\"wrote\":{\"id\":\"a\"}}\n{\"said\":{\"key\":\"k\"}}\n{\"reported\":{\"key\":\"k\"}}"), 1)
	f.Add([]byte(`{"offered":{"id":"x","n":-9}}`), 0)
	f.Fuzz(func(t *testing.T, lines []byte, cut int) {
		all := bytes.Split(lines, []byte("\n"))
		cut = min(max(cut, 0), len(all))
		whole, parts := NewConversation(), NewConversation()
		whole.Fold(all)
		parts.Fold(all[:cut])
		parts.Snapshot()
		parts.Fold(all[cut:])
		if d := cmp.Diff(whole.state(), parts.state()); d != "" {
			t.Error(d)
		}
		for _, h := range whole.waiting {
			EventOf("thread0000000001", whole.Snapshot(), h)
		}
	})
}

func TestFirstCounts(t *testing.T) {
	t.Parallel()
	c := NewConversation()
	c.Fold([][]byte{
		[]byte(`{"wrote":{"id":"m1","by":{"id":"ana"},"text":"first","files":[{"id":"f1","name":"a.png"}]}}`),
		[]byte(`{"wrote":{"id":"m1","by":{"id":"eve"},"text":"second"}}`),
		[]byte(`{"said":{"key":"k","reply":{"text":"first"}}}`),
		[]byte(`{"said":{"key":"k","reply":{"text":"second"}}}`),
		[]byte(`{"wrote":{"id":"m2","by":{"id":"ana"},"text":"again","files":[{"id":"f1","name":"a.png"}]}}`),
	})
	if len(c.messages) != 3 || c.messages[0].Wrote.Text != "first" || c.messages[1].Said.Reply.Text != "first" {
		t.Fatalf("%d messages: %+v", len(c.messages), told(c.messages))
	}
	if len(c.messages[2].Files) != 0 || len(c.messages[2].Wrote.Files) != 1 {
		t.Error("a file that is sent again is shown twice")
	}
	if got := []int64{c.messages[0].Order, c.messages[1].Order, c.messages[2].Order}; !slices.Equal(got, []int64{0, 2, 4}) {
		t.Errorf("the order is %v", got)
	}
	if got := waiting(c.waiting); !slices.Equal(got, []string{"m1", "m2"}) {
		t.Errorf("%q wait", got)
	}
	c.Fold([][]byte{[]byte(`{"taken":{"id":"m1"}}`)})
	if got := waiting(c.waiting); !slices.Equal(got, []string{"m2"}) {
		t.Errorf("%q wait after one was taken", got)
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	c := NewConversation()
	for _, step := range []struct {
		entry string
		busy  bool
	}{
		{`{"wrote":{"id":"m1"}}`, true},
		{`{"taken":{"id":"m1"}}`, true},
		{`{"shown":{"id":"m1","status":"seen"}}`, true},
		{`{"reported":{"key":"p1","progress":{"request":"m1"}}}`, true},
		{`{"said":{"key":"k1","reply":{"text":"Done.","answer_to":{"id":"m1"}}}}`, false},
		{`{"reported":{"key":"p2","progress":{"request":"m1"}}}`, true}, // another run
		{`{"reported":{"key":"p2","progress":{"request":"m1","ended":true}}}`, false},
		{`{"wrote":{"id":"m2"}}`, true},
		{`{"shown":{"id":"m2","status":"failed"}}`, true}, // it is not handed over
		{`{"taken":{"id":"m2"}}`, false},
	} {
		if c.Fold([][]byte{[]byte(step.entry)}); c.busy() != step.busy {
			t.Errorf("after %s: %v", step.entry, c.busy())
		}
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for want, w := range map[string]Wrote{
		"Find the edges.":               {Text: "  Find\nthe   edges.  "},
		"cat.png":                       {Files: []Upload{{Name: "cat.png"}, {Name: "dog.png"}}},
		strings.Repeat("日本", 29) + "日…": {Text: strings.Repeat("日本", 100)},
		"":                              {},
	} {
		if got := titleOf(&w); got != want {
			t.Errorf("%q, and not %q", got, want)
		}
	}
}
