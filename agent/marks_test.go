package agent_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native"
	"atelier/agent/toolgraph"
)

// Tests of marks on pictures, with the rules planner, the embedded catalogue and the built-in backends.

// All tests share the embedded catalogue and the planner.
var (
	embedded     = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })
	rulesPlanner = sync.OnceValues(func() (*rules.Planner, error) {
		c, err := embedded()
		if err != nil {
			return nil, err
		}
		return rules.New(rules.Config{Catalogue: c})
	})
)

func newOffline(t *testing.T, c agent.Config) *agent.Agent {
	t.Helper()
	catalogue, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := native.New(native.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Toolbox, err = toolbox.New(toolbox.Config{Catalogue: catalogue, Servers: []toolbox.Server{{Kind: "native", Backend: builtin}}}); err != nil {
		t.Fatal(err)
	}
	if c.Planner, err = rulesPlanner(); err != nil {
		t.Fatal(err)
	}
	c.Scratch = t.TempDir()
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The marked picture with its marks, and another picture.
var (
	street   = plan.Resource{Name: "street.png", Type: plan.Image, Blob: "street"}
	beach    = plan.Resource{Name: "beach.png", Type: plan.Image, Blob: "beach"}
	onStreet = map[plan.Type]plan.Resource{
		plan.BBox:   {Name: "street.bbox-1", Type: plan.BBox, On: street.Name, Value: `[{"xmin":3,"ymin":2,"xmax":9,"ymax":6}]`},
		plan.Points: {Name: "street.point-1", Type: plan.Points, On: street.Name, Value: `[{"x":5,"y":4}]`},
		plan.Mask:   {Name: "street.mask-1.png", Type: plan.Mask, On: street.Name, Blob: "mask"},
	}
)

// ways returns the tools of the best solution of each subtask.
func ways(p *plan.Plan) string {
	var all []string
	for _, task := range p.Tasks {
		if len(task.Solutions) == 0 {
			all = append(all, "nothing")
			continue
		}
		all = append(all, strings.Join(task.Solutions[0].Tools(), " "))
	}
	return strings.Join(all, "; ")
}

// With all tools available: which ones work on the marked part.
func TestMarkedPartIsEdited(t *testing.T) {
	t.Parallel()
	const (
		ofBox   = "mask_from_boxes "
		ofPoint = "image_segmentation_by_points "
	)
	a := newOffline(t, agent.Config{AllTools: true})
	for _, c := range []struct {
		wish             string
		box, mask, point string
	}{
		{wish: "crop to this", box: "image_cropping", mask: "mask_image"},
		{wish: "cut out what I marked", box: "image_cropping", mask: "mask_image", point: ofPoint + "mask_image"},
		{wish: "remove this", box: ofBox + "image_inpainting", mask: "image_inpainting", point: ofPoint + "image_inpainting"},
		{wish: "erase the bin here", box: ofBox + "image_inpainting", mask: "image_inpainting", point: ofPoint + "image_inpainting"},
		{
			wish: "replace this with a tree", box: ofBox + "partial_image_editing", mask: "partial_image_editing",
			point: ofPoint + "partial_image_editing",
		},
		{wish: "blur this", box: "blur_objects", mask: "hide_masked", point: ofPoint + "hide_masked"},
		{
			wish: "what is this?", box: "image_cropping image_captioning", mask: "mask_image image_captioning",
			point: ofPoint + "mask_image image_captioning",
		},
		{
			wish: "what does it say here?", box: "image_cropping optical_character_recognition", mask: "mask_image optical_character_recognition",
			point: ofPoint + "mask_image optical_character_recognition",
		},
		{wish: "how many pigeons are here?", box: "image_cropping visual_grounding count_objects"},
		{wish: "make it black and white", box: "greyscale_image", mask: "greyscale_image", point: "greyscale_image"},
		{wish: "describe this picture", box: "image_captioning", mask: "image_captioning", point: "image_captioning"},
		{
			wish: "crop to this, then make it black and white", box: "image_cropping; greyscale_image", mask: "mask_image; greyscale_image",
		},
		{wish: "remove this and rotate it by 90 degrees", mask: "image_inpainting; rotate_image"},
	} {
		for kind, want := range map[plan.Type]string{plan.BBox: c.box, plan.Mask: c.mask, plan.Points: c.point} {
			if want == "" {
				continue
			}
			p, err := a.Plan(t.Context(), plan.Request{ID: "r", Wish: c.wish, Earlier: []plan.Resource{beach}, Given: []plan.Resource{street, onStreet[kind]}})
			if err != nil {
				t.Errorf("%s with a %s: %v", c.wish, kind, err)
				continue
			}
			if got := ways(p); got != want {
				t.Errorf("%s with a %s: %s, want %s (%s%s)", c.wish, kind, got, want, p.Question, p.Reply)
			}
			for _, task := range p.Tasks {
				for _, s := range task.Solutions {
					if slices.ContainsFunc(s.Actions, func(a plan.Action) bool {
						return slices.ContainsFunc(a.Args, func(b plan.Binding) bool { return b.Source.Name == beach.Name })
					}) {
						t.Errorf("%s with a %s goes to another picture: %v", c.wish, kind, s.Tools())
					}
				}
			}
		}
	}
}

// With the built-in backends only: plans name the tools that are missing.
func TestMarkedPartWithLiveTools(t *testing.T) {
	t.Parallel()
	a := newOffline(t, agent.Config{})
	for _, c := range []struct {
		wish    string
		mark    plan.Type
		want    string
		missing string
	}{
		{"cut this out", plan.BBox, "mask_from_boxes mask_image", ""},
		{"cut this out", plan.Mask, "mask_image", ""},
		{"put a frame around this", plan.BBox, "highlight_object_on_image", ""},
		{"find the edges of this", plan.BBox, "image_cropping image_to_edge", ""},
		{"make it brighter", plan.Points, "adjust_image", ""},
		{"remove this", plan.Mask, "nothing", "image_inpainting"},
		{"remove this", plan.BBox, "nothing", "image_inpainting"},
		{"remove this", plan.Points, "nothing", "image_segmentation_by_points image_inpainting"},
		{"what is this?", plan.BBox, "nothing", "image_captioning"},
		{"blur this", plan.Mask, "hide_masked", ""},
		{"black this out", plan.BBox, "nothing", "image_inpainting"},
		{"black this out", plan.Mask, "nothing", "image_inpainting"},
		{"get this out of the picture", plan.Mask, "nothing", "image_inpainting"},
		{"remove", plan.BBox, "nothing", "image_inpainting"},
		{"make only the marked part black and white", plan.BBox, "nothing", "partial_image_editing"},
		{"how many faces are here?", plan.Mask, "mask_image detect_faces select_bbox count_objects", ""},
		{"how many faces are here?", plan.BBox, "image_cropping detect_faces select_bbox count_objects", ""},
		{"crop to 4x4", plan.BBox, "crop_region", ""},
		{"I marked the dog. Crop it", plan.BBox, "image_cropping", ""},
		{"crop to this and mirror it", plan.BBox, "image_cropping; flip_image", ""},
	} {
		p, err := a.Plan(t.Context(), plan.Request{ID: "r", Wish: c.wish, Given: []plan.Resource{street, onStreet[c.mark]}})
		if err != nil {
			t.Errorf("%s with a %s: %v", c.wish, c.mark, err)
			continue
		}
		if got := ways(p); got != c.want {
			t.Errorf("%s with a %s: %s, want %s (%s%s)", c.wish, c.mark, got, c.want, p.Question, p.Reply)
		}
		if got := strings.Join(p.Tasks[0].Missing, " "); got != c.missing {
			t.Errorf("%s with a %s lacks %q, want %q", c.wish, c.mark, got, c.missing)
		}
	}
}

// The result is exactly the marked part.
func TestMarkedPartIsCutOut(t *testing.T) {
	t.Parallel()
	src := image.NewNRGBA(image.Rect(0, 0, 12, 8))
	mask := image.NewGray(src.Rect)
	for y := range 8 {
		for x := range 12 {
			src.SetNRGBA(x, y, color.NRGBA{R: uint8(20 * x), G: uint8(30 * y), B: 77, A: 255})
			if x > y {
				mask.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	blobs := &memBlobs{data: map[string][]byte{"street": encoded(t, src), "mask": encoded(t, mask), "beach": picture()}}
	a := newOffline(t, agent.Config{Blobs: blobs})
	within := image.Rect(3, 2, 9, 6)
	for _, c := range []struct {
		wish string
		mark plan.Type
		size image.Point
		at   func(x, y int) color.NRGBA
	}{
		{"crop to this", plan.BBox, within.Size(), func(x, y int) color.NRGBA { return src.NRGBAAt(within.Min.X+x, within.Min.Y+y) }},
		{"crop to this, then make it black and white", plan.BBox, within.Size(), func(x, y int) color.NRGBA {
			c := src.NRGBAAt(within.Min.X+x, within.Min.Y+y)
			grey := uint8(0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) + 0.5)
			return color.NRGBA{grey, grey, grey, 255}
		}},
		{"crop to the marked part, then turn it upside down", plan.BBox, within.Size(), func(x, y int) color.NRGBA {
			return src.NRGBAAt(within.Max.X-1-x, within.Max.Y-1-y)
		}},
		{"keep only the marked part", plan.Mask, src.Rect.Size(), func(x, y int) color.NRGBA {
			if x <= y {
				return color.NRGBA{}
			}
			return src.NRGBAAt(x, y)
		}},
	} {
		t.Run(c.wish, func(t *testing.T) {
			t.Parallel()
			r := plan.Request{ID: "r " + c.wish, Wish: c.wish, Earlier: []plan.Resource{beach}, Given: []plan.Resource{street, onStreet[c.mark]}}
			img := last(t, a, blobs, r)
			if img.Bounds().Size() != c.size {
				t.Fatalf("it has %v pixels, want %v", img.Bounds().Size(), c.size)
			}
			for y := range c.size.Y {
				for x := range c.size.X {
					got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) //nolint:errcheck,forcetypeassert // the colour model returns no other type
					if want := c.at(x, y); !near(got, want) {
						t.Fatalf("at %d,%d there is %v, want %v", x, y, got, want)
					}
				}
			}
		})
	}
}

// near compares with a tolerance for rounding.
func near(a, b color.NRGBA) bool {
	equal := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 1 }
	return equal(a.R, b.R) && equal(a.G, b.G) && equal(a.B, b.B) && a.A == b.A
}

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// last plans and runs a request, and returns the picture of the last step.
func last(t *testing.T, a *agent.Agent, blobs *memBlobs, r plan.Request) image.Image {
	t.Helper()
	p, err := a.Plan(t.Context(), r)
	if err != nil || len(p.Tasks) == 0 {
		t.Fatalf("there is no plan: %v, %+v", err, p)
	}
	o, err := run(t.Context(), a, r, p, p.Best())
	if err != nil || !o.done {
		t.Fatalf("it was not done: %v: %s", err, statuses(o))
	}
	results := o.account.Results
	blob, err := blobs.Get(t.Context(), results[len(results)-1].Output.Blob)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(blob)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// marking is a planner that gives a subtask a mark and pictures.
func marking(given ...plan.Resource) *fakePlanner {
	return &fakePlanner{
		decomposition: planner.Decomposition{Subtasks: []plan.Subtask{wants(plan.Image, given...)}},
		scores:        map[string]float64{"crop": 5, "join": 5, "tell": 5},
		settle: func(contests []planner.Contest) []planner.Settlement { // the last option is the worst
			out := make([]planner.Settlement, len(contests))
			for i, c := range contests {
				for _, s := range c.Solutions {
					for _, a := range s.Actions {
						for j, b := range a.Args {
							if b.Source.Kind == plan.Blank && len(b.Options) > 0 {
								a.Args[j].Source = b.Options[len(b.Options)-1]
							}
						}
					}
					s.Score = 5
					out[i].Solutions = append(out[i].Solutions, s)
				}
			}
			return out
		},
	}
}

// Whatever the planner says, marks on one picture are not used on another.
func TestMarkStaysWithPicture(t *testing.T) {
	t.Parallel()
	box := onStreet[plan.BBox]
	tools := []toolbox.Tool{
		tool("crop", plan.Image, []plan.Type{plan.Image, plan.BBox}),
		tool("join", plan.Image, []plan.Type{plan.Image, plan.Image}),
	}
	ops := maker{"crop": draws, "join": draws}
	for _, strategy := range []toolgraph.Strategy{toolgraph.BestFirst, toolgraph.Exhaustive, toolgraph.Adaptive} {
		m := marking(street, beach, box)
		p, err := newWorld(t, m, ops, agent.Config{Strategy: strategy}, tools...).Plan(t.Context(), request(street, beach, box))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Tasks[0].Solutions) == 0 && strategy == toolgraph.BestFirst {
			t.Error("there is no way to crop the one and join it with the other")
		}
		for _, s := range p.Tasks[0].Solutions {
			for _, a := range s.Actions {
				if a.Tool == "crop" && a.Args[0].Source.Name == beach.Name {
					t.Errorf("%s: the box is used on another picture: %v", strategy, s)
				}
			}
		}
	}

	m := marking(beach, box)
	_, err := newWorld(t, m, ops, agent.Config{}, tools...).Plan(t.Context(), request(street, beach, box))
	if sentence := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(sentence, "marked part is on street.png") {
		t.Errorf("with another picture only there is %v", err)
	}
}

// A result of the marked picture can replace it as long as nothing on it has moved.
func TestMarkSurvivesUnmovedEdits(t *testing.T) {
	t.Parallel()
	box, mask := onStreet[plan.BBox], onStreet[plan.Mask]
	turn := tool("turn", plan.Image, []plan.Type{plan.Image})
	turn.Moves = true
	tools := []toolbox.Tool{
		tool("crop", plan.Image, []plan.Type{plan.Image, plan.BBox}),
		tool("join", plan.Image, []plan.Type{plan.Image, plan.Image}),
		tool("grey", plan.Image, []plan.Type{plan.Image}),
		tool("mend", plan.Image, []plan.Type{plan.Image, plan.Mask}),
		turn,
	}
	ops := maker{"crop": draws, "join": draws, "grey": draws, "mend": draws, "turn": draws}
	for _, c := range []struct {
		name  string
		first []plan.Resource
		best  string // the best tool that makes a picture from a picture
		want  string // "" for a refusal
	}{
		{"brightened", []plan.Resource{street}, "grey", "grey; crop"},
		{"mended by another mark", []plan.Resource{street, mask}, "mend", "mend; crop"},
		{"turned", []plan.Resource{street}, "turn", ""},
		{"joined with another one", []plan.Resource{street, beach}, "join", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := marking()
			m.scores = map[string]float64{"crop": 5, c.best: 5}
			m.decomposition.Subtasks = []plan.Subtask{wants(plan.Image, c.first...), wants(plan.Image, box)}
			m.decomposition.Subtasks[1].Args = append(m.decomposition.Subtasks[1].Args, plan.Arg{Type: plan.Image, Source: plan.FromSubtask(0)})
			m.decomposition.Subtasks[1].After = []int{0}
			p, err := newWorld(t, m, ops, agent.Config{}, tools...).Plan(t.Context(), request(street, beach, box, mask))
			switch {
			case c.want == "":
				if sentence := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(sentence, "marked that part on street.png as it was before") {
					t.Errorf("there is %+v: %v", p, err)
				}
			case err != nil || ways(p) != c.want:
				t.Errorf("there is %+v: %v", p, err)
			}
		})
	}
}

// Within one subtask neither a rotated picture nor a join can replace the marked one.
func TestMovedPictureIsNotCroppedByMark(t *testing.T) {
	t.Parallel()
	box := onStreet[plan.BBox]
	turn := tool("turn", plan.Image, []plan.Type{plan.Image})
	turn.Moves = true
	tools := []toolbox.Tool{
		tool("crop", plan.Image, []plan.Type{plan.Image, plan.BBox}), tool("join", plan.Image, []plan.Type{plan.Image, plan.Image}), turn,
	}
	ops := maker{"crop": draws, "join": draws, "turn": draws}
	for _, strategy := range []toolgraph.Strategy{toolgraph.BestFirst, toolgraph.Exhaustive} {
		m := marking(street, beach, box)
		m.scores = map[string]float64{"crop": 5, "join": 5, "turn": 5}
		p, err := newWorld(t, m, ops, agent.Config{Strategy: strategy}, tools...).Plan(t.Context(), request(street, beach, box))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Tasks[0].Solutions {
			for _, a := range s.Actions {
				if a.Tool == "crop" && a.Args[0].Source.Name != street.Name {
					t.Errorf("%s: %v crops what is no longer the marked picture", strategy, s.Tools())
				}
			}
		}
	}
}

// If the model's subtask has only a mark, the plan is still valid and includes the mark's picture.
func TestModelPlanWithMark(t *testing.T) {
	t.Parallel()
	box := plan.Resource{Name: "photo-1234.bbox-5", Type: plan.BBox, On: photo.Name, Value: onStreet[plan.BBox].Value}
	const answer = `{"thought":"","subtasks":[{"description":"Crop to the marked part","task":[],"id":0,"dep":[],` +
		`"args":[{"type":"bbox","value":"photo-1234.bbox-5","meaning":""}],"returns":{"type":"image","value":"<GENERATED>-0"}}],` +
		`"question":"","reply":"","refused":false,"types":[]}`
	a := newAsking(t, llmtest.ByJob(map[string][]llmtest.Response{"decompose": {{Text: answer}}}), nil,
		tool("sketch", plan.Image, []plan.Type{plan.Image, plan.BBox}))
	p, err := a.Plan(t.Context(), request(beach, photo, box))
	if err != nil || ways(p) != "sketch" {
		t.Fatalf("%v: %+v", err, p)
	}
	for i, want := range []string{photo.Name, box.Name} {
		if got := p.Tasks[0].Solutions[0].Actions[0].Args[i].Source.Name; got != want {
			t.Errorf("argument %d is %s, want %s", i+1, got, want)
		}
	}
}
