package brief

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/toolbox"
)

// KindOfArg describes what an argument takes: a type, a text with a meaning, or a setting.
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

// ToolLine describes a tool in one line.
type ToolLine func(toolbox.Tool) string

// WholeTool describes a tool completely.
func WholeTool(t toolbox.Tool) string {
	return fmt.Sprintf("%s. %s %s", signature(t, func(a toolbox.Arg) string { return " = " + a.About }), t.Description, t.When)
}

// ShortTool omits the descriptions of arguments.
func ShortTool(t toolbox.Tool) string { return PlainTool(t) + " " + t.When }

// PlainTool omits when to use the tool, too.
func PlainTool(t toolbox.Tool) string {
	return signature(t, func(toolbox.Arg) string { return "" }) + ". " + t.Description
}

// signature describes a tool's arguments and result type.
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

// Named returns the tools with these names, in the order of the catalogue.
func Named(catalogue *toolbox.Catalogue, names map[string]bool) []toolbox.Tool {
	return slices.DeleteFunc(slices.Clone(catalogue.Tools()), func(t toolbox.Tool) bool { return !names[t.Name] })
}
