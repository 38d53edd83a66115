package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// chatTokens are the settings that let a process act as the bot on a chat platform.
var chatTokens = []string{"DISCORD_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"}

// selects reports whether a selector matches labels.
func selects(t *testing.T, s *metav1.LabelSelector, have map[string]string) bool {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(labels.Set(have))
}

// containers returns all containers of a pod.
func (p pod) containers() []corev1.Container {
	return slices.Concat(p.Spec.InitContainers, p.Spec.Containers)
}

// TestPodsAreLocked checks that pods do not run as root, write only to folders with a size limit, and have no
// account and no privileges.
func TestPodsAreLocked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		for _, p := range r.pods {
			s := p.Spec.SecurityContext
			if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 ||
				s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: the pod may be root, or has no seccomp profile", p.owner)
			}
			if p.Spec.AutomountServiceAccountToken == nil || *p.Spec.AutomountServiceAccountToken || p.Spec.EnableServiceLinks == nil || *p.Spec.EnableServiceLinks {
				t.Errorf("%s: it is given a token, or the names of services", p.owner)
			}
			if p.Spec.HostNetwork || p.Spec.HostPID || p.Spec.HostIPC {
				t.Errorf("%s: it has something of its node", p.owner)
			}
			for _, c := range p.containers() {
				s := c.SecurityContext
				if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
					s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
					t.Errorf("%s: the container %s is not locked", p.owner, c.Name)
				}
				if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
					t.Errorf("%s: the container %s is not bounded", p.owner, c.Name)
				}
				if strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":") {
					t.Errorf("%s: the image %s is not pinned", p.owner, c.Image)
				}
			}
			for _, v := range p.Spec.Volumes {
				if v.HostPath != nil || v.EmptyDir != nil && v.EmptyDir.SizeLimit.IsZero() {
					t.Errorf("%s: the volume %s is its node's, or has no bound", p.owner, v.Name)
				}
			}
		}
	})
}

// TestVolumesAndConfigsExist checks that everything that is mounted exists, with each key that is used of what the
// chart itself creates.
func TestVolumesAndConfigsExist(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		for _, p := range r.pods {
			names := slices.Clone(p.claims)
			for _, v := range p.Spec.Volumes {
				names = append(names, v.Name)
				if v.ConfigMap == nil {
					continue
				}
				config := r.configs[v.ConfigMap.Name]
				if config == nil {
					t.Errorf("%s: there is no %s", p.owner, v.ConfigMap.Name)
					continue
				}
				for _, item := range v.ConfigMap.Items {
					if config.Data[item.Key] == "" {
						t.Errorf("%s: %s has no %s", p.owner, config.Name, item.Key)
					}
				}
			}
			for _, c := range p.containers() {
				var mounted []string
				for _, m := range c.VolumeMounts {
					mounted = append(mounted, m.Name)
					if !slices.Contains(names, m.Name) {
						t.Errorf("%s: there is no volume %s", p.owner, m.Name)
					}
				}
				if len(p.Spec.Containers) == 1 && c.Name == p.Spec.Containers[0].Name && len(mounted) != len(names) {
					t.Errorf("%s: of %q it mounts %q", p.owner, names, mounted)
				}
				for _, e := range c.EnvFrom {
					if e.ConfigMapRef == nil || r.configs[e.ConfigMapRef.Name] == nil {
						t.Errorf("%s: its environment is from %v", p.owner, e)
					}
				}
			}
		}
	})
}

