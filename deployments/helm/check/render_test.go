// Package check tests the chart. It has no other code. The tests build the Helm that go.mod pins, and render every
// variant under ../atelier/ci with it.
package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const (
	chart = "../atelier"
	root  = "../../.."
)

// helm is the path of the program that TestMain has built.
var helm string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "charts-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	helm = filepath.Join(folder, "helm")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", helm, "helm.sh/helm/v4/cmd/helm")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "helm cannot be built: %v\n%s", err, out)
		return 1
	}
	for _, name := range []string{"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"} {
		if err := os.Setenv(name, filepath.Join(folder, name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// call runs Helm, and returns its output and its error message.
func call(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, said bytes.Buffer
	c := exec.CommandContext(t.Context(), helm, args...)
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		return out.String(), errors.New(said.String() + out.String())
	}
	return out.String(), nil
}

// template renders the chart as the release "media" in the namespace "studio".
func template(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return call(t, append([]string{"template", "media", chart, "--namespace", "studio", "--kube-version", "1.33.0"}, args...)...)
}

// variants returns the files of values by their short names; "default" has none.
func variants(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{"default": nil}
	files, err := filepath.Glob(filepath.Join(chart, "ci", "*-values.yaml"))
	if err != nil || len(files) < 7 {
		t.Fatalf("there are the variants %q, %v", files, err)
	}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), "-values.yaml")] = []string{"--values", file}
	}
	return all
}

// rendered caches the rendering of each variant by its name.
var rendered sync.Map

// each renders every variant and checks it.
func each(t *testing.T, look func(t *testing.T, r rendering)) {
	t.Helper()
	for name, args := range variants(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once, _ := rendered.LoadOrStore(name, sync.OnceValues(func() (string, error) { return template(t, args...) }))
			text, err := once.(func() (string, error))() //nolint:forcetypeassert,errcheck // nothing else is stored
			if err != nil {
				t.Fatal(err)
			}
			look(t, read(t, text))
		})
	}
}

// document is a document of a rendering: as written, and without types.
type document struct {
	unstructured.Unstructured

	written []byte
}

func (d document) String() string { return d.GetKind() + " " + d.GetName() }

func documents(t *testing.T, text string) []document {
	t.Helper()
	var all []document
	reader := utilyaml.NewYAMLReader(newLines(text))
	for {
		written, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		d := document{written: written, Unstructured: unstructured.Unstructured{Object: object(t, written)}}
		if len(d.Object) > 0 {
			all = append(all, d)
		}
	}
}

// object reads YAML without duplicate keys, and keeps whole numbers as such.
func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	inJSON, err := yaml.YAMLToJSONStrict(text)
	var o map[string]any
	if err == nil {
		err = utiljson.Unmarshal(inJSON, &o)
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return o
}

// file returns the content of a file of the repository.
func file(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
