package hftask

import (
	"context"
	"errors"
	"net/http"

	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/toolbox"
)

// route is where a question goes, and which model answers it, "" if that is not known.
type route struct{ path, model string }

// asking is whether a server is asked anew what it has. Only probes do: one that is at
// work answers late, and is not down for that.
type asking bool

const (
	anew   asking = true
	asTold asking = false // if it was ever told
)

// route finds the place of the server that does a task for a candidate, or tells why
// there is none.
func (b *Backend) route(ctx context.Context, t task, c toolbox.Candidate, how asking) (route, error) {
	if c.Model != "" && !isModel(c.Model) {
		return route{}, fault(errors.New("the model is not of the form org/model"),
			"%q is not the name of a model on Hugging Face; names look like org/model.", shorten(c.Model))
	}
	if b.hub != nil {
		return b.onHub(ctx, t, c, how)
	}
	known, remembered := b.own.remembered()
	if !remembered || how == anew {
		var err error
		if known, err = b.own.known(ctx); err != nil {
			return route{}, b.sorted(err, c.Model)
		}
	}
	if c.Model != "" {
		return b.byModel(ctx, known, t, c.Model, how)
	}
	if known.bare {
		return route{path: "/pipeline/" + t.name}, nil
	}
	usual, ok := known.serves(t)
	switch {
	case !ok && t.mode != "":
		return route{}, fault(nil, "The tool server at %s has no model for %s with maps of the kind %s.", b.config.Endpoint.Host(), t.name, string(t.mode))
	case !ok:
		return route{}, fault(nil, "The tool server at %s has no model for %s.", b.config.Endpoint.Host(), t.form)
	case known.Models[usual].State == unavailable:
		return route{}, down(nil, "The tool server at %s cannot run %s at the moment.", b.config.Endpoint.Host(), modelName(usual))
	}
	return route{path: "/pipeline/" + t.name, model: modelName(usual)}, nil
}

// byModel is the route to a model that is named.
func (b *Backend) byModel(ctx context.Context, known manifest, t task, model string, how asking) (route, error) {
	to := route{path: "/models/" + model, model: model}
	host := b.config.Endpoint.Host()
	if known.bare {
		state, remembered := b.own.states.remembered(model)
		if !remembered || how == anew {
			var err error
			if state, err = b.own.states.look(ctx, model); err != nil {
				return route{}, b.sorted(err, model)
			}
		}
		if state == "" || state == unavailable {
			return route{}, fault(nil, "The tool server at %s does not have the model %s.", host, model)
		}
		return to, nil
	}
	switch does, state := known.does(t, model); {
	case !does:
		return route{}, fault(nil, "The tool server at %s does not have the model %s for %s.", host, model, t.name)
	case state == unavailable:
		return route{}, down(nil, "The tool server at %s cannot run %s at the moment.", host, model)
	}
	if len(known.Models[model].Tasks) > 1 {
		to.path += "/pipeline/" + t.name
	}
	return to, nil
}

// model is what names of models look like on the hub; others are neither asked for nor
// repeated.
var model = lazyregexp.New(`^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}$`)

func isModel(name string) bool {
	return model.MatchString(name) && !strings.Contains(name, "..")
}

// modelName is the name that a server tells, "" if it does not look like one.
func modelName(told string) string {
	if isModel(told) {
		return told
	}
	return ""
}

// missing reports whether the server does not have what was asked for.
func missing(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}
