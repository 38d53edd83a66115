package storage_test

import (
	"encoding/xml"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/storage"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key                string
		blob, state, group bool
	}{
		{"a", true, false, true},
		{"r-1/plan", true, true, false},
		{"Größe/日本 語.png", true, true, false},
		{"a{b}/c", true, false, false},
		{"{a}", true, false, false},
		{strings.Repeat("x", 200), true, false, true},
		{strings.Repeat("x", 200) + "/" + strings.Repeat("x", 200), true, true, false},
		{strings.Repeat("x", 201), false, false, false},
		{strings.Repeat("x/", 256) + "x", false, false, false},
		{"", false, false, false},
		{"a//b", false, false, false},
		{"a/", false, false, false},
		{"../a", false, false, false},
		{"a/.b", false, false, false},
		{"a\\b", false, false, false},
		{"a\x7fb/c", false, false, false},
	} {
		for what, check := range map[string]struct {
			err error
			ok  bool
		}{
			"a blob": {storage.CheckKey(c.key), c.blob}, "a value": {storage.CheckStateKey(c.key), c.state}, "a group": {storage.CheckGroup(c.key), c.group},
		} {
			if (check.err == nil) != check.ok || check.err != nil && !errors.Is(check.err, storage.ErrKey) {
				t.Errorf("%q as %s: %v", c.key, what, check.err)
			}
		}
	}
	if g := storage.Group("r-1/act/2"); g != "r-1" {
		t.Errorf("the group is %q", g)
	}
}

// FuzzKeys holds what is taken for a key to what it must be able to be.
func FuzzKeys(f *testing.F) {
	for _, key := range []string{"a", "a/b", "../a", "a/../b", "/a", "a\\b", "C:a", ".a", "a/.", "Größe/日本.png", "a\x00", "\xff", "{a}/b", "a\ufffe", "\u0085"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if storage.CheckKey(key) != nil {
			if storage.CheckStateKey(key) == nil || storage.CheckGroup(key) == nil {
				t.Errorf("%q names a value and no blob", key)
			}
			return
		}
		if !fs.ValidPath(key) || !filepath.IsLocal(filepath.FromSlash(key)) || path.Clean(key) != key || key == "." {
			t.Errorf("%q could lead elsewhere", key)
		}
		type doc struct {
			Key string `xml:"key"`
		}
		var back doc
		b, err := xml.Marshal(doc{key})
		if err == nil {
			err = xml.Unmarshal(b, &back)
		}
		if err != nil || back.Key != key {
			t.Errorf("%q became %q in XML: %v", key, back.Key, err)
		}
		if u, err := url.Parse("http://x/" + (&url.URL{Path: key}).EscapedPath()); err != nil || u.Path != "/"+key {
			t.Errorf("%q became %q in a URL: %v", key, u.Path, err)
		}
		if storage.CheckStateKey(key) == nil {
			group := storage.Group(key)
			if storage.CheckGroup(group) != nil || !strings.HasPrefix(key, group+"/") {
				t.Errorf("%q has the group %q", key, group)
			}
		}
	})
}

func TestCheckLink(t *testing.T) {
	t.Parallel()
	for expiry, ok := range map[time.Duration]bool{
		0: false, -time.Second: false, 1: true, time.Hour: true, storage.MaxLink: true, storage.MaxLink + 1: false,
	} {
		if err := storage.CheckLink(expiry); (err == nil) != ok {
			t.Errorf("for %v: %v", expiry, err)
		}
	}
}

func TestContents(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][2]string{
		"thread/photo-3f2a.edge-91bc.png": {"image/png", "inline; filename=photo-3f2a.edge-91bc.png"},
		"A.JPG":                           {"image/jpeg", "inline; filename=A.JPG"},
		"Größe.mp3":                       {"audio/mpeg", "inline; filename*=utf-8''Gr%C3%B6%C3%9Fe.mp3"},
		`a "b".html`:                      {"text/html; charset=utf-8", `attachment; filename="a \"b\".html"`},
		"x.svg":                           {"image/svg+xml", "attachment; filename=x.svg"},
		"png":                             {"application/octet-stream", "attachment; filename=png"},
		"a.png/b":                         {"application/octet-stream", "attachment; filename=b"},
	} {
		c := storage.ContentOf(key)
		if got := c.Disposition(key); c.Type != want[0] || got != want[1] {
			t.Errorf("%s is %s, %s", key, c.Type, got)
		}
	}
}
