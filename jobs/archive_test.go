package jobs_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"atelier/jobs"
)

// packed is a file in an archive.
type packed struct{ name, content string }

// zipOf returns a ZIP archive.
func zipOf(t *testing.T, files ...packed) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		to, err := w.Create(f.name)
		if err == nil {
			_, err = to.Write([]byte(f.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// locked marks the files of a ZIP archive as encrypted: bit 0 of the flags in the central directory.
func locked(archive string) string {
	b := []byte(archive)
	b[strings.Index(archive, "PK\x01\x02")+8] |= 1
	return string(b)
}

// TestArchiveIsUnpacked checks that the files of an archive are given in the order that people number them, without
// folders and hidden files, and that those that do not fit are left out.
func TestArchiveIsUnpacked(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	archive := zipOf(t, packed{"shots/", ""}, packed{"shots/b 10.png", "PNG b10"}, packed{"shots/b 2.png", "PNG b2"},
		packed{"__MACOSX/shots/._b 2.png", "x"}, packed{".DS_Store", "x"}, packed{"shots/bad.png", "BAD"})
	r := h.ask(j, h.says("t", "ann", "a gif of these", h.chat.upload("shots.zip", archive), h.chat.upload("z.png", "PNG z")))
	var files []string
	for _, given := range h.planner.request(r.ID).Given {
		files = append(files, given.File)
	}
	if want := "[b 2.png b 10.png z.png]"; fmt.Sprint(files) != want {
		t.Errorf("given are %v, want %s", files, want)
	}
	if told := h.told(r); told != "Here it is.\n\nLeft out: I take no bad files." {
		t.Errorf("the reply is %q", told)
	}
}

func TestBadArchives(t *testing.T) {
	t.Parallel()
	var many []packed
	for i := range 101 {
		many = append(many, packed{fmt.Sprintf("%d.png", i), "PNG"})
	}
	var long []packed
	for i := range 30 {
		long = append(long, packed{fmt.Sprintf("%d%s.png", i, strings.Repeat("a", 60_000)), ""})
	}
	bomb := packed{"zeros.png", "PNG" + strings.Repeat("\x00", 5_000_000)}
	for name, c := range map[string]struct{ content, told string }{
		"of nothing":             {zipOf(t, packed{"empty/", ""}), `The archive "a.zip" has no files.`},
		"of too many files":      {zipOf(t, many...), `The archive "a.zip" has too many files; the limit is 100.`},
		"whose list is too long": {zipOf(t, long...), `The archive "a.zip" has too many files; the limit is 100.`},
		"that grows too large":   {zipOf(t, bomb), `The files in "a.zip" are too large: the limit is 4 MB in total.`},
		"with a password":        {locked(zipOf(t, packed{"a.png", "PNG"})), `The archive "a.zip" has a password. Please send it without one.`},
		"that is damaged": {
			strings.Replace(zipOf(t, packed{"a.png", "PNG of some length"}), "PK\x03\x04", "PK\x03\x05", 1), `The archive "a.zip" is damaged.`,
		},
		"of bad files": {zipOf(t, packed{"a.png", "BAD"}), "I take no bad files."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			j := h.start(func(c *jobs.Config) { c.MaxFile = 5_000_000 })
			r := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("a.zip", c.content)))
			if told := h.told(r); told != c.told || r.Runs[0].Status != jobs.Failed {
				t.Errorf("the reply is %q, want %q", told, c.told)
			}
		})
	}
}
