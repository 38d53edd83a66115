package agent_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
)

// Stated settings are bound to the parameters of each solution by type. A solution that leaves some out ranks lower and reports
// them.
func TestSaid(t *testing.T) {
	t.Parallel()
	img := []plan.Type{plan.Image}
	with := func(name string, params ...param.Param) toolbox.Tool {
		made := tool(name, plan.Image, img)
		for _, p := range params {
			made = setting(made, p)
		}
		return made
	}
	scale := with("scale", param.Param{Name: "size", Type: param.Size, About: "the size"})
	turn := with("turn", param.Param{Name: "angle", Type: param.Angle, About: "how far", Optional: true, Default: "90 degrees"})
	soften := with("soften", param.Param{Name: "strength", Type: param.Strength, About: "how much", Optional: true})
	adjust := with("adjust", param.Param{Name: "adjustment", Type: param.Adjustment, About: "what to change"})
	veil := with("veil", param.Param{Name: "opacity", Type: param.Opacity, About: "how opaque", Optional: true})
	parts := with("parts", param.Param{Name: "parts", Type: param.TimeRanges, About: "which parts", Optional: true})
	grid := with("grid", param.Param{Name: "gap", Type: param.Integer, Unit: "px", About: "the gap", Optional: true},
		param.Param{Name: "columns", Type: param.Choice, About: "how many", Optional: true, Choices: map[string][]string{"one": {"1 column"}, "two": {"2 columns"}}})
	chart := with("chart", param.Param{Name: "columns", Type: param.Text, About: "what is shown"})
	chart.Args = append(chart.Args, toolbox.Arg{Name: "title", Type: plan.Text, Meaning: plan.Content, About: "the title", Optional: true})
	pitch := with("pitch", param.Param{Name: "way", Type: param.Choice, About: "which way", Optional: true, Choices: map[string][]string{"up": {"higher"}, "down": {"lower"}}},
		param.Param{Name: "by", Type: param.Number, About: "how far", Optional: true})
	plain, gif := with("plain"), with("make_gif")
	rate := with("rate", param.Param{Name: "rate", Type: param.Number, About: "how many", Optional: true})
	blend := with("blend", param.Param{Name: "length", Type: param.Duration, About: "how long", Optional: true})
	show := with("show", param.Param{Name: "length", Type: param.Duration, About: "how long"})
	for _, c := range []struct {
		name     string
		said     []plan.Said
		tools    []toolbox.Tool
		scores   map[string]float64
		want     string   // the best tool
		settings []string // of it
		left     []string // by it
	}{
		{"by type", []plan.Said{{Words: "halb so groß", Type: "size", Value: "half"}}, []toolbox.Tool{scale}, nil, "scale", []string{"50%"}, nil},
		{"by what it means", []plan.Said{{Words: "half", Type: "factor"}}, []toolbox.Tool{scale}, nil, "scale", []string{"50%"}, nil},
		{"an unknown type", []plan.Said{{Words: "half", Type: "girth"}}, []toolbox.Tool{turn}, nil, "turn", []string{"90"}, []string{"half"}},
		{"a time is no count", []plan.Said{{Words: "seconds 2 to 5", Type: "time_range", Value: "2-5 s"}}, []toolbox.Tool{rate}, nil, "rate", nil, []string{"seconds 2 to 5"}},
		{"a count is no time", []plan.Said{{Words: "three times", Type: "integer", Value: "3"}}, []toolbox.Tool{blend}, nil, "blend", nil, []string{"three times"}},
		{"a bare number for a length that is needed", []plan.Said{{Words: "for 3", Type: "integer", Value: "3"}}, []toolbox.Tool{show}, nil, "show", []string{"0:03"}, nil},
		{"the format that the tool is named after", []plan.Said{{Words: "as a GIF", Type: "format", Value: "GIF"}}, []toolbox.Tool{gif}, nil, "make_gif", nil, nil},
		{
			"nobody has such a setting", []plan.Said{{Words: "32 kbps", Type: "number", Value: "32"}},
			[]toolbox.Tool{plain, turn}, map[string]float64{"plain": 5, "turn": 1},
			"plain", nil, []string{"32 kbps"},
		},
		{
			"the one that has the setting is better", []plan.Said{{Words: "a little", Type: "strength"}},
			[]toolbox.Tool{plain, soften}, map[string]float64{"plain": 4.5, "soften": 4},
			"soften", []string{"light"}, nil,
		},
		{
			"one of several that the tool takes", []plan.Said{{Words: "second 4 to 7", Type: "time_range", Value: "0:04-0:07"}},
			[]toolbox.Tool{plain, parts}, map[string]float64{"plain": 4.5, "parts": 4},
			"parts", []string{"0:04..0:07"}, nil,
		},
		{
			"the better tool without it is better than a poor one", []plan.Said{{Words: "a little", Type: "strength"}},
			[]toolbox.Tool{plain, soften}, map[string]float64{"plain": 5, "soften": 2},
			"plain", nil, []string{"a little"},
		},
		{
			"a part of what another value says", []plan.Said{{Words: "50%", Type: "girth"}, {Words: "an opacity of 50%", Type: "opacity"}},
			[]toolbox.Tool{veil}, nil, "veil", []string{"50%"}, nil,
		},
		{
			"a count that is a choice", []plan.Said{{Words: "2 columns", Type: "integer"}, {Words: "10 px", Type: "integer"}},
			[]toolbox.Tool{grid}, nil, "grid", []string{"10", "two"}, nil,
		},
		{
			"a choice that was taken for something else", []plan.Said{{Words: "even higher", Type: "size"}},
			[]toolbox.Tool{pitch}, nil, "pitch", []string{"up"}, nil,
		},
		{
			"a choice in the words of a number", []plan.Said{{Words: "3 semitones lower", Type: "number"}},
			[]toolbox.Tool{pitch}, nil, "pitch", []string{"down", "3"}, nil,
		},
		{
			"a text by the name of an argument", []plan.Said{{Words: "a by b", Type: "text"}, {Words: `the title "Sales"`, Type: "text", Value: "Sales"}},
			[]toolbox.Tool{chart}, nil, "chart", []string{"Sales", "a by b"}, nil,
		},
		{
			"two that make one", []plan.Said{{Words: "brighter", Type: "adjustment"}, {Words: "more contrast", Type: "adjustment"}},
			[]toolbox.Tool{adjust}, nil, "adjust", []string{"brightness +20%, contrast +20%"}, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			task := wants(plan.Image, photo)
			task.Said = c.said
			m := &fakePlanner{decomposition: subtasks(task), scores: c.scores}
			p, err := newWorld(t, m, maker{}, agent.Config{AllTools: true}, c.tools...).Plan(t.Context(), request(photo))
			if err != nil {
				t.Fatal(err)
			}
			if p.Question != "" {
				t.Fatal(p.Question)
			}
			best := p.Tasks[0].Solutions[0]
			var settings []string
			for _, b := range best.Actions[0].Args {
				if v := cmp.Or(b.Setting, b.Source.Value); v != "" {
					settings = append(settings, v)
				}
			}
			if best.Tools()[0] != c.want || !slices.Equal(settings, c.settings) || !slices.Equal(best.Left, c.left) {
				t.Errorf("%s with %q, leaving %q; want %s with %q, leaving %q", best.Tools()[0], settings, best.Left, c.want, c.settings, c.left)
			}
		})
	}
}

