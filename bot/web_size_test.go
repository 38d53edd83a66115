package main

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"regexp"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/serve"
)

// loaded matches the files that a page loads.
var loaded = regexp.MustCompile(`(?:src|href)="(/static/[^"]+\.(?:js|css|svg))"`)

// TestPageIsSmall loads the first page and the list of all tools as a browser does, with all scripts, styles and icons:
// each has less than 100 kB.
func TestPageIsSmall(t *testing.T) {
	t.Parallel()
	o := clitest.OpenService(t, serve.Service{Web: true}, "ATELIER_DATA="+t.TempDir())
	for _, path := range []string{"/", "/tools"} {
		html, total := receive(t, o.Address+path)
		refs := loaded.FindAllStringSubmatch(html, -1)
		own := total
		for _, ref := range refs {
			_, n := receive(t, o.Address+ref[1])
			total += n
		}
		t.Logf("%s: %d bytes, of which the page itself has %d", path, total, own)
		if len(refs) < 20 || len(html) < 10_000 || own > len(html)/3 || total > 100_000 {
			t.Errorf("%s: %d bytes with %d files; the page has %d, sent as %d", path, total, len(refs), len(html), own)
		}
	}
}

// receive returns a file, and how many bytes of it a browser receives.
func receive(t *testing.T, url string) (text string, size int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	bottest.Check(t, err)
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd") // read here: the client does not
	answer, err := http.DefaultClient.Do(r)
	bottest.Check(t, err)
	counted := &counter{from: answer.Body}
	unzipped, err := gzip.NewReader(counted)
	bottest.Check(t, err)
	b, err := io.ReadAll(unzipped)
	bottest.Check(t, errors.Join(err, answer.Body.Close()))
	return string(b), counted.n
}

// counter counts the bytes that are read.
type counter struct {
	from io.Reader
	n    int
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += n
	return n, err
}
