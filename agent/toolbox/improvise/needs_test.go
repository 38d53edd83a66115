package improvise

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNeeds: everything is installed here, and without its Python an environment has no modules either.
func TestNeeds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, lockFile), requirements, 0o600); err != nil {
		t.Fatal(err)
	}
	for environment, python := range map[string]bool{"": true, dir: false} {
		b, err := newBackend(Config{Environment: environment})
		if err != nil {
			t.Fatal(err)
		}
		all, err := b.Needs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 1+len(modules)+len(programs) || all[0].Name != "python3" {
			t.Fatalf("%+v", all)
		}
		for _, n := range all {
			if n.Debian == "" || n.Optional == (programs[n.Name] == "") || n.Found != (python || n.Optional) {
				t.Errorf("with the environment %q: %+v", environment, n)
			}
		}
	}
}
