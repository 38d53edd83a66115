package hftask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/skeleton"
	"atelier/agent/toolbox/media"
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

// segmentTasks returns the tasks that divide a picture into parts.
func segmentTasks() map[string]task {
	return map[string]task{
		"image-segmentation": {media: true, masks: true, ask: askPrompted, read: readSegments},
		"mask-generation":    {media: true, masks: true, ask: askMasks, read: readSegments},
	}
}

// askMasks requests the masks of all objects, or only of those marked by points, boxes or a rough mask.
func askMasks(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	if err != nil {
		return question{}, err
	}
	parameters := map[string]any{}
	for _, name := range sortedArgs(j.call) {
		for _, v := range j.call.Args[name] {
			switch v.Type { //nolint:exhaustive // the picture is the input
			case plan.Points:
				err = j.points(v, parameters)
			case plan.BBox:
				err = j.boxes(v, parameters)
			case plan.Mask:
				parameters["mask_image"], err = j.mask(ctx)
			}
			if err != nil {
				return question{}, err
			}
		}
	}
	if len(parameters) > 0 {
		q.parameters, j.asked = parameters, true
	}
	return q, nil
}

// points adds the marked points to the parameters, in pixels of the sent picture, with label 1 for the
// object and 0 for its surroundings.
func (j *job) points(v toolbox.Value, parameters map[string]any) error {
	points, err := plan.DecodeValue[plan.Point](v.Resource)
	if err != nil || len(points) == 0 {
		return fault(err, "The points on the picture are missing.")
	}
	var places [][2]int
	var labels []int
	for _, p := range points {
		if p.X < 0 || p.Y < 0 || p.X >= j.sent.given.X || p.Y >= j.sent.given.Y {
			return fault(nil, "The point %d, %d is outside the picture.", p.X, p.Y)
		}
		places = append(places, [2]int{p.X * j.sent.size.X / j.sent.given.X, p.Y * j.sent.size.Y / j.sent.given.Y})
		label := 1
		if p.Exclude {
			label = 0
		}
		labels = append(labels, label)
	}
	parameters["points"], parameters["labels"] = places, labels
	return nil
}

// boxes adds the marked boxes to the parameters, in pixels of the sent picture.
func (j *job) boxes(v toolbox.Value, parameters map[string]any) error {
	boxes, err := plan.DecodeValue[plan.Box](v.Resource)
	if err != nil || len(boxes) == 0 {
		return fault(err, "The boxes on the picture are missing.")
	}
	var sides [][4]int
	back := sent{given: j.sent.size, size: j.sent.given}
	for _, b := range boxes {
		r := back.box(float64(b.XMin), float64(b.YMin), float64(b.XMax), float64(b.YMax))
		if !r.Empty() {
			sides = append(sides, [4]int{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y})
		}
	}
	if len(sides) == 0 {
		return fault(nil, "The boxes are outside the picture.")
	}
	parameters["boxes"] = sides
	return nil
}

// segment is one part of a picture in an answer; Mask is a picture in Base64.
type segment struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
	Mask  *string  `json:"mask"`
}

func (s segment) part() plan.Part {
	p := plan.Part{Label: toolbox.Shorten(strings.ToValidUTF8(*s.Label, ""))}
	if s.Score != nil {
		p.Score = clampScore(*s.Score)
	}
	return p
}

