package toolbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// Backend is a make that runs tools: native code, programs, servers.
//
// Every make promises:
//   - Probe answers soon and asks no model for work. What it learns of a server it keeps
//     for a moment, since all candidates are asked after at once.
//   - Run works only inside the call's folder and leaves nothing behind elsewhere. It
//     ends soon after its context, which is how a call is cancelled: the program is
//     killed, the server's job is called off.
//   - Both are safe for concurrent use, and their errors carry a sentence for people
//     ([plan.Fault]). One that is the backend's own trouble, not the input's, is
//     [ErrDown] as well; one of a model that is still being loaded is [ErrLoading].
type Backend interface {
	// Probe reports whether the candidate can run now: nil, or what is missing and how to
	// get it.
	Probe(ctx context.Context, c Candidate) error
	// Run uses the candidate. With an error, the Usage of the Output tells what was
	// taken in vain.
	Run(ctx context.Context, c Candidate, call Call) (Output, error)
}

// Knowing is a [Backend] that knows which models it asks.
type Knowing interface {
	// ModelOf is the model that a candidate asks which names none, "" if it is not known.
	// It is asked after a probe that went well, and answers as soon as that.
	ModelOf(ctx context.Context, c Candidate) string
}

// Writing is a [Backend] that has programs written, which it or that of another process then runs.
type Writing interface {
	// Writes tells why no program can be written in this process; nil if it can.
	Writes(ctx context.Context, c Candidate) error
	// Write has the next draft of a program written, after those that failed. With an error, the Usage
	// of the draft tells what was taken in vain.
	Write(ctx context.Context, c Candidate, call Call, drafts []plan.Draft) (plan.Draft, error)
}

// What kind of trouble a backend has, by [errors.Is].
var (
	// ErrDown is in an error that lies with the backend and not with what it was given:
	// no connection, a server's failure, an answer that makes no sense, too many
	// requests, a program that cannot be started.
	ErrDown = errors.New("the backend is down")
	// ErrLoading is in the error of a model that is on its way: it is not down.
	ErrLoading = errors.New("the model is being loaded")
)

// Parameters that are the same for all tools that have them: the seed, and how many results are made, each with the
// next seed.
const (
	SeedParam    = "seed"
	ResultsParam = "results"
)

// Call is one use of a tool.
type Call struct {
	Tool string
	// Returns is what the tool promises to return.
	Returns plan.Type
	// Request is the id of the request that the call belongs to, for logs; it may be
	// empty.
	Request string
	// Args by the argument's name. A blank optional argument is absent. An argument
	// that takes many has several values, any other has one.
	Args map[string][]Value
	// Params are the settings by name. One that is left out and has no default is absent.
	Params map[string]param.Value
	// Dir is an empty folder of the call's own: outputs are written into it, and it
	// is removed after the call.
	Dir string
	// Seed makes a random tool repeatable.
	Seed int64
	// Program is what the tool that improvises is to run, as it was stored; "" has one written.
	Program string
	// Spent is how many tokens the request has taken of language models before.
	Spent int
	// Now is the time of the request.
	Now time.Time
}

// Value is an input as a backend sees it: a small value in Value, or media in a local
// file that must not be changed.
type Value struct {
	plan.Resource
	Path string
}

// Output is what a tool made: a small value, or a file in the call's folder. A mask
// with several parts has both (see [plan.Resource]).
type Output struct {
	Value string
	Path  string
	// File is the name of a text as people know it; "" if it has none.
	File string
	// About says in a few words what it is, for people.
	About plan.Message
	// Note is what people should know about how it came about.
	Note plan.Message
	// Seed is the seed with which it was made, of the call or as much of it as the backend takes; 0 if it takes none.
	Seed int64
	// Model names the model that made it, "" if none did.
	Model string
	// Program is what was written for it, to be run again; "" if nothing was.
	Program string
	// Usage is what it took of that model.
	Usage plan.Tokens
	// More are further outputs of the same type.
	More []Output
}

// Text is the value of a text argument, or the canonical form of a parameter; "" if it is absent.
func (c Call) Text(arg string) string {
	if vs := c.Args[arg]; len(vs) > 0 {
		return vs[0].Value
	}
	return c.Params[arg].String()
}

// Param is the value of a parameter; false if it is absent.
func Param[T any](c Call, name string) (T, bool) { return param.As[T](c.Params[name]) }

// Need is the value of a parameter that is required or has a default. Its absence is a fault of the
// tool's file or of the caller.
func Need[T any](c Call, name string) (T, error) {
	v, ok := Param[T](c, name)
	if !ok {
		return v, fmt.Errorf("the call lacks the parameter %s", name)
	}
	return v, nil
}

// Outward decides whether pictures, sound and video may go to a server: all backends that send files
// ask it.
type Outward struct {
	// Allowed lets them leave the house (ALLOW_CLOUD_MEDIA).
	Allowed bool
	// Private marks a server in the house.
	Private bool
	// Host is the server's, for the operator.
	Host string
}

// May reports whether media may go there.
func (o Outward) May() bool { return o.Allowed || o.Private }

// Refusal is the error of what needs media to go there, and nil where they may.
func (o Outward) Refusal() error {
	if o.May() {
		return nil
	}
	return &plan.Fault{
		Sentence: plan.Say("It would send pictures, sound or video to an outside service, which is not allowed here."),
		Operator: plan.Say("It would send pictures, sound or video to %s: set ALLOW_CLOUD_MEDIA=true to allow that.", o.Host),
	}
}

// Check is the Refusal of a call with files or with media, and nil for any other one.
func (o Outward) Check(c Call) error {
	for _, values := range c.Args {
		if slices.ContainsFunc(values, func(v Value) bool { return v.Path != "" || v.Type.Media() }) {
			return o.Refusal()
		}
	}
	return nil
}
