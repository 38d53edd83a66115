package hftasktest_test

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

type m = map[string]any

type box struct{ XMin, YMin, XMax, YMax int }

type detected struct {
	Label string
	Box   box
}

// mixed returns a picture with two red discs and a blue square.
func mixed() *image.NRGBA {
	img := discs(240, 100, red, image.Pt(40, 50), image.Pt(120, 50))
	draw.Draw(img, image.Rect(180, 30, 220, 70), image.NewUniform(blue), image.Point{}, draw.Src)
	return img
}

// TestDetect checks that each object gets its box and its word.
func TestDetect(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{Words: map[string]string{"blue": "box"}})
	got := into[[]detected](t, send(t, s, "/pipeline/object-detection", "image/png", mediatest.PNG(mixed())))
	want := []detected{{"box", box{180, 30, 220, 70}}, {"ball", box{20, 30, 61, 71}}, {"ball", box{100, 30, 141, 71}}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	for label, n := range map[string]int{"red ball": 2, "boxes and balls": 3, "box": 1, "the umbrella": 1, "green things": 0} {
		r := send(t, s, "/pipeline/zero-shot-object-detection", "", m{"inputs": in64(t, mixed()), "parameters": m{"candidate_labels": []string{label}}})
		if got := into[[]detected](t, r); len(got) != n {
			t.Errorf("%s: %v, want %d", label, got, n)
		}
	}
}

// TestDescribe checks the description of a picture.
func TestDescribe(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	r := send(t, s, "/pipeline/image-to-text", "image/png", mediatest.PNG(mixed()))
	if got := into[map[string]string](t, r)["generated_text"]; got != "a picture of 1 blue shape and 2 red discs on white" {
		t.Errorf("got %q", got)
	}
	for question, want := range map[string]string{
		"How many red discs are there?": "2",
		"How many cars do you see?":     "1",
		"What is it?":                   "1 blue shape and 2 red discs on white",
	} {
		r := send(t, s, "/pipeline/visual-question-answering", "", m{"inputs": m{"image": in64(t, mixed()), "question": question}})
		if got := into[[]struct{ Answer string }](t, r); got[0].Answer != want {
			t.Errorf("%s %q, want %q", question, got[0].Answer, want)
		}
	}
}

