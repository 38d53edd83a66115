// Package toolbox is the catalogue of tools (one YAML file each), and the contract of the backends that run them
// (subfolders). The index over the catalogue is package retrieve.
//
// Guarantees:
//   - Adding a tool means adding a file: no other code names a tool of the catalogue.
//   - A faulty catalogue is rejected as a whole, with every fault listed by file.
//   - A tool is live only if one of its backends answers its probe, here or in another process that
//     reports it. The others report why they are not live and how to fix it. A tool runs only where
//     one of its backends is live.
package toolbox

import (
	"crypto/sha256"
	"encoding/hex"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/template"
)

// Tool is an entry of the catalogue.
type Tool struct {
	Name string `yaml:"name"`
	// Alias lists former names of the tool, which benchmarks may still use.
	Alias []string `yaml:"alias,omitempty"`
	// Description says in one sentence what it does.
	Description string `yaml:"description"`
	// When says when to use it, and when to prefer another tool.
	When string `yaml:"when"`
	// Examples are requests that the tool fulfils. Variable parts are in braces: "take the {umbrella}
	// out of {photo.jpg}".
	Examples []string `yaml:"examples"`
	Domain   string   `yaml:"domain"`
	// Origins names the systems that have the tool: controlllm, visualchatgpt, hugginggpt, atelier
	// (ours) or own (an operator's).
	Origins []string `yaml:"origins"`
	// Args are the arguments as planners see them: first the resources, then the parameters as texts.
	Args []Arg `yaml:"args"`
	// Params are the settings.
	Params  []param.Param `yaml:"params,omitempty"`
	Returns plan.Type     `yaml:"returns"`
	// Made is a phrase for the result in an answer, without a full stop: "{video}, trimmed to
	// {about}". A slot is a required argument, or {about} for the result's own description. For a file
	// it is singular, as it follows "Here is". "" names only the type.
	Made string `yaml:"made,omitempty"`
	// MadeMany is the phrase for several results: "the parts of {video}". "" means Made.
	MadeMany string `yaml:"made_many,omitempty"`
	// Planned is the phrase for a result that does not exist yet, without {about}: "{video}, trimmed".
	// "" means Made, if that has no {about}.
	Planned string `yaml:"planned,omitempty"`
	// Suffix is added to the input's file name to name the result's file, with the same slots: "edges"
	// turns photo.jpg into photo-edges.png. "" adds nothing.
	Suffix string `yaml:"suffix,omitempty"`
	// Moves marks a tool whose result has its contents in other places than the input picture: turned,
	// cropped, resized, combined or redrawn. Coordinates in the input are not valid in the result.
	Moves bool `yaml:"moves,omitempty"`
	// Parts marks a tool that may return several results of the type. A recipe that writes several
	// files needs no mark.
	Parts bool `yaml:"parts,omitempty"`
	// Tags marks a tool whose result must keep its metadata, because the request asks for it.
	Tags bool `yaml:"tags,omitempty"`
	// Improvises marks the tool that has a program written for requests that no other tool fulfils. It
	// is not an edge of the graph: the agent adds it to a plan if the search finds nothing.
	Improvises bool `yaml:"improvises,omitempty"`
	// Listens marks the tool that transcribes speech; it turns voice messages into requests.
	Listens bool `yaml:"listens,omitempty"`
	// Describes marks the tool that describes pictures, for people who cannot see them.
	Describes bool `yaml:"describes,omitempty"`

	Backends []Backing `yaml:"backends"`
	// Effects are the expected properties of the result, measured after each run. An operator's own
	// tool may have none.
	Effects effect.Effects `yaml:"effects,omitempty"`
}

// Arguments of the improvising tool: the task, and resources of any type.
const (
	ImprovisedTask   = "task"
	ImprovisedInputs = "files"
)

// CanImprovise reports whether a program can return the type.
func CanImprovise(t plan.Type) bool {
	return slices.Contains([]plan.Type{plan.Text, plan.Image, plan.Audio, plan.Video, plan.Document}, t)
}

// neuralKinds are the kinds of backends that run a model.
var neuralKinds = []string{"hftask", "localai", "openai"}

// Neural reports whether some backend of the tool runs a neural model.
func (t *Tool) Neural() bool {
	return slices.ContainsFunc(t.Backends, func(b Backing) bool { return slices.Contains(neuralKinds, b.Kind) })
}