// readSegments reads the parts of a picture as a mask or a segmentation. If the tool returns a picture, it
// is the given one without its background.
func readSegments(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	all, err := entries[segment](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	for _, s := range all {
		if s.Label == nil || s.Mask == nil {
			return toolbox.Output{}, unreadable(errors.New("a segment has no label or no mask"))
		}
	}
	slices.SortStableFunc(all, func(a, b segment) int { return cmp.Compare(b.part().Score, a.part().Score) })
	all = all[:min(len(all), media.MaxParts)]
	if j.call.Returns == plan.Image {
		return j.cutOut(ctx, all)
	}
	if len(all) == 0 && j.asked {
		return toolbox.Output{}, errNothing
	}
	leave, err := j.backend.config.Limits.Memory.Take(ctx, j.sent.bytes(12)) // one mask of the answer at a time, and the combined mask
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	mask, parts, err := j.combine(ctx, all)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(parts) == 0 && j.asked {
		return toolbox.Output{}, errNothing
	}
	path := filepath.Join(j.call.Dir, "mask.png")
	if err := media.WriteMask(ctx, path, mask); err != nil {
		return toolbox.Output{}, err
	}
	value, err := plan.EncodeValue(parts)
	return toolbox.Output{Path: path, Value: value, About: named(parts, func(p plan.Part) string { return p.Label })}, err
}

// combine combines the masks into one, in the size of the given picture. Where they overlap, the smaller
// one is on top. Empty masks are left out.
func (j *job) combine(ctx context.Context, all []segment) (*media.Mask, []plan.Part, error) {
	size := j.sent.given
	out := media.NewMask(size.X, size.Y, max(len(all), 1))
	var parts []plan.Part
	area := []int{math.MaxInt}
	for _, s := range all {
		cover, err := j.cover(ctx, *s.Mask)
		if err != nil {
			return nil, nil, err
		}
		covered := 0
		for _, p := range cover {
			if p >= 128 {
				covered++
			}
		}
		if covered == 0 {
			continue
		}
		parts, area = append(parts, s.part()), append(area, covered)
		index := uint8(len(parts)) //nolint:gosec // at most media.MaxParts
		for i, p := range cover {
			if p >= 128 && covered <= area[out.Index[i]] {
				out.Index[i] = index
			}
		}
	}
	out.Parts = max(len(parts), 1)
	return out, parts, nil
}

// cover decodes a mask of the answer and returns its coverage (0 to 255) of each pixel of the given picture.
func (j *job) cover(ctx context.Context, encoded string) ([]uint8, error) {
	content, err := decodeBase64(encoded)
	if err != nil {
		return nil, err
	}
	p, err := media.ReadContent(ctx, j.call.Dir, content, j.backend.config.Limits, media.ReadPicture, unreadable)
	if err != nil {
		return nil, err
	}
	is, size := p.Image.Rect.Size(), j.sent.given
	if is != size && is != j.sent.size {
		return nil, unreadable(fmt.Errorf("a mask has %d × %d pixels, but its picture has %d × %d", is.X, is.Y, size.X, size.Y))
	}
	cover := make([]uint8, size.X*size.Y)
	err = media.InBands(ctx, size.Y, media.BandRows(size.X), func(from, to int) {
		for y := from; y < to; y++ {
			for x := range size.X {
				at := p.Image.PixOffset(x*is.X/size.X, y*is.Y/size.Y)
				c := p.Image.Pix[at : at+4]
				cover[y*size.X+x] = uint8((299*int(c[0]) + 587*int(c[1]) + 114*int(c[2])) / 1000 * int(c[3]) / 255) //nolint:gosec // at most 255
			}
		}
	})
	return cover, err
}

// backgroundLabels are the labels of background segments.
var backgroundLabels = []string{"background", "bg", "backdrop", "wall", "sky", "floor", "ground"}

// cutOut returns the picture with a transparent background. The alpha channel is as soft as the model's mask.
func (j *job) cutOut(ctx context.Context, all []segment) (toolbox.Output, error) {
	kept := slices.DeleteFunc(slices.Clone(all), func(s segment) bool { return slices.Contains(backgroundLabels, strings.ToLower(*s.Label)) })
	if len(kept) == 0 {
		return toolbox.Output{}, errNothing
	}
	leave, err := j.backend.config.Limits.Memory.Take(ctx, media.Weigh(j.sent.path, j.backend.config.Limits).Bytes(8)+j.sent.bytes(12))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	given, err := media.ReadPicture(ctx, j.sent.path, j.backend.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	alpha := make([]uint8, j.sent.given.X*j.sent.given.Y)
	for _, s := range kept {
		cover, err := j.cover(ctx, *s.Mask)
		if err != nil {
			return toolbox.Output{}, err
		}
		for i, c := range cover {
			alpha[i] = max(alpha[i], c)
		}
	}
	sum := 0
	for _, c := range alpha {
		sum += int(c)
	}
	if share := float64(sum) / 255 / float64(len(alpha)); share < 1e-4 || share > 0.9999 {
		return toolbox.Output{}, fault(fmt.Errorf("the masks cover %.4f of the picture", share),
			"The model could not tell the main subject of the picture from the background.")
	}
	out := image.NewNRGBA(given.Image.Rect)
	copy(out.Pix, given.Image.Pix)
	for i, c := range alpha {
		out.Pix[4*i+3] = uint8(int(out.Pix[4*i+3]) * int(c) / 255) //nolint:gosec // at most 255
	}
	return j.write(ctx, out, media.PNG, named(kept, func(s segment) string { return s.part().Label }))
}