// TestPodsAreProbed checks that everything that runs forever is probed on a port that it has, and the program on
// pages that it has.
func TestPodsAreProbed(t *testing.T) {
	t.Parallel()
	pages := file(t, "bot/serve/readiness.go")
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		for _, p := range r.pods {
			if p.once {
				continue
			}
			for _, c := range p.Spec.Containers {
				for what, probe := range map[string]*corev1.Probe{"start": c.StartupProbe, "life": c.LivenessProbe, "readiness": c.ReadinessProbe} {
					if probe == nil {
						t.Errorf("%s: it is not asked for its %s", p.owner, what)
						continue
					}
					if probe.HTTPGet == nil {
						continue
					}
					name := probe.HTTPGet.Port.StrVal
					if name != "" && !slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name }) {
						t.Errorf("%s: it has no port %s", p.owner, name)
					}
					if c.Name == "bot" && !strings.Contains(pages, `"GET `+probe.HTTPGet.Path+`"`) {
						t.Errorf("%s: the program has no page %s", p.owner, probe.HTTPGet.Path)
					}
				}
			}
			c := p.bot()
			if c != nil && p.component() == "program" {
				for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
					if probe.Exec == nil || !slices.Equal(probe.Exec.Command, []string{"bot", "health"}) || len(c.Ports) > 0 {
						t.Errorf("%s: it is reached from outside", p.owner)
					}
				}
				continue
			}
			if c != nil && (c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz") {
				t.Errorf("%s: readiness is not asked at /readyz, or life not at /healthz", p.owner)
			}
		}
	})
}

// longest returns the longest time that tasks of some kinds may take, from jobs/queue/task.go.
func longest(t *testing.T, kinds ...string) time.Duration {
	t.Helper()
	most := time.Duration(0)
	for _, kind := range kinds {
		m := regexp.MustCompile(`case (?:Kind\w+, )*Kind` + kind + `(?:, Kind\w+)*:[^\n]*\n\s*return Allowance\{(\d+) \* time\.Minute,`).FindStringSubmatch(file(t, "jobs/queue/task.go"))
		if m == nil {
			t.Fatalf("jobs/queue/task.go does not tell how long %s may take", kind)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, time.Duration(n)*time.Minute)
	}
	return most
}

// flag returns the value of a flag of the program.
func flag(c *corev1.Container, name string) string {
	for _, a := range c.Args {
		if value, ok := strings.CutPrefix(a, name+"="); ok {
			return value
		}
	}
	return ""
}

// TestWorkMayEnd checks that a pod that is stopped has as long as the longest task of its queues may take, and
// that the process ends before it is killed.
func TestWorkMayEnd(t *testing.T) {
	t.Parallel()
	act, rest := longest(t, "Act"), longest(t, "Fetch", "Plan", "Compose", "Send")
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		for _, p := range r.pods {
			c := p.bot()
			if c == nil {
				continue
			}
			grace, err := time.ParseDuration(flag(c, "--grace"))
			if err != nil {
				t.Fatal(err)
			}
			want := rest
			if queue := flag(c, "--queues"); queue == "cpu" || queue == "gpu" || queue == "program" {
				want = act
			}
			if grace < want {
				t.Errorf("%s: what runs has %v to end, and may take %v", p.owner, grace, want)
			}
			if whole := time.Duration(*p.Spec.TerminationGracePeriodSeconds) * time.Second; whole < grace+10*time.Second {
				t.Errorf("%s: it is killed after %v, and lets work go on for %v", p.owner, whole, grace)
			}
		}
	})
}

// TestQueuesAreServed checks that one part serves each queue that work may wait in, with flags that the program
// has.
func TestQueuesAreServed(t *testing.T) {
	t.Parallel()
	flags := file(t, "bot/serve/serve.go")
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		var served []string
		for _, p := range r.pods {
			c := p.bot()
			if c == nil {
				continue
			}
			if c.Args[0] != "serve" {
				t.Errorf("%s: it does %q", p.owner, c.Args)
			}
			for _, a := range c.Args[1:] {
				name, _, _ := strings.Cut(strings.TrimPrefix(a, "--"), "=")
				if !regexp.MustCompile(`(?mi)^\s` + name + `\s+string`).MatchString(flags) {
					t.Errorf("%s: serve has no %s", p.owner, a)
				}
			}
			queues := flag(c, "--queues")
			served = append(served, strings.Split(queues, ",")...)
			if gateway := strings.HasPrefix(queues, "gateway"); !gateway && flag(c, "--adapters") != "none" {
				t.Errorf("%s: it connects with chat platforms", p.owner)
			}
		}
		slices.Sort(served)
		served = slices.DeleteFunc(served, func(queue string) bool { return queue == "gpu" })
		want := []string{"cpu", "gateway", "plan", "program"}
		if variant(t) == "bundled" { // which runs no programs
			want = want[:3]
		}
		if !slices.Equal(served, want) {
			t.Errorf("the queues %q are served, want %q", served, want)
		}
	})
}

