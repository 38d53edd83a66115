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

// Backend runs tools: native code, programs or servers.
//
// Every implementation guarantees:
//   - Probe answers quickly and runs no model. It caches what it learns about a server for a
//     moment, since all candidates are probed at once.
//   - Run works only in the call's folder and leaves nothing behind elsewhere. When its
//     context ends it soon returns: programs are killed and server jobs are cancelled.
//   - Both are safe for concurrent use, and their errors carry a sentence for people
//     ([plan.Fault]). Errors caused by the backend rather than the input are also
//     [ErrDown]; while a model is still loading, they are [ErrLoading].
type Backend interface {
	// Probe returns nil if the candidate can run now, or an error that says what is missing and how to get it.
	Probe(ctx context.Context, c Candidate) error
	// Run runs the candidate. On error, the Usage of the Output still counts the tokens spent.
	Run(ctx context.Context, c Candidate, call Call) (Output, error)
}

// ModelNamer is a [Backend] that knows which models it uses.
type ModelNamer interface {
	// ModelOf returns the model used for a candidate that names none, "" if unknown.
	// It is called after a successful probe, and answers as quickly.
	ModelOf(ctx context.Context, c Candidate) string
}

// Writing is a [Backend] that has a model write programs, to be run by it or by another process's backend.
type Writing interface {
	// Writes returns nil if this process can have programs written, or an error that says why not.
	Writes(ctx context.Context, c Candidate) error
	// Write returns the next draft of a program, given the drafts that failed. On error, the Usage of
	// the draft still counts the tokens spent.
	Write(ctx context.Context, c Candidate, call Call, drafts []plan.Draft) (plan.Draft, error)
}

// Kinds of backend errors, for [errors.Is].
var (
	// ErrDown marks errors that are the backend's and not the input's: no connection, a server
	// failure, an invalid answer, too many requests, a program that does not start.
	ErrDown = errors.New("the backend is down")
	// ErrLoading marks errors of a model that is still loading; its backend is not down.
	ErrLoading = errors.New("the model is being loaded")
)

// Parameters shared by all tools that have them: the seed, and the number of results, each made with the next seed.
const (
	SeedParam    = "seed"
	ResultsParam = "results"
)

// MaxPreview is the maximum size of a preview in bytes.
const MaxPreview = 64 << 10

// Call is one use of a tool.
type Call struct {
	Tool string
	// Returns is the declared return type of the tool.
	Returns plan.Type
	// Request is the ID of the request that the call belongs to, for logs; it may be empty.
	Request string
	// Args holds the resources by argument name. Blank optional arguments are absent. Only arguments
	// with Many have several values.
	Args map[string][]Value
	// Params holds the settings by name. A setting that is not given and has no default is absent.
	Params map[string]param.Value
	// Dir is an empty folder for this call's outputs, removed after the call.
	Dir string
	// Seed makes random tools repeatable. It is a positive number of 31 bits, so that it can be told and asked for again.
	Seed int64
	// Program is the stored program for the improvising tool to run; if "", a program is written first.
	Program string
	// Spent is the number of tokens that the request has used so far.
	Spent int
	// Now is the time of the request.
	Now time.Time
	// Progress takes the share of the work that is done, from 0 to 1, from backends that know it; nil if nobody asks.
	// Preview is a small PNG or JPEG of what is made so far, at most MaxPreview bytes; nil where there is none.
	Progress func(share float64, preview []byte)
}

// Value is an input of a backend: either a small value in Value, or a local media file, which must not be changed.
type Value struct {
	plan.Resource
	Path string
}

// Output is a result of a tool: a small value, or a file in the call's folder. A mask with several
// parts has both (see [plan.Resource]).
type Output struct {
	Value string
	Path  string
	// File is the file name of a text, or of the file at Path, for people; "" if it has none.
	File string
	// About describes the result in a few words, for people.
	About plan.Message
	// Note is a remark for people on how the result was made.
	Note plan.Message
	// Seed is the seed that was used: the call's, or as many of its bits as the backend takes; 0 without one.
	Seed int64
	// Model names the model that made the result, "" if none did.
	Model string
	// Program is the program written for the result, so that it can be run again; "" if none was.
	Program string
	// Usage counts the tokens used by that model.
	Usage plan.Tokens
	// More holds further outputs of the same type.
	More []Output
}

// Text returns the value of a text argument, or the canonical form of a parameter; "" if absent.
func (c Call) Text(arg string) string {
	if vs := c.Args[arg]; len(vs) > 0 {
		return vs[0].Value
	}
	return c.Params[arg].String()
}

// Param returns the value of a parameter; false if absent.
func Param[T any](c Call, name string) (T, bool) { return param.As[T](c.Params[name]) }

// Need returns the value of a parameter that is required or has a default. If it is absent, the tool
// file or the caller is wrong.
func Need[T any](c Call, name string) (T, error) {
	v, ok := Param[T](c, name)
	if !ok {
		return v, fmt.Errorf("missing parameter %s", name)
	}
	return v, nil
}

// MediaPolicy decides whether media may be sent to a server. Every backend that sends files checks it.
type MediaPolicy struct {
	// Allowed permits sending media to outside services (ALLOW_CLOUD_MEDIA).
	Allowed bool
	// Private marks the operator's own server.
	Private bool
	// Host is the server's host, for the operator.
	Host string
}

// Allows reports whether media may be sent.
func (o MediaPolicy) Allows() bool { return o.Allowed || o.Private }

// Refusal returns the error for media that may not be sent, nil if they may.
func (o MediaPolicy) Refusal() error {
	if o.Allows() {
		return nil
	}
	return &plan.Fault{
		Sentence: plan.Say("It would send pictures, sound or video to an outside service, which is not allowed here."),
		Operator: plan.Say("It would send pictures, sound or video to %s: set ALLOW_CLOUD_MEDIA=true to allow that.", o.Host),
	}
}

// Check returns the Refusal for a call with files or media, nil for any other call.
func (o MediaPolicy) Check(c Call) error {
	for _, values := range c.Args {
		if slices.ContainsFunc(values, func(v Value) bool { return v.Path != "" || v.Type.Media() }) {
			return o.Refusal()
		}
	}
	return nil
}
