//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("words"), 0o600), os.WriteFile(at("first"), []byte("words"), 0o600), os.Link(at("first"), at("second")),
		os.Symlink(at("file"), at("link")), os.Symlink(dir, at("way")), syscall.Mkfifo(at("pipe"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for name, fit := range map[string]bool{
		"file": true, "way/file": true, "link": false, "first": false, "second": false, "pipe": false, ".": false, "nothing": false,
	} {
		if err := Left(at(name)); (err == nil) != fit {
			t.Errorf("%s: %v", name, err)
		}
	}
}
