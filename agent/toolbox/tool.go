// Package toolbox is the workshop: the catalogue of tools (one YAML file each), the retrieval
// index over it, and the backends that run the tools.
//
// Guarantees:
//   - Adding a tool means adding a file: no other code names a tool of the catalogue.
//   - A faulty catalogue is rejected as a whole, with every fault listed by file.
//   - A tool is live only if one of its backends answers its probe, here or in another process that
//     reports it. The others say why they are not live and what would help. A tool runs only where
//     one of its backends is live.
package toolbox

import (
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/template"
)

// Tool is an entry of the catalogue.
type Tool struct {
	Name string `yaml:"name"`
	// Alias are names that the tool had before: benchmarks may still use them.
	Alias []string `yaml:"alias,omitempty"`
	// Description says in a sentence what it does.
	Description string `yaml:"description"`
	// When says when to use it, and when rather another one.
	When string `yaml:"when"`
	// Examples are requests that the tool fulfils. What changes from request to request stands
	// in braces: "take the {umbrella} out of {photo.jpg}".
	Examples []string `yaml:"examples"`
	Domain   string   `yaml:"domain"`
	// Origins name the systems that have the tool: controlllm, visualchatgpt,
	// hugginggpt; atelier for our own, and own for an operator's.
	Origins []string `yaml:"origins"`
	// Args are the arguments as planners see them: the resources, and after them the parameters
	// as texts.
	Args []Arg `yaml:"args"`
	// Params are the settings.
	Params  []param.Param `yaml:"params,omitempty"`
	Returns plan.Type     `yaml:"returns"`
	// Made is a phrase for the result in an answer, without a full stop: "{video}, trimmed to
	// {about}". A slot is an argument that the tool must be given, or what the result says of
	// itself ({about}). Of a file it is singular, as it follows "Here is". "" tells no more than the
	// type.
	Made string `yaml:"made,omitempty"`
	// MadeMany is the phrase for several results: "the parts of {video}". "" is the same as for one.
	MadeMany string `yaml:"made_many,omitempty"`
	// Planned is Made before there is a result, without {about}: "{video}, trimmed". Where Made has
	// no {about} either, "" is Made.
	Planned string `yaml:"planned,omitempty"`
	// Suffix is what the name of the result's file adds to that of the file that it was made
	// from, with the same slots: "edges" makes photo-edges.png of photo.jpg. "" adds
	// nothing.
	Suffix string `yaml:"suffix,omitempty"`
	// Moves marks a tool that makes of a picture one on which things are elsewhere: turned,
	// cropped, of another size, put together or drawn anew. A place on the one is none on
	// the other.
	Moves bool `yaml:"moves,omitempty"`
	// Parts marks a tool that may return several results, each of the type. A recipe that writes several
	// files needs no mark.
	Parts bool `yaml:"parts,omitempty"`
	// Tags marks a tool whose result is to keep its metadata: it was asked for.
	Tags bool `yaml:"tags,omitempty"`
	// Improvises marks the tool that has a program written for what no other tool does. It is no edge
	// of the graph: the agent adds it to a plan where the search finds nothing.
	Improvises bool `yaml:"improvises,omitempty"`
	// Listens marks a tool that writes down what is said: a voice message becomes a request
	// by it.
	Listens bool `yaml:"listens,omitempty"`
	// Describes marks a tool that tells what a picture shows, for people who cannot see it.
	Describes bool `yaml:"describes,omitempty"`

	Backends []Backing `yaml:"backends"`
	// Effects are what its result must show. They are measured after each run; an operator's own
	// tool may have none.
	Effects effect.Effects `yaml:"effects,omitempty"`
}

// The arguments of the tool that improvises: what it is to do, and the resources, of any type.
const (
	ImprovisedTask   = "task"
	ImprovisedInputs = "files"
)

// CanImprovise reports whether a program can make results of the type.
func CanImprovise(t plan.Type) bool {
	return slices.Contains([]plan.Type{plan.Text, plan.Image, plan.Audio, plan.Video, plan.Document}, t)
}

// neuralKinds are the kinds of backends that ask a model.
var neuralKinds = []string{"hftask", "localai", "openai"}

