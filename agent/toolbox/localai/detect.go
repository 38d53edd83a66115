package localai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"image"
	"math"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// detectionRequest is the request for detections (LocalAI, swagger, schema.DetectionRequest).
type detectionRequest struct {
	Model string `json:"model"`
	Image string `json:"image"`
	// Prompt describes what to find; only some models use it, such as SAM 3.
	Prompt string `json:"prompt,omitempty"`
	// Points are triples x, y, label, where 1 means include and 0 exclude. Boxes are quadruples of corner
	// coordinates.
	Points []int `json:"points,omitempty"`
	Boxes  []int `json:"boxes,omitempty"`
}

// found is one detection, in pixels of the original picture.
type found struct {
	plan.Box

	mask []byte // a PNG mask of the whole sent picture; nil if there is none
}

const (
	maxFound = 255 // the most parts that a mask can have
	maxLabel = 100 // characters
)

// objects runs the tasks that detect objects and cut them out.
type objects struct{ *server }

// detect returns the boxes of all objects in a picture.
func (o *objects) detect(ctx context.Context, j job) (toolbox.Output, error) {
	s, err := o.send(ctx, j, pictureSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	all, err := o.detections(ctx, j, s, detectionRequest{})
	if err != nil {
		return toolbox.Output{}, err
	}
	return boxes(all)
}

// ground returns the boxes of described objects. If the model takes no prompt, the objects that it detects
// are filtered by their class.
func (o *objects) ground(ctx context.Context, j job) (toolbox.Output, error) {
	object := toolbox.OneLine(j.Text("object"))
	if object == "" {
		return toolbox.Output{}, fault(nil, "Please say what to look for.")
	}
	s, err := o.send(ctx, j, pictureSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	all, err := o.detections(ctx, j, s, detectionRequest{Prompt: object})
	if err != nil {
		return toolbox.Output{}, err
	}
	all = matching(all, object)
	if len(all) == 0 {
		return toolbox.Output{}, fault(nil, "I found no %q in the picture.", toolbox.Shorten(object))
	}
	return boxes(all)
}

// detections requests detections, sorted by descending score.
func (o *objects) detections(ctx context.Context, j job, s sent, r detectionRequest) ([]found, error) {
	r.Model, r.Image = j.model, s.dataURI()
	body, err := o.post(ctx, "/v1/detection", j, r)
	if err != nil {
		return nil, err
	}
	return readDetections(body, s.size, s.full)
}

// readDetections parses the detections in a picture of size sent, and converts them to pixels of the
// original of size full (LocalAI, swagger, schema.DetectionResponse).
func readDetections(body []byte, sent, full image.Point) ([]found, error) {
	var answer struct {
		Detections *[]struct {
			X          *float64 `json:"x"`
			Y          *float64 `json:"y"`
			Width      *float64 `json:"width"`
			Height     *float64 `json:"height"`
			Class      string   `json:"class_name"`
			Confidence float64  `json:"confidence"`
			Mask       []byte   `json:"mask"`
		} `json:"detections"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, unreadable(err)
	}
	if answer.Detections == nil {
		return nil, unreadable(errors.New("the answer has no list of detections"))
	}
	var all []found
	for _, d := range *answer.Detections {
		if d.X == nil || d.Y == nil || d.Width == nil || d.Height == nil {
			return nil, unreadable(errors.New("a detection has no box"))
		}
		label := []rune(toolbox.OneLine(d.Class))
		f := found{
			Box: plan.Box{
				Label: string(label[:min(len(label), maxLabel)]),
				Score: min(max(d.Confidence, 0), 1),
				XMin:  within(math.Floor(*d.X*float64(full.X)/float64(sent.X)), full.X),
				YMin:  within(math.Floor(*d.Y*float64(full.Y)/float64(sent.Y)), full.Y),
				XMax:  within(math.Ceil((*d.X+*d.Width)*float64(full.X)/float64(sent.X)), full.X),
				YMax:  within(math.Ceil((*d.Y+*d.Height)*float64(full.Y)/float64(sent.Y)), full.Y),
			},
			mask: d.Mask,
		}
		if f.XMin < f.XMax && f.YMin < f.YMax {
			all = append(all, f)
		}
	}
	if len(all) == 0 && len(*answer.Detections) > 0 {
		return nil, unreadable(errors.New("all boxes are outside the picture"))
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), maxFound)], nil
}

// within clamps a coordinate to the side of a picture.
func within(v float64, side int) int { return int(min(max(v, 0), float64(side))) }

// boxes returns detections as an output of boxes.
func boxes(all []found) (toolbox.Output, error) {
	list := make([]plan.Box, len(all))
	for i, f := range all {
		list[i] = f.Box
	}
	value, err := plan.EncodeValue(list)
	if err != nil {
		return toolbox.Output{}, err
	}
	out := toolbox.Output{Value: value, About: counted(len(all))}
	if len(all) == 0 {
		out.Note = plan.Say("I found no objects that the model recognises.")
	}
	return out, nil
}

func counted(n int) plan.Message {
	switch n {
	case 0:
		return plan.Say("no object")
	case 1:
		return plan.Say("one object")
	}
	return plan.Say("%d objects", n)
}

// segmented is the class of every detection of the SAM family (LocalAI, backend/go/sam3-cpp), which is
// prompted for one kind of object.
const segmented = "segment"

// matching filters detections by the description of an object. Detections of a prompted model all match, and
// get the description as their label.
func matching(all []found, object string) []found {
	var kept []found
	for _, f := range all {
		if f.Label == "" || f.Label == segmented {
			f.Label = toolbox.Shorten(object)
			kept = append(kept, f)
		} else if mentions(object, f.Label) {
			kept = append(kept, f)
		}
	}
	return kept
}

// mentions reports whether the description contains all words of a class, in the singular or the plural.
func mentions(object, class string) bool {
	said := singulars(object)
	for _, word := range singulars(class) {
		if !slices.Contains(said, word) {
			return false
		}
	}
	return true
}

func singulars(s string) []string {
	all := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t.,;:!?'\"-_()", r) })
	for i, w := range all {
		if len(w) > 3 {
			all[i] = strings.TrimSuffix(w, "s")
		}
	}
	return all
}
