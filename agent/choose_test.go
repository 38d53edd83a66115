package agent_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
)

// models is a backend that runs these models, by their names on the hub; "" stands for the default model.
type models []string

var _ toolbox.Backend = models(nil)

func (m models) Probe(_ context.Context, c toolbox.Candidate) error {
	if !slices.Contains(m, c.Model) {
		return &plan.Fault{Sentence: plan.Say("It needs a %s.", c.Model)}
	}
	return nil
}

func (models) Run(_ context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	if !call.Returns.Media() {
		return toolbox.Output{Value: "a castle by the sea", Model: c.Model}, nil
	}
	out := toolbox.Output{Path: filepath.Join(call.Dir, "out.png"), About: plan.Quote("a small picture")}
	return out, os.WriteFile(out.Path, picture(), 0o600)
}

const (
	zImage  = "Tongyi-MAI/Z-Image-Turbo"
	klein   = "black-forest-labs/FLUX.2-klein-4B"
	sdxl    = "stabilityai/stable-diffusion-xl-base-1.0"
	qwen    = "Qwen/Qwen-Image"
	qwenVL  = "Qwen/Qwen3-VL-8B-Instruct"
	blip    = "Salesforce/blip-image-captioning-large"
	kokoro  = "hexgrad/Kokoro-82M"
	whisper = "openai/whisper-large-v3-turbo"
)