// Files returns the types of the files that the tool requires.
func (t *Tool) Files() []plan.Type {
	var all []plan.Type
	for _, a := range t.Args {
		if a.Type.Media() && !a.Optional {
			all = append(all, a.Type)
		}
	}
	return all
}

// Several reports whether the tool may return several results.
func (t *Tool) Several() bool {
	return t.Parts || slices.ContainsFunc(t.Backends, func(b Backing) bool {
		return b.Recipe != nil && b.Recipe.Argv != nil && b.Recipe.Several()
	})
}

// Instructed reports whether the tool follows free-form instructions, so that it may be used for almost anything.
func (t *Tool) Instructed() bool {
	return slices.ContainsFunc(t.Args, func(a Arg) bool { return a.Meaning == plan.Instruction && !a.Optional })
}

// Says reports whether a lower-case word is in the tool's name, description or examples.
func (t *Tool) Says(word string) bool {
	text := strings.ToLower(t.Name + " " + t.Description + " " + strings.Join(t.Examples, " "))
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }), word)
}

// Param returns the parameter with that name.
func (t *Tool) Param(name string) (param.Param, bool) {
	i := slices.IndexFunc(t.Params, func(p param.Param) bool { return p.Name == name })
	if i < 0 {
		return param.Param{}, false
	}
	return t.Params[i], true
}

// Typed moves the parameter texts from the Args of a call to its Params, and adds the defaults. It
// fails on the first text that cannot be parsed.
func (t *Tool) Typed(c Call) (Call, error) {
	args := maps.Clone(c.Args)
	c.Params = maps.Clone(c.Params)
	for _, p := range t.Params {
		text := strings.TrimSpace(c.Text(p.Name))
		delete(args, p.Name)
		if _, known := c.Params[p.Name]; known {
			continue
		}
		var v param.Value
		switch {
		case text != "" || !p.Optional:
			var err error
			if v, err = p.Read(text); err != nil {
				return c, err
			}
		default:
			v = p.DefaultValue()
		}
		if v.IsZero() {
			continue
		}
		if c.Params == nil {
			c.Params = map[string]param.Value{}
		}
		c.Params[p.Name] = v
	}
	c.Args = args
	return c, nil
}

// Arg is an argument of a tool.
type Arg struct {
	Name string    `yaml:"name"`
	Type plan.Type `yaml:"type"`
	// Meaning says what a text stands for; required if Type is text.
	Meaning plan.Meaning `yaml:"meaning,omitempty"`
	// Form restricts a content, for planning without a model: [TableForm], or "" for any text. Models
	// read About instead.
	Form string `yaml:"form,omitempty"`
	// Param is the parameter that the text is for; nil for a resource.
	Param *param.Param `yaml:"-"`
	// About describes the argument for people and models.
	About    string `yaml:"about"`
	Optional bool   `yaml:"optional,omitempty"`
	// Many takes all given resources of the type: at least two, or the results of a tool that returns several.
	Many bool `yaml:"many,omitempty"`
}

// TableForm is the form of a text that contains a table.
const TableForm = "table"

// Backing is one way to run a tool. They are tried in order.
type Backing struct {
	// Kind names the backend: native, command, http, improvise, program, hftask, openai, localai, weather.
	Kind string `yaml:"kind"`
	// Run is the operation, recipe or task that the backend runs. By default it is the tool's name for
	// a command or a request, and python for a program.
	Run string `yaml:"run,omitempty"`
	// Recipe is the command line, for the kind command.
	Recipe *template.Recipe `yaml:",inline"`
	// Request is the request to a service, for the kind http.
	Request *template.Request `yaml:"request,omitempty"`
	// Program is the Python program, for the kind improvise; if "", one is written.
	Program string `yaml:"program,omitempty"`
	// Inputs are the names of the tool's resources in order, separated by spaces, as passed to the
	// Program. For a Request they are the files that it needs. They are derived, not read from the
	// file.
	Inputs string `yaml:"-"`
	// Settings are the tool's parameters, as passed to a Program. They are derived, not read from the file.
	Settings []param.Param `yaml:"-"`
	// Debian is the Debian package of a command's program. It is already known for ffmpeg and qpdf.
	Debian string `yaml:"debian,omitempty"`
	// Device is where it runs: cpu, gpu, or program for programs written by models. The default is cpu
	// for commands, requests and programs.
	Device string `yaml:"device,omitempty"`
	// Needs says what is required, for people: "ffmpeg", "a model server".
	Needs string `yaml:"needs,omitempty"`
	// Approximate marks a weaker substitute; answers mention it.
	Approximate bool `yaml:"approximate,omitempty"`
	// Prompt is the prompt for a model. "{language}" stands for the argument of that name (see
	// [Placeholders]). Other backends ignore it.
	Prompt string `yaml:"prompt,omitempty"`
}

