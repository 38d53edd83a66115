package hftasktest

import (
	"cmp"
	"image"
	"slices"
	"strconv"
	"strings"
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

// sceneOf analyses the picture in a member.
func (q *request) sceneOf(member string) (scene, error) {
	img, err := q.picture(member)
	if err != nil {
		return scene{}, err
	}
	return look(img), nil
}

func boxOf(r image.Rectangle) box { return box{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y} }

// detect returns the boxes of all blobs, or of those that the prompt names.
func detect(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	found := []detection{}
	for _, b := range wd.meant(sc, q.word("prompt")) {
		name := cmp.Or(q.word("prompt"), wd.wordFor(b.colour))
		if least, ok := q.params["threshold"].(float64); !ok || least <= b.score() {
			found = append(found, detection{label{name, b.score()}, boxOf(b.box)})
		}
	}
	return found, nil
}

// detectNamed returns the boxes of the blobs that match the candidate labels.
func detectNamed(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	found := []detection{}
	for _, name := range q.list("candidate_labels") {
		for _, b := range wd.meant(sc, name) {
			found = append(found, detection{label{name, b.score()}, boxOf(b.box)})
		}
	}
	slices.SortStableFunc(found, func(a, b detection) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// meant returns the blobs that a phrase refers to, by colour or kind. If it names none that the server
// knows, a plural means all blobs and a singular the largest one. An empty phrase means all.
func (wd *world) meant(sc scene, name string) []blob {
	if strings.TrimSpace(name) == "" {
		return sc.blobs
	}
	_, colour, hasColour := colourIn(name)
	var some []blob
	known, plural := hasColour, false
	for _, word := range words(name) {
		plural = plural || strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
		for _, b := range sc.blobs {
			if one := strings.TrimSuffix(word, "s"); !hasColour && (one == wd.wordFor(b.colour) || one == b.shape()) {
				known = true
				some = append(some, b)
			}
		}
	}
	if hasColour {
		some = slices.DeleteFunc(slices.Clone(sc.blobs), func(b blob) bool { return b.colour != colour })
	}
	big, ok := sc.largest()
	switch {
	case known || !ok:
		return some
	case plural:
		return sc.blobs
	}
	return []blob{big}
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

// account describes up to three groups of blobs, the most numerous first.
func (s scene) account() string {
	count := map[string]int{}
	for _, b := range s.blobs {
		count[b.colour+" "+b.shape()]++
	}
	groups := sortedKeys(count)
	slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	const most = 3
	var parts []string
	for _, g := range groups[:min(len(groups), most)] {
		part := strconv.Itoa(count[g]) + " " + g
		if count[g] > 1 {
			part += "s"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "nothing on " + nameOf(s.ground)
	}
	return strings.Join(parts, " and ") + " on " + nameOf(s.ground)
}

// askPicture answers questions about counts, colours and the presence of objects.
func askPicture(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("image")
	if err != nil {
		return nil, err
	}
	return top(q, []answer{{wd.reply(sc, q.call.Text), 0.9}, {"I do not know", 0.1}}), nil
}

// reply answers a question about a picture.
func (wd *world) reply(sc scene, question string) string {
	asked := " " + strings.Join(words(question), " ") + " "
	blobs := wd.meant(sc, question)
	big, found := sc.largest()
	switch {
	case strings.Contains(asked, " how many "):
		if _, _, ok := colourIn(question); !ok {
			blobs = sc.blobs
		}
		return strconv.Itoa(len(blobs))
	case strings.Contains(asked, " background "):
		return nameOf(sc.ground)
	case strings.Contains(asked, " colour ") || strings.Contains(asked, " color "):
		if !found {
			return nameOf(sc.ground)
		}
		return big.colour
	case strings.HasPrefix(asked, " is ") || strings.HasPrefix(asked, " are ") || strings.HasPrefix(asked, " does "):
		if len(blobs) > 0 {
			return "yes"
		}
		return "no"
	}
	return sc.account()
}

// top keeps the top_k answers.
func top[T any](q *request, all []T) []T {
	return all[:min(len(all), max(q.number("top_k", len(all)), 0))]
}

// classifyPicture returns the kinds of objects by their share of the area.
func classifyPicture(wd *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	area, total := map[string]int{}, 1
	for _, b := range sc.blobs {
		area[wd.wordFor(b.colour)] += b.area
		total += b.area
	}
	all := []label{}
	for _, name := range sortedKeys(area) {
		all = append(all, label{name, float64(area[name]) / float64(total)})
	}
	if len(all) == 0 {
		all = append(all, label{"wall", 0.9})
	}
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(b.Score, a.Score) })
	return top(q, all), nil
}

// shares returns labels with their share of the total count as the score.
func shares(names []string, count func(string) int) []label {
	total := 0
	for _, name := range names {
		total += count(name)
	}
	all := []label{}
	for _, name := range names {
		all = append(all, label{name, float64(count(name)) / float64(max(total, 1))})
	}
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(b.Score, a.Score) })
	return all
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

// findKeypoints returns the keypoints of a standing figure in the box of the largest blob, or the whole
// picture.
func findKeypoints(_ *world, q *request) (any, error) {
	sc, err := q.sceneOf("inputs")
	if err != nil {
		return nil, err
	}
	where := sc.img.Bounds()
	if big, ok := sc.largest(); ok {
		where = big.box
	}
	p := person{detection: detection{label{"person", 0.9}, boxOf(where)}}
	for _, k := range body {
		p.Keypoints = append(p.Keypoints, keypoint{
			Label: k.name, Score: 0.9,
			X: float64(where.Min.X) + k.x/100*float64(where.Dx()), Y: float64(where.Min.Y) + k.y/100*float64(where.Dy()),
		})
	}
	return []person{p}, nil
}
