package hftasktest

import (
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/toolbox/mediatest"
)

// Parts of answers about pictures.
type (
	label struct {
		Label string  `json:"label"`
		Score float64 `json:"score"`
	}
	box struct {
		XMin int `json:"xmin"`
		YMin int `json:"ymin"`
		XMax int `json:"xmax"`
		YMax int `json:"ymax"`
	}
	detection struct {
		label

		Box box `json:"box"`
	}
	segmented struct {
		label

		Mask []byte `json:"mask"`
	}
	answer struct {
		Answer string  `json:"answer"`
		Score  float64 `json:"score"`
	}
	keypoint struct {
		Label string  `json:"label"`
		X     float64 `json:"x"`
		Y     float64 `json:"y"`
		Score float64 `json:"score"`
	}
	person struct {
		detection

		Keypoints []keypoint `json:"keypoints"`
	}
)

// scene is the content of a picture.
type scene struct {
	img     *image.NRGBA
	objects []mediatest.Object // the largest first
}

// sceneOf analyses the picture in a member.
func (q *request) sceneOf(member string) (scene, error) {
	img, err := q.picture(member)
	if err != nil {
		return scene{}, err
	}
	return scene{img, mediatest.Objects(img)}, nil
}

// certain is the score of whatever was found.
const certain = 0.9

func boxOf(r image.Rectangle) box { return box{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y} }

// wordFor returns the name of an object of a colour.
func (wd *world) wordFor(colour string) string {
	if word, ok := wd.words[colour]; ok {
		return word
	}
	if word, ok := map[string]string{"red": "ball", "green": "tree", "blue": "car", "yellow": "lemon"}[colour]; ok {
		return word
	}
	return "thing"
}

// detect returns the boxes of all objects.
func detect(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	found := []detection{}
	for _, o := range sc.objects {
		found = append(found, detection{label{wd.wordFor(o.Colour), certain}, boxOf(o.Box)})
	}
	return found, nil
}

// detectNamed returns the boxes of the objects that match the candidate labels.
func detectNamed(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	found := []detection{}
	for _, name := range q.list("candidate_labels") {
		for _, o := range wd.meant(sc, name) {
			found = append(found, detection{label{name, certain}, boxOf(o.Box)})
		}
	}
	return found, nil
}

// meant returns the objects that a phrase refers to, by colour or kind. An unknown word means the largest one,
// and an empty phrase all.
func (wd *world) meant(sc scene, phrase string) []mediatest.Object {
	_, colour, hasColour := mediatest.ColourIn(phrase)
	some := slices.DeleteFunc(slices.Clone(sc.objects), func(o mediatest.Object) bool {
		return o.Colour != colour && (hasColour || !strings.Contains(phrase, wd.wordFor(o.Colour)))
	})
	switch {
	case strings.TrimSpace(phrase) == "":
		return sc.objects
	case len(some) == 0 && !hasColour:
		return sc.objects[:min(len(sc.objects), 1)]
	}
	return some
}

// segment returns the masks of all objects, or of those selected by points, boxes, words or a rough mask.
func segment(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	if len(q.numbers("points")) > 0 {
		return []segmented{{label{"thing", certain}, mediatest.PNG(pointed(sc.img, q))}}, nil
	}
	found := wd.meant(sc, q.word("prompt"))
	if boxes := q.numbers("boxes"); len(boxes) > 0 {
		found = slices.DeleteFunc(slices.Clone(found), func(o mediatest.Object) bool {
			return !slices.ContainsFunc(boxes, func(b []int) bool { return o.Box.Overlaps(image.Rect(b[0], b[1], b[2], b[3])) })
		})
	}
	if q.has("mask_image") {
		rough, err := q.picture("mask_image")
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(slices.Clone(found), func(o mediatest.Object) bool { return !covers(rough, o) })
	}
	all := []segmented{}
	for _, o := range found {
		all = append(all, segmented{label{wd.wordFor(o.Colour), certain}, mediatest.PNG(mediatest.Mask(sc.img.Rect.Size(), o))})
	}
	return all, nil
}

