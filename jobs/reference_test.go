package jobs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestMarksSurviveQuestion marks a picture without saying what for.
func TestMarksSurviveQuestion(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	file := h.chat.upload("a.png", "PNG a")
	e := h.says("t", "ann", "?What for?", file)
	e.Message.Marks = []adapters.Mark{{File: file.ID, Width: 4, Height: 3, Boxes: []adapters.Box{{XMax: 3, YMax: 2}}}}
	first := h.planner.request(h.ask(j, e).ID).Given
	given := h.planner.request(h.ask(j, h.says("t", "ann", "cut")).ID).Given
	if len(first) != 2 || !slices.Equal(given, first) {
		t.Errorf("given are %+v and then %+v", first, given)
	}
	if later := h.planner.request(h.ask(j, h.says("t", "ann", "blur")).ID).Given; len(later) != 0 {
		t.Errorf("later given are %+v", later)
	}
}

// TestReplyToAnswerUsesItsResults even after other results.
func TestReplyToAnswerUsesItsResults(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "pic"))
	h.ask(j, h.says("t", "ann", "pic2", h.chat.upload("b.png", "PNG b")))
	e := h.says("t", "ann", "blur")
	e.Message.ReplyTo = &adapters.Earlier{Ref: r.Runs[0].Sent, By: adapters.Person{ID: "bot"}, Own: true, At: e.At}
	if given := h.planner.request(h.ask(j, e).ID).Given; len(given) != 1 || given[0] != r.Runs[0].Made[0] {
		t.Errorf("given are %+v", given)
	}
	e = h.says("t", "ann", "blur")
	e.Message.ReplyTo = &adapters.Earlier{Ref: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "unknown"}, By: adapters.Person{ID: "bot"}, Own: true, At: e.At}
	if given := h.planner.request(h.ask(j, e).ID).Given; len(given) != 0 {
		t.Errorf("given are %+v", given)
	}
}

// TestReplyGivesText of a person's message, which the request need not be about, but not the bot's own texts or
// messages with files.
func TestReplyGivesText(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		reply := func(to adapters.Earlier) plan.Request {
			e := h.says("t", "ann", "blur")
			to.Ref, to.At = adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "earlier"}, e.At
			e.Message.ReplyTo = &to
			return h.planner.request(h.ask(j, e).ID)
		}
		bob, long := adapters.Person{ID: "bob"}, strings.Repeat("Good morning. ", 3000)
		for _, text := range []string{"Good morning.", strings.TrimSpace(long)} {
			asked := reply(adapters.Earlier{By: bob, Text: text})
			last := asked.Earlier[max(0, len(asked.Earlier)-1)]
			if len(asked.Given) > 0 || last.Type != plan.Text || last.File != "message.txt" || last.Value != text {
				h.t.Errorf("given are %+v, and the last before it is %.200v", asked.Given, last)
			}
		}
		own := reply(adapters.Earlier{By: adapters.Person{ID: "bot"}, Own: true, Text: "Here."})
		if slices.ContainsFunc(append(own.Given, own.Earlier...), func(r plan.Resource) bool { return r.Value == "Here." }) {
			h.t.Errorf("the thread has %.500v", own.Earlier)
		}
		picture := reply(adapters.Earlier{By: bob, Text: "look", Files: []adapters.File{h.chat.upload("b.png", "PNG b")}})
		if len(picture.Given) != 1 || picture.Given[0].Type != plan.Image {
			h.t.Errorf("of a picture is given %+v", picture.Given)
		}
	})
}

// TestLastMarkCounts, and the number of marked pictures is limited.
func TestLastMarkCounts(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	point := func(picture string, x int) error {
		e := h.says("t", "ann", "")
		e.Kind, e.Message = adapters.PictureMarked, nil
		e.Mark = &adapters.Mark{Picture: picture, Width: 900, Height: 50, Points: []adapters.Point{{X: x, Y: 2}}}
		return j.Handle(t.Context(), e)
	}
	for n := range 20 {
		check(t, point("a.png", n))
		check(t, point(fmt.Sprintf("b%d.png", n), 0))
	}
	given := h.planner.request(h.ask(j, h.says("t", "ann", "cut")).ID).Given
	if len(given) != 16 {
		t.Fatalf("%d marks are given", len(given))
	}
	a := slices.IndexFunc(given, func(r plan.Resource) bool { return r.On == "a.png" })
	if points, err := plan.DecodeValue[plan.Point](given[max(a, 0)]); a < 0 || err != nil || points[0].X != 19 {
		t.Errorf("of the first picture there is %+v", given)
	}
	for n := range 500 {
		check(t, point("a.png", n))
	}
	if err := point("a.png", 0); !errors.Is(err, adapters.ErrForbidden) {
		t.Errorf("one more is taken: %v", err)
	}
	h.ask(j, h.says("t", "ann", "cut"))
	check(t, point("a.png", 0))
}

// TestRepeatOfAlternative: repeating an alternative runs it again.
func TestRepeatOfAlternative(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "pic|pic2"))
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	r = h.wait(j, r.ID, 2)
	h.handle(j, h.reacts("ann", r.Runs[1].Sent, "🔁", true))
	r = h.wait(j, r.ID, 3)
	again := r.Runs[2]
	if again.Status != jobs.Done || !slices.Equal(again.Choice, r.Runs[1].Choice) {
		t.Errorf("run 3 is %s with %v", again.Status, again.Choice)
	}
	if n := h.planner.count("pic2"); n != 2 {
		t.Errorf("it was done %d times", n)
	}
	if plans := h.planner.count("plan"); plans != 1 {
		t.Errorf("it was planned %d times", plans)
	}
}

// TestReplyGivesNamedResults again, such as the picture from before to "undo that".
func TestReplyGivesNamedResults(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	made := h.ask(j, h.says("t", "ann", "pic", h.chat.upload("own.png", "PNG own"))).Runs[0].Made[0]
	h.ask(j, h.says("t", "ann", "pic2"))
	back := h.reply(h.ask(j, h.says("t", "ann", "!The one from before is "+made.Name+", made of own.png."))).Files
	if len(back) != 1 || back[0].Handle != made.Blob || back[0].Name != made.Name {
		t.Errorf("it brings %+v, want %+v", back, made)
	}
	next := h.planner.request(h.ask(j, h.says("t", "ann", "blur")).ID)
	if last := next.Earlier[len(next.Earlier)-1]; last.Name != made.Name || !slices.Equal(next.Turns[len(next.Turns)-1].Made, []string{made.Name}) {
		t.Errorf("the next request works on %s, after %+v", last.Name, next.Turns)
	}
	if none := h.reply(h.ask(j, h.says("t", "ann", "!You are welcome."))).Files; len(none) != 0 {
		t.Errorf("it brings %+v", none)
	}
}
