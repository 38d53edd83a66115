package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

func TestThreadOrder(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		one, two := h.start(), h.start()
		first := h.planner.blocks("first")
		h.planner.fails("second", "It failed.", false)
		ids := []string{
			h.handle(one, h.says("t", "ann", "first")), h.handle(two, h.says("t", "bob", "second")), h.handle(one, h.says("t", "ann", "third")),
		}
		<-first.entered
		for i := range 3 { // other threads continue meanwhile
			if r := h.ask(two, h.says(fmt.Sprintf("other%d", i), "ann", "blur")); r.Runs[0].Status != jobs.Done {
				h.t.Errorf("the other thread's is %s", r.Runs[0].Status)
			}
		}
		for _, id := range ids[1:] {
			r, err := one.Show(h.t.Context(), id)
			check(h.t, err)
			if r.Runs[0].Status != jobs.Waiting || h.planner.count("second")+h.planner.count("third") > 0 {
				h.t.Errorf("%s is %s", r.Wish, r.Runs[0].Status)
			}
		}
		close(first.open)
		var ended []jobs.Request
		for _, id := range ids {
			ended = append(ended, h.wait(one, id, 1))
		}
		for i, want := range []jobs.Status{jobs.Done, jobs.Failed, jobs.Done} {
			if ended[i].Runs[0].Status != want {
				h.t.Errorf("%s is %s", ended[i].Wish, ended[i].Runs[0].Status)
			}
		}
		var order []string
		for _, p := range h.chat.all() {
			if p.reply.Thread.ID == "t" {
				order = append(order, p.reply.AnswerTo.ID)
			}
		}
		if got := strings.Join(order, " "); got != "m1 m2 m3" {
			h.t.Errorf("answered were %s", got)
		}
	})
}

func TestNextRequestKnowsEarlierOnes(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	first := h.planner.blocks("pic")
	a := h.handle(j, h.says("t", "ann", "pic", h.chat.upload("a.png", "PNG a")))
	b := h.handle(j, h.says("t", "ann", "caption", h.chat.upload("a.png", "PNG a"), h.chat.upload("b.png", "PNG b")))
	<-first.entered
	close(first.open)
	made := h.wait(j, a, 1).Runs[0].Made
	h.wait(j, b, 1)
	asked := h.planner.request(b)
	if len(asked.Turns) != 1 || asked.Turns[0].Wish != "pic" || asked.Turns[0].Reply != "Here it is." || len(asked.Turns[0].Made) != 1 || asked.Turns[0].Made[0] != made[0].Name {
		t.Errorf("the turns are %+v", asked.Turns)
	}
	var earlier, given []string
	for _, r := range asked.Earlier {
		earlier = append(earlier, r.File+"/"+r.Name)
	}
	for _, r := range asked.Given {
		given = append(given, r.File)
	}
	if len(earlier) != 1 || earlier[0] != "/"+made[0].Name || strings.Join(given, " ") != "a.png b.png" {
		t.Errorf("earlier are %v, given are %v", earlier, given)
	}
	if old := h.planner.request(a).Given[0]; asked.Given[0] != old {
		t.Errorf("the same file is %+v and then %+v", old, asked.Given[0])
	}
}

// TestFileAttachedTwice is two files, and one with the same file of the message that is replied to, or of an earlier one.
func TestFileAttachedTwice(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	upload := func() adapters.File { return h.chat.upload("a.png", "PNG a") }
	again := upload()
	again.ID = "again"
	first := h.ask(j, h.says("t", "ann", "caption", upload(), again))
	two := h.planner.request(first.ID).Given
	if len(two) != 2 || two[0].Name == two[1].Name || two[0].File != "a.png" || two[1].File != "a.png" || two[0].Blob != two[1].Blob {
		t.Errorf("given are %+v", two)
	}
	later, replied := h.says("t", "ann", "caption", upload()), upload()
	replied.ID = "of bob's message"
	later.Message.ReplyTo = &adapters.Earlier{
		Ref: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "old"}, By: adapters.Person{ID: "bob"}, At: later.At, Files: []adapters.File{replied},
	}
	r := h.ask(j, later)
	if one := h.planner.request(r.ID).Given; len(one) != 1 || one[0].Name != two[0].Name {
		t.Errorf("given later are %+v", one)
	}
}

func TestFilesOfRepliedMessage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	e := h.says("t", "ann", "caption")
	e.Message.ReplyTo = &adapters.Earlier{
		Ref: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "old"}, By: adapters.Person{ID: "bob"}, At: e.At,
		Files: []adapters.File{h.chat.upload("old.png", "PNG old")},
	}
	r := h.ask(j, e)
	if given := h.planner.request(r.ID).Given; len(given) != 1 || given[0].File != "old.png" {
		t.Errorf("given is %+v", given)
	}
}

