package hftask

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// The people in a pose picture are drawn as OpenPose draws them, since that is what
// models that follow a pose have learnt (OpenPose, COCO-18: 17 points of COCO and the
// neck; a colour for each limb and each joint, limbs at 60 percent).

// joints are the points of OpenPose by COCO's names, in OpenPose's order; the neck is
// between the shoulders.
var joints = []string{
	"nose", "neck", "right_shoulder", "right_elbow", "right_wrist", "left_shoulder", "left_elbow", "left_wrist",
	"right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle", "right_eye", "left_eye", "right_ear", "left_ear",
}

// coco are the names in COCO's order, for servers that leave them out.
var coco = []string{
	"nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
	"left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle",
}

// limbs join two joints each.
var limbs = [][2]int{
	{1, 2}, {1, 5}, {2, 3}, {3, 4}, {5, 6}, {6, 7}, {1, 8}, {8, 9}, {9, 10}, {1, 11}, {11, 12}, {12, 13}, {1, 0}, {0, 14}, {14, 16}, {0, 15}, {15, 17},
}

// poseColours are those of the joints, and of the limbs.
var poseColours = []color.NRGBA{
	{255, 0, 0, 255}, {255, 85, 0, 255}, {255, 170, 0, 255}, {255, 255, 0, 255}, {170, 255, 0, 255}, {85, 255, 0, 255},
	{0, 255, 0, 255}, {0, 255, 85, 255}, {0, 255, 170, 255}, {0, 255, 255, 255}, {0, 170, 255, 255}, {0, 85, 255, 255},
	{0, 0, 255, 255}, {85, 0, 255, 255}, {170, 0, 255, 255}, {255, 0, 255, 255}, {255, 0, 170, 255}, {255, 0, 85, 255},
}

const (
	// minJoint is how sure a model must be of a point for it to be drawn.
	minJoint = 0.3
	// maxPeople is how many people are drawn.
	maxPeople = 100
)

// person is one whose posture was found.
type person struct {
	Keypoints []struct {
		Label string   `json:"label"`
		X     *float64 `json:"x"`
		Y     *float64 `json:"y"`
		Score *float64 `json:"score"`
	} `json:"keypoints"`
}

// skeleton is where the joints of a person are; absent ones are not a number.
type skeleton [18]struct{ x, y float64 }

// readPose draws the people that were found; a server that draws them itself is taken at
// its word.
func readPose(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	if !strings.Contains(a.kind(), "json") {
		return readMap(ctx, j, a)
	}
	people, err := entries[person](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(people) == 0 {
		return toolbox.Output{}, fault(errors.New("nobody was found"), "The model found no person in the picture.")
	}
	var skeletons []skeleton
	for _, p := range people[:min(len(people), maxPeople)] {
		s, err := p.skeleton(j.sent)
		if err != nil {
			return toolbox.Output{}, err
		}
		skeletons = append(skeletons, s)
	}
	leave, err := j.backend.config.Limits.Memory.Take(ctx, j.sent.bytes(8))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	img, drawn := drawPose(j.sent.given, skeletons)
	if !drawn {
		return toolbox.Output{}, fault(errors.New("no point is sure enough"), "The model found no person in the picture.")
	}
	about := plan.Say("one person")
	if len(skeletons) > 1 {
		about = plan.Say("%d persons", len(skeletons))
	}
	return j.write(ctx, img, media.PNG, about)
}

// skeleton is the person in the pixels of the picture that was given.
func (p person) skeleton(s sent) (skeleton, error) {
	if p.Keypoints == nil {
		return skeleton{}, unreadable(errors.New("a person lacks the points"))
	}
	at := map[string]image.Point{}
	fx, fy := float64(s.given.X)/float64(s.size.X), float64(s.given.Y)/float64(s.size.Y)
	for i, k := range p.Keypoints {
		if k.X == nil || k.Y == nil || math.IsNaN(*k.X) || math.IsNaN(*k.Y) {
			return skeleton{}, unreadable(errors.New("a point of a person lacks its place"))
		}
		name := strings.ToLower(strings.ReplaceAll(k.Label, " ", "_"))
		if name == "" && len(p.Keypoints) == len(coco) {
			name = coco[i]
		}
		if k.Score == nil || *k.Score >= minJoint {
			clip := func(v float64, most int) int { return int(min(max(v, 0), float64(most-1))) }
			at[name] = image.Pt(clip(*k.X*fx, s.given.X), clip(*k.Y*fy, s.given.Y))
		}
	}
	left, l := at["left_shoulder"]
	right, r := at["right_shoulder"]
	if l && r {
		at["neck"] = left.Add(right).Div(2)
	}
	var out skeleton
	for i, name := range joints {
		out[i].x, out[i].y = math.NaN(), math.NaN()
		if place, ok := at[name]; ok {
			out[i].x, out[i].y = float64(place.X), float64(place.Y)
		}
	}
	return out, nil
}

// drawPose draws people on black.
func drawPose(size image.Point, people []skeleton) (img *image.NRGBA, drawn bool) {
	img = image.NewNRGBA(image.Rectangle{Max: size})
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	thick := max(2, float64(min(size.X, size.Y))/128)
	for _, p := range people {
		for i, limb := range limbs {
			a, b := p[limb[0]], p[limb[1]]
			if math.IsNaN(a.x) || math.IsNaN(b.x) {
				continue
			}
			c := poseColours[i]
			stroke(img, a.x, a.y, b.x, b.y, thick, color.NRGBA{c.R / 5 * 3, c.G / 5 * 3, c.B / 5 * 3, 255})
			drawn = true
		}
		for i, joint := range p {
			if !math.IsNaN(joint.x) {
				stroke(img, joint.x, joint.y, joint.x, joint.y, thick, poseColours[i])
				drawn = true
			}
		}
	}
	return img, drawn
}

// stroke draws a thick line with round ends: the pixels that are not further from it than
// that.
func stroke(img *image.NRGBA, x0, y0, x1, y1, thick float64, c color.NRGBA) {
	dx, dy := x1-x0, y1-y0
	length := dx*dx + dy*dy
	around := image.Rect(int(min(x0, x1)-thick), int(min(y0, y1)-thick), int(max(x0, x1)+thick)+2, int(max(y0, y1)+thick)+2).Intersect(img.Rect)
	for y := around.Min.Y; y < around.Max.Y; y++ {
		for x := around.Min.X; x < around.Max.X; x++ {
			px, py := float64(x)-x0, float64(y)-y0
			along := 0.0
			if length > 0 {
				along = min(max((px*dx+py*dy)/length, 0), 1)
			}
			if math.Hypot(px-along*dx, py-along*dy) <= thick {
				img.SetNRGBA(x, y, c)
			}
		}
	}
}