// TestSecretsAreReferred checks that the chart contains and creates no secrets, and that only the gateway gets the
// chat platforms'.
func TestSecretsAreReferred(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`(?i)password|secret|token|_key|auth$`)
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		if made := r.of("Secret"); len(made) > 0 {
			t.Errorf("it makes %v", made)
		}
		for _, config := range r.configs {
			for name, value := range config.Data {
				if strings.HasSuffix(config.Name, "-settings") && (secret.MatchString(name) && name != "OPENAI_TOKEN_FIELD" && name != "S3_KMS_KEY" || regexp.MustCompile(`://[^/]*@`).MatchString(value)) {
					t.Errorf("%s holds %s", config.Name, name)
				}
			}
		}
		for _, p := range r.pods {
			for _, c := range p.containers() {
				seen := map[string]bool{}
				for _, e := range c.Env {
					if seen[e.Name] {
						t.Errorf("%s: %s is set twice", p.owner, e.Name)
					}
					seen[e.Name] = true
					if e.Value != "" && secret.MatchString(e.Name) && !strings.HasPrefix(e.Value, "$(") && e.Name != "AWS_ACCESS_KEY_ID" && e.Name != "ROOT_ACCESS_KEY_ID" {
						t.Errorf("%s: %s is set in plain text", p.owner, e.Name)
					}
					if e.ValueFrom != nil && (e.ValueFrom.SecretKeyRef == nil || e.ValueFrom.SecretKeyRef.Name == "" || e.ValueFrom.SecretKeyRef.Key == "") {
						t.Errorf("%s: %s is from %v", p.owner, e.Name, e.ValueFrom)
					}
					if slices.Contains(chatTokens, e.Name) && p.component() != "gateway" {
						t.Errorf("%s is given %s", p.owner, e.Name)
					}
				}
				if c.Name == "bot" && p.component() != "program" && (!seen["REDIS_URL"] || !seen["WEB_PASSWORD"] && r.configs[c.EnvFrom[0].ConfigMapRef.Name].Data["WEB_USER_HEADER"] == "") {
					t.Errorf("%s: it has no Redis, or asks nobody who they are", p.owner)
				}
			}
		}
	})
}

// TestProgramPartHasNoSecrets checks that it has only those of Redis and of the files, no settings of models and
// servers, and no files of settings.
func TestProgramPartHasNoSecrets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		for _, p := range r.pods {
			if p.component() != "program" {
				continue
			}
			c := p.bot()
			data := r.configs[c.EnvFrom[0].ConfigMapRef.Name].Data
			for name := range data {
				if !regexp.MustCompile("^(ATELIER|S3|AWS)_|^(TZ|HTTPS_PROXY)$").MatchString(name) || name == "ATELIER_CATALOGUE" {
					t.Errorf("%s is given %s", p.owner, name)
				}
			}
			if data["ATELIER_LISTEN"] != "127.0.0.1:8080" || data["S3_BUCKET"] == "" || data["ATELIER_DATA"] == "" {
				t.Errorf("%s is given %v", p.owner, data)
			}
			given := map[string]bool{}
			for _, e := range c.Env {
				given[e.Name] = true
				if !slices.Contains([]string{"REDIS_PASSWORD", "REDIS_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}, e.Name) {
					t.Errorf("%s is given %s", p.owner, e.Name)
				}
			}
			if !given["REDIS_URL"] {
				t.Errorf("%s has no Redis", p.owner)
			}
			for _, v := range p.Spec.Volumes {
				if v.EmptyDir == nil {
					t.Errorf("%s is given the volume %s", p.owner, v.Name)
				}
			}
		}
	})
}