// TestSegment checks segmentation by points, boxes, words and rough masks.
func TestSegment(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	rough := image.NewGray(image.Rect(0, 0, 240, 100))
	draw.Draw(rough, image.Rect(95, 25, 145, 75), image.White, image.Point{}, draw.Src)
	for _, c := range []struct {
		name   string
		task   string
		params m
		want   []string // of each mask, which of the three objects and the ground it covers
	}{
		{"nothing", "image-segmentation", nil, []string{"..x.", "x...", ".x.."}},
		{"a point", "mask-generation", m{"points": [][]int{{120, 50}}}, []string{".x.."}},
		{"points on and beside", "mask-generation", m{"points": [][]int{{120, 50}, {200, 50}, {40, 50}}, "labels": []int{1, 1, 0}}, []string{".xx."}},
		{"a point on the ground", "mask-generation", m{"points": [][]int{{1, 1}}}, []string{"...x"}},
		{"a box", "mask-generation", m{"boxes": [][]int{{170, 20, 230, 80}}}, []string{"..x."}},
		{"two boxes", "mask-generation", m{"boxes": [][]int{{10, 20, 70, 80}, {170, 20, 230, 80}}}, []string{"..x.", "x..."}},
		{"words", "image-segmentation", m{"prompt": "the blue square"}, []string{"..x."}},
		{"a rough mask", "mask-generation", m{"mask_image": in64(t, rough)}, []string{".x.."}},
	} {
		body := m{"inputs": in64(t, mixed())}
		if c.params != nil {
			body["parameters"] = c.params
		}
		var got []string
		for _, part := range into[[]struct{ Mask string }](t, send(t, s, "/pipeline/"+c.task, "", body)) {
			img := masked(t, part.Mask)
			if img.Bounds().Size() != image.Pt(240, 100) {
				t.Errorf("%s: the mask is %v", c.name, img.Bounds())
			}
			covers := []byte("....")
			for i, p := range []image.Point{{X: 40, Y: 50}, {X: 120, Y: 50}, {X: 200, Y: 50}, {X: 2, Y: 2}} {
				if same(img, p.X, p.Y, white) {
					covers[i] = 'x'
				}
			}
			got = append(got, string(covers))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestEdit checks that pictures are edited as requested, in their size.
func TestEdit(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	rough := image.NewGray(image.Rect(0, 0, 240, 100))
	draw.Draw(rough, image.Rect(15, 25, 65, 75), image.White, image.Point{}, draw.Src)
	for _, c := range []struct {
		name   string
		params m
		at     image.Point
		want   color.NRGBA
	}{
		{"what is named goes", m{"prompt": "remove the blue square"}, image.Pt(200, 50), white},
		{"its rim goes too", m{"prompt": "remove the blue square"}, image.Pt(180, 30), white},
		{"the rest stays", m{"prompt": "remove the blue square"}, image.Pt(40, 50), red},
		{"what is masked goes", m{"mask_image": in64(t, rough)}, image.Pt(40, 50), white},
		{"what is masked is redrawn", m{"mask_image": in64(t, rough), "prompt": "a green tree"}, image.Pt(40, 50), color.NRGBA{30, 170, 40, 255}},
		{"few colours", m{"prompt": "make it a cartoon"}, image.Pt(40, 50), color.NRGBA{255, 0, 0, 255}},
		{"lines on black", m{"control_mode": "scribble"}, image.Pt(180, 50), white},
		{"no line where nothing changes", m{"control_mode": "scribble"}, image.Pt(200, 50), color.NRGBA{A: 255}},
	} {
		img := shown(t, send(t, s, "/pipeline/image-to-image", "", m{"inputs": in64(t, mixed()), "parameters": c.params}))
		if img.Bounds().Size() != image.Pt(240, 100) || !same(img, c.at.X, c.at.Y, c.want) {
			t.Errorf("%s: %v of %v", c.name, img.At(c.at.X, c.at.Y), img.Bounds().Size())
		}
	}
	img := shown(t, send(t, s, "/pipeline/image-to-image", "", m{"inputs": in64(t, mixed()), "parameters": m{"target_size": m{"width": 480, "height": 200}}}))
	if img.Bounds().Size() != image.Pt(480, 200) {
		t.Errorf("enlarged: %v", img.Bounds())
	}
	depth := into[struct{ Depth string }](t, send(t, s, "/pipeline/depth-estimation", "image/png", mediatest.PNG(mixed())))
	if img := masked(t, depth.Depth); img.Bounds().Size() != image.Pt(240, 100) || !same(img, 2, 99, color.NRGBA{212, 212, 212, 255}) || !same(img, 2, 0, color.NRGBA{63, 63, 63, 255}) {
		t.Errorf("the depth is %v %v", img.At(2, 0), img.At(2, 99))
	}
}

// TestDraw checks that a drawing shows what the prompt names, so that it can be counted.
func TestDraw(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	for prompt, want := range map[string]string{
		"three red balls on white":  "a picture of 3 red discs on white",
		"a blue car on a grey road": "a picture of 1 blue disc on grey",
	} {
		img := shown(t, send(t, s, "/pipeline/text-to-image", "", m{"inputs": prompt}))
		if got := into[map[string]string](t, send(t, s, "/pipeline/image-to-text", "image/png", mediatest.PNG(img))); got["generated_text"] != want || img.Bounds().Size() != image.Pt(256, 256) {
			t.Errorf("%s: %q %v", prompt, got, img.Bounds())
		}
	}
	draw := func(params m) string {
		return string(send(t, s, "/pipeline/text-to-image", "", m{"inputs": "a cat", "parameters": params}).body)
	}
	if first := draw(m{"seed": 1}); first == draw(m{"seed": 2}) || first != draw(m{"seed": 1}) {
		t.Error("the seed has no effect")
	}
	img := shown(t, send(t, s, "/pipeline/text-to-image", "", m{"inputs": "a red house", "parameters": m{"control_image": in64(t, three()), "control_mode": "edge"}}))
	if img.Bounds().Size() != image.Pt(240, 100) || !same(img, 2, 2, red) || same(img, 40, 50, red) {
		t.Errorf("by a map: %v %v %v", img.Bounds(), img.At(2, 2), img.At(40, 50))
	}
}

// TestConversation checks that a text-generation model supports chat, and how the hub lists it.
func TestConversation(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	r := send(t, s, "/v1/chat/completions", "", m{"model": "example/text-generation", "max_tokens": 3, "messages": []m{
		{"role": "user", "content": "Find a title.\nthe big sea at night"},
	}})
	got := into[struct {
		Choices []struct{ Message struct{ Content string } }
	}](t, r)
	if got.Choices[0].Message.Content != "night, the, big, sea, at" {
		t.Errorf("got %+v of %s", got, r.body)
	}
	if r := fetch(t, s, "GET", "/api/models/example/text-generation?expand[]=inferenceProviderMapping"); !strings.Contains(string(r.body), `"task":"conversational"`) {
		t.Errorf("the hub: %s", r.body)
	}
	if c := s.Asked("text-generation")[0]; c.Text != "Find a title.\nthe big sea at night" {
		t.Errorf("recorded: %+v", c)
	}
}