// name identifies the backing within its tool: "native:image_to_edge".
func (b Backing) name() string { return b.Kind + ":" + b.Run }

// Wish returns the example without braces, as a person would write it.
func Wish(example string) string {
	return strings.ReplaceAll(strings.ReplaceAll(example, "{", ""), "}", "")
}

// About is the slot of [Tool.Made] for the result's own description.
const About = "about"

// slot matches a slot of a phrase.
var slot = lazyregexp.New(`\{([^{}]*)\}`)

// Slots returns the names of the slots of a phrase, in order.
func Slots(phrase string) []string {
	var names []string
	for _, m := range slot.FindAllStringSubmatch(phrase, -1) {
		names = append(names, m[1])
	}
	return names
}

// Format turns a phrase into a fmt format with a %s per slot, which is the key of its translations.
func Format(phrase string) string {
	return slot().ReplaceAllLiteralString(strings.ReplaceAll(phrase, "%", "%%"), "%s")
}

// Translated returns words of a tool's file as a message. Where they have no translation, they stay English.
func Translated(words string) plan.Message { return plan.Message{Format: Format(words)} }

// FillSlots replaces each slot of the phrase by its value.
func FillSlots(phrase string, value func(slot string) string) string {
	return slot.ReplaceAllStringFunc(phrase, func(s string) string { return value(strings.Trim(s, "{}")) })
}

// placeholder matches an argument name in braces.
var placeholder = lazyregexp.New(`\{([a-z0-9_]+)\}`)

// Placeholders returns the argument names used in a prompt, in order of first use.
func Placeholders(prompt string) []string {
	var names []string
	for _, found := range placeholder.FindAllStringSubmatch(prompt, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// Expand replaces each placeholder of the prompt by its argument. Braces in the arguments are left alone.
func Expand(prompt string, argument func(name string) string) string {
	return placeholder.ReplaceAllStringFunc(prompt, func(found string) string {
		return argument(strings.Trim(found, "{}"))
	})
}

// OneLine returns valid UTF-8 with every run of white space collapsed to a single space.
func OneLine(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

// Shorten returns a text for display: on one line, at most 80 characters.
func Shorten(s string) string {
	const most = 80
	line := []rune(OneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}

// MarkFor returns a short hexadecimal word that does not occur in a text, to delimit it in a prompt. It depends
// on the text alone, so that equal calls send equal requests.
func MarkFor(text string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(n) + text))
		if mark := hex.EncodeToString(sum[:4]); !strings.Contains(text, mark) {
			return mark
		}
	}
}

// Parameters of the tools that make something new from a description.
const (
	SizeParam    = "size"    // of a picture, in pixels
	ShapeParam   = "shape"   // its aspect ratio
	WithoutParam = "without" // what must not be shown
)

// The sides of a new picture, in pixels. Models draw nothing recognizable in less.
const (
	leastSide = 64
	mostSide  = 4096
)

// Canvas is what a call requests of a new picture's form. The zero Canvas leaves it to the model.
type Canvas struct {
	// Ratio is the width divided by the height.
	Ratio float64
	// Size is the exact size in pixels; zero if only the ratio is requested.
	Size image.Point
}

// CanvasOf returns the form that a call requests by its size and its shape. A single side is completed by the shape, or
// to a square. It refuses sizes that cannot be drawn, in a sentence for people.
func CanvasOf(c Call) (Canvas, error) {
	var canvas Canvas
	shape, shaped := Param[param.Ratio](c, ShapeParam)
	if shaped {
		canvas.Ratio = shape.Width / shape.Height
	} else {
		shape = param.Ratio{Width: 1, Height: 1}
	}
	z, sized := Param[quantity.Sizing](c, SizeParam)
	if !sized {
		return canvas, nil
	}
	z.AtMost = false // there is no picture yet that could be smaller
	const unit = 1000
	w, h := z.Of(int(unit*shape.Width), int(unit*shape.Height))
	if min(w, h) < leastSide || max(w, h) > mostSide {
		return Canvas{}, plan.Refusal("I cannot draw %d × %d pixels; each side may have %d to %d.", w, h, leastSide, mostSide)
	}
	return Canvas{float64(w) / float64(h), image.Pt(w, h)}, nil
}