// Steps that add nothing to the best ones are not ranked: that would take a call.
func TestPaddedSolutions(t *testing.T) {
	t.Parallel()
	scale := setting(tool("scale", plan.Image, img), param.Param{Name: "size", Type: param.Size, About: "the size"})
	task := wants(plan.Image, photo)
	task.Said = []plan.Said{{Words: "half", Type: "size"}}
	for _, c := range []struct {
		blur        float64
		want, calls string
	}{{3, "scale", "decompose assess"}, {5, "scale blur+scale", "decompose assess settle"}} {
		m := &fakePlanner{decomposition: subtasks(task), scores: map[string]float64{"scale": 5, "blur": c.blur}}
		p, err := newWorld(t, m, maker{}, agent.Config{AllTools: true}, scale, tool("blur", plan.Image, img)).Plan(t.Context(), request(photo))
		if err != nil {
			t.Fatal(err)
		}
		if got, calls := solutions(p.Tasks[0]), strings.Join(m.calls, " "); got != c.want || calls != c.calls {
			t.Errorf("a score of %v: %q by %q, want %q by %q", c.blur, got, calls, c.want, c.calls)
		}
	}
}

// A clip that is looped is joined to itself.
func TestRepeatedInput(t *testing.T) {
	t.Parallel()
	join := tool("join", plan.Image, []plan.Type{plan.Image})
	join.Args[0].Many = true
	task := wants(plan.Image, photo, photo, photo)
	once := plan.FromResource(photo.Name)
	for _, c := range []struct {
		tool toolbox.Tool
		want []plan.Source
	}{
		{join, []plan.Source{once, once, once}},
		{tool("blur", plan.Image, []plan.Type{plan.Image}), []plan.Source{once}}, // it takes one file, which was given by mistake
	} {
		w := newWorld(t, &fakePlanner{decomposition: subtasks(task)}, maker{c.tool.Name: draws}, agent.Config{}, c.tool)
		p, err := w.Plan(t.Context(), request(photo))
		if err != nil {
			t.Fatal(err)
		}
		var taken []plan.Source
		for _, b := range p.Tasks[0].Solutions[0].Actions[0].Args {
			taken = append(taken, b.Source)
		}
		if !slices.EqualFunc(taken, c.want, plan.Source.Equal) {
			t.Errorf("%s takes %v", c.tool.Name, taken)
		}
	}
}

