package localaitest

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"atelier/agent/toolbox/mediatest"
)

// detect finds objects as the model's family does. SAM finds what it is prompted for, with masks but without
// a class. Others find all objects, with their colours as classes.
func detect(r *Request) (result, error) {
	p, err := mediatest.Decode(r.Files["image"])
	if err != nil {
		return result{}, err
	}
	points, boxes := r.Numbers("points"), r.Numbers("boxes")
	if len(points)%3 != 0 || len(boxes)%4 != 0 {
		return result{}, errors.New("points are triples and boxes quads")
	}
	sam := strings.HasPrefix(r.Model, "sam")
	var found []mediatest.Object
	switch {
	case !sam:
		found = mediatest.Objects(p)
	case r.Text("prompt") != "":
		for _, o := range mediatest.Objects(p) {
			if strings.Contains(r.Text("prompt"), o.Colour) {
				found = append(found, o)
			}
		}
	case len(points) > 0:
		for i := 0; i < len(points); i += 3 {
			at := image.Pt(int(points[i]), int(points[i+1]))
			if !at.In(p.Rect) {
				return result{}, fmt.Errorf("the point %v is outside %v", at, p.Rect)
			}
			if points[i+2] == 1 {
				found = append(found, mediatest.ObjectAt(p, at))
			}
		}
	case len(boxes) > 0:
		in := image.Rect(int(boxes[0]), int(boxes[1]), int(boxes[2]), int(boxes[3]))
		for _, o := range mediatest.Objects(p) {
			if o.Box.Overlaps(in) {
				found = append(found, o)
			}
		}
	}
	list := make([]any, 0, len(found))
	for i, o := range found {
		d := map[string]any{
			"x": float64(o.Box.Min.X) - 0.25, "y": float64(o.Box.Min.Y) - 0.25, // fractions of pixels, as from models
			"width": float64(o.Box.Dx()) + 0.25, "height": float64(o.Box.Dy()) + 0.25,
			"class_name": o.Colour, "confidence": 0.9 / float64(i+1),
		}
		if sam {
			d["class_name"] = "segment"
		}
		if sam || strings.Contains(r.Model, "seg") {
			d["mask"] = mediatest.PNG(mediatest.Mask(p.Rect.Size(), o))
		}
		list = append(list, d)
	}
	return result{json: map[string]any{"detections": list}}, nil
}

// estimate returns distances from ten metres at the top to one at the bottom.
func estimate(r *Request) (result, error) {
	p, err := mediatest.Decode(r.Files["image"])
	if err != nil {
		return result{}, err
	}
	w, h := max(p.Rect.Dx()/2, 1), max(p.Rect.Dy()/2, 1)
	depth := make([]float32, w*h)
	for i := range depth {
		depth[i] = 10 - 9*float32(i/w)/float32(max(h-1, 1))
	}
	return result{json: map[string]any{"width": w, "height": h, "depth": depth, "is_metric": true}}, nil
}

func compose(r *Request) (result, error) {
	return result{file: mediatest.Tone(r.Text("text"), time.Second)}, nil
}

// errSilent is returned for a file that is not a sound.
var errSilent = errors.New("the file is not a sound")

func isSound(b []byte) bool { return strings.HasPrefix(mimetype.Detect(b).String(), "audio/") }

func transcribe(r *Request) (result, error) {
	if !isSound(r.Files["file"]) {
		return result{}, errSilent
	}
	return result{json: map[string]any{"text": cmp.Or(mediatest.Said(r.Files["file"]), "a tone")}}, nil
}

func classify(r *Request) (result, error) {
	if !isSound(r.Files["file"]) {
		return result{}, errSilent
	}
	return result{json: map[string]any{"model": r.Model, "detections": []any{
		map[string]any{"index": 137, "label": "Music", "score": 0.81},
		map[string]any{"index": 495, "label": "Sine wave", "score": 0.9},
	}}}, nil
}

func transform(r *Request) (result, error) {
	if !isSound(r.Files["audio"]) {
		return result{}, errSilent
	}
	return result{file: mediatest.Tone(mediatest.Said(r.Files["audio"]), time.Second)}, nil
}
