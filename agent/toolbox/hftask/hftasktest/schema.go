package hftasktest

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

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
