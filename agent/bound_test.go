package agent_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
)

// TestUnusedQuantitiesAreReported: a quantity that the planner ignores is reported.
func TestUnusedQuantitiesAreReported(t *testing.T) {
	t.Parallel()
	clip := plan.Resource{Name: "clip-1a2b.mp4", File: "clip 2x 30 fps.mp4", Type: plan.Image, Blob: "blob"}
	for _, c := range []struct {
		name, wish string
		told       []string
		want       []string
		asks       string
	}{
		{"all is told", "the first 5 seconds, at 2x", []string{"first 5 seconds", "2x"}, nil, ""},
		{"a limit is passed over", "rotate it, under 8 MB, at 30 fps", []string{"left"}, nil, "“8 MB, 30 fps”"},
		{"a half in words", "cut off the first two and a half secs", []string{"without the first 2.5 secs"}, nil, ""},
		{"a quantity is passed over", "make it mono at 32 kbps", []string{"mono"}, []string{"32 kbps"}, ""},
		{"in other words", "from 1:30 to 2 minutes, half as large", []string{"90 s to 120 s", "50%"}, nil, ""},
		{"a percentage as a factor", "50 % of the size", []string{"0.5"}, nil, ""},
		{"in other units", "under 2000 kB, twice as fast", []string{"2000kB", "200%"}, nil, ""},
		{"spelled out", "in two sentences", []string{"2 sentences"}, nil, ""},
		{"too long", "in two sentences", []string{"shorter"}, []string{"two sentences"}, ""},
		{"in the name of the file", "rotate clip 2x 30 fps.mp4", []string{"left"}, nil, ""},
		{"what only says which one", "mute the 10 second clip", []string{"all"}, nil, ""},
		{"a quotation that is told", "write “Happy Birthday” on it", []string{"Happy Birthday"}, nil, ""},
		{"a quotation is passed over", "schreib „Alles Gute“ darauf", []string{"Hello"}, []string{"Alles Gute"}, ""},
		{"a colour is passed over", "give it a red frame", []string{"frame"}, []string{"red"}, ""},
		{"a format is passed over", "turn it round as WebP", []string{"left"}, []string{"WebP"}, ""},
		{"the format that the file has", "rotate this mp4", []string{"left"}, nil, ""},
		{"numbers without a unit", "write 42 on page 7", []string{"x"}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &fakePlanner{decomposition: subtasks(with(wants(plan.Image, clip), strings.Join(c.told, ", ")))}
			w := newWorld(t, m, maker{"alter": draws}, agent.Config{}, tool("alter", plan.Image, []plan.Type{plan.Image, plan.Text}))
			p, err := w.Plan(t.Context(), plan.Request{ID: "r", Wish: c.wish, Given: []plan.Resource{clip}})
			if err != nil {
				t.Fatal(err)
			}
			if c.asks != "" {
				if !strings.Contains(p.Question, c.asks) || len(p.Tasks) > 0 {
					t.Errorf("asked is %q", p.Question)
				}
				return
			}
			var got []string
			for _, l := range p.Left {
				got = append(got, l.Part)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("left is %q, want %q", got, c.want)
			}
		})
	}
}