// TestTokensReachTheGateway checks this, and that all other secrets reach all parts except program.
func TestTokensReachTheGateway(t *testing.T) {
	t.Parallel()
	text, err := template(t, variants(t)["everything"]...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range read(t, text).pods {
		c := p.bot()
		if c == nil || p.component() == "program" {
			continue
		}
		got := map[string]string{}
		for _, e := range c.Env {
			if e.ValueFrom != nil {
				got[e.Name] = e.ValueFrom.SecretKeyRef.Name + "/" + e.ValueFrom.SecretKeyRef.Key
			}
		}
		if got["HF_TOKEN"] != "hub/token" || got["TOOL_SERVER_TOKEN"] != "studio/TOOL_SERVER_TOKEN" {
			t.Errorf("%s has %v", p.owner, got)
		}
		if (got["DISCORD_TOKEN"] == "studio/DISCORD_TOKEN") != (p.component() == "gateway") {
			t.Errorf("%s has %v", p.owner, got)
		}
	}
}

// TestSelectorsFit checks that selectors find their pods, by labels and ports that these have. Names are unique
// and valid.
func TestSelectorsFit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		seen := map[string]bool{}
		for _, d := range r.documents {
			if seen[d.String()] {
				t.Errorf("%s is there twice", d)
			}
			seen[d.String()] = true
			if wrong := validation.IsDNS1035Label(d.GetName()); len(wrong) > 0 {
				t.Errorf("%s: %q", d, wrong)
			}
			for key, value := range d.GetLabels() {
				if wrong := slices.Concat(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)); len(wrong) > 0 {
					t.Errorf("%s: %s=%s: %q", d, key, value, wrong)
				}
			}
			if o, ok := decodeAny(t, d).(*appsv1.Deployment); ok && !selects(t, o.Spec.Selector, o.Spec.Template.Labels) {
				t.Errorf("%s does not select its pods", d)
			}
			if o, ok := decodeAny(t, d).(*appsv1.StatefulSet); ok && (!selects(t, o.Spec.Selector, o.Spec.Template.Labels) || !serviceThere(r, o.Spec.ServiceName)) {
				t.Errorf("%s does not select its pods, or has no service", d)
			}
		}
		for _, s := range r.services {
			found := r.found(t, &metav1.LabelSelector{MatchLabels: s.Spec.Selector})
			if len(found) != 1 {
				t.Errorf("the service %s leads to %d kinds of pods", s.Name, len(found))
				continue
			}
			for _, port := range s.Spec.Ports {
				if !found[0].listens(port.TargetPort.StrVal) {
					t.Errorf("the service %s leads to the port %s", s.Name, port.TargetPort.String())
				}
			}
		}
	})
}

func serviceThere(r rendering, name string) bool {
	return slices.ContainsFunc(r.services, func(s *corev1.Service) bool { return s.Name == name })
}

// decodeAny returns a document as its Go type, or nil if it has none.
func decodeAny(t *testing.T, d document) any {
	t.Helper()
	if _, ok := schemas[d.GetKind()]; ok {
		return nil
	}
	return decode(t, d.written)
}

// found returns the pods that a selector selects.
func (r rendering) found(t *testing.T, s *metav1.LabelSelector) []pod {
	t.Helper()
	var all []pod
	for _, p := range r.pods {
		if selects(t, s, p.Labels) {
			all = append(all, p)
		}
	}
	return all
}

// listens reports whether a pod has a port of that name.
func (p pod) listens(name string) bool {
	return slices.ContainsFunc(p.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	})
}

// variant returns the name of the variant under test.
func variant(t *testing.T) string {
	t.Helper()
	_, name, _ := strings.Cut(t.Name(), "/")
	return name
}