// pointed returns the mask of the areas at the included points, without those at the excluded points.
func pointed(img *image.NRGBA, q *request) *image.Gray {
	labels, _ := q.params["labels"].([]any) //nolint:errcheck // absent is all on it
	var on, off []mediatest.Object
	for i, p := range q.numbers("points") {
		o := mediatest.ObjectAt(img, image.Pt(p[0], p[1]))
		if i < len(labels) && labels[i] == 0.0 {
			off = append(off, o)
		} else {
			on = append(on, o)
		}
	}
	mask := mediatest.Mask(img.Rect.Size(), on...)
	for _, o := range off {
		for _, p := range o.Pixels {
			mask.SetGray(p.X, p.Y, color.Gray{})
		}
	}
	return mask
}

// covers reports whether a rough mask covers more than half of an object.
func covers(rough *image.NRGBA, o mediatest.Object) bool {
	n := 0
	for _, p := range o.Pixels {
		if light(rough.NRGBAAt(p.X, p.Y)) > 127 {
			n++
		}
	}
	return n*2 > len(o.Pixels)
}

// describe describes a picture: "a picture of 3 red discs on white".
func describe(_ *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	// The published schema describes generated_text and asks for generatedText.
	text := "a picture of " + sc.account()
	return map[string]string{"generated_text": text, "generatedText": text}, nil
}

// account counts the objects by colour and shape. Discs are told by how much of their box they fill: π/4.
func (s scene) account() string {
	count := map[string]int{}
	for _, o := range s.objects {
		name := o.Colour + " shape"
		if fill := float64(len(o.Pixels)) / float64(o.Box.Dx()*o.Box.Dy()); fill > 0.70 && fill < 0.86 {
			name = o.Colour + " disc"
		}
		count[name]++
	}
	parts := []string{}
	for _, name := range sortedKeys(count) {
		part := strconv.Itoa(count[name]) + " " + name
		if count[name] > 1 {
			part += "s"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing")
	}
	return strings.Join(parts, " and ") + " on " + mediatest.NameOf(s.img.NRGBAAt(0, 0))
}

// askPicture counts objects, or else describes the picture.
func askPicture(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("image")
	if err != nil {
		return nil, err
	}
	text := sc.account()
	if question := q.call.Text; strings.Contains(strings.ToLower(question), "how many ") {
		text = strconv.Itoa(len(wd.meant(sc, question)))
	}
	return []answer{{text, certain}}, nil
}

// classifyPicture returns the kinds of the objects.
func classifyPicture(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	all := []label{}
	for i, o := range sc.objects {
		all = append(all, label{wd.wordFor(o.Colour), certain / float64(i+1)})
	}
	return all, nil
}

// body holds the 17 COCO keypoints of a standing figure, in percent of its box.
var body = []struct {
	name string
	x, y float64
}{
	{"nose", 50, 10}, {"left_eye", 55, 8}, {"right_eye", 45, 8}, {"left_ear", 60, 10}, {"right_ear", 40, 10},
	{"left_shoulder", 70, 25}, {"right_shoulder", 30, 25}, {"left_elbow", 80, 40}, {"right_elbow", 20, 40},
	{"left_wrist", 85, 55}, {"right_wrist", 15, 55}, {"left_hip", 62, 55}, {"right_hip", 38, 55},
	{"left_knee", 64, 75}, {"right_knee", 36, 75}, {"left_ankle", 65, 95}, {"right_ankle", 35, 95},
}

// findKeypoints returns the keypoints of a figure that fills the picture.
func findKeypoints(_ *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	p := person{detection: detection{label{"person", certain}, boxOf(img.Rect)}}
	for _, k := range body {
		p.Keypoints = append(p.Keypoints, keypoint{
			Label: k.name, Score: certain, X: k.x / 100 * float64(img.Rect.Dx()), Y: k.y / 100 * float64(img.Rect.Dy()),
		})
	}
	return []person{p}, nil
}
