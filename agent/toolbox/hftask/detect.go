package hftask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// maxBoxes is how many boxes of an answer are kept, those with the highest scores.
const maxBoxes = 500

// detectionTasks returns the tasks that locate objects in pictures.
func detectionTasks() map[string]task {
	return map[string]task{
		"object-detection":           {media: true, ask: askPicture, read: readBoxes},
		"zero-shot-object-detection": {media: true, ask: askObject, read: readBoxes},
	}
}

// separators matches the separators in a list of objects to find, in several languages.
var separators = lazyregexp.New(`\s*(?:[,;/、，]|\s(?:and|or|und|oder|et|ou|y|o)\s)\s*`)

// askObject requests the boxes of the objects that the text names, or else the catalogue's prompt.
func askObject(ctx context.Context, j *job) (question, error) {
	said := cmp.Or(j.text(), strings.TrimSpace(j.candidate.Prompt))
	var labels []string
	for _, one := range separators.Split(said, -1) {
		if one = toolbox.Shorten(one); one != "" && !slices.Contains(labels, one) {
			labels = append(labels, one)
		}
	}
	if len(labels) == 0 {
		return question{}, fault(nil, "Please say what to find in the picture.")
	}
	f, err := j.picture(ctx)
	return question{inputs: f, parameters: map[string]any{"candidate_labels": labels}}, err
}

// found is one detected object.
type found struct {
	label

	Box *struct {
		XMin *float64 `json:"xmin"`
		YMin *float64 `json:"ymin"`
		XMax *float64 `json:"xmax"`
		YMax *float64 `json:"ymax"`
	} `json:"box"`
}

// readBoxes reads the detected boxes, converted to pixels of the original picture and clipped to it.
func readBoxes(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	all, err := entries[found](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	boxes := []plan.Box{}
	for _, f := range all {
		if f.Label == nil || f.Score == nil || f.Box == nil ||
			f.Box.XMin == nil || f.Box.YMin == nil || f.Box.XMax == nil || f.Box.YMax == nil {
			return toolbox.Output{}, unreadable(errors.New("a detection has no label, score or box"))
		}
		box := j.sent.box(*f.Box.XMin, *f.Box.YMin, *f.Box.XMax, *f.Box.YMax)
		if box.Empty() {
			continue
		}
		boxes = append(boxes, plan.Box{
			Label: toolbox.Shorten(strings.ToValidUTF8(*f.Label, "")), Score: clampScore(*f.Score),
			XMin: box.Min.X, YMin: box.Min.Y, XMax: box.Max.X, YMax: box.Max.Y,
		})
	}
	if len(all) > 0 && len(boxes) == 0 {
		return toolbox.Output{}, unreadable(fmt.Errorf("all %d boxes are outside the picture", len(all)))
	}
	slices.SortStableFunc(boxes, func(a, b plan.Box) int { return cmp.Compare(b.Score, a.Score) })
	boxes = boxes[:min(len(boxes), maxBoxes)]
	value, err := plan.EncodeValue(boxes)
	return toolbox.Output{Value: value, About: named(boxes, func(b plan.Box) string { return b.Label })}, err
}

// box converts a rectangle of the sent picture to pixels of the original one, clipped to it.
func (s sent) box(x0, y0, x1, y1 float64) image.Rectangle {
	fx, fy := float64(s.given.X)/float64(s.size.X), float64(s.given.Y)/float64(s.size.Y)
	at := func(v float64, most int) int { return int(math.Round(min(max(v, 0), float64(most)))) }
	if slices.ContainsFunc([]float64{x0, y0, x1, y1}, math.IsNaN) {
		return image.Rectangle{}
	}
	return image.Rectangle{
		Min: image.Pt(at(x0*fx, s.given.X), at(y0*fy, s.given.Y)),
		Max: image.Pt(at(x1*fx, s.given.X), at(y1*fy, s.given.Y)),
	}
}

// named lists the distinct labels of the results, at most five: "dog, cat".
func named[T any](all []T, name func(T) string) plan.Message {
	const most = 5
	var names []string
	for _, one := range all {
		if n := name(one); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	switch {
	case len(all) == 0:
		return plan.Say("nothing")
	case len(names) == 0:
		return plan.Message{}
	}
	return plan.Quote(toolbox.Shorten(strings.Join(names[:min(len(names), most)], ", ")))
}
