package toolbox

import (
	"cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/template"
)

// commandKind is the kind of a backing that runs the command line of its tool's file.
const commandKind = "command"

// completed is the backing with what the command or the request of that tool need not say.
func completed(b Backing, tool string) Backing {
	if b.Kind == serviceKind && b.Request != nil {
		b.Run = cmp.Or(b.Run, tool)
		b.Device = cmp.Or(b.Device, "cpu")
		b.Needs = cmp.Or(b.Needs, "the service at "+b.Request.Host())
		return b
	}
	if b.Kind != commandKind || b.Argv == nil {
		return b
	}
	program := b.Argv.Program()
	b.Run = cmp.Or(b.Run, tool)
	b.Debian = cmp.Or(b.Debian, program)
	b.Device = cmp.Or(b.Device, "cpu")
	b.Needs = cmp.Or(b.Needs, "the program "+program)
	return b
}

// checkCommand checks the command line of a backing.
func (t *Tool) checkCommand(b Backing, f *faults) {
	switch {
	case b.Kind != commandKind && b.Argv != nil:
		f.addf("a backend of the kind %s has an argv, which only a command has", b.Kind)
	case b.Kind == commandKind && b.Argv == nil:
		f.addf("a command lacks its argv")
	case b.Kind == commandKind:
		endings, ok := commandEndings[t.Returns]
		if !ok {
			f.addf("a command returns image, video, audio, document or text, and not %s", t.Returns)
			return
		}
		*f = append(*f, b.Argv.Check(t.scope("a command", f), endings)...)
	}
}

// commandEndings are those of the files that a command may write. "picture" and "sound" stand for
// the format of the file that is worked on.
var commandEndings = map[plan.Type][]string{
	plan.Image:    {"picture", "png", "gif"},
	plan.Video:    {"mp4"},
	plan.Audio:    {"sound", "wav", "mp3"},
	plan.Text:     {"txt"},
	plan.Document: {"pdf"},
}

// scope are the names that a command line or a request may use. What says which of the two it is.
func (t *Tool) scope(what string, f *faults) template.Scope {
	s := template.Scope{}
	numbers := func(name string, facts ...string) {
		for _, fact := range facts {
			s[name+"."+fact] = template.Number
		}
	}
	for _, a := range t.Args {
		switch {
		case a.Param != nil:
			s[a.Name] = template.Number
			switch a.Param.Type { //nolint:exhaustive // the others are numbers
			case param.Text, param.Language, param.Model:
				s[a.Name] = template.Words
			case param.Choice:
				s[a.Name] = template.Closed
			case param.Colour:
				s[a.Name], s[a.Name+".hex"] = template.Closed, template.Closed
			case param.Size:
				numbers(a.Name, "width", "height")
			case param.Region:
				numbers(a.Name, "x", "y", "width", "height")
			case param.Position:
				numbers(a.Name, "x", "y")
			case param.TimeRange:
				numbers(a.Name, "from", "to", "length")
			case param.Adjustment:
				numbers(a.Name, "brightness", "contrast", "saturation", "warmth", "sharpness", "sepia", "invert")
			case param.Format, param.Pages:
				f.addf("%s cannot take the parameter %s of the type %s", what, a.Name, a.Param.Type)
			}
		case a.Many:
			f.addf("%s cannot take many of %s", what, a.Name)
		case a.Type == plan.Text:
			s[a.Name] = template.Words
		case a.Type == plan.Image || a.Type.ImageMap():
			s[a.Name] = template.File
			numbers(a.Name, "width", "height")
		case a.Type == plan.Video:
			s[a.Name] = template.File
			numbers(a.Name, "width", "height", "duration", "rate", "sound")
		case a.Type == plan.Audio:
			s[a.Name] = template.File
			numbers(a.Name, "duration", "channels", "rate")
		case a.Type == plan.Document:
			s[a.Name] = template.File
		default:
			f.addf("%s cannot take the argument %s of the type %s", what, a.Name, a.Type)
		}
	}
	return s
}
