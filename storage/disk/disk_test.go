package disk_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/storagetest"
)

func TestMain(m *testing.M) {
	if status, ok := child(); ok {
		os.Exit(status)
	}
	if file := os.Getenv(countFile); file != "" {
		os.Exit(count(file))
	}
	if root := os.Getenv(heldRoot); root != "" {
		os.Exit(hold(root))
	}
	goleak.VerifyTestMain(m)
}

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

func put(t *testing.T, b *disk.Blobs, key string) {
	t.Helper()
	if err := b.Put(t.Context(), key, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	storagetest.Blobs(t, storagetest.BlobsMake{NoLinks: true, Open: func(t *testing.T) storage.Blobs {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "new", "blobs"))
	}})
}

func TestNoLinks(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	put(t, b, "k")
	if l, err := b.Link(t.Context(), "k", time.Hour); !errors.Is(err, storage.ErrNoLinks) {
		t.Errorf("a link to nowhere: %s, %v", l, err)
	}
}

// files returns all files of a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if name != folder {
			all = append(all, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
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
	if err := b.Delete(t.Context(), "way/secret"); err == nil {
		t.Error("a link was followed out by a delete")
	}
	if err := b.DeleteAll(t.Context(), "way"); err != nil {
		t.Error(err)
	}
	if _, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if got := files(t, outside); !slices.Equal(got, []string{"secret"}) {
		t.Errorf("outside there are %v", got)
	}
}

func TestNoTemporaryFilesRemain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := open(t, folder)
	put(t, b, "k")
	put(t, b, "deep/er/k")
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got := files(t, folder); !slices.Equal(got, []string{"deep", "er", "k", "k"}) {
		t.Errorf("the folder holds %v", got)
	}
	if err := b.Delete(t.Context(), "deep/er/k"); err != nil {
		t.Fatal(err)
	}
	if got := files(t, folder); !slices.Equal(got, []string{"k"}) {
		t.Errorf("the folder holds %v", got)
	}
}

// TestLeftoversOfCrash checks that a process that dies in Put leaves a temporary file, which is not a blob and is
// swept.
func TestLeftoversOfCrash(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := open(t, folder)
	put(t, b, "a/k")
	put(t, b, "b/k")
	for _, dir := range []string{".", "a", "b"} {
		if err := os.WriteFile(filepath.Join(folder, dir, ".part-DIED"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.DeleteAll(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if got := files(t, folder); !slices.Equal(got, []string{".part-DIED", "b", ".part-DIED", "k"}) {
		t.Errorf("the folder holds %v", got)
	}
	if n, err := b.Expire(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
	if got := files(t, folder); len(got) != 4 {
		t.Errorf("what may still be being written is gone: %v", got)
	}
	if n, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
	if got := files(t, folder); len(got) != 0 {
		t.Errorf("the folder holds %v", got)
	}
}

// TestPutsDuringAForgetting checks that a put that is overtaken by the deletion of its folder fails, and leaves nothing.
func TestPutsDuringAForgetting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := open(t, folder)
	begun, forgotten := make(chan struct{}), make(chan struct{})
	slow := io.MultiReader(strings.NewReader("x"), readerFunc(func([]byte) (int, error) {
		close(begun)
		<-forgotten
		return 0, io.EOF
	}))
	failed := make(chan error)
	go func() { failed <- b.Put(t.Context(), "thread/k", slow) }()
	<-begun
	if err := b.DeleteAll(t.Context(), "thread"); err != nil {
		t.Error(err)
	}
	close(forgotten)
	if err := <-failed; err == nil {
		t.Error("what was forgotten came back")
	}
	if got := files(t, folder); len(got) != 0 {
		t.Errorf("the folder holds %v", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestFolderIsShared checks two stores on one folder, as in two processes.
func TestFolderIsShared(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	one, two := open(t, folder), open(t, folder)
	var all sync.WaitGroup
	for _, b := range []*disk.Blobs{one, two} {
		all.Go(func() {
			for range 50 {
				if err := b.Put(t.Context(), "a/k", strings.NewReader("x")); err != nil {
					t.Error(err)
				}
				if err := b.Delete(t.Context(), "a/k"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := files(t, folder); len(got) != 0 {
		t.Errorf("the folder holds %v", got)
	}
	put(t, one, "a/k")
	if _, err := two.Stat(t.Context(), "a/k"); err != nil {
		t.Error(err)
	}
}

func TestKeyCannotBeFolderOfAnother(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := open(t, folder)
	put(t, b, "a")
	put(t, b, "b/c")
	for _, key := range []string{"a/b", "a/b/c", "b"} {
		if err := b.Put(t.Context(), key, strings.NewReader("x")); !errors.Is(err, storage.ErrKey) {
			t.Errorf("put %s: %v", key, err)
		}
	}
	if got := files(t, folder); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the folder holds %v", got)
	}
}

func TestUnusableFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{file, filepath.Join(file, "below")} {
		b, err := disk.Open(folder)
		fault, ok := errors.AsType[*storage.Fault](err)
		if !ok {
			t.Errorf("%s: %v, %v", folder, b, err)
			continue
		}
		if strings.Contains(fault.Sentence, file) || !strings.HasSuffix(fault.Sentence, ".") {
			t.Errorf("the sentence is %q", fault.Sentence)
		}
	}
}

func TestCheckFindsMissingFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "blobs")
	b := open(t, folder)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	fault, ok := errors.AsType[*storage.Fault](b.Check(t.Context()))
	if !ok || !strings.Contains(fault.Sentence, "cannot be written to") {
		t.Errorf("the check: %v", fault)
	}
}

func TestFolderIsNotABlob(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	put(t, b, "a/b")
	if err := b.Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	r, err := b.Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || !bytes.Equal(content, []byte("x")) {
		t.Errorf("it holds %q, %v", content, err)
	}
}
