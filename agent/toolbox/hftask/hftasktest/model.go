package hftasktest

import (
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
)

// models describes the server's models.
type models struct {
	byTask    map[string][]string // the default first
	elsewhere []string            // models with another provider
	faults    *faults
}

// stateOf returns the state of a model: loaded, loading or unavailable.
func (ms *models) stateOf(model string) string {
	for _, where := range append([]string{model}, ms.tasksOf(model)...) {
		switch ms.faults.kind(where) { //nolint:exhaustive // other faults affect single requests
		case Loading:
			return "loading"
		case Down, Dropped, Broken:
			return "unavailable"
		}
	}
	return "loaded"
}

// tasksOf returns the tasks of a model, in alphabetical order.
func (ms *models) tasksOf(model string) []string {
	var names []string
	for name, models := range ms.byTask {
		if slices.Contains(models, model) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The answer to GET /capabilities.
type (
	capabilities struct {
		Tasks  map[string]ability   `json:"tasks"`
		Models map[string]modelInfo `json:"models"`
	}
	ability struct {
		Default string   `json:"default"`
		Models  []string `json:"models"`
	}
	modelInfo struct {
		Tasks []string `json:"tasks"`
		State string   `json:"state"`
	}
)

func (ms *models) serveCapabilities(w http.ResponseWriter, _ *http.Request) {
	c := capabilities{Tasks: map[string]ability{}, Models: map[string]modelInfo{}}
	for name, models := range ms.byTask {
		c.Tasks[name] = ability{Default: models[0], Models: models}
		for _, model := range models {
			c.Models[model] = modelInfo{Tasks: ms.tasksOf(model), State: ms.stateOf(model)}
		}
	}
	writeJSON(w, http.StatusOK, c)
}

// The answer to GET /api/models, as far as clients read it.
type (
	hubModel struct {
		ID       string                 `json:"id"`
		Mapping  map[string]hubProvider `json:"inferenceProviderMapping,omitempty"` //nolint:tagliatelle // the hub's name
		Pipeline string                 `json:"pipeline_tag,omitempty"`
	}
	hubProvider struct {
		Status     string `json:"status"`
		ProviderID string `json:"providerId"` //nolint:tagliatelle // the hub's name
		Task       string `json:"task"`
	}
)

func (ms *models) serveHub(w http.ResponseWriter, r *http.Request) {
	model := r.PathValue("org") + "/" + r.PathValue("model")
	names := ms.tasksOf(model)
	if len(names) == 0 {
		refusal{http.StatusNotFound, "Repository not found"}.write(w)
		return
	}
	m := hubModel{ID: model, Pipeline: names[0]}
	if slices.Contains(r.URL.Query()["expand[]"], "inferenceProviderMapping") {
		provider := "hf-inference"
		if slices.Contains(ms.elsewhere, model) {
			provider = "fal-ai"
		}
		status := "live"
		if ms.stateOf(model) == "unavailable" {
			status = "error"
		}
		does := names[0]
		if does == "text-generation" { // as the hub calls it
			does = "conversational"
		}
		m.Pipeline, m.Mapping = "", map[string]hubProvider{provider: {Status: status, ProviderID: model, Task: does}}
	}
	writeJSON(w, http.StatusOK, m)
}

// hash returns a hash of a text.
func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return h.Sum32()
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
