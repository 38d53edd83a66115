package command

import (
	"atelier/agent/toolgraph"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// Thinking are the flags for planning.
type Thinking struct {
	Strategy       string `help:"How to search the tool graph: best-first, greedy, beam, adaptive or exhaustive." placeholder:"NAME"`
	Planner        string `help:"What interprets the request: llm (a language model), rules (no model), or auto: llm if a model is set." placeholder:"NAME"`
	PriorKnowledge bool   `help:"Hint at tools when the language model splits the request." negatable:"" default:"true"`
	MaxActions     int    `help:"The maximum number of tools for one part of a request. The default is 10." placeholder:"N" default:"10"`
}

// DefaultActions is the default of --max-actions.
const DefaultActions = 10

// Apply applies the flags to the settings.
func (t Thinking) Apply(c *settings.Config) error {
	if t.Strategy != "" {
		s, err := toolgraph.ParseStrategy(t.Strategy)
		if err != nil {
			return fault.Usage("--strategy is invalid: %s.", err)
		}
		c.Strategy = s
	}
	if t.Planner != "" {
		m, err := settings.ParsePlanner(t.Planner)
		if err != nil {
			return fault.Usage("--planner is %q: %s.", t.Planner, err)
		}
		c.Planner = m
	}
	c.WithoutPrior = !t.PriorKnowledge
	if t.MaxActions < 1 || t.MaxActions > 64 {
		return fault.Usage("--max-actions is %d: expected a number from 1 to 64.", t.MaxActions)
	}
	return nil
}
