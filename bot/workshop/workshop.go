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

	"atelier/agent"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
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
	if err == nil && w.Catalogue != "" {
		catalogue, err = catalogue.With(os.DirFS(w.Catalogue))
	}
	if err != nil {
		return nil, fault.Usage("The tool catalogue is invalid: %s", err)
	}
	return catalogue, nil
}

func (w *LineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.To.Write(p) //nolint:wrapcheck // keep the writer's error
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
