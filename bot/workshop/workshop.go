// Package workshop builds what the settings name: catalogue, backends, planner, agent and jobs.
package workshop

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/fallback"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/rules"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/media/probe"
	"atelier/agent/toolbox/program/document"
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// Workshop builds what the settings name. Copies share fields such as Tools once they are set.
type Workshop struct {
	settings.Config

	// LogTo receives the log; nil discards it.
	LogTo io.Writer
	// Builtin returns the built-in tools. Nil reads them each time.
	Builtin func() (*toolbox.Catalogue, error)
	// Elsewhere returns what other processes can run; nil means nothing.
	Elsewhere func(context.Context) (map[string][]plan.Candidate, error)
	// Here reports whether this process works on a candidate's queue; nil means all.
	Here func(plan.Candidate) bool
	// RunsOnly marks a process that only runs programs written by others.
	RunsOnly bool
	// Tools is the process's toolbox; nil makes one when needed.
	Tools *toolbox.Toolbox
	// Films reads sound and video, and caches probe results; nil makes one when needed.
	Films *ffmpeg.FFmpeg
	// Choice chooses among the server's models; nil makes one when needed.
	Choice *family.Choice
	// Transport carries the planner's calls, wrapped by Wrap; nil is the network.
	Transport http.RoundTripper
	Wrap      func(http.RoundTripper) http.RoundTripper
}

// Limits returns the limits of media files. Office documents are accepted if they can be read.
func (w Workshop) Limits() media.Limits {
	return media.Limits{Bytes: w.FileMB * 1_000_000, Pixels: w.Pixels * 1_000_000, Memory: w.Memory, Office: document.ReadsOffice()}
}

// ReadCatalogue reads the built-in tools and the operator's.
func (w Workshop) ReadCatalogue() (*toolbox.Catalogue, error) {
	read := w.Builtin
	if read == nil {
		read = ReadBuiltin
	}
	catalogue, err := read()
	if err != nil {
		return nil, fault.Usage("The tool catalogue is invalid: %s", err)
	}
	if w.Catalogue == "" {
		return catalogue, nil
	}
	if catalogue, err = catalogue.With(os.DirFS(w.Catalogue)); err != nil {
		return nil, fault.Usage("A tool in %s (ATELIER_CATALOGUE) is invalid: %s\n"+
			"Correct it, or move its file elsewhere. bot tool check FILE lists all of its mistakes.", w.Catalogue, err)
	}
	return catalogue, nil
}

// Logger returns the logger that the settings describe.
func (w Workshop) Logger() *slog.Logger {
	if w.LogTo == nil {
		return slog.New(slog.DiscardHandler)
	}
	options := &slog.HandlerOptions{Level: w.Log}
	if w.LogJSON {
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { // else durations are printed in nanoseconds
			if a.Value.Kind() == slog.KindDuration {
				a.Value = slog.StringValue(a.Value.Duration().String())
			}
			return a
		}
		return slog.New(slog.NewJSONHandler(w.LogTo, options))
	}
	return slog.New(slog.NewTextHandler(w.LogTo, options))
}

// Agent builds an agent from the settings and the options in a. blobs may be nil for an agent that only
// plans.
func (w Workshop) Agent(ctx context.Context, catalogue *toolbox.Catalogue, blobs step.Blobs, a agent.Config) (*agent.Agent, error) {
	w, err := w.Shared()
	if err != nil {
		return nil, err
	}
	tools, err := w.Toolbox(ctx, catalogue)
	if err != nil {
		return nil, err
	}
	if a.Planner == nil {
		if a.Planner, err = w.NewPlanner(catalogue, Pictures{blobs: blobs, limits: w.Limits(), scratch: a.Scratch}, a.Tell); err != nil {
			return nil, err
		}
	}
	a.Toolbox, a.Player, a.Blobs, a.Memory = tools, w.Films, blobs, w.Memory
	a.Strategy = w.Strategy
	a.ExtraTypes = extraTypes(catalogue)
	a.Log = w.Logger()
	return agent.New(a)
}

// Shared returns the workshop with Choice and Films set, for all parts of a process to share.
func (w Workshop) Shared() (_ Workshop, err error) {
	if w.Choice, err = w.ModelChoice(); err == nil {
		w.Films, err = w.FFmpeg()
	}
	return w, err
}

// FFmpeg returns the process's FFmpeg, or makes one.
func (w Workshop) FFmpeg() (*ffmpeg.FFmpeg, error) {
	if w.Films != nil {
		return w.Films, nil
	}
	confined, err := w.sandbox()
	if err != nil {
		return nil, err
	}
	films, err := ffmpeg.New(ffmpeg.Config{Limits: w.Limits(), Sandbox: confined})
	if err != nil {
		return nil, fmt.Errorf("prepare ffmpeg: %w", err)
	}
	return films, nil
}

// PythonFolder is the folder of the Python environment for programs.
func (w Workshop) PythonFolder() string { return filepath.Join(w.Data, "python") }

