package toolbox

import (
	"context"
	"time"

	"atelier/agent/plan"
)

// Backend is a make that runs tools: native code, programs, servers.
//
// Run works only inside the call's folder, obeys its context, and returns an error
// that carries a sentence for people ([plan.Fault]). It must be safe for concurrent use.
type Backend interface {
	// Probe tells whether the make can run what a backing asks for: nil, or a
	// [plan.Fault] that says what is missing and how to get it.
	Probe(ctx context.Context, b Backing) error
	//
	// With an error, the Usage of the Output tells what was taken in vain.
	Run(ctx context.Context, b Backing, c Call) (Output, error)
}

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
	// Dir is an empty folder of the call's own: outputs are written into it, and it
	// is removed after the call.
	Dir string
	// Seed makes a random tool repeatable.
	Seed int64
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
	// About says in a few words what it is, for people.
	About plan.Message
	// Note is what people should know about how it came about.
	Note plan.Message
	// Model names the model that made it, "" if none did.
	Model string
	// Usage is what it took of that model.
	Usage plan.Tokens
	// More are further outputs of the same type.
	More []Output
}

// Text is the value of a text argument, "" if it is absent.
func (c Call) Text(arg string) string {
	if vs := c.Args[arg]; len(vs) > 0 {
		return vs[0].Value
	}
	return ""
}
