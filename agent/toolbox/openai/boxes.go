package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// boxScale is the width and height of every picture in a model's answer. Models that point at things are trained on
// this scale (Qwen3-VL, Gemini), and it does not depend on how the server resizes pictures.
const boxScale = 1000

const aboutBoxes = `JSON and nothing else, in this form: ` +
	`{"boxes": [{"label": "red kite", "left": 120, "top": 40, "right": 310.5, "bottom": 260}]}. ` +
	`Positions are measured from the top left corner of the picture: left and right from 0 to 1000 across its width, ` +
	`top and bottom from 0 to 1000 down its height, whatever its size. ` +
	`A box is as tight as possible around the whole thing that can be seen. If there is no such thing: {"boxes": []}.`

var schemaOfBoxes = json.RawMessage(`{
	"type": "object",
	"properties": {
		"boxes": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"label": {"type": "string"},
					"left": {"type": "number"},
					"top": {"type": "number"},
					"right": {"type": "number"},
					"bottom": {"type": "number"}
				},
				"required": ["label", "left", "top", "right", "bottom"],
				"additionalProperties": false
			}
		}
	},
	"required": ["boxes"],
	"additionalProperties": false
}`)

// maxBoxes is the maximum number of boxes in an answer.
const maxBoxes = 100

// boxesForm returns the form of boxes in the picture of a call.
func (ts *texts) boxesForm(ctx context.Context, c toolbox.Call) (form, error) {
	path, err := fileOf(c, plan.Image)
	if err != nil {
		return form{}, err
	}
	info, err := media.Describe(ctx, path, ts.config.Limits)
	if err != nil {
		return form{}, err
	}
	size := image.Pt(info.Width, info.Height)
	return form{about: aboutBoxes, schema: schemaOfBoxes, read: func(answer string) (string, error) { return readBoxes(answer, size) }}, nil
}

// readBoxes parses boxes, and converts them to pixels of a picture.
func readBoxes(answer string, size image.Point) (string, error) {
	type box struct {
		Label  string   `json:"label"`
		Left   *float64 `json:"left"`
		Top    *float64 `json:"top"`
		Right  *float64 `json:"right"`
		Bottom *float64 `json:"bottom"`
	}
	raw, err := findJSON(answer)
	if err != nil {
		return "", err
	}
	var object struct {
		Boxes *[]box `json:"boxes"`
	}
	if err := json.Unmarshal(raw, &object); err != nil || object.Boxes == nil {
		return "", complaint(`it has no list of {"label", "left", "top", "right", "bottom"} called "boxes"`)
	}
	switch n := len(*object.Boxes); {
	case n == 0:
		return "", errNothing
	case n > maxBoxes:
		return "", complaint(fmt.Sprintf("it has %d boxes, and at most %d are wanted", n, maxBoxes))
	}
	found := make([]plan.Box, len(*object.Boxes))
	for i, b := range *object.Boxes {
		if b.Left == nil || b.Top == nil || b.Right == nil || b.Bottom == nil {
			return "", complaint(fmt.Sprintf(`box %d lacks one of "left", "top", "right" and "bottom"`, i+1))
		}
		for _, at := range []float64{*b.Left, *b.Top, *b.Right, *b.Bottom} {
			if at < 0 || at > boxScale {
				return "", complaint(fmt.Sprintf("box %d has the position %g, and positions are from 0 to %d", i+1, at, boxScale))
			}
		}
		label := toolbox.OneLine(b.Label)
		if utf8.RuneCountInString(label) > maxLabel {
			return "", complaint(fmt.Sprintf("the label of box %d has more than %d characters", i+1, maxLabel))
		}
		first := func(at float64, side int) int { return int(math.Floor(at * float64(side) / boxScale)) }
		last := func(at float64, side int) int { return int(math.Ceil(at * float64(side) / boxScale)) }
		found[i] = plan.Box{
			Label: label,
			XMin:  first(*b.Left, size.X), YMin: first(*b.Top, size.Y),
			XMax: last(*b.Right, size.X), YMax: last(*b.Bottom, size.Y),
		}
		if found[i].XMin >= found[i].XMax || found[i].YMin >= found[i].YMax {
			return "", complaint(fmt.Sprintf("box %d is empty: right must be greater than left, and bottom greater than top", i+1))
		}
	}
	return plan.EncodeValue(found)
}
