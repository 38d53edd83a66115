package rules_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
)

func TestNewWithoutCatalogue(t *testing.T) {
	t.Parallel()
	if m, err := rules.New(rules.Config{}); m != nil || err == nil {
		t.Errorf("no catalogue: %v, %v", m, err)
	}
	m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(nil)})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Request{Wish: "blur cat.png and count the dogs", Given: []plan.Resource{{Name: "cat.png", Type: plan.Image}}}
	d, err := m.Decompose(t.Context(), r, nil)
	if err != nil || len(d.Subtasks) > 0 {
		t.Errorf("an empty catalogue: %v:%s", err, showTasks(d))
	}
	checkPlan(t, r, d)
}

// TestAddedTool checks that a new tool is understood by its examples alone.
func TestAddedTool(t *testing.T) {
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	folding := toolbox.Tool{
		Name: "fold_paper", Description: "Folds a picture into an origami crane.",
		Examples: []string{"fold {sheet.png} into an origami crane", "make an origami crane of {this picture}"}, Domain: "image-editing",
		Args: []toolbox.Arg{{Name: "image", Type: plan.Image}}, Returns: "crane",
	}
	m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(append(slices.Clone(c.Tools()), folding))})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Request{Wish: "Could you fold letter.jpg to an origami crane?", Given: []plan.Resource{{Name: "letter.jpg", Type: plan.Image}}}
	d, err := m.Decompose(t.Context(), r, nil)
	if err != nil || len(d.Subtasks) != 1 || d.Subtasks[0].Returns != "crane" {
		t.Errorf("%v:%s", err, showTasks(d))
	}
}

