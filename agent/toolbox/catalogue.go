package toolbox

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed catalogue
var embedded embed.FS

// Embedded is the catalogue that comes with the program, one file a tool.
func Embedded() fs.FS {
	sub, err := fs.Sub(embedded, "catalogue")
	if err != nil { // only for an invalid path, and this one is a constant
		panic(err)
	}
	return sub
}

// Catalogue is a set of tools, sorted by name. It is read only.
type Catalogue struct {
	tools  []Tool // those that improvise last
	byName map[string]int
	hashes []string // of the tools
	models []Model
}

func hashOf(t Tool) string {
	b, err := yaml.Marshal(Tool{Name: t.Name, Args: t.Args, Params: t.Params, Returns: t.Returns, Moves: t.Moves})
	if err != nil {
		panic(err) // a tool is plain data
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// LoadCatalogue reads every *.yaml file of the folders. A name is its file's name, and no later
// folder has a tool of the same name: the models and stored plans of the first would be wrong of
// it. So are the models read that stand in a folder's folder "models"; a later one replaces one
// of the same ID. The error names every fault of every file.
func LoadCatalogue(folders ...fs.FS) (*Catalogue, error) { return (&Catalogue{}).With(folders...) }

// loadTool reads one file of a folder, and tells its faults. What is no entry, such as
// a note on the tools, gives neither a tool nor a fault.
func loadTool(folder fs.FS, file fs.DirEntry) (Tool, []error) {
	switch ext := path.Ext(file.Name()); {
	case file.IsDir():
		return Tool{}, nil
	case ext == ".yml": // quietly left out, it would be looked for at length
		return Tool{}, []error{errors.New("the ending must be .yaml")}
	case ext != ".yaml":
		return Tool{}, nil
	}
	b, err := readEntry(folder, file.Name())
	if err != nil {
		return Tool{}, []error{err}
	}
	tool, faults := readTool(b)
	if len(faults) > 0 {
		return Tool{}, faults
	}
	if want := tool.Name + ".yaml"; file.Name() != want {
		return Tool{}, []error{fmt.Errorf("the tool is called %s, so its file must be %s", tool.Name, want)}
	}
	return tool, nil
}

// readEntry reads a file, or what a link leads to. A pipe or a device, which may never
// end, is not read, nor is a file that is too long to be an entry.
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

// NewCatalogue is the catalogue of these tools, whose names must differ, and of the models
// that are known to do them.
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

// BuiltinNameError is the error of an operator's tool that is called like a built-in one.
func BuiltinNameError(name string) error {
	return fmt.Errorf("%s is a built-in tool; choose another name", name)
}

// With is the catalogue with what the folders have, read as [LoadCatalogue] reads it.
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
		files, err := fs.ReadDir(folder, ".") // not Glob, which takes a missing folder for an empty one
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

// Hash identifies what planners and workers must agree on about a tool: its arguments, parameters,
// effects and return type. It is empty for an unknown tool.
func (c *Catalogue) Hash(tool string) string {
	i, ok := c.byName[tool]
	if !ok {
		return ""
	}
	return c.hashes[i]
}

// All lists the tools by name, and behind them what improvises. The slice must not be changed.
func (c *Catalogue) All() []Tool { return c.tools }

// Tools lists the tools by name, without what improvises. The slice must not be changed.
func (c *Catalogue) Tools() []Tool {
	n := slices.IndexFunc(c.tools, func(t Tool) bool { return t.Improvises })
	if n < 0 {
		n = len(c.tools)
	}
	return c.tools[:n]
}

// Improviser is the tool that improvises, if there is one.
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

// Models lists the models, the most recommended first. The slice must not be changed.
func (c *Catalogue) Models() []Model { return c.models }

// Model returns the model of that ID.
func (c *Catalogue) Model(id string) (Model, bool) {
	i := slices.IndexFunc(c.models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return Model{}, false
	}
	return c.models[i], true
}

// Domains are those of the tools, sorted.
func (c *Catalogue) Domains() []string {
	var all []string
	for _, t := range c.tools {
		all = append(all, t.Domain)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Services are the addresses of the services that the tools call, sorted.
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