// TestSeveralPodsHaveABudget checks that each part that has or may have several pods may miss one.
func TestSeveralPodsHaveABudget(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		if variant(t) == "trial" {
			if len(r.budgets) > 0 {
				t.Errorf("there are %d", len(r.budgets))
			}
			return
		}
		for _, p := range r.pods {
			several := p.replicas == nil && !p.once || p.replicas != nil && *p.replicas > 1
			budgets := 0
			for _, b := range r.budgets {
				if selects(t, b.Spec.Selector, p.Labels) {
					budgets++
					if b.Spec.MaxUnavailable != nil && b.Spec.MaxUnavailable.IntVal != 1 || b.Spec.MinAvailable != nil && b.Spec.MinAvailable.IntVal != *p.replicas-1 {
						t.Errorf("%s: %v", p.owner, b.Spec)
					}
				}
			}
			if several != (budgets == 1) {
				t.Errorf("%s: it may be several: %v, and has %d budgets", p.owner, several, budgets)
			}
		}
	})
}

// TestWorkersAreScaled checks that workers are scaled by the sum of the waiting and running tasks of their queues;
// asynq has a list for each.
func TestWorkersAreScaled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r rendering) {
		t.Helper()
		scaled := map[string]document{}
		for _, d := range r.of("ScaledObject") {
			scaled[d.GetName()] = d
		}
		auths := map[string]bool{}
		for _, d := range r.of("TriggerAuthentication") {
			auths[d.GetName()] = true
		}
		for _, p := range r.pods {
			c := p.bot()
			if c == nil || p.component() == "gateway" {
				continue
			}
			_, name, _ := strings.Cut(p.owner, " ")
			d, ok := scaled[name]
			if ok == (p.replicas != nil) {
				t.Errorf("%s: it is scaled: %v, and its number is fixed: %v", p.owner, ok, p.replicas != nil)
			}
			if ok {
				scales(t, d, name, flag(c, "--queues"), flag(c, "--concurrency"), auths)
				delete(scaled, name)
			}
		}
		if len(scaled) > 0 {
			t.Errorf("nothing is scaled by %v", slices.Collect(maps.Keys(scaled)))
		}
	})
}

// scales checks how one part is scaled.
func scales(t *testing.T, d document, name, queue, concurrency string, auths map[string]bool) {
	t.Helper()
	var o struct {
		Spec struct {
			Target   struct{ Name, Kind, APIVersion string } `json:"scaleTargetRef"`
			Min      int                                     `json:"minReplicaCount"`
			Advanced struct {
				Modifiers struct{ Formula, Target, MetricType string } `json:"scalingModifiers"`
			} `json:"advanced"`
			Triggers []struct {
				Type, Name string
				Metadata   map[string]string
				Auth       struct{ Name string } `json:"authenticationRef"`
			} `json:"triggers"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(d.written, &o); err != nil {
		t.Fatal(err)
	}
	if got := o.Spec.Target; got.Name != name || got.Kind != "Deployment" || got.APIVersion != "apps/v1" {
		t.Errorf("%s scales %v", d, got)
	}
	if o.Spec.Min < 1 {
		t.Errorf("%s: without workers, the planner knows no tools", d)
	}
	if m := o.Spec.Advanced.Modifiers; m.Formula != "pending + active" || m.Target != concurrency || m.MetricType != "AverageValue" {
		t.Errorf("%s: %v, with %s at a time", d, m, concurrency)
	}
	var lists []string
	for _, tr := range o.Spec.Triggers {
		lists = append(lists, tr.Name+" "+tr.Metadata["listName"])
		if !strings.HasPrefix(tr.Type, "redis") || tr.Metadata["address"] == "" && tr.Metadata["addresses"] == "" || tr.Metadata["password"] != "" {
			t.Errorf("%s: %s %v", d, tr.Type, tr.Metadata)
		}
		if tr.Auth.Name != "" && !auths[tr.Auth.Name] {
			t.Errorf("%s: there is no %s", d, tr.Auth.Name)
		}
	}
	if want := []string{fmt.Sprintf("pending asynq:{%s}:pending", queue), fmt.Sprintf("active asynq:{%s}:active", queue)}; !slices.Equal(lists, want) {
		t.Errorf("%s looks at %q, want %q", d, lists, want)
	}
}
