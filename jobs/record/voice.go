package record

import (
	"errors"
	"path"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Transcript is the text of a voice message. Each generation has its own, and the first one counts.
type Transcript struct {
	Generation int    `json:"generation,omitempty"`
	Text       string `json:"text,omitempty"`
	// Approximate means that a weaker fallback transcribed it.
	Approximate bool `json:"approximate,omitempty"`
	// Problem is the sentence for people if there is no text.
	Problem string `json:"problem,omitempty"`
}

// Voice returns the voice message that is the request: the only voice file of a message without text. It is
// nil if there is none.
func (r *Request) Voice() *plan.Resource {
	if r.Given == nil {
		return nil
	}
	spoken, ok := spokenFile(r.Message())
	if !ok {
		return nil
	}
	i := slices.IndexFunc(r.Given.Resources, func(g plan.Resource) bool { return g.File == FileName(spoken) && g.Type == plan.Audio })
	if i < 0 {
		return nil
	}
	return &r.Given.Resources[i]
}

// NeedsTranscription reports whether the voice message still has to be transcribed for a generation.
func (r *Request) NeedsTranscription(g *Generation) bool {
	return g.Guess == "" && g.Transcript == nil && g.Plan == nil && r.Voice() != nil
}

// WithoutVoice moves the voice message that is the request from the given resources to the earlier ones: it
// can be used, but the request is not about it.
func (r *Request) WithoutVoice(g *Generation, earlier []plan.Resource) (given, before []plan.Resource) {
	v := r.Voice()
	if v == nil || g.Transcript == nil && g.Guess == "" {
		return r.Given.Resources, earlier
	}
	given = slices.DeleteFunc(slices.Clone(r.Given.Resources), func(g plan.Resource) bool { return g.Name == v.Name })
	before = slices.DeleteFunc(slices.Clone(earlier), func(e plan.Resource) bool { return e.Name == v.Name })
	return given, append(before, *v)
}

// TranscriptFault returns the error of a voice message that was not understood, nil if there is none.
func (g *Generation) TranscriptFault() error {
	if g.Transcript == nil || g.Transcript.Problem == "" {
		return nil
	}
	return &plan.Fault{Sentence: plan.Quote(g.Transcript.Problem), Err: errors.New("unrecognised voice message")}
}

// spokenFile returns the voice file of a message without text. Several voice files are ordinary files.
func spokenFile(m *adapters.Message) (adapters.File, bool) {
	if m == nil || strings.TrimSpace(m.Text) != "" {
		return adapters.File{}, false
	}
	of := func(f adapters.File) bool { return f.Voice }
	i := slices.IndexFunc(m.Files, of)
	if i < 0 || slices.ContainsFunc(m.Files[i+1:], of) {
		return adapters.File{}, false
	}
	return m.Files[i], true
}

// TranscriptionStep is the key of the step that transcribes a voice message. It runs before planning and is
// not part of a plan.
const TranscriptionStep = "hearing"

// FileName is the name of a file for people.
func FileName(f adapters.File) string {
	name := path.Base(strings.ReplaceAll(f.Name, "\\", "/"))
	if name == "." || name == ".." || name == "/" {
		return "file"
	}
	return name
}
