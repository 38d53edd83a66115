package terminal_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"atelier/adapters"
	"atelier/adapters/terminal"
)

// The contract suite (adapterstest) is not run here, since the terminal's Listen receives nothing.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMessage(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"a plain name":           filepath.Join("photos", "photo.jpg"),
		"a name of two lines":    "photo\n.jpg",
		"a name that is no text": "photo\xff.jpg",
	} {
		one := terminal.Message("holiday", "blur it", []string{path, path})
		if err := one.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if f := one.Message.Files[0]; f.Name != "photo.jpg" && f.Name != "photo_.jpg" || f.ID == one.Message.Files[1].ID {
			t.Errorf("%s became %+v", name, one.Message.Files)
		}
		other := terminal.Message("holiday", "blur it", []string{path})
		if one.Key() == other.Key() || one.Thread.Key() != other.Thread.Key() || one.By.ID != other.By.ID {
			t.Errorf("two calls are %s and %s in %s and %s", one.Key(), other.Key(), one.Thread.Key(), other.Thread.Key())
		}
	}
	if terminal.Message("holiday", "", nil).Thread.Key() == terminal.Message(terminal.Passing, "", nil).Thread.Key() {
		t.Error("two conversations are the same")
	}
}

func TestListenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := terminal.New(terminal.Config{}).Listen(ctx, func(context.Context, adapters.Event) error { return errors.New("who speaks?") })
	if err != nil {
		t.Error(err)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	note := filepath.Join(dir, "note.txt")
	if err := os.WriteFile(note, []byte("Buy milk."), 0o600); err != nil {
		t.Fatal(err)
	}
	a := terminal.New(terminal.Config{})
	fetch := func(path string) (string, error) {
		r, err := a.Fetch(t.Context(), terminal.Message("x", "", []string{path}).Message.Files[0])
		if err != nil {
			return "", err
		}
		b, err := io.ReadAll(r)
		return string(b), errors.Join(err, r.Close())
	}
	for range 2 {
		if got, err := fetch(note); got != "Buy milk." || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	odd := filepath.Join(dir, "odd\xff\n.txt")
	if err := os.Rename(note, odd); err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(odd); got != "Buy milk." || err != nil {
		t.Errorf("under an odd name: %q, %v", got, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "nowhere.png"): `There is no file called "nowhere.png"; check its name and folder.`,
		dir:                               `"` + filepath.Base(dir) + `" is not a file.`,
		filepath.Join(odd, "deeper"):      `"deeper" cannot be opened.`,
	} {
		_, err := fetch(path)
		fault, ok := errors.AsType[*adapters.Fault](err)
		if !ok || fault.Text() != want || !adapters.Final(err) || strings.Contains(fault.Text(), "/") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestSendOnce(t *testing.T) {
	t.Parallel()
	var heard []string
	a := terminal.New(terminal.Config{Reply: func(r adapters.Reply) { heard = append(heard, r.Text) }})
	said := adapters.Reply{Thread: terminal.Thread("x"), Text: "Done."}
	first, err := a.Send(t.Context(), "one", said)
	if err != nil || first.IsZero() {
		t.Fatal(first, err)
	}
	if again, err := a.Send(t.Context(), "one", said); err != nil || again.Key() != first.Key() {
		t.Errorf("repeated: %v, %v", again, err)
	}
	if other, err := a.Send(t.Context(), "two", said); err != nil || other.Key() == first.Key() {
		t.Errorf("another key: %v, %v", other, err)
	}
	if got := strings.Join(heard, " "); got != "Done. Done." {
		t.Errorf("received %q", got)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	var heard []string
	a := terminal.New(terminal.Config{Progress: func(p adapters.Progress) { heard = append(heard, p.Title) }})
	at := adapters.MessageRef{}
	for _, title := range []string{"Planning", "1 of 2 steps"} {
		ref, err := a.Report(t.Context(), "one", at, adapters.Progress{Thread: terminal.Thread("x"), Title: title})
		if err != nil || ref.IsZero() || !at.IsZero() && ref.Key() != at.Key() {
			t.Fatalf("the message is %v, %v", ref, err)
		}
		at = ref
	}
	if again, err := a.Report(t.Context(), "one", adapters.MessageRef{}, adapters.Progress{Thread: terminal.Thread("x")}); err != nil || again.Key() != at.Key() {
		t.Errorf("the same key: %v, %v", again, err)
	}
	if got := strings.Join(heard, ", "); got != "Planning, 1 of 2 steps, " {
		t.Errorf("received %q", got)
	}
}

// TestRefusals checks that invalid calls fail permanently, and that an ended context is reported.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a := terminal.New(terminal.Config{})
	here, elsewhere := terminal.Thread("x"), adapters.Thread{Adapter: "discord", Channel: "x"}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context //nolint:containedctx // a case of the test
		key    string
		thread adapters.Thread
		want   error
	}{
		"no key":         {t.Context(), "", here, adapters.ErrInvalid},
		"another thread": {t.Context(), "k", elsewhere, adapters.ErrInvalid},
		"too late":       {over, "k", here, context.Canceled},
	} {
		if _, err := a.Send(c.ctx, c.key, adapters.Reply{Thread: c.thread, Text: "Done."}); !errors.Is(err, c.want) {
			t.Errorf("send, %s: %v", name, err)
		}
		if _, err := a.Report(c.ctx, c.key, adapters.MessageRef{}, adapters.Progress{Thread: c.thread}); !errors.Is(err, c.want) {
			t.Errorf("report, %s: %v", name, err)
		}
	}
	if _, err := a.Send(t.Context(), "k", adapters.Reply{Thread: here}); !errors.Is(err, adapters.ErrInvalid) {
		t.Errorf("silence: %v", err)
	}
	if _, err := a.Fetch(t.Context(), adapters.File{Handle: "photo.jpg"}); !errors.Is(err, adapters.ErrInvalid) {
		t.Errorf("fetch from elsewhere: %v", err)
	}
	if _, err := a.Fetch(over, adapters.File{Handle: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("fetch: %v", err)
	}
}

// TestHanded checks that only files that were stored for the process can be opened.
func TestHanded(t *testing.T) {
	t.Parallel()
	var opened []string
	a := terminal.New(terminal.Config{Open: func(_ context.Context, handle string) (io.ReadCloser, error) {
		opened = append(opened, handle)
		return io.NopCloser(strings.NewReader("content")), nil
	}})
	const key = "threads/abc/" + terminal.HandedFolder + "/def/1"
	e := terminal.Handed("name", "a wish", []adapters.File{{ID: "1", Name: "a/b\n.jpg", Handle: key}})
	if err := e.Validate(); err != nil || e.Message.Files[0].Name != "b_.jpg" {
		t.Fatalf("%v, %q", err, e.Message.Files[0].Name)
	}
	f, err := a.Fetch(t.Context(), e.Message.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for _, handle := range []string{`"/etc/passwd"`, "/etc/passwd", "threads/abc/given/x.jpg", "threads/abc/handed", key + "/more", ""} {
		if _, err := a.Fetch(t.Context(), adapters.File{Handle: handle}); !errors.Is(err, adapters.ErrInvalid) {
			t.Errorf("%q: %v", handle, err)
		}
	}
	if len(opened) != 1 || opened[0] != key {
		t.Errorf("opened %q", opened)
	}
}

// TestSpoken checks that the request is spoken in the last of several files.
func TestSpoken(t *testing.T) {
	t.Parallel()
	e := terminal.Spoken("holiday", []string{"photo.jpg", "wish.ogg"})
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	if m := e.Message; m.Text != "" || len(m.Files) != 2 || m.Files[0].Voice || !m.Files[1].Voice || m.Files[1].Name != "wish.ogg" {
		t.Errorf("%+v", m)
	}
}