// TestDeterministic checks that the same request has the same result, also concurrently.
func TestDeterministic(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	m, tools, cases := thePlanner(t), allTools(t), readCases(t)
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	other, err := rules.New(rules.Config{Catalogue: c})
	if err != nil {
		t.Fatal(err)
	}
	twos := make([]planner.Decomposition, len(cases))
	for i, c := range cases {
		if twos[i], err = other.Decompose(t.Context(), c.request, nil); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for share := range slices.Chunk(rand.New(rand.NewPCG(1, 1)).Perm(len(cases)), (len(cases)+2)/3) {
		wg.Go(func() {
			for _, i := range share {
				r, two := cases[i].request, twos[i]
				one, err := m.Decompose(t.Context(), r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(one, two); diff != "" {
					t.Errorf("%q has two decompositions:\n%s", r.Wish, diff)
				}
				if len(one.Subtasks) == 0 {
					continue
				}
				ask := []planner.Assessment{{Subtask: one.Subtasks[0], Candidates: tools}}
				a, err := m.Assess(t.Context(), r, ask, nil)
				b, err2 := other.Assess(t.Context(), r, ask, nil)
				if diff := cmp.Diff(a, b); diff != "" || errors.Join(err, err2) != nil {
					t.Errorf("%q has two assessments (%v, %v):\n%s", r.Wish, err, err2, diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestContextCancellation(t *testing.T) {
	t.Parallel()
	m := thePlanner(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sub := plan.Subtask{Description: "blur it", Returns: plan.Image}
	for name, call := range map[string]func() error{
		"Decompose": func() error {
			_, err := m.Decompose(ctx, plan.Request{Wish: "blur it"}, nil)
			return err
		},
		"Assess": func() error {
			_, err := m.Assess(ctx, plan.Request{}, []planner.Assessment{{Subtask: sub}}, nil)
			return err
		},
		"Settle": func() error {
			_, err := m.Settle(ctx, plan.Request{}, []planner.Contest{{Subtask: sub}}, nil)
			return err
		},
		"Respond": func() error {
			_, err := m.Respond(ctx, planner.Account{Plan: &plan.Plan{}}, nil)
			return err
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s does not stop: %v", name, err)
		}
	}
}

// assess scores all tools of the catalogue for a subtask, by name.
func assess(t *testing.T, s plan.Subtask) map[string]float64 {
	t.Helper()
	tools := allTools(t)
	scores, err := thePlanner(t).Assess(t.Context(), plan.Request{Wish: s.Description}, []planner.Assessment{{Subtask: s, Candidates: tools}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]float64{}
	for i, tool := range tools {
		byName[tool] = scores[0][i]
	}
	return byName
}

func TestAssess(t *testing.T) {
	t.Parallel()
	onPhoto := plan.Arg{Type: plan.Image, Source: plan.FromResource("photo.png")}
	object := func(o string) plan.Arg {
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(o), Meaning: plan.Object}
	}
	for _, c := range []struct {
		sub    plan.Subtask
		head   string
		raised []string // tools that make what the head lacks
		low    []string
	}{
		{plan.Subtask{Description: "blur photo.png", Args: []plan.Arg{onPhoto}, Returns: plan.Image}, "blur_image", nil, []string{"text_to_music", "upscale_image"}},
		{
			plan.Subtask{Description: "crop photo.png to the bench", Args: []plan.Arg{onPhoto, object("bench")}, Returns: plan.Image},
			"image_cropping", []string{"visual_grounding"}, []string{"text_to_video", "translation"},
		},
		{
			plan.Subtask{Description: "how many boats are in photo.png?", Args: []plan.Arg{onPhoto, object("boats")}, Returns: plan.Text},
			"count_objects", []string{"object_detection", "select_bbox"}, []string{"text_to_speech"},
		},
		{
			plan.Subtask{Description: "draw frames around the boats in photo.png", Args: []plan.Arg{onPhoto, object("boats")}, Returns: plan.Image},
			"highlight_object_on_image", []string{"visual_grounding"}, []string{"text_to_image"},
		},
		{
			plan.Subtask{Description: "read what is said in clip.mp4", Args: []plan.Arg{{Type: plan.Video, Source: plan.FromResource("clip.mp4")}}, Returns: plan.Text},
			"", []string{"extract_audio"}, nil,
		},
	} {
		scores := assess(t, c.sub)
		for tool, s := range scores {
			if s < 1 || s > 5 {
				t.Errorf("%q: %s has the invalid score %g", c.sub.Description, tool, s)
			}
			if c.head != "" && s > scores[c.head] {
				t.Errorf("%q: %s (%.2f) is ranked above %s (%.2f)", c.sub.Description, tool, s, c.head, scores[c.head])
			}
		}
		if c.head != "" && scores[c.head] != 5 {
			t.Errorf("%q: the head %s has the score %.2f", c.sub.Description, c.head, scores[c.head])
		}
		for _, tool := range c.raised {
			if scores[tool] < 3 {
				t.Errorf("%q: %s, which makes a missing input, has the score %.2f", c.sub.Description, tool, scores[tool])
			}
		}
		for _, tool := range c.low {
			if scores[tool] >= 3 {
				t.Errorf("%q: %s has the score %.2f", c.sub.Description, tool, scores[tool])
			}
		}
	}
}

func TestAssessmentShape(t *testing.T) {
	t.Parallel()
	m := thePlanner(t)
	ask := []planner.Assessment{
		{Subtask: plan.Subtask{Description: "blur it", Returns: plan.Image}, Candidates: []string{"blur_image", "no_such_tool", "blur_image", "text_to_image"}},
		{Subtask: plan.Subtask{Description: "", Returns: plan.Text}, Candidates: []string{"translation"}},
		{Subtask: plan.Subtask{Description: "…?!", Returns: "unknown"}},
		{Subtask: plan.Subtask{Description: "\xff\x00", Returns: plan.Image}, Candidates: []string{"image_to_edge"}},
	}
	scores, err := m.Assess(t.Context(), plan.Request{}, ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != len(ask) {
		t.Fatalf("%d answers for %d questions", len(scores), len(ask))
	}
	for i, a := range ask {
		if len(scores[i]) != len(a.Candidates) {
			t.Fatalf("%d scores for %d candidates", len(scores[i]), len(a.Candidates))
		}
		for j, s := range scores[i] {
			if s < 1 || s > 5 {
				t.Errorf("question %d, %s: %g", i+1, a.Candidates[j], s)
			}
		}
	}
	if scores[0][0] != scores[0][2] {
		t.Error("the same candidate has different scores")
	}
	if none, err := m.Assess(t.Context(), plan.Request{}, nil, nil); len(none) != 0 || err != nil {
		t.Errorf("no questions: %v, %v", none, err)
	}
}

// blurring returns a solution of a single action with one blank.
func blurring(strength ...plan.Source) plan.Solution {
	return plan.Solution{Actions: []plan.Action{{
		Tool: "blur_image", Returns: plan.Image, Args: []plan.Binding{
			{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo.png")},
			{Arg: "strength", Type: plan.Text, Optional: true, Options: strength},
		},
	}}}
}

func TestSettleFillsBlanksFromOptions(t *testing.T) {
	t.Parallel()
	text := func(v string, m plan.Meaning) plan.Arg {
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(v), Meaning: m}
	}
	place, caption := text("top left", plan.Place), text("Hello", plan.Content)
	writing := func(options ...plan.Source) plan.Solution {
		return plan.Solution{Actions: []plan.Action{{
			Tool: "add_text_to_image", Returns: plan.Image, Args: []plan.Binding{
				{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo.png")},
				{Arg: "caption", Type: plan.Text, Options: options},
				{Arg: "place", Type: plan.Text, Optional: true, Options: options},
			},
		}}}
	}
	for _, c := range []struct {
		name     string
		args     []plan.Arg
		solution plan.Solution
		want     []plan.Source // of the last action's arguments
	}{
		{"by meaning", []plan.Arg{place, caption}, writing(place.Source, caption.Source), []plan.Source{plan.FromResource("photo.png"), caption.Source, place.Source}},
		{"by meaning, the other way round", []plan.Arg{caption, place}, writing(caption.Source, place.Source), []plan.Source{plan.FromResource("photo.png"), caption.Source, place.Source}},
		{"the only option", []plan.Arg{caption}, writing(caption.Source), []plan.Source{plan.FromResource("photo.png"), caption.Source, {}}},
		{"no option", nil, writing(), []plan.Source{plan.FromResource("photo.png"), {}, {}}},
		{"an optional one stays blank without a match", []plan.Arg{caption}, blurring(caption.Source), []plan.Source{plan.FromResource("photo.png"), {}}},
		{
			"an optional one is filled by meaning", []plan.Arg{text("strongly", plan.Amount)}, blurring(plan.FromValue("strongly")),
			[]plan.Source{plan.FromResource("photo.png"), plan.FromValue("strongly")},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := plan.Solution{Actions: slices.Clone(c.solution.Actions)}
			settled, err := thePlanner(t).Settle(t.Context(), plan.Request{}, []planner.Contest{{
				Subtask: plan.Subtask{Description: "do it", Args: c.args, Returns: plan.Image}, Solutions: []plan.Solution{c.solution},
			}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := settled[0].Solutions[0]
			var got []plan.Source
			for _, b := range s.Actions[len(s.Actions)-1].Args {
				got = append(got, b.Source)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("wrong arguments:\n%s", diff)
			}
			if s.Score < 1 || s.Score > 5 {
				t.Errorf("the score is %g", s.Score)
			}
			if diff := cmp.Diff(before, c.solution); diff != "" {
				t.Errorf("the given solution was modified:\n%s", diff)
			}
		})
	}
}

// TestTextOfSubtitles checks that subtitles are the text in the wish, else the speech, and never the text in a picture
// of the same video.
func TestTextOfSubtitles(t *testing.T) {
	t.Parallel()
	film := plan.FromResource("outro.mp4")
	from := func(tool, arg string, typ, returns plan.Type, src plan.Source) plan.Action {
		return plan.Action{Tool: tool, Returns: returns, Args: []plan.Binding{{Arg: arg, Type: typ, Source: src}}}
	}
	add := func(text plan.Source) plan.Action {
		return plan.Action{Tool: "add_subtitles", Returns: plan.Video, Args: []plan.Binding{
			{Arg: "video", Type: plan.Video, Source: film}, {Arg: "subtitles", Type: plan.Text, Source: text},
		}}
	}
	heard := plan.Solution{Actions: []plan.Action{
		from("extract_audio", "video", plan.Video, plan.Audio, film), from("speech_to_text", "audio", plan.Audio, plan.Text, plan.FromAction(0)), add(plan.FromAction(1)),
	}}
	read := plan.Solution{Actions: []plan.Action{
		from("extract_frames", "video", plan.Video, plan.Image, film),
		from("optical_character_recognition", "image", plan.Image, plan.Text, plan.FromAction(0)), add(plan.FromAction(1)),
	}}
	sub := plan.Subtask{Description: "add subtitles to outro.mp4", Args: []plan.Arg{{Type: plan.Video, Source: film}}, Returns: plan.Video}
	told := sub
	told.Args = append(slices.Clone(sub.Args), plan.Arg{Type: plan.Text, Source: plan.FromValue("Thanks!"), Meaning: plan.Content})
	settled, err := thePlanner(t).Settle(t.Context(), plan.Request{}, []planner.Contest{
		{Subtask: sub, Solutions: []plan.Solution{heard, read}},
		{Subtask: told, Solutions: []plan.Solution{heard, read, {Actions: []plan.Action{add(plan.FromValue("Thanks!"))}}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]bool{{true, false}, {false, false, true}} { // solutions with 3 or more are kept
		for k, s := range settled[i].Solutions {
			if (s.Score >= 3) != want[k] {
				t.Errorf("%d: %v has the score %.2f", i, s.Tools(), s.Score)
			}
		}
	}
}

func TestSettleRanks(t *testing.T) {
	t.Parallel()
	onPhoto := plan.Binding{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo.png")}
	use := func(tools ...string) plan.Solution {
		var s plan.Solution
		for i, tool := range tools {
			b := onPhoto
			if i > 0 {
				b.Source = plan.FromAction(i - 1)
			}
			s.Actions = append(s.Actions, plan.Action{Tool: tool, Returns: plan.Image, Args: []plan.Binding{b}})
		}
		return s
	}
	contest := planner.Contest{
		Subtask:   plan.Subtask{Description: "blur photo.png", Args: []plan.Arg{{Type: plan.Image, Source: onPhoto.Source}}, Returns: plan.Image},
		Solutions: []plan.Solution{use("upscale_image", "blur_image"), use("flip_image"), use("blur_image")},
		Models:    map[string][]planner.Model{"blur_image": {{Candidate: "fast"}, {Candidate: "fine"}}},
	}
	named := use("blur_image")
	named.Actions[0].Candidate = "fine"
	contest.Solutions = append(contest.Solutions, named)
	settled, err := thePlanner(t).Settle(t.Context(), plan.Request{}, []planner.Contest{contest, {}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(settled) != 2 || len(settled[0].Solutions) != 4 || len(settled[1].Solutions) != 0 {
		t.Fatalf("wrong number of settlements: %v", settled)
	}
	padded, wrong, right := settled[0].Solutions[0], settled[0].Solutions[1], settled[0].Solutions[2]
	for i, s := range settled[0].Solutions {
		if !slices.Equal(s.Tools(), contest.Solutions[i].Tools()) {
			t.Errorf("solution %d is %v, was %v", i+1, s.Tools(), contest.Solutions[i].Tools())
		}
		if s.Score < 1 || s.Score > 5 {
			t.Errorf("solution %d has the score %g", i+1, s.Score)
		}
	}
	if right.Score < 4 || wrong.Score >= right.Score-1 {
		t.Errorf("the right solution has the score %.2f, the wrong one %.2f", right.Score, wrong.Score)
	}
	if padded.Score >= 3 { // solutions with 3 or more are offered as alternatives
		t.Errorf("the solution with an unnecessary action has the score %.2f", padded.Score)
	}
	if got := right.Actions[0].Candidate; got != "fast" {
		t.Errorf("the first model is not chosen: %q", got)
	}
	if got := settled[0].Solutions[3].Actions[0].Candidate; got != "fine" {
		t.Errorf("a named model was replaced by %q", got)
	}
	if contest.Solutions[2].Actions[0].Candidate != "" {
		t.Error("the given solution was modified")
	}
}

// TestSettlePenalizesWrongMeanings checks that a text with another meaning than the argument's costs: a caption is
// not an angle.
func TestSettlePenalizesWrongMeanings(t *testing.T) {
	t.Parallel()
	turning := func(text plan.Source) plan.Solution {
		return plan.Solution{Actions: []plan.Action{{Tool: "resize_image", Returns: plan.Image, Args: []plan.Binding{
			{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo.png")}, {Arg: "size", Type: plan.Text, Source: text},
		}}}}
	}
	settle := func(meaning plan.Meaning, v string) float64 {
		settled, err := thePlanner(t).Settle(t.Context(), plan.Request{}, []planner.Contest{{
			Subtask: plan.Subtask{Description: "resize photo.png", Returns: plan.Image, Args: []plan.Arg{
				{Type: plan.Image, Source: plan.FromResource("photo.png")}, {Type: plan.Text, Source: plan.FromValue(v), Meaning: meaning},
			}},
			Solutions: []plan.Solution{turning(plan.FromValue(v))}, Scores: map[string]float64{"resize_image": 5},
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return settled[0].Solutions[0].Score
	}
	right, wrong := settle(plan.Amount, "half"), settle(plan.Content, "Happy birthday")
	if right < 4.5 || wrong > right-1 {
		t.Errorf("an amount has the score %.2f, a caption in its place %.2f", right, wrong)
	}
}

func BenchmarkDecompose(b *testing.B) {
	m := thePlanner(b)
	cases := readCases(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := m.Decompose(b.Context(), cases[i%len(cases)].request, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAssess(b *testing.B) {
	m, tools := thePlanner(b), allTools(b)
	sub := plan.Subtask{
		Description: "cut the bench out of photo.png", Returns: plan.Image,
		Args: []plan.Arg{{Type: plan.Image, Source: plan.FromResource("photo.png")}, {Type: plan.Text, Source: plan.FromValue("bench"), Meaning: plan.Object}},
	}
	for b.Loop() {
		if _, err := m.Assess(b.Context(), plan.Request{Wish: strings.Clone(sub.Description)}, []planner.Assessment{{Subtask: sub, Candidates: tools}}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGuessByNumber checks that a guess of a question can be chosen by its number, in digits or words.
func TestGuessByNumber(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]plan.Type{"1": plan.Image, "2.": plan.Edge, "the second one": plan.Edge, "option 2": plan.Edge, "the last": plan.Edge} {
		d, err := thePlanner(t).Decompose(t.Context(), plan.Request{
			Wish:  answer,
			Given: []plan.Resource{{Name: "a.png", Type: plan.Image}},
			Question: &plan.Question{
				Text: "Or did you mean one of these?", Guesses: []string{"blur it", "find the edges in it"}, Wish: "do the thing with a.png",
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Subtasks) != 1 || d.Subtasks[0].Returns != want {
			t.Errorf("%q:%s, want one subtask that returns %s", answer, showTasks(d), want)
		}
	}
}

// TestQuantitiesOfAddedTool checks that a new tool's own words of quantity are not values, and that the question about
// a value out of range names the bounds.
func TestQuantitiesOfAddedTool(t *testing.T) {
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := toolbox.ReadTool([]byte(`{name: mirror_symmetry, description: Makes a picture symmetrical., when: For symmetry.,
examples: ["mirror the {upper half} of {it} onto the other half", "reflect the {right half} of {the photo} over", "mirror {it} in stripes of {8} pixels"],
domain: image-editing, origins: [own], args: [{name: image, type: image, about: the picture}], params: [
{name: half, type: choice, about: the half that is kept, choices: {right: [right half], top: [upper, upper half]}, optional: true, default: right},
{name: stripe, type: integer, about: how wide a stripe is, min: 2, max: 64, optional: true}],
returns: image, made: "{image}, mirrored", backends: [{kind: native, run: mirror, device: cpu}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(append(slices.Clone(c.Tools()), mirror))})
	if err != nil {
		t.Fatal(err)
	}
	for wish, asks := range map[string]string{
		"mirror the upper half of it onto the other half": "", "mirror it in stripes of 500 pixels": `"500 pixels" is not possible here: it must be from 2 to 64.`,
	} {
		d, err := m.Decompose(t.Context(), plan.Request{Wish: wish, Given: []plan.Resource{{Name: "a.png", Type: plan.Image}}}, nil)
		planned := len(d.Subtasks) == 1 && d.Subtasks[0].Tool == "mirror_symmetry"
		if err != nil || planned != (asks == "") || !strings.Contains(d.Question, asks) {
			t.Errorf("%q: %v %q%s", wish, err, d.Question, showTasks(d))
		}
	}
}

// TestNumbersGoToTheSettingsThatTheyName checks that a number goes to the setting that the words beside it name, and to
// none if they count something else.
func TestNumbersGoToTheSettingsThatTheyName(t *testing.T) {
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	const stitch = `{name: cross_stitch, description: Makes a cross stitch pattern of a picture., when: For cross stitch patterns.,
examples: ["make a cross stitch pattern of this photo", "make a cross stitch pattern of {photo.jpg}", "cross stitch: {picture.png}"],
domain: general, origins: [own], args: [{name: image, type: image, about: the image that is worked on}], params: [PARAMS],
returns: image, made: a pattern, backends: [{kind: native, run: mirror, device: cpu}]}`
	stitches := "{name: stitches, type: number, about: how wide the pattern is, optional: true, default: 60}"
	colours := "{name: colours, type: number, about: how many thread colours it has, optional: true, default: 12}"
	rows := "{name: dashed_rows, type: integer, about: how many rows have dashes, optional: true}"
	adjust, ok := c.Tool("adjust_image") // takes "colours", too
	if !ok {
		t.Fatal("no adjust_image")
	}
	lines := "{name: lines, type: number, about: how many guides it has, optional: true}"
	for _, c := range []struct{ params, wish, want string }{
		{stitches + "," + colours, "with 6 colours", "6 colours"},
		{colours + "," + stitches, "with 6 colours", "6 colours"},
		{stitches + "," + colours, "with 6 colors", "6 colors"},
		{stitches + "," + colours, "with six colours", "six colours"},
		{stitches + "," + colours, "with 6 colours and 40 stitches", "40 stitches, 6 colours"},
		{stitches + "," + colours, "with 40 stitches and 40 colours", "40 stitches, 40 colours"},
		{stitches + "," + colours, ", 40 stitches wide", "40 stitches wide"},
		{stitches + "," + colours, "with stitches 40, colours 6", "stitches 40, colours 6"},
		{stitches + "," + colours + "," + rows, "with 3 dashed rows, 6 thread colours", "6 thread colours, 3 dashed rows"},
		{stitches + "," + lines, "with 3 lines", "3 lines"},
		{lines + "," + stitches, "with 3 lines and 40 stitches", "3 lines, 40 stitches"},
		{stitches, "with 40 stitches", "40"},
		{stitches, "with stitches 40", "40"},
		{colours, "with 1 colour", "1"},
		{stitches + "," + colours, "with 6 knots", "?"},
		{stitches + "," + colours, "with 6", "?"},
		{stitches, "with 6 colours", "?"},
		{stitches, "with 6 knots", "?"},
	} {
		tool, err := toolbox.ReadTool([]byte(strings.Replace(stitch, "PARAMS", c.params, 1)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue([]toolbox.Tool{adjust, tool})})
		if err != nil {
			t.Fatal(err)
		}
		wish := "make a cross stitch pattern of it " + c.wish
		d, err := m.Decompose(t.Context(), plan.Request{Wish: wish, Given: []plan.Resource{{Name: "a.png", Type: plan.Image}}}, nil)
		got := "?"
		if len(d.Subtasks) == 1 && d.Subtasks[0].Tool == tool.Name && len(d.Left) == 0 {
			var said []string
			for _, s := range d.Subtasks[0].Said {
				said = append(said, s.Words)
			}
			got = strings.Join(said, ", ")
		}
		if err != nil || got != c.want {
			t.Errorf("%q with %s gives %q, want %q: %v %q%s", wish, c.params, got, c.want, err, d.Question, showTasks(d))
		}
	}
}

// TestWholeNumbersInWords checks that a whole number can be written as a word, and with the noun that it counts.
func TestWholeNumbersInWords(t *testing.T) {
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	frequent, err := toolbox.ReadTool([]byte(`{name: frequent_words, description: Lists the most frequent words of a text., when: For the most frequent words.,
examples: ["list the {5} most frequent words of {notes.txt}", "which {10} words are most frequent in {this text}?", "the most frequent words"],
domain: natural-language-processing, origins: [own], args: [{name: text, type: text, meaning: content, about: the text}],
params: [{name: count, type: integer, about: how many words are listed, min: 1, max: 50, optional: true}],
returns: text, made: the most frequent words, backends: [{kind: native, run: words, device: cpu}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(append(slices.Clone(c.Tools()), frequent))})
	if err != nil {
		t.Fatal(err)
	}
	for wish, want := range map[string]string{
		"list the 7 most frequent words":           "7",
		"list the seven most frequent words":       "seven",
		"list the three most frequent words":       "three",
		"list the seventeen most frequent words":   "seventeen",
		"which five words are the most frequent":   "five words",
		"list the most frequent words":             "",
		"list the twenty five most frequent words": "?",
	} {
		r := plan.Request{Wish: wish, Given: []plan.Resource{{Name: "a.txt", Type: plan.Text, Value: "A cat and a cat."}}}
		d, err := m.Decompose(t.Context(), r, nil)
		got := "?"
		if len(d.Subtasks) == 1 && d.Subtasks[0].Tool == frequent.Name {
			var said []string
			for _, s := range d.Subtasks[0].Said {
				said = append(said, s.Words)
			}
			got = strings.Join(said, ", ")
		}
		if err != nil || got != want {
			t.Errorf("%q: %v %q%s", wish, err, d.Question, showTasks(d))
		}
	}
}

// TestOwnExampleWins checks that a request that begins with an example of an operator's own tool is for that tool.
func TestOwnExampleWins(t *testing.T) {
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := toolbox.ReadTool([]byte(`{name: kaleidoscope, description: Makes a kaleidoscope., when: For a kaleidoscope.,
examples: ["mirror the left half onto the right", "kaleidoscope of {it} with {3} sides", "make {it} a kaleidoscope"],
domain: image-editing, origins: [own], args: [{name: image, type: image, about: the picture}], params: [
{name: half, type: choice, about: the half that is kept, choices: {left: [left half], right: [right half]}, optional: true, default: left},
{name: sides, type: integer, about: how many sides it has, min: 2, max: 12}],
returns: image, made: "{image}, mirrored", backends: [{kind: native, run: mirror, device: cpu}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(append(slices.Clone(c.Tools()), mirror))})
	if err != nil {
		t.Fatal(err)
	}
	for wish, want := range map[string]string{
		"mirror the left half onto the right":                         "",
		"Please mirror the left half onto the right of this photo.":   "",
		"mirror the left half onto the right of it with 3 sides":      "kaleidoscope",
		"mirror the left half onto the right of it with three sides":  "kaleidoscope",
		"mirror it left to right":                                     "flip_image",
		"crop it to the left half":                                    "crop_region",
		"rotate it by 90 degrees and make it a kaleidoscope, 4 sides": "rotate_image kaleidoscope",
	} {
		d, err := m.Decompose(t.Context(), plan.Request{Wish: wish, Given: []plan.Resource{{Name: "a.png", Type: plan.Image}}}, nil)
		var tools []string
		for _, s := range d.Subtasks {
			tools = append(tools, s.Tool)
		}
		asks := `Please say how many sides it has. It can be 2 to 12.`
		if err != nil || strings.Join(tools, " ") != want || want == "" && !strings.HasPrefix(d.Question, asks) {
			t.Errorf("%q: %v %q%s", wish, err, d.Question, showTasks(d))
		}
	}
}

// TestExampleIsForItsTool checks that a request that equals an example of a tool is for that tool alone, even if it
// reads like several orders.
func TestExampleIsForItsTool(t *testing.T) {
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	const wish = "turn this list into seating cards, four to a page, folded in the middle, name on both sides"
	cards := toolbox.Tool{
		Name: "seating_cards", Description: "Makes seating cards of a list of guests.",
		Examples: []string{wish, "seating cards: {table.csv}"}, Domain: "general",
		Args: []toolbox.Arg{{Name: "text", Type: plan.Text, Meaning: plan.Content}}, Returns: plan.Document,
	}
	m, err := rules.New(rules.Config{Catalogue: toolbox.NewCatalogue(append(slices.Clone(c.Tools()), cards))})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Request{Wish: strings.ToUpper(wish[:1]) + wish[1:] + ".", Given: []plan.Resource{{Name: "guests.csv", Type: plan.Text}}}
	d, err := m.Decompose(t.Context(), r, nil)
	if err != nil || len(d.Subtasks) != 1 || d.Subtasks[0].Tool != cards.Name {
		t.Errorf("%v:%s", err, showTasks(d))
	}
}

// TestRespond checks that results are described by package wording, and that conversation is passed on unchanged.
func TestRespond(t *testing.T) {
	t.Parallel()
	edges := plan.Resource{Name: "photo-3f2a.edge-91bc.png", File: "photo-edges.png", Type: plan.Edge}
	made := planner.Account{
		Plan:    &plan.Plan{Tasks: []plan.Task{{}}},
		Steps:   []plan.Step{{Final: true, Action: plan.Action{Tool: "image_to_edge", Returns: plan.Edge, Args: []plan.Binding{{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo.jpg")}}}}},
		Results: []plan.Result{{Status: plan.Done, Output: &edges}},
	}
	for want, a := range map[string]planner.Account{
		"Here is the edge map of photo.jpg.": made,
		"Which one?":                         {Plan: &plan.Plan{Question: "Which one?"}},
		"Hello!":                             {Plan: &plan.Plan{Reply: "Hello!"}},
	} {
		got, err := thePlanner(t).Respond(t.Context(), a, nil)
		if err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
