// Package workshop makes what the settings name: the catalogue, the backends, the planner, the agent and
// the jobs.
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
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// Workshop makes what the settings name. What it makes only once, such as a toolbox, is shared by
// those who were handed a copy with it.
type Workshop struct {
	settings.Config

	// LogTo is where the log goes. Nil is nowhere.
	LogTo io.Writer
	// Builtin gives the tools that come with the program. Nil reads them anew.
	Builtin func() (*toolbox.Catalogue, error)
	// Elsewhere tells what other processes can run. Nil is nothing.
	Elsewhere func(context.Context) (map[string][]plan.Candidate, error)
	// Here reports whether the process works on what a candidate needs. Nil is all of them.
	Here func(plan.Candidate) bool
	// RunsOnly marks a process that runs programs that others write.
	RunsOnly bool
	// Tools is the process's own toolbox. Nil makes one when it is needed.
	Tools *toolbox.Toolbox
	// Films is what the process reads sound and video with. It remembers which files it has looked
	// at. Nil makes one when it is needed.
	Films *ffmpeg.FFmpeg
	// Choice chooses among the models of the server. Nil makes one when it is needed.
	Choice *family.Choice
	// Transport carries what the planner asks, and Wrap goes round it. Nil is the network.
	Transport http.RoundTripper
	Wrap      func(http.RoundTripper) http.RoundTripper
}

// Limits bound what is read.
func (w Workshop) Limits() media.Limits {
	return media.Limits{Bytes: w.FileMB * 1_000_000, Pixels: w.Pixels * 1_000_000, Memory: w.Memory}
}

// ReadCatalogue is the built-in tools and the operator's.
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
		return nil, fault.Usage("The catalogue of tools is wrong: %s", err)
	}
	return catalogue, nil
}

func (w *LineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.To.Write(p) //nolint:wrapcheck // as if it were the writer itself
}

// Logger logs as the settings say.
func (w Workshop) Logger() *slog.Logger {
	if w.LogTo == nil {
		return slog.New(slog.DiscardHandler)
	}
	options := &slog.HandlerOptions{Level: w.Log}
	if w.LogJSON {
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { // a time is a number of nanoseconds otherwise
			if a.Value.Kind() == slog.KindDuration {
				a.Value = slog.StringValue(a.Value.Duration().String())
			}
			return a
		}
		return slog.New(slog.NewJSONHandler(w.LogTo, options))
	}
	return slog.New(slog.NewTextHandler(w.LogTo, options))
}

// Agent wires everything into a, which says how to work. blobs may be nil for an agent
// that only plans.
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
		if a.Planner, err = w.NewPlanner(catalogue, Pictures{blobs, w.Limits(), a.Scratch}, a.Tell); err != nil {
			return nil, err
		}
	}
	a.Toolbox, a.Player, a.Blobs, a.Memory = tools, w.Films, blobs, w.Memory
	a.Strategy = w.Strategy
	a.ExtraTypes = extraTypes(catalogue)
	a.Log = w.Logger()
	return agent.New(a)
}

// Shared is the workshop with what the parts of a process share: the model that they ask, and what
// they read sound and video with.
func (w Workshop) Shared() (_ Workshop, err error) {
	if w.Choice, err = w.ModelChoice(); err == nil {
		w.Films, err = w.FFmpeg()
	}
	return w, err
}

// FFmpeg reads sound and video, by programs that run confined: that of the process, or else one that is
// made.
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
		return nil, fmt.Errorf("prepare what looks into videos: %w", err)
	}
	return films, nil
}

// PythonFolder is where the Python environment of programs is.
func (w Workshop) PythonFolder() string { return filepath.Join(w.Data, "python") }

// prober measures files.
func (w Workshop) prober() (probe.Prober, error) {
	confined, err := w.sandbox()
	if err != nil {
		return probe.Prober{}, err
	}
	films, err := w.FFmpeg()
	return probe.Prober{FFmpeg: films, Sandbox: confined}, err
}

// sandbox is where programs run.
func (w Workshop) sandbox() (*sandbox.Sandbox, error) {
	confined, err := sandbox.New(sandbox.Config{Budget: w.Memory})
	if err != nil {
		return nil, fmt.Errorf("prepare what programs run in: %w", err)
	}
	return confined, nil
}

// extraTypes are the types of the catalogue that are not built in.
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
