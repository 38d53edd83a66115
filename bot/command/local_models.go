package command

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/agent/endpoint/discover"
	"atelier/bot/settings"
)

// WithLocal looks for a model server on this machine if none is configured and a model is wanted. A
// server that is found is used like a configured one, for planning and for tools, with two
// differences: it gets pictures only if its model is known to read them, and the built-in rules are the
// fallback if it fails, unless PLANNER=llm.
func WithLocal(ctx context.Context, c settings.Config, places []discover.Place) (settings.Config, error) {
	if !c.LocalModels || c.Planner == settings.RulesPlanner || c.Models.Named() {
		return c, nil
	}
	var err error
	if c.Local, err = discover.Find(ctx, discover.Config{Places: places}); err != nil {
		return c, fmt.Errorf("look for a model server on this machine: %w", err)
	}
	s := usedLocal(c.Local)
	if s == nil {
		return c, nil
	}
	m := &c.Models
	m.Server.BaseURL, m.Name = s.BaseURL, s.Model
	if !s.Sees {
		m.Seeing, m.Vision = settings.NoModel, false
	}
	if s.Context > 0 && c.Variables["OPENAI_CONTEXT"] == "" {
		m.Context = min(m.Context, s.Context)
	}
	c.Fallback = c.Fallback || c.Planner == settings.AutoPlanner
	return c, nil
}

// usedLocal returns the local server to use; nil if there is none.
func usedLocal(found []discover.Server) *discover.Server {
	if last := len(found) - 1; last >= 0 && found[last].Model != "" {
		return &found[last]
	}
	return nil
}

// logLocal logs which local server is used, or why none is.
func logLocal(ctx context.Context, found []discover.Server, log *slog.Logger) {
	for _, s := range found {
		if s.Model == "" {
			log.InfoContext(ctx, "a model server was found on this machine, but none of its models is used: "+
				"they are too small, not for chat, or the choice is ambiguous; set OPENAI_BASE_URL and OPENAI_MODEL to use one",
				"server", s.Name, "at", s.Address, "models", s.Models)
			continue
		}
		log.InfoContext(ctx, "a model server was found on this machine, and is used because none is configured: "+
			settings.LocalModelsSetting+"=false disables this", "server", s.Name, "at", s.Address, "model", s.Model)
	}
}
