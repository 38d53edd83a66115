package openai

import (
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// unusable returns the fault if a failure to list the models affects every run. It returns nil if it may
// affect the list alone: some keys may use a model but not list models.
func (b *Backend) unusable(err error) error {
	switch endpoint.KindOf(err) {
	case endpoint.KeyRefused, endpoint.Quota, endpoint.Down, endpoint.TimedOut, endpoint.Malformed:
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: down(err)}
	case endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.TooLong, endpoint.Rejected:
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault(down(err), "The model server at %s does not answer.", b.config.Endpoint.Host())
	}
	return err
}

// choose returns the model for a run without a configured one.
func (b *Backend) choose(ctx context.Context, backing toolbox.Candidate, r run) (string, error) {
	if r.found {
		return b.config.Find(ctx, backing.Run)
	}
	model, err := b.config.Models.Model(ctx, r.role)
	if endpoint.KindOf(err) == endpoint.ModelUnknown {
		return "", r.unset(err)
	}
	return model, err
}

// checkModel returns why the server does not have the model of a run, or nil.
func (b *Backend) checkModel(ctx context.Context, r run) error {
	listed, err := b.config.Models.List(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return b.unusable(err)
	}
	if len(listed) == 0 || r.talks() && anyName(listed) || slices.ContainsFunc(listed, func(m endpoint.Model) bool { return m.Serves(r.model) }) {
		return nil
	}
	host := b.config.Endpoint.Host()
	why := &plan.Fault{Sentence: plan.Say("The model server has no model that does this.")}
	why.Operator = plan.Say("The model server at %s has no model called %q: set %s to one that it has.", host, r.model, r.variable)
	if some := family.Examples(listed); some != "" {
		why.Operator = plan.Say("The model server at %s has no model called %q: set %s to one that it has, such as %s.", host, r.model, r.variable, some)
	}
	return why
}

// anyName reports whether the server accepts any model name. A server started with a single file lists that
// file and ignores the name in requests (llama.cpp, tools/server).
func anyName(listed []endpoint.Model) bool {
	if len(listed) != 1 {
		return false
	}
	name := listed[0].Name
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") || strings.Contains(name, `\`) ||
		strings.Contains(strings.ToLower(name), "gguf")
}
