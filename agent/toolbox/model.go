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

// Model is a model that the catalogue knows by name, with what helps to choose it among
// others (HuggingGPT, section 3.2: its description, and how often it was downloaded, for
// which the rank stands where that is not known).
type Model struct {
	// ID is its name on the hub: "org/model".
	ID string `yaml:"id"`
	// Names are what people call it: "SDXL", "Stable Diffusion XL".
	Names []string `yaml:"names"`
	// Description says in a sentence what it is good at, and what not.
	Description string `yaml:"description"`
	// Licence is its SPDX identifier, or the name of its own.
	Licence string `yaml:"licence"`
	// Rank is its place among models that do the same, from 1, as we recommend them: by
	// what they are good at, and by what their licences allow. It stands for how widely
	// they are used as well, where no Downloads are known. 0 is behind all others.
	Rank int `yaml:"rank,omitempty"`
	// Downloads is how often it was fetched from the hub in the month before AsOf; 0 is
	// unknown, as it is of all models of the embedded catalogue.
	Downloads int `yaml:"downloads,omitempty"`
	// AsOf is the day on which that was read: "2026-11-20".
	AsOf string `yaml:"as_of,omitempty"`
	// Tools are the tools of the catalogue that it does.
	Tools []string `yaml:"tools"`
}

// modelKind is the kind of backing that the catalogue's models run on: servers that take
// the hub's names.
const modelKind = "hftask"

// Does reports whether the model can do a tool by a backing.
func (m Model) Does(tool string, b Backing) bool {
	return b.Kind == modelKind && slices.Contains(m.Tools, tool)
}

// Called is what people call it.
func (m Model) Called() string { return m.Names[0] }

// byRank puts those that are recommended first; among equals it is the most widely used
// one, where that is known.
func byRank(a, b Model) int {
	place := func(m Model) int {
		if m.Rank == 0 {
			return math.MaxInt
		}
		return m.Rank
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(b.Downloads, a.Downloads), cmp.Compare(a.ID, b.ID))
}

// modelsFolder is the folder of a catalogue in which its models stand, one file each.
const modelsFolder = "models"

// loadModels reads the models of a folder over those that are known, and tells its faults.
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

// readModel reads one entry.
func readModel(b []byte) (Model, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	var m Model
	if err := dec.Decode(&m); err != nil {
		return Model{}, fmt.Errorf("not an entry of a model: %w", err)
	}
	m.Description = strings.Join(strings.Fields(m.Description), " ")
	switch {
	case strings.Count(m.ID, "/") != 1 || !isWord(m.ID):
		return Model{}, fmt.Errorf("id %q is not of the form org/model", m.ID)
	case len(m.Names) == 0 || slices.Contains(m.Names, ""):
		return Model{}, errors.New("names are missing: what people call it")
	case m.Description == "":
		return Model{}, errors.New("description is missing")
	case m.Licence == "":
		return Model{}, errors.New("licence is missing")
	case m.Rank < 0:
		return Model{}, errors.New("rank must be 1 or more, or be left out")
	case m.Downloads < 0 || m.Downloads > 0 && m.AsOf == "":
		return Model{}, errors.New("downloads need as_of, the day on which they were read")
	case len(m.Tools) == 0:
		return Model{}, errors.New("tools are missing")
	}
	return m, nil
}

// checkModels tells which models do what no tool of the catalogue has them do.
func (c *Catalogue) checkModels() error {
	var errs []error
	for _, m := range c.models {
		for _, name := range m.Tools {
			tool, ok := c.Tool(name)
			if !ok {
				errs = append(errs, fmt.Errorf("the model %s does %s, which is no tool of the catalogue", m.ID, name))
			} else if !slices.ContainsFunc(tool.Backends, func(b Backing) bool { return m.Does(name, b) }) {
				errs = append(errs, fmt.Errorf("the model %s does %s, which has no backend of the kind %s", m.ID, name, modelKind))
			}
		}
	}
	return errors.Join(errs...)
}
