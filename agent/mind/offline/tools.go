package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// What the rules ask about a tool, whatever the clause.

// takes tells whether the tool can be told a text of that meaning.
func takes(t toolbox.Tool, m plan.Meaning) bool {
	return slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Meaning == m })
}

// needs tells whether the tool must be told a text of that meaning.
func needs(t toolbox.Tool, m plan.Meaning) bool {
	return slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Meaning == m && !a.Optional })
}

// takesType tells whether the tool has an argument of just that type.
func takesType(t toolbox.Tool, typ plan.Type) bool {
	return slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Type == typ })
}

// picker tells whether the tool picks the thing that is named out of several of the
// kind that it returns.
func picker(t toolbox.Tool) bool { return takesType(t, t.Returns) && takes(t, plan.Object) }

// textOnly tells whether a tool needs nothing but text.
func textOnly(t toolbox.Tool) bool {
	return !slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && ofMedia(a.Type) })
}

// ofMedia tells whether a thing of that type is media or was found in them.
func ofMedia(t plan.Type) bool {
	return t.Media() || t == plan.BBox || t == plan.Points || t == plan.Category
}

// neededTypes are the types that the tool must be given, each once.
func neededTypes(t toolbox.Tool) []plan.Type {
	types := make([]plan.Type, 0, len(t.Args))
	for _, a := range t.Args {
		if !a.Optional && !slices.Contains(types, a.Type) {
			types = append(types, a.Type)
		}
	}
	return types
}

// texts counts the required text arguments of a tool.
func (m *Mind) texts(t toolbox.Tool) int {
	n := 0
	for _, a := range t.Args {
		if a.Type == plan.Text && !a.Optional {
			n++
		}
	}
	return n
}

// meanings are what the arguments of the tool mean, by their names.
func (m *Mind) meanings(tool string) map[string]plan.Meaning {
	meanings := map[string]plan.Meaning{}
	for _, a := range m.tool(tool).Args {
		meanings[a.Name] = a.Meaning
	}
	return meanings
}

// baseType is the type with every special kind of picture taken for a picture.
func baseType(t plan.Type) plan.Type {
	if t.ImageMap() {
		return plan.Image
	}
	return t
}
