package toolbox

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed catalogue
var embedded embed.FS

// Embedded returns the catalogue that is built into the program, one file per tool.
func Embedded() fs.FS {
	sub, err := fs.Sub(embedded, "catalogue")
	if err != nil { // only for an invalid path, and this one is a constant
		panic(err)
	}
	return sub
}

// Catalogue is a set of tools sorted by name. It is read-only.
type Catalogue struct {
	tools  []Tool // improvising tools last
	byName map[string]int
	hashes []string // by tool index
	models []Model
}

func hashOf(t Tool) string {
	b, err := json.Marshal([]any{t.Name, t.Args, t.Returns, t.Moves})
	if err != nil {
		panic(err) // a tool is plain data
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// LoadCatalogue reads every *.yaml file of the folders. A file is named after its tool, and a tool
// name must be unique across all folders: models and stored plans refer to it. Models are read from
// each folder's subfolder "models"; a later model replaces an earlier one with the same ID. The error
// lists every fault of every file.
func LoadCatalogue(folders ...fs.FS) (*Catalogue, error) { return (&Catalogue{}).With(folders...) }

// loadTool reads one file of a folder and returns its faults. Other files, such as a README, give
// neither a tool nor a fault.
func loadTool(folder fs.FS, file fs.DirEntry) (Tool, []error) {
	switch ext := path.Ext(file.Name()); {
	case file.IsDir():
		return Tool{}, nil
	case ext == ".yml": // ignoring it silently would puzzle the operator
		return Tool{}, []error{errors.New("the file extension must be .yaml")}
	case ext != ".yaml":
		return Tool{}, nil
	}
	b, err := readEntry(folder, file.Name())
	if err != nil {
		return Tool{}, []error{err}
	}
	tool, faults := readTool(b, &checker{})
	if len(faults) > 0 {
		return Tool{}, faults
	}
	if want := tool.Name + ".yaml"; file.Name() != want {
		return Tool{}, []error{fmt.Errorf("the file of the tool %s must be named %s", tool.Name, want)}
	}
	return tool, nil
}

// readEntry reads a regular file, following links. It rejects pipes and devices, which may never end,
// and files that are too large for an entry.
func readEntry(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	case info.Size() > maxToolFile:
		return nil, tooLong(info.Size())
	}
	b, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return b, nil
}

// NewCatalogue returns a catalogue of these tools, whose names must differ, and of the models that can run them.
func NewCatalogue(tools []Tool, models ...Model) *Catalogue {
	c := &Catalogue{tools: slices.Clone(tools), byName: make(map[string]int, len(tools)), models: slices.Clone(models)}
	slices.SortFunc(c.models, byRank)
	slices.SortFunc(c.tools, func(a, b Tool) int {
		if a.Improvises != b.Improvises {
			return map[bool]int{true: 1, false: -1}[a.Improvises]
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i, t := range c.tools {
		c.byName[t.Name] = i
		c.hashes = append(c.hashes, hashOf(t))
	}
	return c
}

// BuiltinNameError returns the error for an operator's tool with the name of a built-in tool.
func BuiltinNameError(name string) error {
	return fmt.Errorf("%s is the name of a built-in tool; choose another name", name)
}

// With returns the catalogue extended by the folders, read as by [LoadCatalogue].
func (c *Catalogue) With(folders ...fs.FS) (*Catalogue, error) {
	byName := map[string]Tool{}
	for _, t := range c.tools {
		byName[t.Name] = t
	}
	byID := map[string]Model{}
	for _, m := range c.models {
		byID[m.ID] = m
	}
	var errs []error
	for _, folder := range folders {
		files, err := fs.ReadDir(folder, ".") // Glob would treat a missing folder as empty
		if err != nil {
			return nil, fmt.Errorf("list the catalogue: %w", err)
		}
		for _, file := range files {
			tool, faults := loadTool(folder, file)
			if _, twice := byName[tool.Name]; twice {
				faults = append(faults, BuiltinNameError(tool.Name))
			}
			for _, f := range faults {
				errs = append(errs, fmt.Errorf("%s: %w", file.Name(), f))
			}
			if tool.Name != "" {
				byName[tool.Name] = tool
			}
		}
		errs = append(errs, loadModels(folder, byID)...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all := NewCatalogue(slices.Collect(maps.Values(byName)), slices.Collect(maps.Values(byID))...)
	if err := all.checkModels(); err != nil {
		return nil, err
	}
	return all, nil
}

// Hash identifies the parts of a tool that planners and workers must agree on: its arguments,
// parameters, return type and whether it moves things. It is empty for an unknown tool.
func (c *Catalogue) Hash(tool string) string {
	i, ok := c.byName[tool]
	if !ok {
		return ""
	}
	return c.hashes[i]
}

// All lists the tools by name, improvising tools last. The slice must not be changed.
func (c *Catalogue) All() []Tool { return c.tools }

// Tools lists the tools by name, without improvising tools. The slice must not be changed.
func (c *Catalogue) Tools() []Tool {
	n := slices.IndexFunc(c.tools, func(t Tool) bool { return t.Improvises })
	if n < 0 {
		n = len(c.tools)
	}
	return c.tools[:n]
}

// Improviser returns the improvising tool, if there is one.
func (c *Catalogue) Improviser() (Tool, bool) {
	if n := len(c.Tools()); n < len(c.tools) {
		return c.tools[n], true
	}
	return Tool{}, false
}

// Tool returns the tool of that name.
func (c *Catalogue) Tool(name string) (Tool, bool) {
	i, ok := c.byName[name]
	if !ok {
		return Tool{}, false
	}
	return c.tools[i], true
}

// Models lists the models, most recommended first. The slice must not be changed.
func (c *Catalogue) Models() []Model { return c.models }

// Model returns the model of that ID.
func (c *Catalogue) Model(id string) (Model, bool) {
	i := slices.IndexFunc(c.models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return Model{}, false
	}
	return c.models[i], true
}

// Domains returns the domains of the tools, sorted.
func (c *Catalogue) Domains() []string {
	var all []string
	for _, t := range c.tools {
		all = append(all, t.Domain)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Services returns the addresses of the services that the tools call, sorted.
func (c *Catalogue) Services() []string {
	var all []string
	for _, t := range c.All() {
		for _, b := range t.Backends {
			if b.Kind == serviceKind && b.Request != nil {
				all = append(all, b.Request.Base())
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

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
