package brief

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/toolbox"
)

// KindOfArg is what an argument takes: a type, a text of some meaning, or a setting.
func KindOfArg(a toolbox.Arg, mark string) string {
	switch {
	case a.Param != nil:
		return "setting" + mark + string(a.Param.Type)
	case a.Meaning != "":
		return string(a.Type) + mark + string(a.Meaning)
	default:
		return string(a.Type)
	}
}

// A ToolLine describes a tool in a line.
type ToolLine func(toolbox.Tool) string

// WholeTool says all that is known of a tool.
func WholeTool(t toolbox.Tool) string {
	return fmt.Sprintf("%s. %s %s", signature(t, func(a toolbox.Arg) string { return " = " + a.About }), t.Description, t.When)
}

// ShortTool leaves out what its arguments are.
func ShortTool(t toolbox.Tool) string { return PlainTool(t) + " " + t.When }

// PlainTool says what tells it from others.
func PlainTool(t toolbox.Tool) string {
	return signature(t, func(toolbox.Arg) string { return "" }) + ". " + t.Description
}

// signature is a tool with the types of what it takes and makes.
func signature(t toolbox.Tool, about func(toolbox.Arg) string) string {
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		kind := KindOfArg(a, "/")
		switch {
		case a.Optional:
			kind += ", optional"
		case a.Many:
			kind += ", two or more"
		}
		args[i] = a.Name + ": " + kind + about(a)
	}
	return fmt.Sprintf("%s(%s) -> %s", t.Name, strings.Join(args, "; "), t.Returns)
}

// Named are the tools of a catalogue with these names, in its order, each once.
func Named(catalogue *toolbox.Catalogue, names map[string]bool) []toolbox.Tool {
	return slices.DeleteFunc(slices.Clone(catalogue.Tools()), func(t toolbox.Tool) bool { return !names[t.Name] })
}
