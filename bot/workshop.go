package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/media/probe"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolgraph"
)

// thinking are the flags that say how wishes are planned.
type thinking struct {
	Strategy       string `help:"How to search the graph of tools: best-first, greedy, beam, adaptive or exhaustive." placeholder:"NAME"`
	Mind           string `help:"What understands the wish: llm (a language model), offline (no model), or auto: llm once one is set." placeholder:"NAME"`
	PriorKnowledge bool   `help:"Give the language model hints at tools when it splits the wish." negatable:"" default:"true"`
	MaxActions     int    `help:"The most tools that one part of a wish may take; 10 unless told." placeholder:"N" default:"10"`
}

// defaultActions is the most tools of one part of a wish, unless told.
const defaultActions = 10

// over puts the flags over the settings.
func (t thinking) over(c *Config) error {
	if t.Strategy != "" {
		s, err := toolgraph.ParseStrategy(t.Strategy)
		if err != nil {
			return usage("--strategy is wrong: %s.", err)
		}
		c.Strategy = s
	}
	if t.Mind != "" {
		m, err := parseMind(t.Mind)
		if err != nil {
			return usage("--mind is %q: %s.", t.Mind, err)
		}
		c.Mind = m
	}
	c.WithoutPrior = !t.PriorKnowledge
	if t.MaxActions < 1 || t.MaxActions > 64 {
		return usage("--max-actions is %d: a number from 1 to 64 is expected.", t.MaxActions)
	}
	return nil
}

// limits bound what is read.
func (c Config) limits() media.Limits {
	return media.Limits{Bytes: c.FileMB * 1_000_000, Pixels: c.Pixels * 1_000_000, Memory: c.Memory}
}

// readBuiltin reads the tools that come with the program.
func readBuiltin() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) }

// catalogue is the built-in tools and the operator's.
func (c Config) catalogue() (*toolbox.Catalogue, error) {
	read := c.Builtin
	if read == nil {
		read = readBuiltin
	}
	catalogue, err := read()
	if err == nil && c.Catalogue != "" {
		catalogue, err = catalogue.With(os.DirFS(c.Catalogue))
	}
	if err != nil {
		return nil, usage("The catalogue of tools is wrong: %s", err)
	}
	return catalogue, nil
}

// lineWriter writes one line of the log after another, whichever logger it comes from.
type lineWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p) //nolint:wrapcheck // as if it were the writer itself
}

// logger logs as the configuration says.
func (c Config) logger() *slog.Logger {
	if c.LogTo == nil {
		return slog.New(slog.DiscardHandler)
	}
	options := &slog.HandlerOptions{Level: c.Log}
	if c.LogJSON {
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { // a time is a number of nanoseconds otherwise
			if a.Value.Kind() == slog.KindDuration {
				a.Value = slog.StringValue(a.Value.Duration().String())
			}
			return a
		}
		return slog.New(slog.NewJSONHandler(c.LogTo, options))
	}
	return slog.New(slog.NewTextHandler(c.LogTo, options))
}

// agent wires everything into a, which says how to work. blobs may be nil for an agent
// that only plans.
func (c Config) agent(ctx context.Context, catalogue *toolbox.Catalogue, blobs agent.Blobs, a agent.Config) (*agent.Agent, error) {
	c, err := c.shared()
	if err != nil {
		return nil, err
	}
	tools, err := c.toolbox(ctx, catalogue)
	if err != nil {
		return nil, err
	}
	if a.Mind == nil {
		if a.Mind, err = c.mind(catalogue, pictures{blobs, c.limits(), a.Scratch}, a.Tell); err != nil {
			return nil, err
		}
	}
	a.Toolbox, a.Player, a.Blobs, a.Memory = tools, c.Films, blobs, c.Memory
	a.Strategy = c.Strategy
	a.ExtraTypes = extraTypes(catalogue)
	a.Log = c.logger()
	return agent.New(a)
}

// shared is the configuration with what the parts of a process share: the model that they ask, and what
// they read sound and video with.
func (c Config) shared() (_ Config, err error) {
	if c.Models.Choice, err = c.choice(); err == nil {
		c.Films, err = c.films()
	}
	return c, err
}

// prober measures files.
func (c Config) prober() (probe.Prober, error) {
	confined, err := c.sandbox()
	if err != nil {
		return probe.Prober{}, err
	}
	films, err := c.films()
	return probe.Prober{FFmpeg: films, Sandbox: confined}, err
}

// films reads sound and video, by programs that run confined: that of the process, or else one that is
// made.
func (c Config) films() (*ffmpeg.FFmpeg, error) {
	if c.Films != nil {
		return c.Films, nil
	}
	confined, err := c.sandbox()
	if err != nil {
		return nil, err
	}
	films, err := ffmpeg.New(ffmpeg.Config{Limits: c.limits(), Sandbox: confined})
	if err != nil {
		return nil, fmt.Errorf("prepare what looks into videos: %w", err)
	}
	return films, nil
}

// sandbox is where programs run.
func (c Config) sandbox() (*sandbox.Sandbox, error) {
	confined, err := sandbox.New(sandbox.Config{Budget: c.Memory})
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
