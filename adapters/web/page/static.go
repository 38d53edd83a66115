package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/adapters/web/point"
)

//go:embed static
var staticFiles embed.FS

// asset is a static file, uncompressed and compressed. It is compressed when a browser first asks for that.
type asset struct {
	contentType string
	plain       []byte
	zipped      func() ([]byte, error)
}

// assetTypes are the types that are served, by the extension of a file's name.
var assetTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".jpg": "image/jpeg",
	".mp3": "audio/mpeg",
	".mp4": "video/mp4",
	".pdf": "application/pdf",
}

// loadAssets reads the static files, including those of the picture marker, and returns them by path with a hash
// of all.
func loadAssets() (map[string]asset, string, error) {
	own, err := fs.Sub(staticFiles, "static")
	if err != nil {
		return nil, "", fmt.Errorf("read the page's files: %w", err)
	}
	all := map[string]asset{}
	for folder, files := range map[string]fs.FS{"": own, "point": point.Static()} {
		if err := addAssets(all, folder, files); err != nil {
			return nil, "", fmt.Errorf("read the page's files: %w", err)
		}
	}
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		hash.Write(fmt.Appendf(nil, "%s %d\n%s", name, len(all[name].plain), all[name].plain))
	}
	return all, hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// addAssets adds the files with a known type.
func addAssets(all map[string]asset, folder string, files fs.FS) error {
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		contentType, served := assetTypes[path.Ext(name)]
		if err != nil || d.IsDir() || !served {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		zipped := sync.OnceValues(func() ([]byte, error) { return Zip(content) })
		all[path.Join(folder, name)] = asset{contentType, content, zipped}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the static files: %w", err)
	}
	return nil
}

// AcceptsGzip reports whether the browser reads gzip.
func AcceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// Zip compresses content with gzip.
func Zip(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return b.Bytes(), nil
}

// Folder returns the path of the static files, which changes with their content.
func (p *Renderer) Folder() string { return "/static/" + p.hash }

// Static serves the static files below Folder.
func (p *Renderer) Static() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, p.Folder()+"/")
		file, known := p.assets[name]
		if !ok || !known {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		h := w.Header()
		h.Set("Content-Type", file.contentType)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		content := file.plain
		if AcceptsGzip(r) {
			var err error
			if content, err = file.zipped(); err != nil {
				http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
				return
			}
			h.Set("Content-Encoding", "gzip")
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}

// samples are files to try requests with, by the type that the request needs.
var samples = map[string]string{
	"image": "samples/harbour.jpg", "audio": "samples/harbour.mp3", "video": "samples/harbour.mp4", "document": "samples/harbour.pdf",
}

// sample returns the URL of the sample of a type, "" if there is none.
func (p *Renderer) sample(needs string) string {
	name, ok := samples[needs]
	if !ok {
		return ""
	}
	return p.Folder() + "/" + name
}

// SampleName returns the file name of the sample of a type.
func SampleName(needs string) string { return path.Base(samples[needs]) }

// OpenSample opens the sample of a type.
func OpenSample(needs string) (io.ReadCloser, error) {
	name, ok := samples[needs]
	if !ok {
		return nil, fmt.Errorf("no sample of type %q", needs)
	}
	f, err := staticFiles.Open("static/" + name)
	if err != nil {
		return nil, fmt.Errorf("open a sample of type %q: %w", needs, err)
	}
	return f, nil
}

// modules returns the scripts of every page, for browsers to preload.
func (p *Renderer) modules() []string {
	var all []string
	for name := range p.assets {
		if path.Ext(name) == ".js" && path.Dir(name) == "." && name != "theme.js" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
