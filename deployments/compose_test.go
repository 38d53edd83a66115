package deployments

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// ours is the program's image, and models the tool server's. The Compose file builds both.
const (
	ours   = "atelier:local"
	models = "atelier-toolserver:local"
)

// composition is the part of compose.yaml that these tests read.
type composition struct {
	Services map[string]service `yaml:"services"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
	} `yaml:"networks"`
	Volumes map[string]any `yaml:"volumes"`
}

// service is a service, with what it merges in.
type service struct {
	Image string `yaml:"image"`
	Build struct {
		Context string `yaml:"context"`
	} `yaml:"build"`
	Restart     string            `yaml:"restart"`
	ReadOnly    bool              `yaml:"read_only"`
	Tmpfs       []string          `yaml:"tmpfs"`
	CapDrop     []string          `yaml:"cap_drop"`
	Security    []string          `yaml:"security_opt"`
	User        string            `yaml:"user"`
	Entrypoint  []string          `yaml:"entrypoint"`
	Command     []string          `yaml:"command"`
	Grace       time.Duration     `yaml:"stop_grace_period"`
	Environment map[string]string `yaml:"environment"`
	EnvFile     []envFile         `yaml:"env_file"`
	Ports       []string          `yaml:"ports"`
	Volumes     []string          `yaml:"volumes"`
	Networks    []string          `yaml:"networks"`
	NetworkMode string            `yaml:"network_mode"`
	Profiles    []string          `yaml:"profiles"`
	DependsOn   map[string]struct {
		Condition string `yaml:"condition"`
	} `yaml:"depends_on"`
	Healthcheck struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
	Deploy struct {
		Resources struct {
			Reservations struct {
				Devices []struct {
					Capabilities []string `yaml:"capabilities"`
				} `yaml:"devices"`
			} `yaml:"reservations"`
		} `yaml:"resources"`
	} `yaml:"deploy"`
}

// envFile is a file of settings.
type envFile struct {
	Path string `yaml:"path"`
}

// once reports whether a service runs once and is not restarted.
func (s service) once() bool { return s.Restart == "no" }

// built reports whether the Compose file builds its image, which then has no version.
func (s service) built() bool { return s.Image == ours || s.Image == models }

// root reports whether a service runs as root, as with an image that names no user. The images that are built name
// one.
func (s service) root() bool {
	return !s.built() && (s.User == "" || strings.HasPrefix(s.User, "0:"))
}

// flag returns the value of a flag of the command.
func (s service) flag(name string) string {
	if i := slices.Index(s.Command, name); i >= 0 && i+1 < len(s.Command) {
		return s.Command[i+1]
	}
	return ""
}

func compose(t *testing.T) composition {
	t.Helper()
	var c composition
	if err := yaml.Unmarshal([]byte(text(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Services) == 0 {
		t.Fatal("there is no service")
	}
	return c
}

func TestServicesAreLocked(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		if s.built() != (s.Build.Context != "") || !s.built() && !pinned(s.Image) {
			t.Errorf("%s: the image %s is not pinned", name, s.Image)
		}
		if !s.ReadOnly || !slices.ContainsFunc(s.Tmpfs, func(m string) bool { return strings.HasPrefix(m, "/tmp") }) {
			t.Errorf("%s: it is not read-only with a /tmp of its own", name)
		}
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.Security, "no-new-privileges:true") {
			t.Errorf("%s: it may get privileges", name)
		}
		if s.root() && (!s.once() || s.NetworkMode != "none") {
			t.Errorf("%s: it runs as root, not once and by itself", name)
		}
	}
}

func TestServicesAreWatched(t *testing.T) {
	t.Parallel()
	services := compose(t).Services
	for name, s := range services {
		if !s.once() && (len(s.Healthcheck.Test) == 0 || s.Restart != "unless-stopped") {
			t.Errorf("%s: it is not watched and restarted", name)
		}
		for other, dependency := range s.DependsOn {
			before, ok := services[other]
			want := "service_healthy"
			if before.once() {
				want = "service_completed_successfully"
			}
			if !ok || dependency.Condition != want {
				t.Errorf("%s waits for %s by %q, want %q", name, other, dependency.Condition, want)
			}
		}
	}
}

// TestEveryQueueIsServed checks the commands of the program's services.
func TestEveryQueueIsServed(t *testing.T) {
	t.Parallel()
	var served []string
	for name, s := range compose(t).Services {
		if s.Image != ours {
			continue
		}
		if len(s.Command) == 0 || s.Command[0] != "serve" {
			t.Errorf("%s: its command is %q", name, s.Command)
		}
		served = append(served, strings.Split(s.flag("--queues"), ",")...)
		// Docker kills a process that has not ended by then.
		if grace, err := time.ParseDuration(s.flag("--grace")); err != nil || grace <= 0 || grace >= s.Grace {
			t.Errorf("%s: work that runs has %q to end, and the process %v", name, s.flag("--grace"), s.Grace)
		}
	}
	slices.Sort(served)
	if want := []string{"cpu", "gateway", "gpu", "plan", "program"}; !slices.Equal(served, want) {
		t.Errorf("the queues that are served are %q, want %q", served, want)
	}
}

// TestOnlyTheToolServerHasTheGPU checks that its worker needs no GPU, and that both are omitted without one.
func TestOnlyTheToolServerHasTheGPU(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		asks, serves := s.flag("--queues") == "gpu", s.Image == models
		if (asks || serves) != slices.Contains(s.Profiles, "gpu") {
			t.Errorf("%s: it has the profiles %q", name, s.Profiles)
		}
		if devices := s.Deploy.Resources.Reservations.Devices; serves != (len(devices) > 0) {
			t.Errorf("%s: it has the devices %v", name, devices)
		}
	}
}

// TestToolServerIsAsked checks that the worker calls the tool server's address, and that the server accepts only
// the operator's token.
func TestToolServerIsAsked(t *testing.T) {
	t.Parallel()
	services := compose(t).Services
	s, ok := services["toolserver"]
	if !ok || s.Image != models {
		t.Fatal("there is no tool server")
	}
	at := "http://toolserver:" + s.Environment["TOOLSERVER_PORT"]
	if got := services["gpu-worker"].Environment["TOOL_SERVER_URL"]; got != "${TOOL_SERVER_URL:-"+at+"}" {
		t.Errorf("the worker asks %q, and the server is at %s", got, at)
	}
	if got := s.Environment["TOOLSERVER_TOKEN"]; got != "${TOOL_SERVER_TOKEN:-}" {
		t.Errorf("its token is %q", got)
	}
	known := toolSettings(t)
	for name := range s.Environment {
		if strings.HasPrefix(name, toolPrefix) && !slices.Contains(known, name) {
			t.Errorf("%s is no setting of it", name)
		}
	}
	image := text(t, "toolserver/Dockerfile")
	if !slices.Equal(s.Volumes, []string{"models:/data"}) || !strings.Contains(image, "\nVOLUME /data\n") || !strings.Contains(image, " HF_HOME=/data/") {
		t.Errorf("it keeps its models elsewhere than in %q", s.Volumes)
	}
	if len(s.Ports) > 0 || !strings.Contains(image, "\nUSER 10001:10001\n") {
		t.Errorf("it publishes %q, or its image is root", s.Ports)
	}
}

func TestOnlyThePageIsPublished(t *testing.T) {
	t.Parallel()
	port := last(t, "EXPOSE")
	for name, s := range compose(t).Services {
		for _, p := range s.Ports {
			if name != "gateway" || !strings.Contains(p, ":-127.0.0.1:") || !strings.HasSuffix(p, "}:"+port) {
				t.Errorf("%s publishes %s", name, p)
			}
		}
		if (len(s.Ports) > 0) != (name == "gateway") {
			t.Errorf("%s publishes %q", name, s.Ports)
		}
	}
}

// TestVariables checks that the program reads all variables, and that secrets are left to the operator's file.
func TestVariables(t *testing.T) {
	t.Parallel()
	known := settings(t)
	for name, s := range compose(t).Services {
		for variable, value := range s.Environment {
			if s.Image == ours && !slices.Contains(known, variable) {
				t.Errorf("%s sets %s, which the program does not read", name, variable)
			}
			secret := strings.Contains(variable, "PASSWORD") || strings.Contains(variable, "SECRET") ||
				strings.Contains(variable, "AUTH") || variable == "REDIS_URL"
			if s.Image != models && secret && !slices.Contains(tokens(t), variable) && value != "" && !strings.Contains(value, "_PASSWORD:?") {
				t.Errorf("%s: %s does not come from the operator", name, variable)
			}
		}
		if listens := s.Environment["ATELIER_LISTEN"]; s.Image == ours && s.Environment["WEB_PASSWORD"] == "" && (len(s.Ports) > 0 || !strings.HasPrefix(listens, "127.")) {
			t.Errorf("%s serves a page at %s without a password", name, listens)
		}
	}
}

// TestOnlyTheGatewayHasTheTokens checks that no worker gets the chat platforms' tokens, whatever file has them,
// and that the gateway gets them only from its files.
func TestOnlyTheGatewayHasTheTokens(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		if s.Image != ours {
			continue
		}
		gateway := strings.Contains(s.flag("--queues"), "gateway")
		if gateway != slices.ContainsFunc(s.EnvFile, func(f envFile) bool { return f.Path == "gateway.env" }) {
			t.Errorf("%s reads %v", name, s.EnvFile)
		}
		for _, token := range tokens(t) {
			if value, set := s.Environment[token]; set == gateway || value != "" {
				t.Errorf("%s: %s is %q, set: %v", name, token, value, set)
			}
		}
	}
}

// TestProgramWorkerHasNoSecrets checks that it has only those of Redis and of the files, and no internet access.
func TestProgramWorkerHasNoSecrets(t *testing.T) {
	t.Parallel()
	s := compose(t).Services["program-worker"]
	if s.flag("--queues") != "program" || len(s.EnvFile) > 0 {
		t.Errorf("it works on %s, and reads %v", s.flag("--queues"), s.EnvFile)
	}
	if !slices.Equal(s.Networks, []string{"inside"}) {
		t.Errorf("it is in the networks %q", s.Networks)
	}
	needed := []string{"REDIS_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
	for name, value := range s.Environment {
		secret := regexp.MustCompile("KEY|TOKEN|SECRET|PASSWORD|_URL$|BACKENDS").MatchString(name)
		if secret && value != "" && !slices.Contains(needed, name) {
			t.Errorf("it is given %s", name)
		}
	}
}

// tokens returns the settings that let a process act as the bot on a chat platform.
func tokens(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, name := range settings(t) {
		ofChat := strings.HasPrefix(name, "DISCORD_") || strings.HasPrefix(name, "SLACK_")
		if ofChat && (strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET")) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("there are no tokens")
	}
	return names
}

func TestDataOutlivesItsContainer(t *testing.T) {
	t.Parallel()
	c := compose(t)
	for name, folder := range map[string]string{"gateway": last(t, "VOLUME"), "redis": "/data", "s3": "/buckets"} {
		s := c.Services[name]
		if !slices.ContainsFunc(s.Volumes, func(v string) bool { return strings.HasSuffix(v, ":"+folder) }) {
			t.Errorf("%s keeps %s nowhere", name, folder)
		}
	}
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			if source, _, _ := strings.Cut(v, ":"); !slices.Contains(slices.Collect(maps.Keys(c.Volumes)), source) {
				t.Errorf("%s: there is no volume %s", name, source)
			}
		}
	}
	redis := c.Services["redis"]
	for flag, want := range map[string]string{"--appendonly": "yes", "--appendfsync": "everysec", "--maxmemory-policy": "noeviction"} {
		if got := redis.flag(flag); got != want {
			t.Errorf("redis has %s %q, want %q", flag, got, want)
		}
	}
	bucket := c.Services["gateway"].Environment["S3_BUCKET"]
	if made := strings.Join(c.Services["bucket"].Entrypoint, " "); bucket == "" || !strings.Contains(made, "mkdir -p "+path.Join("/buckets", bucket)+" ") {
		t.Errorf("the bucket %q is not made by %q", bucket, made)
	}
}

// TestNoCommandHoldsAPassword, since everybody who can list processes can see commands.
func TestNoCommandHoldsAPassword(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		if strings.Contains(strings.Join(append(s.Entrypoint, s.Command...), " "), "_PASSWORD") {
			t.Errorf("%s shows a password in its command", name)
		}
	}
	made := strings.Join(compose(t).Services["redis"].Entrypoint, " ")
	if !strings.Contains(made, `requirepass %s`) || !strings.Contains(made, "$$REDISCLI_AUTH") {
		t.Errorf("redis is started without a password: %s", made)
	}
}

// TestStoresReachNobody checks that only the program can reach the stores, and that they can reach nothing. The
// tool server, which downloads models, cannot reach them.
func TestStoresReachNobody(t *testing.T) {
	t.Parallel()
	c := compose(t)
	for name, s := range c.Services {
		if s.built() || s.NetworkMode == "none" {
			continue
		}
		if len(s.Networks) != 1 || !c.Networks[s.Networks[0]].Internal {
			t.Errorf("%s is in the networks %q", name, s.Networks)
		}
	}
	if got := c.Services["toolserver"].Networks; !slices.Equal(got, []string{"default"}) {
		t.Errorf("the tool server is in the networks %q", got)
	}
}
