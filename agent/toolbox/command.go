package toolbox

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/template"
)

// commandKind is the kind of a backing that runs the command line of its tool's file.
const commandKind = "command"

// completed is the backing with what the command, the request or the program of that tool need not say.
func completed(b Backing, tool string) Backing {
	if b.Kind == improviseKind && b.Program != "" {
		b.Run = cmp.Or(b.Run, "python")
		b.Device = cmp.Or(b.Device, "cpu")
		b.Needs = cmp.Or(b.Needs, "Python with its modules, and a kernel that confines programs")
		return b
	}
	if b.Kind == serviceKind && b.Request != nil {
		b.Run = cmp.Or(b.Run, tool)
		b.Device = cmp.Or(b.Device, "cpu")
		b.Needs = cmp.Or(b.Needs, "the service at "+b.Request.Host())
		return b
	}
	if b.Kind != commandKind || b.Recipe == nil || b.Recipe.Argv == nil {
		return b
	}
	program := b.Recipe.Argv.Program()
	b.Run = cmp.Or(b.Run, tool)
	b.Device = cmp.Or(b.Device, "cpu")
	b.Needs = cmp.Or(b.Needs, "the program "+program)
	return b
}

// launchers are programs that run what their arguments say, so that a command line would be a script.
var launchers = []string{
	"ash", "bash", "busybox", "chroot", "chrt", "csh", "dash", "dbus-run-session", "doas", "env", "expect", "fakeroot", "find", "fish", "flock",
	"ionice", "ksh", "make", "nice", "nohup", "npx", "nsenter", "parallel", "pwsh", "rbash", "runuser", "script", "setpriv", "setsid", "sh",
	"ssh", "stdbuf", "strace", "su", "sudo", "taskset", "tcsh", "time", "timeout", "toybox", "unshare", "uvx", "watch", "xargs", "xvfb-run", "zsh",
}

// interpreters are programs that run code, without their versions. They may run a script that the command line
// names by its file, and no code in it.
var interpreters = map[string]struct {
	lead string // may stand before the script
	must bool   // or has to: the first argument is code else
}{
	"awk": {"-f", true}, "gawk": {"-f", true}, "mawk": {"-f", true}, "nawk": {"-f", true}, "original-awk": {"-f", true}, "sed": {"-f", true},
	"bun": {"run", true}, "deno": {"run", true}, "python": {lead: "-m"}, "pypy": {lead: "-m"},
	"elixir": {}, "groovy": {}, "guile": {}, "ipython": {}, "julia": {}, "lua": {}, "luajit": {}, "node": {}, "nodejs": {}, "osascript": {},
	"perl": {}, "php": {}, "Rscript": {}, "ruby": {}, "tclsh": {},
}

// inline reports whether a command line has code in its arguments, or reads it from a file that is not fixed, and how
// a script is named instead.
func inline(argv []string) (script string, found bool) {
	if len(argv) == 0 {
		return "", false
	}
	name := strings.TrimRight(path.Base(argv[0]), "0123456789.-")
	i, ok := interpreters[name]
	if !ok {
		return "", false
	}
	script, rest := argv[0]+", ", argv[1:]
	if i.must {
		script += i.lead + ", "
	}
	leads := len(rest) > 0 && i.lead != "" && rest[0] == i.lead
	if leads {
		rest = rest[1:]
	}
	return script + "/path/to/script", i.must && !leads || len(rest) == 0 || rest[0] == "" || strings.HasPrefix(rest[0], "-")
}

// checkCommand checks the command line of a backing.
func (t *Tool) checkCommand(b Backing, f *faults) {
	if b.Kind != commandKind {
		return
	}
	endings, ok := commandEndings[t.Returns]
	switch {
	case !isType(t.Returns):
		return // it is told already
	case !ok:
		f.addf("a command returns image, video, audio, document or text, and not %s", t.Returns)
		return
	}
	w := template.Written{Endings: endings, Choices: map[string][]string{}}
	for _, p := range t.Params {
		if p.Type == param.Format {
			w.Choices[p.Name] = slices.Sorted(maps.Keys(p.Choices))
		}
	}
	if i := slices.IndexFunc(t.Args, func(a Arg) bool { return a.Type == plan.Text && a.Many }); i >= 0 {
		f.addf("a command cannot take the argument %s of the type %s", t.Args[i].Name, plan.Text)
	}
	for _, argv := range b.Recipe.Leading() {
		script, code := inline(argv)
		switch {
		case len(argv) > 0 && slices.Contains(launchers, path.Base(argv[0])):
			f.addf("argv starts %s, which starts other programs; name the program itself", argv[0])
		case code:
			f.addf("argv gives %s code to run; write the code into a script and name that: [%s, …]", argv[0], script)
		}
	}
	*f = append(*f, b.Recipe.Check(t.scope("a command", f), w, t.closed())...)
	*f = append(*f, b.Recipe.Unguarded(t.lackable())...)
}

