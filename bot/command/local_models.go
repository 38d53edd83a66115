package command

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/agent/endpoint/discover"
	"atelier/bot/settings"
)

// WithLocal looks for a model server on this machine, if none is set and a model is wanted.
// One that is found counts as set: it plans, and tools run on it too, since one set of rules
// for named and found servers is easier to understand than two. Two things differ. It is
// shown pictures only if it is known to read them. And the built-in rules stand in where it
// fails, unless PLANNER=llm insists on a model: nobody has asked for this server.
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

// usedLocal is the server of this machine that is used, since none was set; nil if there is none.
func usedLocal(found []discover.Server) *discover.Server {
	if last := len(found) - 1; last >= 0 && found[last].Model != "" {
		return &found[last]
	}
	return nil
}

// logLocal says which server of this machine is used, or why those that run are not.
func logLocal(ctx context.Context, found []discover.Server, log *slog.Logger) {
	for _, s := range found {
		if s.Model == "" {
			log.InfoContext(ctx, "a model server was found on this machine, and none of its models is used: "+
				"they are too small or for something else than chat, or it is not clear which; OPENAI_BASE_URL and OPENAI_MODEL name one",
				"server", s.Name, "at", s.Address, "models", s.Models)
			continue
		}
		log.InfoContext(ctx, "a model server was found on this machine, and is used since none is set: "+
			settings.LocalModelsSetting+"=false switches that off", "server", s.Name, "at", s.Address, "model", s.Model)
	}
}
