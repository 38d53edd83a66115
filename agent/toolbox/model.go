package toolbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Model is a catalogue entry for a model, with what helps to choose among models (HuggingGPT, section
// 3.2: its description and download count; the rank is used where the count is unknown).
type Model struct {
	// ID is its name on the Hugging Face hub: "org/model".
	ID string `yaml:"id"`
	// Names are its common names: "SDXL", "Stable Diffusion XL".
	Names []string `yaml:"names"`
	// Description says in one sentence what it is good and not good at.
	Description string `yaml:"description"`
	// Licence is the SPDX identifier, or the name of a custom licence.
	Licence string `yaml:"licence"`
	// Rank is its place among models for the same task, from 1, by quality and licence as we judge
	// them. It also stands for popularity where Downloads is unknown. 0 sorts last.
	Rank int `yaml:"rank,omitempty"`
	// Downloads is the number of downloads from the hub in the month before AsOf; 0 means unknown, as
	// for all models of the embedded catalogue.
	Downloads int `yaml:"downloads,omitempty"`
	// AsOf is the day on which Downloads was read: "2026-11-20".
	AsOf string `yaml:"as_of,omitempty"`
	// Tools are the catalogue tools that it can run.
	Tools []string `yaml:"tools"`
}

// modelKind is the kind of backing that runs the catalogue's models: servers that accept hub names.
const modelKind = "hftask"

// Does reports whether the model can run a tool through the backing.
func (m Model) Does(tool string, b Backing) bool {
	return b.Kind == modelKind && slices.Contains(m.Tools, tool)
}

// Called returns the model's main name for people.
func (m Model) Called() string { return m.Names[0] }

// byRank sorts recommended models first, then the most downloaded.
func byRank(a, b Model) int {
	place := func(m Model) int {
		if m.Rank == 0 {
			return math.MaxInt
		}
		return m.Rank
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(b.Downloads, a.Downloads), cmp.Compare(a.ID, b.ID))
}

// modelsFolder is the catalogue's subfolder with the models, one file each.
const modelsFolder = "models"

// loadModels adds the models of a folder to byID, replacing known ones, and returns the faults.
func loadModels(folder fs.FS, byID map[string]Model) []error {
	files, err := fs.ReadDir(folder, modelsFolder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []error{fmt.Errorf("list the models: %w", err)}
	}
	var errs []error
	for _, file := range files {
		if file.IsDir() || path.Ext(file.Name()) != ".yaml" {
			continue
		}
		name := path.Join(modelsFolder, file.Name())
		b, err := readEntry(folder, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		m, err := readModel(b)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		byID[m.ID] = m
	}
	return errs
}

// readModel reads one model entry.
func readModel(b []byte) (Model, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	var m Model
	if err := dec.Decode(&m); err != nil {
		return Model{}, fmt.Errorf("not a model entry: %w", err)
	}
	m.Description = strings.Join(strings.Fields(m.Description), " ")
	switch {
	case strings.Count(m.ID, "/") != 1 || !isWord(m.ID):
		return Model{}, fmt.Errorf("id %q must have the form org/model", m.ID)
	case len(m.Names) == 0 || slices.Contains(m.Names, ""):
		return Model{}, errors.New("names (common names) are missing")
	case m.Description == "":
		return Model{}, errors.New("description is missing")
	case m.Licence == "":
		return Model{}, errors.New("licence is missing")
	case m.Rank < 0:
		return Model{}, errors.New("rank must be at least 1, or be omitted")
	case m.Downloads < 0 || m.Downloads > 0 && m.AsOf == "":
		return Model{}, errors.New("downloads require as_of, the date of the count")
	case len(m.Tools) == 0:
		return Model{}, errors.New("tools are missing")
	}
	return m, nil
}

// checkModels returns an error for each model that names an unknown tool, or one without a matching backend.
func (c *Catalogue) checkModels() error {
	var errs []error
	for _, m := range c.models {
		for _, name := range m.Tools {
			tool, ok := c.Tool(name)
			if !ok {
				errs = append(errs, fmt.Errorf("the model %s lists the unknown tool %s", m.ID, name))
			} else if !slices.ContainsFunc(tool.Backends, func(b Backing) bool { return m.Does(name, b) }) {
				errs = append(errs, fmt.Errorf("the model %s lists the tool %s, which has no %s backend", m.ID, name, modelKind))
			}
		}
	}
	return errors.Join(errs...)
}