// lackable are the arguments that a call may lack.
func (t *Tool) lackable() []string {
	var all []string
	for _, a := range t.Args {
		if a.Optional && (a.Param == nil || a.Param.DefaultValue().IsZero()) {
			all = append(all, a.Name)
		}
	}
	return all
}

// CommandEndings are the endings of {out:…} of a command that returns the type, the usual one first.
func CommandEndings(t plan.Type) []string { return slices.Clone(commandEndings[t]) }

// closed are the values of the settings that have a list of them.
func (t *Tool) closed() map[string][]string {
	lists := map[string][]string{}
	for _, p := range t.Params {
		if p.Type == param.Choice || p.Type == param.Format {
			lists[p.Name] = slices.Sorted(maps.Keys(p.Choices))
		}
	}
	return lists
}

// commandEndings are those of the files that a command may write. "picture" and "sound" stand for
// the format of the file that is worked on.
var commandEndings = map[plan.Type][]string{
	plan.Image:    {"picture", "png", "jpg", "gif", "heic"},
	plan.Video:    {"mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "ogv", "flv", "3gp"},
	plan.Audio:    {"sound", "aiff", "flac", "m4a", "mp3", "ogg", "opus", "wav"},
	plan.Text:     {"txt", "srt", "vtt"},
	plan.Document: {"pdf"},
}

// settingFacts are the numbers that are known of a setting besides itself. Those of sizes are of one of them.
var settingFacts = map[param.Type][]string{
	param.Size:       {"width", "height"},
	param.Sizes:      {"count", "width", "height"},
	param.Pages:      {"count", "item"},
	param.Moments:    {"count", "item"},
	param.Colour:     {"light", "red", "green", "blue"},
	param.Region:     {"x", "y", "width", "height"},
	param.Position:   {"x", "y"},
	param.TimeRange:  {"from", "to", "length", "asked"},
	param.TimeRanges: {"from", "to", "length", "asked", "count"},
	param.Adjustment: {"brightness", "contrast", "saturation", "warmth", "sharpness", "sepia", "invert", "vignette"},
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
			numbers(a.Name, settingFacts[a.Param.Type]...)
			switch a.Param.Type { //nolint:exhaustive // the others are numbers
			case param.Text, param.Language, param.Model, param.Metadata:
				s[a.Name] = template.Words
			case param.Choice:
				s[a.Name] = template.Closed
			case param.Format:
				s[a.Name], s[a.Name+".name"] = template.Closed, template.Closed
			case param.TimeRanges: // of ffmpeg: whether a time is in one of them, and which time it becomes
				s[a.Name+".holds"], s[a.Name+".becomes"], s[a.Name+".listed"] = template.Closed, template.Closed, template.Closed
			case param.Integers: // "16,32,64"
				s[a.Name] = template.Closed
			case param.Pages: // as qpdf reads them: "1-3,7"
				s[a.Name] = template.Closed
			case param.Colour:
				s[a.Name], s[a.Name+".hex"], s[a.Name+".digits"] = template.Closed, template.Closed, template.Closed
			}
		case a.Type == plan.Text && !a.Many:
			s[a.Name] = template.Words
			numbers(a.Name, "letters")
		case a.Type == plan.Text:
			s[a.Name] = template.Texts
			numbers(a.Name, "count")
		case a.Type == plan.Image || a.Type.ImageMap():
			numbers(a.Name, "width", "height", "frames", "duration", "transparent")
		case a.Type == plan.Video:
			numbers(a.Name, "width", "height", "duration", "rate", "sound",
				"stream", "alpha", "plays", "subtitles", "subtitle", "drawn", "start", "shortest", "room")
		case a.Type == plan.Audio:
			numbers(a.Name, "duration", "channels", "rate", "stream", "heard", "voice", "peak", "room", "silent", "cover")
			s[a.Name+".format"] = template.Closed
		case a.Type == plan.Document:
			numbers(a.Name, "pages", "area")
		case isType(a.Type):
			f.addf("%s cannot take the argument %s of the type %s", what, a.Name, a.Type)
		}
		switch {
		case a.Param != nil || a.Type == plan.Text:
		case a.Many:
			s[a.Name] = template.Files
			numbers(a.Name, "count")
		default:
			s[a.Name] = template.File
		}
	}
	return s
}
