package hftasktest

import (
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
)

// stateOf is whether a model is there: loaded, loading or unavailable.
func (s *Server) stateOf(model string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, where := range append([]string{model}, s.tasksOf(model)...) {
		f, ok := s.faults[where]
		switch {
		case !ok:
		case f.Kind == Loading:
			return "loading"
		case f.Kind == Down || f.Kind == Dropped || f.Kind == Broken:
			return "unavailable"
		}
	}
	return "loaded"
}

func (s *Server) serveStatus(w http.ResponseWriter, r *http.Request) {
	model := r.PathValue("org") + "/" + r.PathValue("model")
	if len(s.tasksOf(model)) == 0 {
		refusal{http.StatusNotFound, "Model " + model + " does not exist"}.write(w)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"state": s.stateOf(model)})
}

// What GET /capabilities says.
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
		Tasks     []string `json:"tasks"`
		State     string   `json:"state"`
		VRAMBytes int64    `json:"vram_bytes"`
	}
)

func (s *Server) serveCapabilities(w http.ResponseWriter, _ *http.Request) {
	c := capabilities{Tasks: map[string]ability{}, Models: map[string]modelInfo{}}
	for name, models := range s.config.Models {
		c.Tasks[name] = ability{Default: models[0], Models: models}
		for _, model := range models {
			c.Models[model] = modelInfo{Tasks: s.tasksOf(model), State: s.stateOf(model), VRAMBytes: int64(1+hash(model)%16) << 30}
		}
	}
	writeJSON(w, http.StatusOK, c)
}

// What GET /api/models says of a model, as far as clients ask for it.
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

func (s *Server) serveHub(w http.ResponseWriter, r *http.Request) {
	model := r.PathValue("org") + "/" + r.PathValue("model")
	names := s.tasksOf(model)
	if len(names) == 0 {
		refusal{http.StatusNotFound, "Repository not found"}.write(w)
		return
	}
	m := hubModel{ID: model, Pipeline: names[0]}
	if slices.Contains(r.URL.Query()["expand[]"], "inferenceProviderMapping") {
		provider := "hf-inference"
		if slices.Contains(s.config.Elsewhere, model) {
			provider = "fal-ai"
		}
		status := "live"
		if s.stateOf(model) == "unavailable" {
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

// hash is a number that is the same for the same text.
func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return h.Sum32()
}

// sortedKeys are the keys of a map in their order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