// A value that no tool of a solution takes gets its own step if a good tool takes it: on the input or on the result, with a
// limit in bytes last.
func TestStepForEachValue(t *testing.T) {
	t.Parallel()
	edits := func(name string, typ plan.Type, p param.Param) toolbox.Tool {
		return setting(tool(name, typ, []plan.Type{typ}), p)
	}
	size := param.Param{Name: "size", Type: param.Size, About: "the size"}
	rate := param.Param{Name: "rate", Type: param.Number, About: "the rate", Unit: "fps"}
	limit := param.Param{Name: "limit", Type: param.FileSize, About: "the limit"}
	format := param.Param{Name: "format", Type: param.Format, About: "the format", Choices: map[string][]string{"png": {}, "gif": {}}}
	tools := []toolbox.Tool{
		tool("animate", plan.Image, []plan.Type{plan.Video}),
		edits("scale", plan.Video, size), edits("pace", plan.Video, rate), edits("squeeze", plan.Image, limit), edits("save", plan.Image, format),
	}
	film := plan.Resource{Name: "film-1234.mp4", Type: plan.Video, Blob: "blob", File: "film.mp4"}
	all := map[string]float64{"animate": 5, "scale": 5, "pace": 5, "squeeze": 5, "save": 5}
	wide := plan.Said{Words: "480 px wide", Type: "size"}
	small := plan.Said{Words: "under 8 MB", Type: "file_size"}
	for _, c := range []struct {
		name   string
		said   []plan.Said
		scores map[string]float64
		want   []string
		left   []string
	}{
		{"nothing is said", nil, all, []string{"animate"}, nil},
		{"on what is given", []plan.Said{wide}, all, []string{"scale", "animate"}, nil},
		{"two of them", []plan.Said{wide, {Words: "10 fps", Type: "number"}}, all, []string{"pace", "scale", "animate"}, nil},
		{"the limit last", []plan.Said{small, {Words: "as a PNG", Type: "format", Value: "png"}, wide}, all, []string{"scale", "animate", "save", "squeeze"}, nil},
		{"no good tool", []plan.Said{wide, small}, map[string]float64{"animate": 5, "scale": 2, "squeeze": 5}, []string{"animate", "squeeze"}, []string{"480 px wide"}},
		{"nobody takes it", []plan.Said{{Words: "upside down", Type: "angle"}}, all, []string{"animate"}, []string{"upside down"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			task := wants(plan.Image, film)
			task.Said = c.said
			m := &fakePlanner{decomposition: subtasks(task), scores: c.scores}
			p, err := newWorld(t, m, maker{}, agent.Config{AllTools: true}, tools...).Plan(t.Context(), request(film))
			if err != nil || p.Question != "" {
				t.Fatal(p, err)
			}
			best := p.Tasks[0].Solutions[0]
			if !slices.Equal(best.Tools(), c.want) || !slices.Equal(best.Left, c.left) {
				t.Errorf("%q, leaving %q; want %q, leaving %q", best.Tools(), best.Left, c.want, c.left)
			}
		})
	}
}

// Setting the loudness comes last, since a later step would change it.
func TestStepBeforeTheLoudness(t *testing.T) {
	t.Parallel()
	edits := func(name string, p param.Param) toolbox.Tool {
		return setting(tool(name, plan.Audio, []plan.Type{plan.Audio}), p)
	}
	level := edits("level", param.Param{Name: "target", Type: param.Number, About: "the loudness", Unit: "LUFS"})
	level.Effects = effect.Effects{{Name: "loudness", Rule: map[string]string{"near": "target", "of": "audio"}}}
	channels := edits("channels", param.Param{Name: "channels", Type: param.Choice, About: "mono or stereo", Choices: map[string][]string{"mono": {}, "stereo": {}}})
	talk := plan.Resource{Name: "talk-1234.wav", Type: plan.Audio, Blob: "blob", File: "talk.wav"}
	task := wants(plan.Audio, talk)
	task.Said = []plan.Said{{Words: "-16 LUFS", Type: "number"}, {Words: "mono", Type: "choice"}}
	m := &fakePlanner{decomposition: subtasks(task), scores: map[string]float64{"level": 5, "channels": 4}}
	p, err := newWorld(t, m, maker{}, agent.Config{AllTools: true}, level, channels).Plan(t.Context(), request(talk))
	if err != nil || p.Question != "" {
		t.Fatal(p, err)
	}
	best := p.Tasks[0].Solutions[0]
	if want := []string{"channels", "level"}; !slices.Equal(best.Tools(), want) || len(best.Left) > 0 {
		t.Errorf("%q, leaving %q; want %q", best.Tools(), best.Left, want)
	}
}