// studio is an agent with the embedded catalogue, and a tool server with these models.
func studio(t *testing.T, m planner.Planner, more []toolbox.Server, live ...string) *agent.Agent {
	t.Helper()
	c := catalogue(t)
	box, err := toolbox.New(toolbox.Config{
		Catalogue: c,
		Servers:   append([]toolbox.Server{{Name: "toolserver", Kind: "hftask", Backend: models(live)}}, more...),
	})
	if err != nil {
		t.Fatal(err)
	}
	if m == nil {
		if m, err = rules.New(rules.Config{Catalogue: c}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := agent.New(agent.Config{Planner: m, Toolbox: box, Blobs: &memBlobs{data: map[string][]byte{"blob": picture()}}, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func catalogue(t *testing.T) *toolbox.Catalogue {
	t.Helper()
	c, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// programs is a server of programs.
func programs() toolbox.Server { return toolbox.Server{Kind: "program", Backend: models{""}} }

// candidates returns the candidates of the best solutions' steps.
func candidates(t *testing.T, p *plan.Plan) string {
	t.Helper()
	steps, _, err := p.Steps(p.Best())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range steps {
		all = append(all, strings.TrimSuffix(s.Action.Tool+" "+s.Action.Candidate, " "))
	}
	return strings.Join(all, ", ")
}

// The model that the request names is used, and its name is not part of the prompt.
func TestRequestNamesModel(t *testing.T) {
	t.Parallel()
	a := studio(t, nil, []toolbox.Server{programs()}, zImage, klein, sdxl, kokoro, whisper, qwenVL, "")
	for _, c := range []struct{ wish, want, told, absent string }{
		{"draw a castle", "text_to_image toolserver:text-to-image@" + zImage, "castle", ""},
		{"draw a castle with SDXL", "text_to_image toolserver:text-to-image@" + sdxl, "castle", ""},
		{"use flux to draw a castle", "text_to_image toolserver:text-to-image@" + klein, "castle", ""},
		{"draw a castle with Flux dev", "text_to_image toolserver:text-to-image@" + zImage, "castle", "Flux dev"},
		{"draw a castle with qwen-image", "text_to_image toolserver:text-to-image@" + zImage, "castle", "qwen-image"},
		{"draw a castle with Midjourney", "text_to_image toolserver:text-to-image@" + zImage, "castle", "Midjourney"},
		{"draw a castle with OpenAI", "text_to_image toolserver:text-to-image@" + zImage, "castle", "OpenAI"},
		{"draw a tree with bark", "text_to_image toolserver:text-to-image@" + zImage, "tree with bark", ""},
		{"read \"good morning\" aloud", "text_to_speech toolserver:text-to-speech@" + kokoro, "good morning", ""},
		{"read \"good morning\" aloud by espeak", "text_to_speech program:text_to_speech", "good morning", ""},
		{"read \"good morning\" aloud with bark", "text_to_speech toolserver:text-to-speech@" + kokoro, "good morning", "bark"},
		{
			"draw a castle with SDXL and then draw a dog with flux",
			"text_to_image toolserver:text-to-image@" + sdxl + ", text_to_image toolserver:text-to-image@" + klein, "castle, dog", "",
		},
		{
			"draw a castle with SDXL. Then draw a castle with flux.",
			"text_to_image toolserver:text-to-image@" + sdxl + ", text_to_image toolserver:text-to-image@" + klein, "castle, castle", "",
		},
		{
			"draw a castle with SDXL and draw a castle with flux",
			"text_to_image toolserver:text-to-image@" + sdxl + ", text_to_image toolserver:text-to-image@" + klein, "castle, castle", "",
		},
		{"draw a castle with SDXL and one with flux", "text_to_image toolserver:text-to-image@" + sdxl, "castle", ""},
		{"draw a castle with SDXL and qwen-image", "text_to_image toolserver:text-to-image@" + sdxl, "castle", "qwen-image"},
		{"draw a cat with a donut on the table", "text_to_image toolserver:text-to-image@" + zImage, "cat with a donut on the table", ""},
	} {
		t.Run(c.wish, func(t *testing.T) {
			t.Parallel()
			p, err := a.Plan(t.Context(), plan.Request{ID: "r1", Wish: c.wish})
			if err != nil {
				t.Fatal(err)
			}
			if p.Wish != c.wish {
				t.Errorf("the wish has become %q", p.Wish)
			}
			if got := candidates(t, p); got != c.want {
				t.Errorf("the plan is %s", got)
			}
			var told, absent []string
			for _, task := range p.Tasks {
				absent = append(absent, task.Absent...)
				for _, b := range task.Solutions[0].Actions[0].Args {
					if b.Source.Value != "" {
						told = append(told, b.Source.Value)
					}
				}
			}
			if got := strings.Join(told, ", "); got != c.told {
				t.Errorf("%q is made", got)
			}
			if got := strings.Join(absent, ", "); got != c.absent {
				t.Errorf("absent is %q", got)
			}
		})
	}
}

// listener is a planner that records the requests to decompose.
type listener struct {
	*fakePlanner

	heard plan.Request
}

func (l *listener) Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	l.heard = r
	return l.fakePlanner.Decompose(ctx, r, t)
}

// No planner sees the names of models. In an answer to a question, they may be in the request that led to it.
func TestPlannerDoesNotSeeModelNames(t *testing.T) {
	t.Parallel()
	draw := plan.Subtask{
		Description: "draw a castle", Returns: plan.Image, Domains: []string{"image-generation"},
		Args: []plan.Arg{{Type: plan.Text, Source: plan.FromValue("a castle"), Meaning: plan.Prompt}},
	}
	for name, r := range map[string]plan.Request{
		"in the wish":       {Wish: "draw a castle with SDXL"},
		"in Chinese":        {Wish: "用SDXL画一座城堡"},
		"before a question": {Wish: "a castle", Question: &plan.Question{Text: "What shall I draw?", Wish: "draw something with SDXL"}},
		"in an answer":      {Wish: "a castle, use SDXL", Question: &plan.Question{Text: "What shall I draw?", Wish: "draw something"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &listener{fakePlanner: &fakePlanner{decomposition: subtasks(draw), scores: map[string]float64{"text_to_image": 5}}}
			p, err := studio(t, m, nil, zImage, sdxl).Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			said := m.heard.Wish
			if m.heard.Question != nil {
				said += m.heard.Question.Wish
			}
			if strings.Contains(said, "SDXL") || p.Wish != r.Wish {
				t.Errorf("the planner hears %q, the plan is for %q", said, p.Wish)
			}
			if got := candidates(t, p); got != "text_to_image toolserver:text-to-image@"+sdxl {
				t.Errorf("the plan is %s", got)
			}
		})
	}
}

// The planner chooses among the five best candidates that people can distinguish, if there are several.
func TestPlannerChoosesModel(t *testing.T) {
	t.Parallel()
	draw := plan.Subtask{
		Description: "draw a castle", Returns: plan.Image, Domains: []string{"image-generation"},
		Args: []plan.Arg{{Type: plan.Text, Source: plan.FromValue("a castle"), Meaning: plan.Prompt}},
	}
	cloud := toolbox.Server{Name: "huggingface", Kind: "hftask", Cloud: true, Backend: models{sdxl, qwen, "black-forest-labs/FLUX.1-schnell", "black-forest-labs/FLUX.1-dev", ""}}
	for name, c := range map[string]struct {
		live, offered []string
		more          []toolbox.Server
		wish          string
	}{
		"one":                 {live: []string{zImage}},
		"one and the unnamed": {live: []string{zImage, ""}},
		"the unnamed":         {live: []string{""}},
		"two and the unnamed": {live: []string{klein, zImage, ""}, offered: []string{"Z-Image-Turbo", "FLUX.2 klein"}},
		"one that is named":   {live: []string{klein, zImage, ""}, wish: "draw a castle with flux"},
		"one that is named and not here": {
			live: []string{klein, zImage}, wish: "draw a castle with SDXL", offered: []string{"Z-Image-Turbo", "FLUX.2 klein"},
		},
		"more than five, each once, those in the house first": {
			live: []string{klein, zImage, sdxl}, more: []toolbox.Server{cloud},
			offered: []string{"Z-Image-Turbo", "FLUX.2 klein", "SDXL", "Qwen-Image", "FLUX.1 schnell"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var offered []string
			m := &fakePlanner{decomposition: subtasks(draw), scores: map[string]float64{"text_to_image": 5}}
			m.settle = func(contests []planner.Contest) []planner.Settlement {
				out := []planner.Settlement{{Solutions: slices.Clone(contests[0].Solutions)}}
				for tool, all := range contests[0].Models {
					for _, model := range all {
						if tool != "text_to_image" {
							continue
						}
						offered = append(offered, model.Called)
						if !strings.Contains(model.About, "Licence") || !strings.Contains(model.About, "Runs in the") {
							t.Errorf("%s is said to be: %s", model.Called, model.About)
						}
					}
					for i, s := range out[0].Solutions {
						s.Score, s.Actions = 4, slices.Clone(s.Actions)
						for j, action := range s.Actions {
							if action.Tool == tool {
								s.Actions[j].Candidate = all[len(all)-1].Candidate
							}
						}
						out[0].Solutions[i] = s
					}
				}
				return out
			}
			a := studio(t, m, c.more, c.live...)
			p, err := a.Plan(t.Context(), plan.Request{ID: "r1", Wish: cmp.Or(c.wish, "draw a castle")})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(offered, c.offered) {
				t.Errorf("offered were %q", offered)
			}
			if len(c.offered) > 0 {
				chosen := p.Tasks[0].Solutions[0].Actions[0]
				if chosen.With != c.offered[len(c.offered)-1] || !strings.HasPrefix(chosen.Candidate, "toolserver:") && len(c.more) == 0 {
					t.Errorf("the plan is run by %s, which is %s", chosen.With, chosen.Candidate)
				}
			}
		})
	}
}

// Only offered candidates are run.
func TestPlannerCannotInventCandidate(t *testing.T) {
	t.Parallel()
	m := &fakePlanner{decomposition: subtasks(wants(plan.Image, photo)), scores: map[string]float64{"blur": 5, "soften": 4}}
	m.settle = func(contests []planner.Contest) []planner.Settlement {
		out := []planner.Settlement{{Solutions: slices.Clone(contests[0].Solutions)}}
		out[0].Solutions[0].Actions = slices.Clone(out[0].Solutions[0].Actions)
		out[0].Solutions[0].Actions[0].Candidate = "moon:shine"
		return out
	}
	w := newWorld(t, m, maker{"blur": draws, "soften": draws}, agent.Config{}, tool("blur", plan.Image, img), tool("soften", plan.Image, img))
	if _, err := w.Plan(t.Context(), request(photo)); err == nil || !strings.Contains(err.Error(), "was not offered") {
		t.Errorf("got %v", err)
	}
}

// After the different solutions come variants with other candidates.
func TestOthersThatDoTheSame(t *testing.T) {
	t.Parallel()
	cloud := toolbox.Server{Name: "openai", Kind: "openai", Cloud: true, Backend: models{""}}
	a := studio(t, nil, []toolbox.Server{cloud, programs()}, zImage, klein, sdxl, qwen, kokoro)
	for _, c := range []struct {
		wish   string
		others []string
	}{
		{"draw a castle", []string{"FLUX.2 klein", "Qwen-Image", "SDXL"}},
		{"draw a castle with SDXL", []string{"Z-Image-Turbo", "FLUX.2 klein", "Qwen-Image"}},
		{"draw a castle with SDXL and with Qwen-Image", []string{"Qwen-Image", "Z-Image-Turbo", "FLUX.2 klein"}},
		{`read "good morning" aloud`, []string{"espeak-ng", "the OpenAI-compatible server"}},
	} {
		t.Run(c.wish, func(t *testing.T) {
			t.Parallel()
			p, err := a.Plan(t.Context(), plan.Request{ID: "r1", Wish: c.wish})
			if err != nil {
				t.Fatal(err)
			}
			all := p.Tasks[0].Solutions
			var others []string
			for i, s := range all[1:] {
				if s.Varies(all[0]) {
					others = append(others, strings.Join(s.With(all[0]), ", "))
					if s.Score >= all[0].Score {
						t.Errorf("%v scores %g, the best %g", others[len(others)-1], s.Score, all[0].Score)
					}
				} else if len(others) > 0 {
					t.Errorf("solution %d is another one and stands behind those that do the same", i+2)
				}
			}
			if !slices.Equal(others, c.others) {
				t.Errorf("others are %q", others)
			}
			if len(all[0].With(all[len(all)-1])) == 0 {
				t.Error("nothing names the best one beside the last")
			}
		})
	}
}

// One caption serves two subtasks, whatever is chosen for each.
func TestSameWorkUsesSameModel(t *testing.T) {
	t.Parallel()
	m := &fakePlanner{scores: map[string]float64{"image_captioning": 5}, decomposition: subtasks(wants(plan.Text, photo), wants(plan.Text, photo))}
	m.settle = func(contests []planner.Contest) []planner.Settlement {
		var out []planner.Settlement
		for i, c := range contests {
			solutions := slices.Clone(c.Solutions)
			for j, s := range solutions {
				s.Actions, s.Score = slices.Clone(s.Actions), 1
				for k, action := range s.Actions {
					if all := c.Models[action.Tool]; len(all) > i {
						s.Actions[k].Candidate = all[i].Candidate
					}
				}
				if slices.Equal(s.Tools(), []string{"image_captioning"}) {
					s.Score = 5
				}
				solutions[j] = s
			}
			out = append(out, planner.Settlement{Solutions: solutions})
		}
		return out
	}
	p, err := studio(t, m, nil, qwenVL, blip).Plan(t.Context(), request(photo))
	if err != nil {
		t.Fatal(err)
	}
	if got := candidates(t, p); got != "image_captioning toolserver:image-to-text@"+qwenVL {
		t.Errorf("the plan is %s", got)
	}
}

// asks is a server with one model per run, which is not part of candidates' names.
type asks map[string]string

var _ toolbox.ModelNamer = asks(nil)

func (asks) Probe(context.Context, toolbox.Candidate) error { return nil }

func (a asks) ModelOf(_ context.Context, c toolbox.Candidate) string { return a[c.Run] }

func (a asks) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	out, err := models(nil).Run(ctx, c, call)
	out.Model = a[c.Run]
	return out, err
}

// The model of a server with one model per run is named like others.
func TestRequestNamesServersModel(t *testing.T) {
	t.Parallel()
	server := toolbox.Server{Name: "openai", Kind: "openai", Backend: asks{
		"images-generations": "gpt-image-1", "audio-speech": "speaches-ai/Kokoro-82M-v1.0-ONNX", "audio-transcriptions": "whisper-1",
	}}
	old := toolbox.Server{Name: "old", Kind: "openai", Backend: asks{"images-generations": "dall-e-3"}}
	a := studio(t, nil, []toolbox.Server{server, old})
	able, err := a.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if told := able["text_to_image"][0]; told.Name != "openai:images-generations" || told.Model != "gpt-image-1" {
		t.Errorf("others are told of %+v", told)
	}
	for _, c := range []struct{ wish, want, asked, absent string }{
		{"draw a castle", "openai:images-generations gpt-image-1", "", ""},
		{"draw a castle with GPT Image", "openai:images-generations gpt-image-1", "GPT Image", ""},
		{"draw a castle with gpt-image-1", "openai:images-generations gpt-image-1", "gpt-image-1", ""},
		{"draw a castle with DALL-E 3", "old:images-generations dall-e-3", "DALL-E 3", ""},
		{"draw a castle with OpenAI", "openai:images-generations gpt-image-1", "OpenAI", ""},
		{"draw a castle with SDXL", "openai:images-generations gpt-image-1", "", "SDXL"},
		{"read \"good morning\" aloud with Kokoro", "openai:audio-speech Kokoro-82M-v1.0-ONNX", "Kokoro", ""},
	} {
		t.Run(c.wish, func(t *testing.T) {
			t.Parallel()
			p, err := a.Plan(t.Context(), plan.Request{ID: "r1", Wish: c.wish})
			if err != nil {
				t.Fatal(err)
			}
			task := p.Tasks[0]
			action := task.Solutions[0].Actions[0]
			if got := cmp.Or(action.Candidate, "openai:images-generations") + " " + action.With; got != c.want {
				t.Errorf("the plan is run by %s", got)
			}
			if asked, absent := strings.Join(task.Asked, ", "), strings.Join(task.Absent, ", "); asked != c.asked || absent != c.absent {
				t.Errorf("asked is %q, absent %q", asked, absent)
			}
		})
	}
}

// The answer names the models that were used, and those that are unavailable.
func TestAnswerNamesModel(t *testing.T) {
	t.Parallel()
	a := studio(t, nil, []toolbox.Server{programs()}, zImage, klein, qwenVL)
	for wish, wants := range map[string][]string{
		"draw a castle":           {"made with Z-Image-Turbo"},
		"draw a castle with flux": {"made with FLUX.2 klein"},
		"draw a castle with SDXL": {"made with Z-Image-Turbo", "SDXL is not available here; I used Z-Image-Turbo instead."},
		"draw a castle, once with Z-Image-Turbo and once with flux": {
			"made with Z-Image-Turbo", "I used only Z-Image-Turbo; the same with flux is among the alternatives.",
		},
		"describe photo.png": {"a castle by the sea", "Models used: Qwen3-VL."},
	} {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			r := request(photo)
			r.Wish = wish
			p, err := a.Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			o, err := run(t.Context(), a, r, p, p.Best())
			if err != nil {
				t.Fatal(err)
			}
			answer, err := a.Respond(t.Context(), o.account)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range wants {
				if strings.Count(answer.Text, want) != 1 {
					t.Errorf("%q is not told once: %s", want, answer.Text)
				}
			}
		})
	}
}

// If the planner's answer does not mention unavailable models, a sentence is appended.
func TestAbsentModelIsReported(t *testing.T) {
	t.Parallel()
	p := planOf(either(way(5, act("edge", plan.Edge, onPhoto))))
	p.Tasks[0].Absent = []string{"SDXL"}
	for text, want := range map[string]string{
		"Here it is.":                       "Here it is.\nSDXL is not available here; I used dream instead.",
		"Statt sdxl habe ich dream benutzt": "Statt sdxl habe ich dream benutzt",
		"":                                  "A cat.\nModels used: dream.\nSDXL is not available here; I used dream instead.",
	} {
		w := newWorld(t, &fakePlanner{text: text}, maker{"edge": draws}, agent.Config{}, tool("edge", plan.Edge, img))
		steps, _, err := p.Steps(p.Best())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := w.Respond(t.Context(), planner.Account{Request: request(photo), Plan: p, Steps: steps, Results: []plan.Result{
			{Status: plan.Done, Output: &plan.Resource{Name: "t", Type: plan.Text, Value: "A cat."}, Model: "maker/dream"},
		}})
		if err != nil || answer.Text != want {
			t.Errorf("got %q, %v", answer.Text, err)
		}
	}
}
