package localai

import (
	"image"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
)

// FuzzAnswers checks that any answer of a server yields a valid result, or an error with a sentence.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		`{"detections":[{"x":-5.5,"y":1e9,"width":3,"height":1e300,"class_name":"dog","confidence":7,"mask":"aGk="}]}`,
		`{"detections":[]}`, `{"detections":null}`, `{"detections":[{}]}`, `[]`, ``, `null`,
		`{"width":2,"height":1,"depth":[1,2.5]}`, `{"width":-1,"height":-2,"depth":[1,2]}`, `{"width":1,"height":2,"depth":[-1e308,1e308]}`,
		`{"width":4294967296,"height":4294967296,"depth":[]}`, `{"width":1,"height":1,"depth":[1e999]}`,
		`{"data":[{"url":"/generated/1"}]}`, `{"data":[{"b64_json":"aGk="}]}`, `{"data":[{"url":"data:image/png;base64,####"}]}`, `{"data":[{}]}`,
		`{"detections":[{"label":"Music","score":2},{"label":"","score":1}]}`, `{"data":[{"id":"a","capabilities":["depth"]},{"id":""}]}`,
	} {
		f.Add([]byte(s), 200, 120)
	}
	f.Fuzz(func(t *testing.T, body []byte, w, h int) {
		full := image.Pt(min(max(w, 1), 10000), min(max(h, 1), 10000))
		all, err := readDetections(body, media.ShrunkTo(full, 100), full)
		sentence(t, err)
		for _, b := range all {
			if r := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax); b.XMin >= b.XMax || b.YMin >= b.YMax || !r.In(image.Rectangle{Max: full}) || b.Score < 0 || b.Score > 1 {
				t.Errorf("a box is %+v", b.Box)
			}
		}
		img, err := readDepth(body)
		sentence(t, err)
		if err == nil && img.Rect.Empty() {
			t.Error("a depth map without pixels")
		}
		url, content, err := readItem(body)
		sentence(t, err)
		if err == nil && (url == "") == (content == nil) {
			t.Error("an item must have either content or a link")
		}
		classes, err := readClasses(body)
		sentence(t, err)
		if err == nil && len(classes) == 0 {
			t.Error("no class")
		}
		models, err := readModels(body)
		sentence(t, err)
		for _, m := range models {
			if m.ID == "" {
				t.Error("a model without a name")
			}
			detector.rank(m)
		}
	})
}

func sentence(t *testing.T, err error) {
	t.Helper()
	if err != nil && plan.OperatorSentence(err, plan.Message{}).String() == "" {
		t.Errorf("no sentence in %v", err)
	}
}
