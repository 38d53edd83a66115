package hftask

import (
	"context"
	"errors"
	"image"
	"math"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/skeleton"
	"atelier/agent/toolbox/media"
)

const (
	// minJoint is the lowest score of a keypoint that is drawn.
	minJoint = 0.3
	// maxPeople is how many people are drawn.
	maxPeople = 100
)

// person is the pose of one person.
type person struct {
	Keypoints []struct {
		Label string   `json:"label"`
		X     *float64 `json:"x"`
		Y     *float64 `json:"y"`
		Score *float64 `json:"score"`
	} `json:"keypoints"`
}

// readPose draws the skeletons of the people that were found. A picture in the answer is used as it is.
func readPose(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	if !strings.Contains(a.kind(), "json") {
		return readMap(ctx, j, a)
	}
	people, err := entries[person](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(people) == 0 {
		return toolbox.Output{}, fault(errors.New("the answer has no people"), "The model found no person in the picture.")
	}
	var skeletons []skeleton.Skeleton
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
	img, drawn := skeleton.Draw(j.sent.given, skeletons)
	if !drawn {
		return toolbox.Output{}, fault(errors.New("no keypoint has a sufficient score"), "The model found no person in the picture.")
	}
	about := plan.Say("one person")
	if len(skeletons) > 1 {
		about = plan.Say("%d people", len(skeletons))
	}
	return j.write(ctx, img, media.PNG, about)
}

// skeleton returns the person's skeleton in pixels of the original picture.
func (p person) skeleton(s sent) (skeleton.Skeleton, error) {
	if p.Keypoints == nil {
		return skeleton.Skeleton{}, unreadable(errors.New("a person has no keypoints"))
	}
	at := map[string]image.Point{}
	fx, fy := float64(s.given.X)/float64(s.size.X), float64(s.given.Y)/float64(s.size.Y)
	for i, k := range p.Keypoints {
		if k.X == nil || k.Y == nil || math.IsNaN(*k.X) || math.IsNaN(*k.Y) {
			return skeleton.Skeleton{}, unreadable(errors.New("a keypoint has no coordinates"))
		}
		name := strings.ToLower(strings.ReplaceAll(k.Label, " ", "_"))
		if name == "" && len(p.Keypoints) == len(skeleton.COCO) {
			name = skeleton.COCO[i]
		}
		if k.Score == nil || *k.Score >= minJoint {
			clip := func(v float64, most int) int { return int(min(max(v, 0), float64(most-1))) }
			at[name] = image.Pt(clip(*k.X*fx, s.given.X), clip(*k.Y*fy, s.given.Y))
		}
	}
	return skeleton.New(at), nil
}
