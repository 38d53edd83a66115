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

// route is the path of a request, and the model that answers it, "" if unknown.
type route struct{ path, model string }

// lookup says whether to ask the server again what it has. Only probes do: a busy server answers late, and a
// call must not take that for an outage.
type lookup bool

const (
	refresh   lookup = true
	useCached lookup = false // use the last known list, if there is one
)

// route returns where the server does a task for a candidate. The error says why it cannot.
func (b *Backend) route(ctx context.Context, t task, c toolbox.Candidate, how lookup) (route, error) {
	if c.Model != "" && !isModel(c.Model) {
		return route{}, fault(errors.New("the model name must have the form org/model"),
			"%q is not the name of a model on Hugging Face; names look like org/model.", toolbox.Shorten(c.Model))
	}
	if b.hub != nil {
		return b.onHub(ctx, t, c, how)
	}
	known, remembered := b.own.remembered()
	if !remembered || how == refresh {
		var err error
		if known, err = b.own.known(ctx); err != nil {
			return route{}, b.asFault(err, c.Model)
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

// byModel returns the route to a model that the candidate names.
func (b *Backend) byModel(ctx context.Context, known manifest, t task, model string, how lookup) (route, error) {
	to := route{path: "/models/" + model, model: model}
	host := b.config.Endpoint.Host()
	if known.bare {
		state, remembered := b.own.states.remembered(model)
		if !remembered || how == refresh {
			var err error
			if state, err = b.own.states.look(ctx, model); err != nil {
				return route{}, b.asFault(err, model)
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

// model matches model names as on the hub. Other names are neither requested nor repeated to anybody.
var model = lazyregexp.New(`^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}$`)

func isModel(name string) bool {
	return model.MatchString(name) && !strings.Contains(name, "..")
}

// modelName returns the name that a server gives for a model, "" if it does not look like one.
func modelName(name string) string {
	if isModel(name) {
		return name
	}
	return ""
}

// missing reports whether the error is a status 404, 405 or 501.
func missing(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}
