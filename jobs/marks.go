package jobs

import (
	"context"
	"fmt"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// pointed records what somebody points at, for the next message of the thread. People point
// by a link that an answer has given them, which tells nothing of who they are: it is the
// permission, and only the place is looked at.
func (j *Jobs) pointed(ctx context.Context, e adapters.Event) error {
	t, err := j.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if !j.quota.AllowedPlace(e.Thread) {
		return &adapters.Fault{Sentence: "I am not allowed to work for you here. Whoever runs me can change that.", Kind: adapters.ErrForbidden}
	}
	if t.FreshMarks >= record.MaxMarks {
		return &adapters.Fault{Sentence: "Too much was marked here. Say in the chat what is to be done with it.", Kind: adapters.ErrForbidden}
	}
	_, err = j.store.Logs.Append(ctx, record.ThreadLog(t.ID), record.Entry{Marked: &e})
	return err
}

// pointed is a mark, and the adapter by which its mask is fetched.
type pointed struct {
	adapters.Mark
	adapter string
}

// marked is what was pointed at for a request: in the thread before it, and with it.
func marked(t *record.Thread, r *record.Request) []pointed {
	var all []pointed
	for _, e := range t.MarksFor(r.ID) {
		all = append(all, pointed{*e.Mark, e.Adapter})
	}
	if m := r.Asked.Event.Message; m != nil {
		for _, mark := range m.Marks {
			all = append(all, pointed{mark, r.Asked.Event.Adapter})
		}
	}
	return all
}

// takeMark makes resources of what was pointed at on a picture, which about tells people.
func takeMark(m pointed, key string, namer *plan.Namer, take func(string, adapters.File) (plan.Resource, error), about string) ([]plan.Resource, error) {
	var marks []plan.Resource
	add := func(r plan.Resource) {
		r.On, r.About = m.Picture, about
		marks = append(marks, r)
	}
	if len(m.Points) > 0 {
		points := make([]plan.Point, len(m.Points))
		for i, p := range m.Points {
			points[i] = plan.Point{X: p.X, Y: p.Y, Exclude: p.Exclude}
		}
		value, err := plan.EncodeValue(points)
		if err != nil {
			return nil, fmt.Errorf("take points: %w", err)
		}
		add(plan.Resource{Name: namer.Derived(string(plan.Points), key, "", m.Picture), Type: plan.Points, Value: value})
	}
	if len(m.Boxes) > 0 {
		boxes := make([]plan.Box, len(m.Boxes))
		for i, b := range m.Boxes {
			boxes[i] = plan.Box{XMin: b.XMin, YMin: b.YMin, XMax: b.XMax, YMax: b.YMax}
		}
		value, err := plan.EncodeValue(boxes)
		if err != nil {
			return nil, fmt.Errorf("take boxes: %w", err)
		}
		add(plan.Resource{Name: namer.Derived(string(plan.BBox), key, "", m.Picture), Type: plan.BBox, Value: value})
	}
	if m.Mask != nil {
		mask, err := take(m.adapter, *m.Mask)
		if err != nil {
			return nil, err
		}
		mask.Type = plan.Mask
		add(mask)
	}
	return marks, nil
}