// NewPlanner returns the planner that the settings name. If it uses vision, it gets the pictures in shown.
// tell translates fixed sentences.
func (w Workshop) NewPlanner(catalogue *toolbox.Catalogue, shown Pictures, tell plan.Translate) (planner.Planner, error) {
	if w.Planner == settings.LLMPlanner && !w.Fallback {
		return w.LanguageModel(catalogue, shown, tell)
	}
	byRules, err := rules.New(rules.Config{Catalogue: catalogue, Tell: tell})
	if err != nil {
		return nil, fmt.Errorf("prepare the rules: %w", err)
	}
	if w.Planner != settings.LLMPlanner {
		return byRules, nil
	}
	model, err := w.LanguageModel(catalogue, shown, tell)
	if err != nil {
		return nil, err
	}
	return fallback.New(fallback.Config{First: model, Second: byRules, Tell: tell, Log: w.Logger()})
}

// LanguageModel returns the planner that uses a language model.
func (w Workshop) LanguageModel(catalogue *toolbox.Catalogue, shown Pictures, tell plan.Translate) (*llm.Planner, error) {
	m := w.Models
	asked := endpoint.Config{Timeout: m.Timeout, Transport: w.Transport, Wrap: w.Wrap, Log: w.Logger()}
	e, err := SpeakTo(m.Server, asked)
	if err != nil {
		return nil, err
	}
	choice, err := w.ModelChoice()
	if err != nil {
		return nil, err
	}
	config := llm.Config{
		Catalogue:     catalogue,
		Model:         llm.Model{Endpoint: e, Name: m.Name, Choice: choice, TokenField: m.TokenField},
		ContextTokens: m.Context,
		MaxTokens:     m.Budget,
		WithoutPrior:  w.WithoutPrior,
		Tell:          tell,
	}
	if m.DecomposerName != "" {
		asked.Names = m.DecomposerNames()
		own, err := SpeakTo(m.Decomposer, asked)
		if err != nil {
			return nil, err
		}
		config.Decomposer = llm.Model{Endpoint: own, Name: m.DecomposerName}
		if m.Decomposer.BaseURL == m.Server.BaseURL { // another server may have another limit
			config.Decomposer.TokenField = m.TokenField
		}
	}
	if m.Vision && shown.blobs != nil {
		config.Pictures = shown
	}
	return llm.New(config)
}

// ModelChoice returns the choice among the server's models. It does not call the server yet.
func (w Workshop) ModelChoice() (*family.Choice, error) {
	if w.Choice != nil {
		return w.Choice, nil
	}
	m := w.Models
	e, err := SpeakTo(m.Server, endpoint.Config{Retries: 1, MaxBody: settings.MaxModelList, Transport: w.Transport, Log: w.Logger()})
	if err != nil {
		return nil, err
	}
	named := []string{m.Name, m.SeeingModel(), m.Image, m.Speech, m.Transcription}
	if m.Decomposer == m.Server {
		named = append(named, m.DecomposerName)
	}
	choice, err := family.New(family.Config{Endpoint: e, Named: named, Log: w.Logger()})
	if err != nil {
		return nil, fmt.Errorf("prepare the choice of models: %w", err)
	}
	return choice, nil
}

// prober returns a prober of media files.
func (w Workshop) prober() (probe.Prober, error) {
	confined, err := w.sandbox()
	if err != nil {
		return probe.Prober{}, err
	}
	films, err := w.FFmpeg()
	return probe.Prober{FFmpeg: films, Sandbox: confined}, err
}

// sandbox returns the sandbox for programs.
func (w Workshop) sandbox() (*sandbox.Sandbox, error) {
	confined, err := sandbox.New(sandbox.Config{Budget: w.Memory})
	if err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	return confined, nil
}

// extraTypes returns the catalogue's types that are not built in.
func extraTypes(c *toolbox.Catalogue) []plan.Type {
	var extra []plan.Type
	add := func(t plan.Type) {
		if !slices.Contains(plan.Types(), t) && !slices.Contains(extra, t) {
			extra = append(extra, t)
		}
	}
	for _, t := range c.Tools() {
		add(t.Returns)
		for _, a := range t.Args {
			add(a.Type)
		}
	}
	return extra
}

// ReadBuiltin reads the built-in tools.
func ReadBuiltin() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) }

// LineWriter serializes the lines of several loggers.
type LineWriter struct {
	mu sync.Mutex
	To io.Writer
}

// GPUAtOnce is the number of concurrent actions on model servers that do not report their capacity.
const GPUAtOnce = 4

// ProgramsAtOnce is the number of concurrent programs written by a model.
const ProgramsAtOnce = 2

// SpeakTo returns the endpoint of a server, with the timeouts and retries of how.
func SpeakTo(s settings.Server, how endpoint.Config) (*endpoint.Endpoint, error) {
	how.BaseURL, how.Key, how.AzureVersion = s.BaseURL, string(s.Key), s.AzureVersion
	e, err := endpoint.New(how)
	if err != nil {
		return nil, fault.Usage("The settings of the model server are invalid: %s.", err)
	}
	return e, nil
}

func (w *LineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.To.Write(p) //nolint:wrapcheck // keep the writer's error
}
