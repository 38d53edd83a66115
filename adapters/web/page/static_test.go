package page

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func somePages(t *testing.T) *Renderer {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStatic(t *testing.T) {
	t.Parallel()
	p := somePages(t)
	get := func(method, path, accept string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Header.Set("Accept-Encoding", accept)
		p.Static().ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]string{
		"style.css": "text/css; charset=utf-8", "channel.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
		"vendor/htmx.min.js": "text/javascript; charset=utf-8", "point/point.js": "text/javascript; charset=utf-8",
	} {
		for _, accept := range []string{"", "gzip, br"} {
			r := get(http.MethodGet, p.Folder()+"/"+path, accept)
			h := r.Header()
			if r.Code != http.StatusOK || h.Get("Content-Type") != want || h.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(h.Get("Cache-Control"), "immutable") || (h.Get("Content-Encoding") == "gzip") != (accept != "") {
				t.Errorf("%s: %d %v", path, r.Code, h)
			}
		}
	}
	for path, want := range map[string]int{
		p.Folder() + "/vendor/VENDORED.md": 404, p.Folder() + "/": 404, "/static/style.css": 404, "/static/0000000000000000/style.css": 404,
		p.Folder() + "/../render.go": 404, p.Folder() + "/vendor/htmx.LICENSE.txt": 404,
	} {
		if r := get(http.MethodGet, path, ""); r.Code != want {
			t.Errorf("%s: %d, want %d", path, r.Code, want)
		}
	}
	if r := get(http.MethodPost, p.Folder()+"/style.css", ""); r.Code != http.StatusMethodNotAllowed {
		t.Error(r.Code)
	}
	if r := get(http.MethodHead, p.Folder()+"/style.css", ""); r.Code != http.StatusOK || r.Header().Get("Content-Length") == "" || r.Body.Len() > 0 {
		t.Error(r.Code, r.Header())
	}
	if again := somePages(t); again.hash != p.hash {
		t.Error("the same files have another hash")
	}
}

// Vendored files are unchanged, and all of them are listed.
func TestVendored(t *testing.T) {
	t.Parallel()
	list, err := staticFiles.ReadFile("static/vendor/VENDORED.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(staticFiles, "static/vendor/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".md") {
			continue
		}
		b, err := staticFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		short := strings.TrimPrefix(name, "static/vendor/")
		listed := slices.ContainsFunc(strings.Split(string(list), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "|") && strings.Contains(line, " "+short+" ") && strings.Contains(line, hex.EncodeToString(sum[:]))
		})
		if !listed {
			t.Errorf("%s is not listed with its SHA-256, %x", short, sum)
		}
	}
}
