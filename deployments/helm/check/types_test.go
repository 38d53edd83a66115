package check

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// The operators whose resources the chart creates. Their modules contain the schemas by which Kubernetes validates
// them. Later versions accept what these accept.
const (
	kuberay = "github.com/ray-project/kuberay/ray-operator@v1.6.0"
	keda    = "github.com/kedacore/keda/v2@v2.21.0"
)

var schemas = map[string]struct{ module, file string }{
	"RayService":            {kuberay, "ray.io_rayservices.yaml"},
	"ScaledObject":          {keda, "keda.sh_scaledobjects.yaml"},
	"TriggerAuthentication": {keda, "keda.sh_triggerauthentications.yaml"},
}

func newLines(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// decoder decodes the kinds that have Go types, and rejects unknown and duplicate fields.
var decoder = sync.OnceValues(func() (runtime.Decoder, error) {
	s := runtime.NewScheme()
	if err := scheme.AddToScheme(s); err != nil {
		return nil, err
	}
	if err := monitoring.AddToScheme(s); err != nil {
		return nil, err
	}
	return serializer.NewCodecFactory(s, serializer.EnableStrict).UniversalDeserializer(), nil
})

func decode(t *testing.T, text []byte) runtime.Object {
	t.Helper()
	d, err := decoder()
	if err != nil {
		t.Fatal(err)
	}
	object, _, err := d.Decode(text, nil, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return object
}

// definition is the schema of a version of a resource.
type definition struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

// definitions caches them, since they are large.
var definitions sync.Map

func define(t *testing.T, kind schema.GroupVersionKind) *definition {
	t.Helper()
	once, _ := definitions.LoadOrStore(kind, sync.OnceValues(func() (*definition, error) { return load(t.Context(), kind) }))
	f, ok := once.(func() (*definition, error))
	if !ok {
		t.Fatal("what is kept is no definition")
	}
	d, err := f()
	if err != nil || d == nil {
		t.Fatalf("the schema of %s: %v", kind, err)
	}
	return d
}

func load(ctx context.Context, kind schema.GroupVersionKind) (*definition, error) {
	s := schemas[kind.Kind]
	out, err := exec.CommandContext(context.WithoutCancel(ctx), "go", "mod", "download", "-json", s.module).Output()
	if err != nil {
		return nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "config/crd/bases", s.file))
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, err
	}
	for _, v := range crd.Spec.Versions {
		if crd.Spec.Group != kind.Group || v.Name != kind.Version || !v.Served {
			continue
		}
		var internal apiextensions.CustomResourceValidation
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, &internal, nil); err != nil {
			return nil, err
		}
		structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		return &definition{structural, validator}, nil
	}
	return nil, os.ErrNotExist
}

// judge returns what a Kubernetes server with strict field validation would reject.
func (d *definition) judge(ctx context.Context, object map[string]any) []string {
	var wrong []string
	for _, path := range pruning.PruneWithOptions(runtime.DeepCopyJSON(object), d.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		wrong = append(wrong, "there is no field "+path)
	}
	defaulted := runtime.DeepCopyJSON(object)
	defaulting.Default(defaulted, d.structural)
	faults := validation.ValidateCustomResource(nil, defaulted, d.validator)
	faults = append(faults, structuralFaults(ctx, d.structural, defaulted)...)
	for _, fault := range faults {
		wrong = append(wrong, fault.Error())
	}
	return wrong
}

func structuralFaults(ctx context.Context, s *structuralschema.Structural, object map[string]any) field.ErrorList {
	rules := cel.NewValidator(s, true, 10_000_000)
	if rules == nil {
		return nil
	}
	faults, _ := rules.Validate(ctx, nil, s, object, nil, 10_000_000)
	return faults
}

// pod is a pod of the release, whatever creates it.
type pod struct {
	corev1.PodTemplateSpec

	owner    string
	replicas *int32
	claims   []string // the volumes that its owner adds
	once     bool     // it ends by itself
}

// component returns its component in the release.
func (p pod) component() string { return p.Labels["app.kubernetes.io/component"] }

// bot returns the program's container, or nil.
func (p pod) bot() *corev1.Container {
	if c := &p.Spec.Containers[0]; c.Name == "bot" {
		return c
	}
	return nil
}

// rendering is the result of rendering a variant. Reading it is the strict check.
type rendering struct {
	documents []document
	pods      []pod
	configs   map[string]*corev1.ConfigMap
	services  []*corev1.Service
	policies  []*networkingv1.NetworkPolicy
	budgets   []*policyv1.PodDisruptionBudget
}

// of returns the documents of a kind.
func (r rendering) of(kind string) []document {
	var all []document
	for _, d := range r.documents {
		if d.GetKind() == kind {
			all = append(all, d)
		}
	}
	return all
}

