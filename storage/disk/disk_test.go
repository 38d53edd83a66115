package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/storagetest"
)

func open(t *testing.T, folder string) *disk.Blobs {
	t.Helper()
	b, err := disk.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	storagetest.Blobs(t, func(t *testing.T) storage.Blobs {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "new", "blobs"))
	})
}

func TestLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	b := open(t, folder)
	if err := os.Symlink(outside, filepath.Join(folder, "way")); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Get(t.Context(), "way/secret"); err == nil {
		t.Errorf("a link was followed out: %v", r.Close())
	}
	if err := b.Put(t.Context(), "way/new", strings.NewReader("x")); err == nil {
		t.Error("a link was followed out by a put")
	}
}

func TestNothingIsLeftBeside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := open(t, folder)
	if err := b.Put(t.Context(), "k", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "k" {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}
