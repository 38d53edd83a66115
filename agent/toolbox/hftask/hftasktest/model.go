package hftasktest

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// models describes the server's models.
type models struct {
	byTask    map[string][]string // the default first
	elsewhere []string            // models with another provider
	faults    *faults
}

// taskOf returns the task of a model, "" if it is unknown.
func (ms *models) taskOf(model string) string {
	for task, models := range ms.byTask {
		if slices.Contains(models, model) {
			return task
		}
	}
	return ""
}

// stateOf returns the state of a model of a task.
func (ms *models) stateOf(model, task string) string {
	if ms.faults.kind(model) == Loading || ms.faults.kind(task) == Loading {
		return "loading"
	}
	return "loaded"
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
			c.Models[model] = modelInfo{Tasks: []string{name}, State: ms.stateOf(model, name)}
		}
	}
	writeJSON(w, http.StatusOK, c)
}

// hubProvider is a provider of a model, as far as clients read it.
type hubProvider struct {
	Status     string `json:"status"`
	ProviderID string `json:"providerId"` //nolint:tagliatelle // the hub's name
	Task       string `json:"task"`
}

func (ms *models) serveHub(w http.ResponseWriter, r *http.Request) {
	model := r.PathValue("org") + "/" + r.PathValue("model")
	does := ms.taskOf(model)
	switch {
	case does == "":
		refusal{http.StatusNotFound, "Repository not found"}.write(w)
		return
	case !slices.Contains(r.URL.Query()["expand[]"], "inferenceProviderMapping"):
		refusal{http.StatusBadRequest, "only the providers of a model are known here"}.write(w)
		return
	case does == "text-generation": // as the hub calls it
		does = "conversational"
	}
	provider := "hf-inference"
	if slices.Contains(ms.elsewhere, model) {
		provider = "fal-ai"
	}
	writeJSON(w, http.StatusOK, map[string]any{"inferenceProviderMapping": map[string]hubProvider{
		provider: {Status: "live", ProviderID: model, Task: does},
	}})
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// files holds the published schemas and our own (see spec/README.md).
//
//go:embed spec/tasks spec/extension
var files embed.FS

// origin is the base URI of the schemas' IDs; nothing is fetched from there.
const origin = "https://huggingface.co"

// form describes the input and output of a task.
type form struct {
	input, output *jsonschema.Resolved
	members       []string // of the request's body
	published     []string // parameters of the task's own schema
	added         []string // parameters of the extension
}

// rules validate requests and answers.
type rules struct {
	forms     map[string]form // by task
	extension *jsonschema.Resolved
}

// allRules reads all schemas once, for all servers.
var allRules = sync.OnceValues(readRules)

func readRules() (rules, error) {
	byID, err := schemas()
	if err != nil {
		return rules{}, err
	}
	added := map[string][]string{}
	if err := readJSON("spec/extension/fields.json", &added); err != nil {
		return rules{}, err
	}
	all := rules{forms: map[string]form{}}
	for id, input := range byID {
		if path.Base(id) != "input.json" {
			continue
		}
		task := path.Base(path.Dir(id))
		f := form{members: slices.Sorted(maps.Keys(input.Properties)), added: added[task]}
		f.published = slices.Sorted(maps.Keys(parametersOf(input).Properties))
		if f.input, err = resolve(byID, id); err != nil {
			return rules{}, err
		}
		if f.output, err = resolve(byID, path.Join(path.Dir(id), "output.json")); err != nil {
			return rules{}, err
		}
		all.forms[task] = f
	}
	all.extension, err = resolve(byID, "/extension/parameters.json")
	return all, err
}

// schemas reads the schema files, by ID.
func schemas() (map[string]*jsonschema.Schema, error) {
	byID := map[string]*jsonschema.Schema{}
	err := fs.WalkDir(files, "spec", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(name) == "fields.json" {
			return err
		}
		s := &jsonschema.Schema{}
		if err := readJSON(name, s); err != nil {
			return err
		}
		if s.Schema == "http://json-schema.org/draft-06/schema#" {
			s.Schema = "http://json-schema.org/draft-07/schema#" // a superset
		}
		byID[s.ID] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the schemas: %w", err)
	}
	return byID, nil
}

func readJSON(name string, v any) error {
	b, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// parametersOf returns the schema of a request's parameters, inline or by reference.
func parametersOf(input *jsonschema.Schema) *jsonschema.Schema {
	p := input.Properties["parameters"]
	if p == nil {
		return &jsonschema.Schema{}
	}
	if name, ok := strings.CutPrefix(p.Ref, "#/$defs/"); ok {
		return input.Defs[name]
	}
	return p
}

// resolve resolves a schema with those that it refers to.
func resolve(byID map[string]*jsonschema.Schema, id string) (*jsonschema.Resolved, error) {
	s, ok := byID[id]
	if !ok {
		return nil, fmt.Errorf("there is no schema %s", id)
	}
	r, err := s.CloneSchemas().Resolve(&jsonschema.ResolveOptions{
		BaseURI: origin,
		Loader: func(uri *url.URL) (*jsonschema.Schema, error) {
			other, ok := byID[uri.Path]
			if !ok {
				return nil, fmt.Errorf("there is no schema %s", uri)
			}
			return other.CloneSchemas(), nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	return r, nil
}

// refuse returns why the body of a request is invalid: by the task's schema, by the extension's, or because
// of unknown members.
func (r rules) refuse(task string, body map[string]any) error {
	f := r.forms[task]
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if !slices.Contains(f.members, name) {
			return fmt.Errorf("%s is unknown here; there are: %s", name, strings.Join(f.members, ", "))
		}
	}
	if err := f.input.Validate(body); err != nil {
		return fmt.Errorf("the request is not of the task's form: %w", err)
	}
	parameters, ok := body["parameters"].(map[string]any)
	if !ok {
		return nil
	}
	ours := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		switch {
		case slices.Contains(f.published, name):
		case slices.Contains(f.added, name):
			ours[name] = parameters[name]
		default:
			return fmt.Errorf("the parameter %s is unknown here; there are: %s", name,
				strings.Join(slices.Concat(f.published, f.added), ", "))
		}
	}
	if err := r.extension.Validate(ours); err != nil {
		return fmt.Errorf("the parameters are not of the extension's form: %w", err)
	}
	points, _ := ours["points"].([]any) //nolint:errcheck // the schema guarantees it; absent is none
	labels, given := ours["labels"].([]any)
	if given && len(labels) != len(points) {
		return errors.New("there must be as many labels as points")
	}
	return nil
}
