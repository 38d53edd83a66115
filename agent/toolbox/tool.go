// Package toolbox is the workshop: the catalogue of tools (one YAML file a tool), the
// retrieval index over it, and the backends that run the tools.
//
// Promises:
//   - Adding a tool is adding a file: nothing else in the code names a tool of the
//     catalogue.
//   - A bad catalogue is refused whole, with every fault named by file.
//   - A tool is live only if one of its backends answers its probe, here or in another
//     process that says so; the others say why not and how to get them. A tool runs
//     only where one of its backends is live.
package toolbox

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// Tool is an entry of the catalogue.
type Tool struct {
	Name string `yaml:"name"`
	// Description says in a sentence what it does.
	Description string `yaml:"description"`
	// When says when to use it, and when rather another one.
	When string `yaml:"when"`
	// Examples are wishes that the tool fulfils. What changes from wish to wish stands
	// in braces: "take the {umbrella} out of {photo.jpg}".
	Examples []string `yaml:"examples"`
	Domain   string   `yaml:"domain"`
	// Origins name the systems that have the tool: controlllm, visualchatgpt,
	// hugginggpt; atelier for our own.
	Origins []string  `yaml:"origins"`
	Args    []Arg     `yaml:"args"`
	Returns plan.Type `yaml:"returns"`
	// Moves marks a tool that makes of a picture one on which things are elsewhere: turned,
	// cropped, of another size, put together or drawn anew. A place on the one is none on
	// the other.
	Moves bool `yaml:"moves,omitempty"`
	// Listens marks a tool that writes down what is said: a voice message becomes a wish
	// by it.
	Listens  bool      `yaml:"listens,omitempty"`
	Backends []Backing `yaml:"backends"`
}

// Arg is an argument of a tool.
type Arg struct {
	Name string    `yaml:"name"`
	Type plan.Type `yaml:"type"`
	// Meaning says what a text stands for; required where Type is text.
	Meaning plan.Meaning `yaml:"meaning,omitempty"`
	// Kind is the type of the quantity that a text holds. Empty where it holds none, or any.
	Kind quantity.Kind `yaml:"kind,omitempty"`
	// About explains it to people and models.
	About    string `yaml:"about"`
	Optional bool   `yaml:"optional,omitempty"`
	// Many takes every given resource of the type, two at least.
	Many bool `yaml:"many,omitempty"`
}

// Backing is one way to run a tool; they stand in the order in which they are tried.
type Backing struct {
	// Kind names the make: native, program, hftask, openai, localai.
	Kind string `yaml:"kind"`
	// Run is what the make is asked for: an operation, a program's recipe, a task.
	Run string `yaml:"run"`
	// Device is where it works: cpu or gpu.
	Device string `yaml:"device"`
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
	return strings.NewReplacer("{", "", "}", "").Replace(example)
}