// Neural reports whether the tool's work is that of a neural model: a model is one way to run it.
func (t *Tool) Neural() bool {
	return slices.ContainsFunc(t.Backends, func(b Backing) bool { return slices.Contains(neuralKinds, b.Kind) })
}

// Several reports whether the tool may return several results.
func (t *Tool) Several() bool {
	return t.Parts || slices.ContainsFunc(t.Backends, func(b Backing) bool {
		return b.Recipe != nil && b.Recipe.Argv != nil && b.Recipe.Several()
	})
}

// Instructed reports whether the tool does whatever an instruction says, so that it may be used for
// almost everything.
func (t *Tool) Instructed() bool {
	return slices.ContainsFunc(t.Args, func(a Arg) bool { return a.Meaning == plan.Instruction && !a.Optional })
}

// Param is the parameter of that name.
func (t *Tool) Param(name string) (param.Param, bool) {
	i := slices.IndexFunc(t.Params, func(p param.Param) bool { return p.Name == name })
	if i < 0 {
		return param.Param{}, false
	}
	return t.Params[i], true
}

// Typed moves the texts of the parameters from the arguments of a call to its Params, and adds the
// defaults. The error is that of the first text from which no value can be read.
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
	// Meaning says what a text stands for; required where Type is text.
	Meaning plan.Meaning `yaml:"meaning,omitempty"`
	// Form says what a content must be, for planning without a model: [TableForm], or "" for any text.
	// Models read that in About.
	Form string `yaml:"form,omitempty"`
	// Param declares the parameter of which the text is the value; nil for a resource.
	Param *param.Param `yaml:"-"`
	// About explains it to people and models.
	About    string `yaml:"about"`
	Optional bool   `yaml:"optional,omitempty"`
	// Many takes every given resource of the type: two at least, or the results of a tool that makes several.
	Many bool `yaml:"many,omitempty"`
}

// TableForm is the form of a text that is a table.
const TableForm = "table"

// Backing is one way to run a tool; they stand in the order in which they are tried.
type Backing struct {
	// Kind names the make: native, command, http, improvise, program, hftask, openai, localai, weather.
	Kind string `yaml:"kind"`
	// Run is what the make is asked for: an operation, a program's recipe, a task. Unless a file says
	// otherwise, it is the name of the tool for a command or a request, and python for a program.
	Run string `yaml:"run,omitempty"`
	// Recipe is the command line of the kind command, and what belongs to it.
	Recipe *template.Recipe `yaml:",inline"`
	// Request is what the kind http sends to a service.
	Request *template.Request `yaml:"request,omitempty"`
	// Program is the Python that the kind improvise runs; "" has a program written.
	Program string `yaml:"program,omitempty"`
	// Inputs are the names of the tool's resources in their order, separated by spaces, which is the
	// order in which the Program is given them. Of a Request they are the files that it needs. They are
	// not read from the file.
	Inputs string `yaml:"-"`
	// Settings are the tool's parameters, which a Program is given. They are not read from here.
	Settings []param.Param `yaml:"-"`
	// Debian is the package of Debian that has the program of a command. It is known of ffmpeg and qpdf.
	Debian string `yaml:"debian,omitempty"`
	// Device is where it works: cpu or gpu, or program, where what models write runs. It is cpu for a
	// command, a request and a program, unless a file says otherwise.
	Device string `yaml:"device,omitempty"`
	// Needs says what must be there, for people: "ffmpeg", "a model server".
	Needs string `yaml:"needs,omitempty"`
	// Approximate marks a weaker stand-in; answers say so.
	Approximate bool `yaml:"approximate,omitempty"`
	// Prompt tells a model what to do. "{language}" stands for the argument of that
	// name (see [Placeholders]). Only makes that ask a model read it.
	Prompt string `yaml:"prompt,omitempty"`
}

// name is how the backing is called among those of its tool: "native:image_to_edge".
func (b Backing) name() string { return b.Kind + ":" + b.Run }

// Wish is the example without its braces, as a person would write it.
func Wish(example string) string {
	return strings.ReplaceAll(strings.ReplaceAll(example, "{", ""), "}", "")
}