func TestMarksApplyToNextMessageOnly(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	picture := h.ask(j, h.says("t", "ann", "pic")).Runs[0].Made[0]
	mask := h.chat.upload("mask.png", "PNG mask")
	e := h.says("t", "ann", "")
	e.Kind, e.Message = adapters.PictureMarked, nil
	e.Mark = &adapters.Mark{
		Picture: picture.Name, Width: 100, Height: 50, Points: []adapters.Point{{X: 1, Y: 2}, {X: 3, Y: 4, Exclude: true}},
		Boxes: []adapters.Box{{XMin: 1, YMin: 2, XMax: 10, YMax: 20}}, Mask: &mask,
	}
	h.handle(j, e)
	h.handle(j, e) // the platform repeats the event
	given := h.planner.request(h.ask(j, h.says("t", "ann", "cut")).ID).Given
	if len(given) == 0 || given[0] != picture {
		t.Fatalf("given are %+v, without the picture that is marked", given)
	}
	given = given[1:]
	var types []plan.Type
	for _, g := range given {
		types = append(types, g.Type)
		if g.About != "marked on "+picture.Name || g.On != picture.Name {
			t.Errorf("%s is about %q, on %q", g.Name, g.About, g.On)
		}
	}
	if fmt.Sprint(types) != fmt.Sprint([]plan.Type{plan.Points, plan.BBox, plan.Mask}) {
		t.Fatalf("given are %v", types)
	}
	points, err := plan.DecodeValue[plan.Point](given[0])
	check(t, err)
	boxes, err := plan.DecodeValue[plan.Box](given[1])
	check(t, err)
	if len(points) != 2 || points[1] != (plan.Point{X: 3, Y: 4, Exclude: true}) || len(boxes) != 1 || boxes[0].YMax != 20 {
		t.Errorf("the points are %v, the boxes %v", points, boxes)
	}
	next := h.planner.request(h.ask(j, h.says("t", "ann", "blur")).ID)
	if len(next.Given) != 0 || len(next.Earlier) != 5 { // the picture, the marks and the result of cut
		t.Errorf("given is %v, earlier are %v", next.Given, next.Earlier)
	}
}

// TestMarksOfMessage marks a file as it is sent, and later again, with another file in between.
func TestMarksOfMessage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	file := h.chat.upload("a.png", "PNG a")
	box := []adapters.Box{{XMax: 3, YMax: 2}}
	e := h.says("t", "ann", "caption", file)
	e.Message.Marks = []adapters.Mark{{File: file.ID, Width: 4, Height: 3, Boxes: box}}
	given := h.planner.request(h.ask(j, e).ID).Given
	if len(given) != 2 || given[0].File != "a.png" || given[1].Type != plan.BBox || given[1].On != given[0].Name {
		t.Fatalf("given are %+v", given)
	}
	h.ask(j, h.says("t", "ann", "caption", h.chat.upload("b.png", "PNG b")))
	e = h.says("t", "ann", "caption", file)
	e.Message.Marks = []adapters.Mark{{File: file.ID, Width: 4, Height: 3, Boxes: box}}
	again := h.planner.request(h.ask(j, e).ID)
	if len(again.Given) != 2 || again.Given[0] != given[0] || again.Given[1].On != given[0].Name || again.Given[1].Name == given[1].Name {
		t.Errorf("given are %+v", again.Given)
	}
	e = h.says("t", "ann", "caption")
	e.Message.Marks = []adapters.Mark{{Picture: given[0].Name, Width: 4, Height: 3, Points: []adapters.Point{{X: 1, Y: 1}}}}
	last := h.planner.request(h.ask(j, e).ID)
	if len(last.Given) != 2 || last.Given[0] != given[0] || last.Given[1].Type != plan.Points {
		t.Errorf("given are %+v", last.Given)
	}
	for _, earlier := range last.Earlier {
		if earlier.Name == given[0].Name {
			t.Error("what is marked is earlier, and given too")
		}
	}
}

// TestThreadContinuesAfterMissingRequest has a place in the line whose request has expired.
func TestThreadContinuesAfterMissingRequest(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	gate := h.planner.blocks("first")
	first := h.handle(j, h.says("t", "ann", "first"))
	<-gate.entered
	second := h.handle(j, h.says("t", "ann", "second"))
	third := h.handle(j, h.says("t", "ann", "third"))
	check(t, h.state.DeleteAll(context.Background(), "request-"+second))
	close(gate.open)
	h.wait(j, first, 1)
	if r := h.wait(j, third, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("the third is %s", r.Runs[0].Status)
	}
}
