package agent

import (
	"cmp"

	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// fileName is the readable name of a file that a call made, with that ending. It comes from the
// first file that went in, or from the words. about is what the result says of itself.
func (a *Agent) fileName(call toolbox.Call, args []plan.Binding, about, ext string) string {
	tool, _ := a.config.Toolbox.Catalogue().Tool(call.Tool)
	origin, words := "", ""
	for _, b := range args {
		for _, v := range call.Args[b.Arg] {
			switch {
			case v.Path != "" && v.Type.Media():
				origin = cmp.Or(origin, originOf(v.Resource))
			case v.File != "":
				words = cmp.Or(words, v.File)
			case b.Type == plan.Text:
				words = cmp.Or(words, v.Value)
			}
		}
	}
	suffix := toolbox.FillSlots(tool.Suffix, func(name string) string {
		if name == toolbox.About {
			return about
		}
		said := slices.IndexFunc(args, func(b plan.Binding) bool { return b.Arg == name && b.Source.Kind == plan.OfValue })
		if said < 0 {
			return call.Text(name)
		}
		return args[said].Source.Value // in the words of the request
	})
	if tool.Made == "" { // an operator's tool that does not say what it makes
		suffix = cmp.Or(suffix, strings.ReplaceAll(tool.Name, "_", " "))
	}
	return plan.FileName(cmp.Or(origin, words, string(call.Returns)), suffix, ext)
}

// hash is what a chained name adds to each of its links.
var hash = lazyregexp.New(`-[0-9a-f]{4,16}$`)

// originOf is the readable name of a file. One that has none was made by an earlier version: its
// chained name begins with that of the file which it came from.
func originOf(r plan.Resource) string {
	name := r.File
	if name == "" {
		name, _, _ = strings.Cut(r.Name, ".")
		name = hash.ReplaceAllString(name, "")
	}
	if !strings.Contains(name, ".") {
		name += "." // so that it is not taken for words
	}
	return name
}
