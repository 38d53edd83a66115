package toolbox_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"atelier/agent/toolbox"
)

// FuzzReadTool checks that no file causes a panic, and that a valid file is still the same tool after a round trip.
func FuzzReadTool(f *testing.F) {
	for _, folder := range []fs.FS{toolbox.Embedded(), os.DirFS(filepath.Join("testdata", "bad"))} {
		files, err := fs.Glob(folder, "*.yaml")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			b, err := fs.ReadFile(folder, file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tool, err := toolbox.ReadTool(b)
		if err != nil {
			return
		}
		if len(b) > 16<<10 {
			return // written out, it may exceed the size limit
		}
		written := tool
		written.Args = slices.DeleteFunc(slices.Clone(tool.Args), func(a toolbox.Arg) bool { return a.Param != nil }) // derived from Params
		out, err := yaml.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		again, err := toolbox.ReadTool(out)
		if err != nil {
			t.Fatalf("refused after a round trip: %v\n%s", err, out)
		}
		if diff := cmp.Diff(tool, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("another tool after a round trip (-want +got)\n%s", diff)
		}
	})
}
