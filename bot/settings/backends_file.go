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

// Backends holds the servers that tools run on, and the order in which they are tried.
type Backends struct {
	Servers []BackendServer        `yaml:"servers"`
	Tools   map[string][]backendOf `yaml:"tools"`

	// ToolServer and LocalAI have their own settings.
	ToolServer, LocalAI BackendServer `yaml:"-"`
	// HF is Hugging Face's own servers.
	HF huggingFace `yaml:"-"`
	// Weather and Places are the addresses of Open-Meteo's servers.
	Weather, Places string `yaml:"-"`
	// Hosts are the hosts that tools of the kind http may call.
	Hosts webapi.Hosts `yaml:"-"`
}

// BackendServer is a server of the file, or a limit for one of the program's own.
type BackendServer struct {
	Name string `yaml:"name"`
	Kind string `yaml:"kind"`
	// URL is its address. The program's own servers have none.
	URL string `yaml:"url"`
	// Token names the environment variable with its key.
	Token string `yaml:"token"`
	// Health is the path of an additional health check; empty for none.
	Health string `yaml:"health"`
	// Parallel is the maximum number of concurrent calls; 0 means no limit.
	Parallel int `yaml:"parallel"`
	// Cloud marks a server on the internet, whatever its address.
	Cloud bool `yaml:"cloud"`
	// Models are the models of a server of the kind openai, by purpose.
	Models backendModels `yaml:"models"`

	// Key is the value of the variable Token.
	Key secret `yaml:"-"`
	// Setting is the variable with its address; "" if the file has it.
	Setting string `yaml:"-"`
}

// backendModels names a server's models by purpose.
type backendModels struct {
	Chat          string `yaml:"chat"`
	Vision        string `yaml:"vision"`
	Image         string `yaml:"image"`
	Speech        string `yaml:"speech"`
	Voice         string `yaml:"voice"`
	Transcription string `yaml:"transcription"`
}

// backendOf is a candidate for running a tool.
type backendOf struct {
	Server      string `yaml:"server"`
	Run         string `yaml:"run"`
	Model       string `yaml:"model"`
	Timeout     span   `yaml:"timeout"`
	Approximate bool   `yaml:"approximate"`
}

// span is a duration such as 90s or 3m.
type span time.Duration

// UnmarshalYAML parses the duration.
func (d *span) UnmarshalYAML(n *yaml.Node) error {
	t, err := time.ParseDuration(n.Value)
	if err != nil || t <= 0 {
		return fmt.Errorf("line %d: %q is not a duration such as 90s or 3m", n.Line, n.Value)
	}
	*d = span(t)
	return nil
}

// maxBackendsFile is the maximum size of the file, in bytes.
const maxBackendsFile = 1 << 20

// ownServers are the program's own servers.
var ownServers = []string{BuiltinKind, ProgramKind, CommandKind, WeatherServer}

// readBackends reads the file.
func readBackends(path string) (Backends, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Backends{}, fmt.Errorf("it cannot be read: %s", fault.Innermost(err))
	case !info.Mode().IsRegular() || info.Size() > maxBackendsFile:
		return Backends{}, errors.New("expected a file of at most 1 MB")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Backends{}, fmt.Errorf("it cannot be read: %s", fault.Innermost(err))
	}
	return ParseBackends(b)
}

// ParseBackends parses the content of the file. Errors name the line if it is known.
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
			wrong = append(wrong, fmt.Sprintf("server %q is listed twice", s.Name))
		}
	}
	if len(wrong) > 0 {
		return Backends{}, errors.New(strings.Join(wrong, "; "))
	}
	return f, nil
}

// variable matches the name of an environment variable, or "".
var variable = regexp.MustCompile(`^([A-Z_][A-Z0-9_]*)?$`)

func (s BackendServer) check() error {
	if s.Name == "" || strings.ContainsAny(s.Name, ":@ \t\n") {
		return errors.New("name must be a single word without : or @")
	}
	if s.Parallel < 0 {
		return errors.New("parallel must not be negative")
	}
	if slices.Contains(ownServers, s.Name) {
		if s.Kind != "" || s.URL != "" || s.Token != "" || s.Health != "" || s.Cloud || s.Models != (backendModels{}) {
			return errors.New("it is built in: only parallel can be set")
		}
		return nil
	}
	if !slices.Contains(serverKinds, s.Kind) {
		return fmt.Errorf("kind is %q: expected one of %s", s.Kind, strings.Join(serverKinds, ", "))
	}
	if !variable.MatchString(s.Token) { // not quoted in the error: it may be the key itself
		return errors.New("token must be the name of the variable with the key, such as GPU1_TOKEN")
	}
	if s.URL == "" {
		return errors.New("url is missing")
	}
	if err := address(s.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if s.Health != "" && !strings.HasPrefix(s.Health, "/") {
		return errors.New("health must be a path, such as /healthz")
	}
	if s.Models != (backendModels{}) && s.Kind != OpenAIKind {
		return fmt.Errorf("models are only allowed for the kind %s", OpenAIKind)
	}
	return nil
}

// Ways returns the candidates of each tool that the file lists.
func (b Backends) Ways() map[string][]toolbox.Way {
	ways := map[string][]toolbox.Way{}
	for tool, listed := range b.Tools {
		ways[tool] = []toolbox.Way{} // an empty list means no candidates
		for _, w := range listed {
			ways[tool] = append(ways[tool], toolbox.Way{
				Server: w.Server, Run: w.Run, Model: w.Model, Timeout: time.Duration(w.Timeout), Approximate: w.Approximate,
			})
		}
	}
	return ways
}
