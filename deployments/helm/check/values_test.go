package check

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	sigsyaml "sigs.k8s.io/yaml"
)

// found returns the first groups of a pattern's matches.
func found(t *testing.T, pattern, text string) []string {
	t.Helper()
	var all []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("nothing is like %s", pattern)
	}
	return all
}

// settings returns the names of all settings of the program.
func settings(t *testing.T) []string {
	t.Helper()
	return found(t, `(?m)^#?([A-Z][A-Z0-9_]*)=`, file(t, ".env.example"))
}

// named returns the names that the schema allows in a map.
func named(t *testing.T, path ...string) []string {
	t.Helper()
	type schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	content, err := os.ReadFile(filepath.Join(chart, "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(content, &s); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		var inner schema
		if err := json.Unmarshal(s.Properties[name], &inner); err != nil {
			t.Fatal(err)
		}
		s = inner
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// TestEverySettingCanBeSet checks that each setting of .env.example has its place: in settings, in secrets, or as
// a value of its own, from which the chart sets it.
func TestEverySettingCanBeSet(t *testing.T) {
	t.Parallel()
	all := settings(t)
	open := named(t, "settings")
	_, places, _ := strings.Cut(file(t, "deployments/helm/atelier/templates/_check.tpl"), "$places := dict")
	places, _, _ = strings.Cut(places, "-}}")
	own := found(t, `"([A-Z][A-Z0-9_]+)"`, places)
	secret := regexp.MustCompile(`PASSWORD$|TOKEN$|_SECRET$|API_KEY$`)
	for _, name := range all {
		in := 0
		for _, there := range []bool{slices.Contains(open, name), slices.Contains(own, name), secret.MatchString(name) && !slices.Contains(own, name)} {
			if there {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%s can be set in %d ways", name, in)
		}
	}
	for _, name := range slices.Concat(open, own) {
		if !slices.Contains(all, name) {
			t.Errorf("the program does not read %s", name)
		}
	}
	text := ""
	for _, args := range variants(t) {
		out, err := template(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		text += out
	}
	for _, name := range own {
		if name != "ATELIER_GRACE" && !regexp.MustCompile(`(?m)^\s*(- name: )?`+name+`\b`).MatchString(text) {
			t.Errorf("%s is kept for the chart, which never sets it", name)
		}
	}
}

// TestMemoryIsEnough checks that three quarters of a worker's limit, which the program uses for media, are enough
// for one program per concurrent step.
func TestMemoryIsEnough(t *testing.T) {
	t.Parallel()
	type part struct {
		Concurrency int64
		Resources   corev1.ResourceRequirements
	}
	var values struct{ CPU, Program part }
	if err := sigsyaml.Unmarshal([]byte(file(t, "deployments/helm/atelier/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	enough := func(p part, program int64) {
		if limit := p.Resources.Limits.Memory().Value(); limit/4*3 < p.Concurrency*program {
			t.Errorf("%d bytes are too few for %d programs", limit, p.Concurrency)
		}
	}
	enough(values.CPU, 2<<30)
	enough(values.Program, 1<<30) // as agent/toolbox/improvise says
}

// TestToolServerSettingsCanBeSet checks the same for the tool server's settings.
func TestToolServerSettingsCanBeSet(t *testing.T) {
	t.Parallel()
	_, class, _ := strings.Cut(file(t, "deployments/toolserver/toolserver/settings.py"), "\nclass Settings(")
	class, _, _ = strings.Cut(class, "@classmethod")
	var want []string
	for _, name := range found(t, `(?m)^    ([a-z_]+): `, class) {
		if name = "TOOLSERVER_" + strings.ToUpper(name); !slices.Contains([]string{
			"TOOLSERVER_HOST", "TOOLSERVER_PORT", "TOOLSERVER_TOKEN", "TOOLSERVER_REPLICAS", "TOOLSERVER_MODELS", "TOOLSERVER_WEIGHTS",
		}, name) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if got := named(t, "toolServer", "ray", "settings"); !slices.Equal(got, want) {
		t.Errorf("they are %q, want %q", got, want)
	}
}

// TestNumbersStayNumbers checks that a large number is not written as 1e+08.
func TestNumbersStayNumbers(t *testing.T) {
	t.Parallel()
	text, err := template(t, variants(t)["external"]...)
	if err != nil {
		t.Fatal(err)
	}
	data := read(t, text).configs["media-atelier-settings"].Data
	if data["OPENAI_BUDGET"] != "100000000" || data["OPENAI_VISION"] != "true" || data["S3_ENCRYPTION"] != "aws:kms" {
		t.Errorf("they are %v", data)
	}
}

// TestEveryValueIsExplained checks that a comment precedes each value, at least where its name occurs first.
func TestEveryValueIsExplained(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	var walk func(n *yaml.Node, at string)
	walk = func(n *yaml.Node, at string) {
		if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 {
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.HeadComment != "" || key.LineComment != "" || value.LineComment != "" {
				explained[key.Value] = true
			}
			if !explained[key.Value] {
				t.Errorf("values.yaml:%d: nothing is said of %s%s", key.Line, at, key.Value)
			}
			walk(value, at+key.Value+".")
		}
	}
	walk(document.Content[0], "")
	if len(explained) < 50 {
		t.Errorf("%d are explained", len(explained))
	}
}

// TestRayServiceIsTheToolServers checks that it has the server's version of Ray, its application, and as many
// processes as GPUs.
func TestRayServiceIsTheToolServers(t *testing.T) {
	t.Parallel()
	image := file(t, "deployments/toolserver/Dockerfile")
	if !strings.Contains(image, "\nVOLUME /data\n") || !strings.Contains(image, "\nUSER 10001:10001\n") {
		t.Error("the image keeps its models elsewhere than in /data, or runs as another user")
	}
	version := found(t, `"ray\[serve\]==([0-9.]+)"`, file(t, "deployments/toolserver/pyproject.toml"))[0]
	if !regexp.MustCompile(`(?m)^app\b`).MatchString(file(t, "deployments/toolserver/toolserver/cluster.py")) {
		t.Error("toolserver.cluster has no app")
	}
	for name, gpus := range map[string]int{"ray": 1, "everything": 6} {
		text, err := template(t, variants(t)[name]...)
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, text)
		var service struct {
			Spec struct {
				Serve   string `yaml:"serveConfigV2"`
				Cluster struct {
					Version string `yaml:"rayVersion"`
				} `yaml:"rayClusterConfig"`
			} `yaml:"spec"`
		}
		if err := yaml.Unmarshal(r.of("RayService")[0].written, &service); err != nil {
			t.Fatal(err)
		}
		if service.Spec.Cluster.Version != version {
			t.Errorf("its Ray is %s, and the server's %s", service.Spec.Cluster.Version, version)
		}
		var serve struct {
			Applications []struct {
				Import      string `yaml:"import_path"`
				Deployments []struct {
					Name     string         `yaml:"name"`
					Replicas int            `yaml:"num_replicas"`
					Actor    map[string]int `yaml:"ray_actor_options"`
				} `yaml:"deployments"`
			} `yaml:"applications"`
		}
		if err := yaml.Unmarshal([]byte(service.Spec.Serve), &serve); err != nil {
			t.Fatal(err)
		}
		app := serve.Applications[0]
		if app.Import != "toolserver.cluster:app" || app.Deployments[0].Replicas != gpus || app.Deployments[0].Actor["num_gpus"] != 1 {
			t.Errorf("%s: it serves %v, want %d", name, app, gpus)
		}
		for _, d := range app.Deployments {
			if !strings.Contains(file(t, "deployments/toolserver/toolserver/cluster.py"), `name="`+d.Name+`"`) {
				t.Errorf("the server has no deployment %s", d.Name)
			}
		}
		asked := 0
		for _, p := range r.pods {
			c := p.Spec.Containers[0]
			limit := c.Resources.Limits["nvidia.com/gpu"]
			if p.replicas != nil {
				asked += int(limit.Value()) * int(*p.replicas)
			}
			for _, e := range c.Env {
				if e.Name == "TOOLSERVER_REPLICAS" && e.Value != strconv.Itoa(gpus) {
					t.Errorf("%s: it gets %s GPUs", name, e.Value)
				}
			}
			if !limit.IsZero() && p.component() != "tools-worker" {
				t.Errorf("%s has a GPU", p.owner)
			}
		}
		if asked != gpus {
			t.Errorf("%s: its pods have %d GPUs", name, asked)
		}
	}
}

// TestImagesAreThoseOfTheComposition checks that the chart uses the same images as the Compose file.
func TestImagesAreThoseOfTheComposition(t *testing.T) {
	t.Parallel()
	text, err := template(t)
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]string{}
	for _, p := range read(t, text).pods {
		for _, c := range p.containers() {
			images[c.Image] = p.owner
		}
	}
	for _, image := range found(t, `(?m)^    image: ((?:valkey|versity)/\S+)$`, file(t, "deployments/compose.yaml")) {
		if images[image] == "" {
			t.Errorf("the composition has %s, and the chart %q", image, slices.Collect(maps.Keys(images)))
		}
	}
}
