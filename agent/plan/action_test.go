package plan_test

import (
	"slices"
	"testing"

	"atelier/agent/plan"
)

func TestSourcesAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]plan.Source{
		"?":                       {},
		"photo-3f2a.jpg":          plan.FromResource("photo-3f2a.jpg"),
		`"half \"as\" large"`:     plan.FromValue(`half "as" large`),
		"<action 1>":              plan.FromAction(0),
		"<result 3>":              plan.FromSubtask(2),
		`"is it <result 1> or a"`: plan.FromText("is it {0} or {1}", plan.FromSubtask(0), plan.FromResource("a")),
	} {
		if got := s.String(); got != want {
			t.Errorf("%#v reads %s, want %s", s, got, want)
		}
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	a, b := plan.FromResource("a"), plan.FromSubtask(0)
	for _, c := range []struct {
		source plan.Source
		want   []plan.Source
	}{
		{a, []plan.Source{a}},
		{plan.FromValue("x"), []plan.Source{plan.FromValue("x")}},
		{plan.FromText("{0}{1}", a, b), []plan.Source{a, b}},
		{plan.FromText("nothing quoted"), nil},
	} {
		if got := c.source.Leaves(); !slices.EqualFunc(got, c.want, func(x, y plan.Source) bool { return x.String() == y.String() }) {
			t.Errorf("the leaves of %s are %v, want %v", c.source, got, c.want)
		}
	}
}

func TestSourcesAreEqual(t *testing.T) {
	t.Parallel()
	text := plan.FromText("{0} or {1}?", plan.FromResource("a.png"), plan.FromSubtask(1))
	if !text.Equal(plan.FromText("{0} or {1}?", plan.FromResource("a.png"), plan.FromSubtask(1))) || !(plan.Source{}).Equal(plan.Source{}) {
		t.Error("what is the same is not equal")
	}
	for _, other := range []plan.Source{
		{},
		plan.FromValue("{0} or {1}?"),
		plan.FromText("{1} or {0}?", text.Parts...),
		plan.FromText("{0} or {1}?", plan.FromResource("a.png")),
		plan.FromText("{0} or {1}?", plan.FromResource("b.png"), plan.FromSubtask(1)),
		plan.FromText("{0} or {1}?", plan.FromResource("a.png"), plan.FromSubtask(2)),
		plan.FromText("{0} or {1}?", plan.FromResource("a.png"), plan.FromAction(1)),
	} {
		if text.Equal(other) || other.Equal(text) {
			t.Errorf("%v equals %v", text, other)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	values := map[string]string{"a": "one", "b": "two", "tricky": "{1} and {0}", "empty": ""}
	value := func(s plan.Source) string { return values[s.Name] }
	part := func(names ...string) []plan.Source {
		var parts []plan.Source
		for _, n := range names {
			parts = append(parts, plan.FromResource(n))
		}
		return parts
	}
	for _, c := range []struct {
		template string
		parts    []plan.Source
		want     string
	}{
		{"{0} or {1}?", part("a", "b"), "one or two?"},
		{"{1}{0}{1}", part("a", "b"), "twoonetwo"},
		{"none", part("a"), "none"},
		{"{2} stays, {0} not", part("a"), "{2} stays, one not"},
		{"", part("a"), ""},
		{"<{0}>", part("empty"), "<>"},
		// what a part says is text, whatever it looks like
		{"{0} or {1}?", part("tricky", "b"), "{1} and {0} or two?"},
		{"{10}{1}{0}", part("a", "b", "a", "a", "a", "a", "a", "a", "a", "a", "b"), "twotwoone"},
	} {
		if got := plan.FromText(c.template, c.parts...).Expand(value); got != c.want {
			t.Errorf("%q with %v gives %q, want %q", c.template, c.parts, got, c.want)
		}
	}
}

func TestBlanks(t *testing.T) {
	t.Parallel()
	s := plan.Solution{Actions: []plan.Action{
		{Tool: "a", Args: []plan.Binding{{Arg: "x"}, {Arg: "y", Optional: true}, {Arg: "z", Source: plan.FromValue("")}}},
		{Tool: "b"},
		{Tool: "c", Args: []plan.Binding{{Arg: "x", Source: plan.FromAction(0)}, {Arg: "y"}}},
	}}
	if got, want := s.Blanks(), [][2]int{{0, 0}, {2, 1}}; !slices.Equal(got, want) {
		t.Errorf("the blanks are %v, want %v", got, want)
	}
	if got, want := s.Tools(), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("the tools are %v, want %v", got, want)
	}
}

func TestResourcesOfARequestStandLatestLast(t *testing.T) {
	t.Parallel()
	r := plan.Request{Earlier: make([]plan.Resource, 1, 8), Given: []plan.Resource{{Name: "new"}}}
	r.Earlier[0].Name = "old"
	all := r.Resources()
	if len(all) != 2 || all[0].Name != "old" || all[1].Name != "new" {
		t.Errorf("the resources are %v", all)
	}
	all[0].Name = "changed"
	if r.Earlier[0].Name != "old" || r.Earlier[:2][1].Name != "" {
		t.Error("the list shares its memory with the request")
	}
}
