package settings

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/webapi"
	"atelier/bot/fault"
)

// ExampleBackends is an example of the file that BACKENDS_FILE names.
//
//go:embed backends.yaml
var ExampleBackends string

// Backends are the servers that tools run on, and in which order they are tried, beside
// those that have a setting each.
type Backends struct {
	Servers []BackendServer        `yaml:"servers"`
	Tools   map[string][]backendOf `yaml:"tools"`

	// ToolServer and LocalAI are those of settings of their own.
	ToolServer, LocalAI BackendServer `yaml:"-"`
	// HF is Hugging Face's own servers.
	HF huggingFace `yaml:"-"`
	// Weather and Places are where the weather is asked for, and where places lie.
	Weather, Places string `yaml:"-"`
	// Hosts are those that tools of the kind http may call.
	Hosts webapi.Hosts `yaml:"-"`
}

// BackendServer is a server of the file, or one of the program's own with another limit.
type BackendServer struct {
	Name string `yaml:"name"`
	Kind string `yaml:"kind"`
	// URL is where it is. The program's own have none.
	URL string `yaml:"url"`
	// Token names the variable of the environment that holds its key.
	Token string `yaml:"token"`
	// Health is a path from the root of its host that reports whether it is well, besides
	// what its kind asks it; empty is none.
	Health string `yaml:"health"`
	// Parallel is how many calls it is given at a time; 0 is any number.
	Parallel int `yaml:"parallel"`
	// Cloud marks one outside of the house, whatever its address is.
	Cloud bool `yaml:"cloud"`
	// Models are those that a server of the kind openai is asked for by what they do.
	Models backendModels `yaml:"models"`

	// Key is what the variable Token holds.
	Key secret `yaml:"-"`
	// Setting is the variable that names its address, "" where the file does.
	Setting string `yaml:"-"`
}

// backendModels are the models of a server that is asked for each by name.
type backendModels struct {
	Chat          string `yaml:"chat"`
	Vision        string `yaml:"vision"`
	Image         string `yaml:"image"`
	Speech        string `yaml:"speech"`
	Voice         string `yaml:"voice"`
	Transcription string `yaml:"transcription"`
}

// backendOf is one way to run a tool.
type backendOf struct {
	Server      string `yaml:"server"`
	Run         string `yaml:"run"`
	Model       string `yaml:"model"`
	Timeout     span   `yaml:"timeout"`
	Approximate bool   `yaml:"approximate"`
}

// span is a time as people write it: 90s, 3m.
type span time.Duration

// UnmarshalYAML reads it.
func (d *span) UnmarshalYAML(n *yaml.Node) error {
	t, err := time.ParseDuration(n.Value)
	if err != nil || t <= 0 {
		return fmt.Errorf("line %d: %q is no time such as 90s or 3m", n.Line, n.Value)
	}
	*d = span(t)
	return nil
}

// maxBackendsFile is the most bytes that the file may have.
const maxBackendsFile = 1 << 20

// ownServers are the servers of the program's own.
var ownServers = []string{BuiltinKind, ProgramKind, CommandKind, WeatherServer}

// readBackends reads the file. Its errors say what is wrong with it, and in which line
// where that is known.
func readBackends(path string) (Backends, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Backends{}, fmt.Errorf("it cannot be read: %s", fault.Innermost(err))
	case !info.Mode().IsRegular() || info.Size() > maxBackendsFile:
		return Backends{}, errors.New("a file of at most 1 MB is expected")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Backends{}, fmt.Errorf("it cannot be read: %s", fault.Innermost(err))
	}
	return ParseBackends(b)
}

// ParseBackends reads the content of such a file.
func ParseBackends(b []byte) (Backends, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	var f Backends
	if err := dec.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return Backends{}, fmt.Errorf("%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	var wrong []string
	for i, s := range f.Servers {
		if err := s.check(); err != nil {
			wrong = append(wrong, fmt.Sprintf("server %q: %s", s.Name, err))
		}
		if slices.ContainsFunc(f.Servers[:i], func(o BackendServer) bool { return o.Name == s.Name }) {
			wrong = append(wrong, fmt.Sprintf("server %q stands twice", s.Name))
		}
	}
	if len(wrong) > 0 {
		return Backends{}, errors.New(strings.Join(wrong, "; "))
	}
	return f, nil
}

// variable is the name of a variable of the environment, or nothing.
var variable = regexp.MustCompile(`^([A-Z_][A-Z0-9_]*)?$`)

func (s BackendServer) check() error {
	if s.Name == "" || strings.ContainsAny(s.Name, ":@ \t\n") {
		return errors.New("a name of one word without : and @ is expected")
	}
	if s.Parallel < 0 {
		return errors.New("parallel must not be negative")
	}
	if slices.Contains(ownServers, s.Name) {
		if s.Kind != "" || s.URL != "" || s.Token != "" || s.Health != "" || s.Cloud || s.Models != (backendModels{}) {
			return errors.New("it is the program's own: only parallel can be set")
		}
		return nil
	}
	if !slices.Contains(serverKinds, s.Kind) {
		return fmt.Errorf("kind is %q: one of %s is expected", s.Kind, strings.Join(serverKinds, ", "))
	}
	if !variable.MatchString(s.Token) { // which may be the key itself, and is not repeated
		return errors.New("token is the name of the variable that holds the key, such as GPU1_TOKEN")
	}
	if s.URL == "" {
		return errors.New("url is missing")
	}
	if err := address(s.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if s.Health != "" && !strings.HasPrefix(s.Health, "/") {
		return errors.New("health is a path, such as /healthz")
	}
	if s.Models != (backendModels{}) && s.Kind != OpenAIKind {
		return fmt.Errorf("models can be named for the kind %s only", OpenAIKind)
	}
	return nil
}

// Ways are the candidates of the tools that the file lists.
func (b Backends) Ways() map[string][]toolbox.Way {
	ways := map[string][]toolbox.Way{}
	for tool, listed := range b.Tools {
		ways[tool] = []toolbox.Way{} // an empty list is none, and not all
		for _, w := range listed {
			ways[tool] = append(ways[tool], toolbox.Way{
				Server: w.Server, Run: w.Run, Model: w.Model, Timeout: time.Duration(w.Timeout), Approximate: w.Approximate,
			})
		}
	}
	return ways
}