func read(t *testing.T, text string) rendering {
	t.Helper()
	r := rendering{documents: documents(t, text), configs: map[string]*corev1.ConfigMap{}}
	for _, d := range r.documents {
		if _, ok := schemas[d.GetKind()]; ok {
			for _, wrong := range define(t, d.GroupVersionKind()).judge(t.Context(), d.Object) {
				t.Errorf("%s: %s", d, wrong)
			}
			if d.GetKind() == "RayService" {
				r.pods = append(r.pods, rayPods(t, d)...)
			}
			continue
		}
		switch o := decode(t, d.written).(type) {
		case *appsv1.Deployment:
			r.pods = append(r.pods, pod{PodTemplateSpec: o.Spec.Template, owner: d.String(), replicas: o.Spec.Replicas})
		case *appsv1.StatefulSet:
			p := pod{PodTemplateSpec: o.Spec.Template, owner: d.String(), replicas: o.Spec.Replicas}
			for _, c := range o.Spec.VolumeClaimTemplates {
				p.claims = append(p.claims, c.Name)
			}
			r.pods = append(r.pods, p)
		case *corev1.Pod:
			r.pods = append(r.pods, pod{PodTemplateSpec: corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}, owner: d.String(), once: true})
		case *corev1.ConfigMap:
			r.configs[o.Name] = o
		case *corev1.Service:
			r.services = append(r.services, o)
		case *networkingv1.NetworkPolicy:
			r.policies = append(r.policies, o)
		case *policyv1.PodDisruptionBudget:
			r.budgets = append(r.budgets, o)
		}
	}
	if len(r.pods) < 3 {
		t.Fatalf("there are %d pods", len(r.pods))
	}
	return r
}

// rayPods returns the pods of a RayService, whose templates must be valid pods, too.
func rayPods(t *testing.T, d document) []pod {
	t.Helper()
	var service struct {
		Spec struct {
			Cluster struct {
				Head struct {
					Template map[string]any `json:"template"`
				} `json:"headGroupSpec"`
				Workers []struct {
					Replicas int32          `json:"replicas"`
					Template map[string]any `json:"template"`
				} `json:"workerGroupSpecs"`
			} `json:"rayClusterConfig"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(d.written, &service); err != nil {
		t.Fatal(err)
	}
	one := int32(1)
	pods := []pod{rayPod(t, d, service.Spec.Cluster.Head.Template, &one)}
	for _, w := range service.Spec.Cluster.Workers {
		pods = append(pods, rayPod(t, d, w.Template, &w.Replicas))
	}
	return pods
}

func rayPod(t *testing.T, d document, template map[string]any, replicas *int32) pod {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "PodTemplate", "template": template})
	if err != nil {
		t.Fatal(err)
	}
	o, ok := decode(t, text).(*corev1.PodTemplate)
	if !ok {
		t.Fatal("it is no template of a pod")
	}
	return pod{PodTemplateSpec: o.Template, owner: d.String(), replicas: replicas}
}

// TestEveryDocumentIsTaken checks that every variant passes Helm's linter, and has only fields and values that
// Kubernetes, KubeRay and KEDA know.
func TestEveryDocumentIsTaken(t *testing.T) {
	t.Parallel()
	for name, args := range variants(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := call(t, append([]string{"lint", "--strict", chart}, args...)...); err != nil {
				t.Errorf("%v%s", err, out)
			}
		})
	}
	each(t, func(*testing.T, rendering) {})
}

// TestStrangeFieldsAreFound checks that the check itself finds mistakes.
func TestStrangeFieldsAreFound(t *testing.T) {
	t.Parallel()
	scaled := schema.GroupVersionKind{Group: "keda.sh", Version: "v1alpha1", Kind: "ScaledObject"}
	for name, c := range map[string]struct{ text, want string }{
		"fine":      {`{"scaleTargetRef": {"name": "a"}, "triggers": [{"type": "redis", "metadata": {}}]}`, ""},
		"unknown":   {`{"scaleTargetRef": {"name": "a"}, "triggers": [{"type": "redis", "metadata": {}}], "min": 1}`, "there is no field spec.min"},
		"missing":   {`{"triggers": [{"type": "redis", "metadata": {}}]}`, "spec.scaleTargetRef: Required value"},
		"wrong":     {`{"scaleTargetRef": {"name": "a"}, "triggers": [{"type": "redis", "metadata": {"listLength": 1}}]}`, "must be of type string"},
		"of a rule": {`{"scaleTargetRef": {"name": "a"}, "triggers": [{"type": "redis", "metadata": {}}], "minReplicaCount": 5, "maxReplicaCount": 2}`, "must be less than or equal"},
	} {
		text := `{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "a"}, "spec": ` + c.text + `}`
		got := strings.Join(define(t, scaled).judge(t.Context(), object(t, []byte(text))), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	d, err := decoder()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"port": 1}}`,
		"apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  name: b\n",
	} {
		if _, _, err := d.Decode([]byte(text), nil, nil); err == nil {
			t.Errorf("it is taken: %s", text)
		}
	}
}
