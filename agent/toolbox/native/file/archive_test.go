package file

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/native/operation"
)

func TestZipFiles(t *testing.T) {
	t.Parallel()
	photo := []byte("\xff\xd8\xff one")
	file := func(name string, typ plan.Type, content []byte) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Name: "x-1a2b.jpg", File: name, Type: typ}, Path: nativetest.WriteFile(t, "in.jpg", content)}
	}
	text := func(file, value string) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Type: plan.Text, File: file, Value: value}}
	}
	c := toolbox.Call{Returns: plan.Archive, Dir: t.TempDir(), Args: map[string][]toolbox.Value{"files": {
		file("photo.jpg", plan.Image, photo), file("../../etc/Photo.jpg", plan.Image, []byte("two")), file(`C:\pics\a?.jpg`, plan.Video, []byte("three")),
		text("notes.txt", "buy milk"), text("", "a summary"), file("..", plan.Document, []byte("four")),
	}}}
	out, err := nativetest.New(t, Operations(media.Limits{})).Perform("zip_files", c)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}()
	got := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = string(b)
	}
	want := map[string]string{
		"photo.jpg": string(photo), "Photo-2.jpg": "two", "a.jpg": "three", "notes.txt": "buy milk", "text.txt": "a summary", "document.jpg": "four",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestZipFilesRefuses(t *testing.T) {
	t.Parallel()
	_, err := nativetest.New(t, Operations(media.Limits{})).Perform("zip_files", toolbox.Call{Dir: t.TempDir()})
	nativetest.WantFault(t, err, "There is no file to pack")
	many := make([]toolbox.Value, operation.Most+1)
	_, err = nativetest.New(t, Operations(media.Limits{})).Perform("zip_files", toolbox.Call{Dir: t.TempDir(), Args: map[string][]toolbox.Value{"files": many}})
	nativetest.WantFault(t, err, "Too many files")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	nativetest.WantFault(t, pack(ctx, &bytes.Buffer{}, many, time.Time{}), "stopped")
}
