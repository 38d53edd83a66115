package toolbox

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/template"
)

// serviceKind is the kind of backings that call a service.
const serviceKind = "http"

// commandKind is the kind of backings that run the command line in the tool file.
const commandKind = "command"

// kinds maps the kinds of backings to what runs them.
var kinds = map[string]string{
	"native": "an operation of the bot", commandKind: "a program", serviceKind: "a service", improviseKind: "a Python program in the file",
	"program": "an operation by Debian's programs", "hftask": "a task of Hugging Face", "openai": "a prompt to a model",
	"localai": "a LocalAI server", "weather": "the weather service",
}

// kindList lists the kinds with what runs them.
func kindList() string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, k+" ("+kinds[k]+")")
	}
	return strings.Join(all, ", ")
}

// withDefaults fills in the defaults of a command, request or program of the tool.
func withDefaults(b Backing, tool string) Backing {
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

// launchers are programs that run other programs given as arguments, which would turn a command line into a script.
var launchers = []string{
	"ash", "bash", "busybox", "chroot", "chrt", "csh", "dash", "dbus-run-session", "doas", "env", "expect", "fakeroot", "find", "fish", "flock",
	"ionice", "ksh", "make", "nice", "nohup", "npx", "nsenter", "parallel", "pwsh", "rbash", "runuser", "script", "setpriv", "setsid", "sh",
	"ssh", "stdbuf", "strace", "su", "sudo", "taskset", "tcsh", "time", "timeout", "toybox", "unshare", "uvx", "watch", "xargs", "xvfb-run", "zsh",
}

// interpreters are programs that run code, without version suffixes. A command line may have them run
// a script file, but not inline code.
var interpreters = map[string]struct {
	lead string // option that may stand before the script
	must bool   // whether lead is required, as the first argument is code otherwise
}{
	"awk": {"-f", true}, "gawk": {"-f", true}, "mawk": {"-f", true}, "nawk": {"-f", true}, "original-awk": {"-f", true}, "sed": {"-f", true},
	"bun": {"run", true}, "deno": {"run", true}, "python": {lead: "-m"}, "pypy": {lead: "-m"},
	"elixir": {}, "groovy": {}, "guile": {}, "ipython": {}, "julia": {}, "lua": {}, "luajit": {}, "node": {}, "nodejs": {}, "osascript": {},
	"perl": {}, "php": {}, "Rscript": {}, "ruby": {}, "tclsh": {},
}

// inline reports whether a command line contains code, or reads it from a file that is not fixed.
// script suggests how to name a script file instead.
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

// shellOperators are shell operators that join programs. A program would take them for file names.
var shellOperators = []string{"|", "|&", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", ">&2", "&>"}

// networkAddress matches arguments with a network address. "data:" and "file:" are not network addresses.
var networkAddress = lazyregexp.New(`(?i)(?:^|=)(?:https?|ftps?|rtsp|rtmps?|srt|tcp|udp|s3|sftp)://`)

// startOptions lists program options that start other programs or run code. letters are single-letter
// options, which may be bundled with others.
var startOptions = map[string]struct {
	long    []string
	letters string
}{
	"bsdtar":  {[]string{"--use-compress-program"}, ""},
	"gnuplot": {nil, "e"},
	"gs":      {nil, "c"},
	"pandoc":  {[]string{"--filter", "--lua-filter", "--pdf-engine", "--pdf-engine-opt"}, "FL"},
	"rsync":   {[]string{"--rsh", "--rsync-path"}, "e"},
	"sort":    {[]string{"--compress-program"}, ""},
	"split":   {[]string{"--filter"}, ""},
	"tar": {[]string{
		"--checkpoint-action", "--info-script", "--new-volume-script", "--rmt-command", "--rsh-command", "--to-command", "--use-compress-program",
	}, "FI"},
	"vim": {[]string{"--cmd"}, "cS"},
	"zip": {[]string{"--unzip-command"}, ""},
}

// startOption returns the option in the command line that starts another program, "" if none does. Long
// options may be abbreviated.
func startOption(program string, fixed []string) string {
	options, ok := startOptions[path.Base(program)]
	if !ok {
		return ""
	}
	for _, arg := range fixed {
		option, _, _ := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(option, "--"):
			if len(option) > len("--f") && slices.ContainsFunc(options.long, func(long string) bool { return strings.HasPrefix(long, option) }) {
				return option
			}
		case strings.HasPrefix(option, "-") && strings.ContainsAny(option, options.letters):
			return option
		}
	}
	return ""
}

// executors are programs that run what is in the files that they are given. With interpreters, a file may
// follow their script.
var executors = []string{
	"R", "bc", "blender", "csound", "dc", "ed", "emacs", "ex", "gdb", "gnuplot", "gnuplot-nox", "gnuplot-qt", "gnuplot-x11",
	"gp", "gs", "latex", "lilypond", "lualatex", "luatex", "m4", "maxima", "octave",
	"octave-cli", "pdflatex", "pdftex", "povray", "ps2pdf", "psql", "scilab", "sqlite3", "tex", "vim", "xelatex", "xetex",
}

// drawn matches the part of a filter after {file:…} that keeps drawtext from expanding the words.
var drawn = lazyregexp.New(`^:expansion=none(?:$|[:,;\['\x00])`)

// executed says how a program could run the words in a file that it is given, or read them as options. With
// data, the author of the tool says that they are only data to the program.
func executed(h template.Handed, data bool) []error {
	slot := "{file:" + h.Arg + "}"
	if h.Program == "ffmpeg" {
		text := strings.HasSuffix(h.Begin, "drawtext=textfile=") && drawn.MatchString(h.End) && strings.Count(h.End, "expansion=") == 1
		before := strings.Join(h.Before, " ")
		tags := h.Begin+h.End == "" && (strings.HasSuffix(before, " -f ffmetadata -i") || strings.HasSuffix(before, " -f srt -i"))
		if !text && !tags {
			return []error{fmt.Errorf("argv: ffmpeg could run the words in %s here, or read them as options; "+
				"write drawtext=textfile=%s:expansion=none, or [-f, srt, -i, \"%s\"]", slot, slot, slot)}
		}
		return nil
	}
	name := strings.TrimRight(path.Base(h.Program), "0123456789.-")
	i, script := interpreters[name]
	last := ""
	if len(h.Before) > 0 {
		last = h.Before[len(h.Before)-1]
	}
	switch {
	case h.End != "" || h.Begin != "" && !option.MatchString(h.Begin):
		return []error{fmt.Errorf("argv: %s must be an argument of its own, or the value of an option: --text=%s", slot, slot)}
	case slices.Contains(executors, name), script && i.lead == "-f" && (h.Begin != "" || strings.HasPrefix(last, "-")):
		return []error{fmt.Errorf("argv: %s runs what is in %s; use a program that only reads it", h.Program, slot)}
	case !data:
		return []error{fmt.Errorf("argv: %s may run the words in %s, or read them as options; "+
			"if it only reads them as data, add data: [%s] below argv", h.Program, slot, h.Arg)}
	}
	return nil
}

// option matches a long option before its value.
var option = lazyregexp.New(`^--?[A-Za-z][A-Za-z0-9-]*=$`)

// elsewhere matches paths outside the call's folder: absolute, in the home folder, or with "..".
var elsewhere = lazyregexp.New(`(?:^|[=:@,;'" ])(?:/[^/\s\x00]|~/|\.\.(?:/|$))`)

// outsideArgument returns an argument that names a file outside the call's folder and is not a script; "" if none does.
func outsideArgument(leading [][]string, fixed []string) string {
	for _, arg := range fixed {
		named := func(argv []string) bool {
			i, ok := interpreters[strings.TrimRight(path.Base(argv[0]), "0123456789.-")]
			at := 1
			if len(argv) > 1 && i.lead != "" && argv[1] == i.lead {
				at = 2
			}
			return ok && at < len(argv) && argv[at] == arg
		}
		if elsewhere.MatchString(arg) && !slices.ContainsFunc(leading, func(argv []string) bool { return len(argv) > 0 && named(argv) }) {
			return strings.ReplaceAll(arg, "\x00", "{…}")
		}
	}
	return ""
}

// commandEndings lists the extensions of files that a command may write, by type. "picture" and
// "sound" mean the format of the input file.
var commandEndings = map[plan.Type][]string{
	plan.Image:    {"picture", "png", "jpg", "gif", "webp", "avif", "heic"},
	plan.Video:    {"mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "ogv", "flv", "3gp"},
	plan.Audio:    {"sound", "aiff", "flac", "m4a", "m4r", "mp3", "ogg", "opus", "wav"},
	plan.Text:     {"txt", "srt", "vtt"},
	plan.Document: {"pdf"},
}

// settingFacts lists the additional numbers known about a setting. For sizes, width and height are
// those of a single size.
var settingFacts = map[param.Type][]string{
	param.Size:       {"width", "height"},
	param.Sizes:      {"count", "width", "height"},
	param.Pages:      {"count", "item"},
	param.Moments:    {"count", "item"},
	param.Colour:     {"light", "red", "green", "blue"},
	param.Region:     {"x", "y", "width", "height", "cut_x", "cut_y", "cut_width", "cut_height", "new_width", "new_height"},
	param.Position:   {"x", "y"},
	param.TimeRange:  {"from", "to", "length", "asked"},
	param.TimeRanges: {"from", "to", "length", "asked", "count"},
	param.Adjustment: {"brightness", "contrast", "saturation", "warmth", "sharpness", "sepia", "invert", "vignette", "exposure"},
}

// modelRun describes the input and output of a run of the kind openai.
type modelRun struct {
	prompt bool        // whether a prompt is required
	takes  []plan.Type // media types it sends
	makes  plan.Type   // media type it returns, "" for text
}

// modelRuns lists the known runs of the kind openai. The backend rejects all others.
var modelRuns = map[string]modelRun{
	"chat":                 {prompt: true},
	"chat-vision":          {prompt: true, takes: []plan.Type{plan.Image}},
	"chat-video":           {prompt: true, takes: []plan.Type{plan.Image, plan.Video}},
	"chat-audio":           {prompt: true, takes: []plan.Type{plan.Audio}},
	"images-generations":   {prompt: true, makes: plan.Image},
	"images-edits":         {prompt: true, takes: []plan.Type{plan.Image}, makes: plan.Image},
	"audio-speech":         {prompt: true, makes: plan.Audio},
	"audio-transcriptions": {takes: []plan.Type{plan.Audio}},
}

func (c *checker) checkBackends() {
	c.at("backends")
	if len(c.Backends) == 0 {
		c.addf("has no backends")
	}
	for i, b := range c.Backends {
		c.at("backends", i)
		if _, known := kinds[b.Kind]; c.strict && !known && isWord(b.Kind) {
			meant, hint := nearest(b.Kind, kinds), "; the"
			if meant != "" {
				hint = "; did you mean " + meant + "? The"
			}
			c.at("backends", i, "kind")
			c.addf("backend %d has the unknown kind %s%s kinds are %s", i+1, b.Kind, hint, kindList())
			if meant == "" {
				continue
			}
			b.Kind = meant
			b = withDefaults(b, c.Name)
		}
		if wrong := b.misplaced(); wrong != "" {
			c.addf("backend %d %s", i+1, wrong)
			continue // the rest would be follow-up errors
		}
		switch {
		case b.Run == "":
			c.addf("backend %d has no run: the operation, task or prompt of the kind %s", i+1, b.Kind)
		case !isWord(b.Run):
			c.addf("backend %d runs %q, which must be one word", i+1, b.Run)
		}
		switch {
		case b.Device == "":
			c.addf("backend %d has no device: cpu or gpu", i+1)
		case b.Device != "cpu" && b.Device != "gpu" && (b.Device != "program" || b.Kind != improviseKind):
			c.addf("backend %d has the device %q, not cpu or gpu", i+1, b.Device)
		}
		if slices.ContainsFunc(c.Backends[:i], func(o Backing) bool { return o.Kind == b.Kind && o.Run == b.Run }) {
			c.addf("backend %s:%s is listed twice", b.Kind, b.Run)
		}
		c.checkPrompt(b)
		c.checkCommand(b)
		c.checkRequest(b)
		c.checkProgram(b)
		for _, check := range c.further {
			if err := check(b); err != nil {
				c.add(err)
			}
		}
	}
}

// misplaced describes what a backing lacks for its kind, or has that belongs to another kind; "" if nothing.
func (b Backing) misplaced() string {
	switch {
	case b.Kind == "":
		return "has no kind: command for a program, http for a service, native for an operation of the bot"
	case !isWord(b.Kind):
		return fmt.Sprintf("has the kind %q, which must be one word", b.Kind)
	case b.Kind != commandKind && b.Recipe != nil:
		return fmt.Sprintf("is of the kind %s: only the kind %s may have argv and its related fields", b.Kind, commandKind)
	case b.Kind == commandKind && (b.Recipe == nil || b.Recipe.Argv == nil):
		return "has no argv: the program and its arguments, as a list"
	case b.Kind != serviceKind && b.Request != nil:
		return fmt.Sprintf("is of the kind %s: only the kind %s may have a request", b.Kind, serviceKind)
	case b.Kind == serviceKind && b.Request == nil:
		return "has no request: {url: …} and whatever else is sent"
	case b.Kind != improviseKind && b.Program != "":
		return fmt.Sprintf("is of the kind %s: only the kind %s may have a program", b.Kind, improviseKind)
	}
	return ""
}

// checkProgram checks that a program has the kind improvise, and that only the improvising tool has none.
func (c *checker) checkProgram(b Backing) {
	switch {
	case b.Kind == improviseKind && c.Improvises == (b.Program != ""):
		c.addf("backend %s needs a program, unless the tool improvises", b.name())
	case b.Program != "" && !CanImprovise(c.Returns) && isType(c.Returns):
		c.addf("a program returns image, video, audio, document or text, and not %s", c.Returns)
	}
}

// checkPrompt checks a backing's prompt against the tool's arguments.
func (c *checker) checkPrompt(b Backing) {
	run, known := modelRuns[b.Run]
	if known = known && b.Kind == "openai"; known {
		c.checkRun(b, run)
	}
	if !balanced(b.Prompt) {
		c.addf("backend %s has a prompt with an unmatched or nested brace", b.name())
		return
	}
	if strings.Count(b.Prompt, "{") != len(placeholder.FindAllString(b.Prompt, -1)) {
		c.addf("backend %s has a prompt with braces around something that is not an argument name", b.name())
	}
	names := Placeholders(b.Prompt)
	for _, name := range names {
		i := slices.IndexFunc(c.Args, func(a Arg) bool { return a.Name == name })
		switch {
		case i < 0:
			c.addf("backend %s has a prompt with {%s}, which is not an argument of the tool", b.name(), name)
		case c.Args[i].Type.Media():
			c.addf("backend %s has a prompt with {%s}, which is not a text: files are sent automatically", b.name(), name)
		}
	}
	for _, a := range c.Args {
		if b.Prompt != "" && !a.Type.Media() && !a.Optional && !slices.Contains(names, a.Name) {
			c.addf("backend %s has a prompt without {%s}, so its value is ignored", b.name(), a.Name)
		}
	}
}

// checkRun checks a known run against the tool's argument and return types.
func (c *checker) checkRun(b Backing, run modelRun) {
	if run.prompt && strings.TrimSpace(b.Prompt) == "" {
		c.addf("backend %s has no prompt, which tells the model what to do", b.name())
	}
	boxes := c.Returns == plan.BBox && b.Run == "chat-vision"
	if right := run.makes == "" && inWords(c.Returns) || boxes || run.makes != "" && c.Returns.Fits(run.makes); !right && isType(c.Returns) {
		c.addf("backend %s makes %s, but the tool returns %s", b.name(), cmp.Or(run.makes, "words"), c.Returns)
	}
	for _, a := range c.Args {
		if a.Type.Media() && !slices.ContainsFunc(run.takes, a.Type.Fits) {
			c.addf("backend %s does not take %s, the type of argument %s", b.name(), a.Type, a.Name)
		}
	}
}

// inWords reports whether a model that answers in text can return the type.
func inWords(t plan.Type) bool { return !t.Media() && t != plan.BBox && t != plan.Points }

// checkRequest checks the request of a backing.
func (c *checker) checkRequest(b Backing) {
	switch {
	case b.Kind != serviceKind || !isType(c.Returns): // already reported
	case !CanImprovise(c.Returns):
		c.addf("a service returns image, video, audio, document or text, not %s", c.Returns)
	default:
		scope := c.scope("a request")
		c.add(b.Request.Check(scope, c.closed())...)
		c.add(b.Request.Unguarded(c.omittable())...)
	}
}

// checkCommand checks the command line of a backing.
func (c *checker) checkCommand(b Backing) {
	if b.Kind != commandKind {
		return
	}
	endings, ok := commandEndings[c.Returns]
	switch {
	case !isType(c.Returns):
		return // already reported
	case !ok:
		c.addf("a command returns image, video, audio, document or text, not %s", c.Returns)
		return
	}
	w := template.Written{Endings: endings, Choices: map[string][]string{}}
	for _, p := range c.Params {
		if p.Type == param.Format {
			w.Choices[p.Name] = slices.Sorted(maps.Keys(p.Choices))
		}
	}
	if i := slices.IndexFunc(c.Args, func(a Arg) bool { return a.Type == plan.Text && a.Many }); i >= 0 {
		c.addf("a command cannot take the argument %s of the type %s", c.Args[i].Name, plan.Text)
	}
	for _, argv := range b.Recipe.Leading() {
		script, code := inline(argv)
		switch {
		case len(argv) > 0 && slices.Contains(launchers, path.Base(argv[0])):
			c.addf("argv starts %s, which starts other programs; name the program itself", argv[0])
		case code:
			c.addf("argv gives %s code to run; put the code into a script file and name that: [%s, …]", argv[0], script)
		}
	}
	fixed := b.Recipe.Fixed()
	if i := slices.IndexFunc(fixed, func(arg string) bool { return slices.Contains(shellOperators, arg) }); i >= 0 {
		c.addf("argv has the shell operator %q, but there is no shell: {out:…} names the output file, and first a program that runs before", fixed[i])
	}
	if i := slices.IndexFunc(fixed, networkAddress.MatchString); i >= 0 {
		c.addf("argv has %q, a network address, but programs have no network; use a backend of kind http to call a service", fixed[i])
	}
	for _, program := range b.Recipe.Programs() {
		if option := startOption(program, fixed); option != "" {
			c.addf("argv gives %s the option %s, which starts other programs; remove it", program, option)
		}
	}
	if arg := outsideArgument(b.Recipe.Leading(), fixed); arg != "" {
		c.addf("argv has %q, a path outside the call's folder; a program may only use the files of its arguments, such as {image}", arg)
	}
	for _, h := range b.Recipe.Handed() {
		c.add(executed(h, slices.Contains(b.Recipe.Data, h.Arg))...)
	}
	for _, name := range b.Recipe.Data {
		if !slices.ContainsFunc(b.Recipe.Handed(), func(h template.Handed) bool { return h.Arg == name }) {
			c.addf("data lists %s, but argv has no {file:%s}", name, name)
		}
	}
	c.add(c.contradicted(b.Recipe)...)
	scope := c.scope("a command")
	c.add(b.Recipe.Check(scope, w, c.closed())...)
	c.add(b.Recipe.Unguarded(c.omittable())...)
}

// contradicted lists the effects that no result of ffmpeg with these arguments can show, and arguments with which it
// writes nothing.
func (c *checker) contradicted(r *template.Recipe) []error {
	if r.Argv.Program() != "ffmpeg" {
		return nil
	}
	always, faults := r.Argv.Always(), []error(nil)
	for i, arg := range always {
		if arg == "-f" && i+1 < len(always) && always[i+1] == "null" {
			faults = append(faults, errors.New("argv has -f null, with which ffmpeg writes no file; remove it"))
		}
	}
	for _, e := range c.Effects {
		option := map[string]string{"sound": "-an", "loudness": "-an", "size": "-vn", "frames": "-vn"}[e.Name]
		none := e.String() == "sound: none"
		if option != "" && !none && slices.Contains(always, option) {
			faults = append(faults, fmt.Errorf("the effect %s cannot hold, since argv has %s", e, option))
		}
	}
	return faults
}

// omittable returns the arguments that may be absent from a call.
func (c *checker) omittable() []string {
	var all []string
	for _, a := range c.Args {
		if a.Optional && (a.Param == nil || a.Param.DefaultValue().IsZero()) {
			all = append(all, a.Name)
		}
	}
	return all
}

// closed returns the allowed values of each setting that has a fixed list.
func (c *checker) closed() map[string][]string {
	lists := map[string][]string{}
	for _, p := range c.Params {
		if p.Type == param.Choice || p.Type == param.Format {
			lists[p.Name] = slices.Sorted(maps.Keys(p.Choices))
		}
	}
	return lists
}

// scope returns the names available to a command line or a request; what says which, for error messages.
func (c *checker) scope(what string) template.Scope {
	s := template.Scope{}
	numbers := func(name string, facts ...string) {
		for _, fact := range facts {
			s[name+"."+fact] = template.Number
		}
	}
	for _, a := range c.Args {
		switch {
		case a.Param != nil:
			s[a.Name] = template.Number
			numbers(a.Name, settingFacts[a.Param.Type]...)
			switch a.Param.Type { //nolint:exhaustive // the others are numbers
			case param.Text, param.Condition, param.Language, param.Model, param.Metadata:
				s[a.Name] = template.Words
			case param.Choice:
				s[a.Name] = template.Closed
			case param.Format:
				s[a.Name], s[a.Name+".name"] = template.Closed, template.Closed
			case param.TimeRanges: // for ffmpeg: whether a time is in one of the ranges, and the time it becomes
				s[a.Name+".holds"], s[a.Name+".becomes"], s[a.Name+".listed"] = template.Closed, template.Closed, template.Closed
			case param.Integers: // "16,32,64"
				s[a.Name] = template.Closed
			case param.Pages: // in the syntax of qpdf: "1-3,7"
				s[a.Name] = template.Closed
			case param.Colour:
				s[a.Name], s[a.Name+".hex"], s[a.Name+".digits"] = template.Closed, template.Closed, template.Closed
			}
		case a.Type == plan.Text && !a.Many:
			s[a.Name], s[a.Name+".font"] = template.Words, template.Closed
			numbers(a.Name, "boxes")
		case a.Type == plan.Text:
			s[a.Name] = template.Texts
			numbers(a.Name, "count")
		case a.Type == plan.Image || a.Type.ImageMap():
			numbers(a.Name, "width", "height", "frames", "duration", "transparent")
		case a.Type == plan.Video:
			numbers(a.Name, "width", "height", "duration", "rate", "sound", "channels",
				"alpha", "plays", "subtitles", "subtitle", "drawn", "shortest", "room", "silent")
			numbers(a.Name+"#", "start") // only of an item
		case a.Type == plan.Audio:
			numbers(a.Name, "duration", "channels", "rate", "heard", "starts", "ends", "voice", "peak", "room", "silent", "cover", "bytes")
			s[a.Name+".format"] = template.Closed
		case a.Type == plan.Document:
			numbers(a.Name, "pages", "area", "bytes")
		case isType(a.Type):
			c.addf("%s cannot take the argument %s of the type %s", what, a.Name, a.Type)
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
