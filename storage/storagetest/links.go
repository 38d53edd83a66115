package storagetest

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"atelier/storage"
)

func links(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	for key, c := range map[string]struct{ kind, disposition string }{
		"thread/photo.png":                 {"image/png", "inline"},
		"a b+c%20#&=;,'~/Größe (1).JPG":    {"image/jpeg", "inline"},
		"page.html":                        {"text/html; charset=utf-8", "attachment"},
		"drawing.svg":                      {"image/svg+xml", "attachment"},
		"thread/something without its end": {"application/octet-stream", "attachment"},
	} {
		put(t, b, key, "0123456789 of "+key)
		link := linkTo(t, b, key, time.Hour)
		status, header, body := follow(t, http.MethodGet, link, nil)
		if status != http.StatusOK || body != "0123456789 of "+key {
			t.Errorf("the link to %s gives %d, %q", key, status, body)
		}
		if got := header.Get("Content-Type"); got != c.kind {
			t.Errorf("%s is shown as %s", key, got)
		}
		if got := header.Get("Content-Disposition"); !strings.HasPrefix(got, c.disposition+";") {
			t.Errorf("%s is shown as %s", key, got)
		}
		status, header, body = follow(t, http.MethodGet, link, http.Header{"Range": {"bytes=2-4"}})
		if status != http.StatusPartialContent || body != "234" {
			t.Errorf("a range of the link to %s gives %d, %q, %v", key, status, body, header)
		}
		tampered(t, link)
	}
	put(t, b, "k", "before")
	link := linkTo(t, b, "k", storage.MaxLink)
	put(t, b, "k", "after")
	if _, _, body := follow(t, http.MethodGet, link, nil); body != "after" {
		t.Errorf("the link gives %q", body)
	}
	if err := b.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := follow(t, http.MethodGet, link, nil); status != http.StatusNotFound {
		t.Errorf("the link to what is gone gives %d", status)
	}
	if status, _, _ := follow(t, http.MethodGet, linkTo(t, b, "never/there", time.Hour), nil); status != http.StatusNotFound {
		t.Errorf("the link to what was never there gives %d", status)
	}
}

// tampered tries modified links.
func tampered(t *testing.T, link string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	other := func(change func(*url.URL)) {
		t.Helper()
		c := *u
		change(&c)
		if status, _, body := follow(t, http.MethodGet, c.String(), nil); status < 400 || status >= 500 || strings.Contains(body, "0123456789") {
			t.Errorf("a link that was tampered with gives %d, %q: %s", status, body, c.String())
		}
	}
	other(func(c *url.URL) { c.RawQuery = "" })
	other(func(c *url.URL) { c.Path, c.RawPath = c.Path+"x", "" })
	for name, values := range u.Query() {
		other(func(c *url.URL) {
			q := c.Query()
			q.Set(name, strings.Map(func(r rune) rune {
				if r >= '0' && r <= '8' {
					return r + 1
				}
				return r
			}, values[0])+"1")
			c.RawQuery = q.Encode()
		})
	}
	if status, _, _ := follow(t, http.MethodPut, link, nil); status < 400 || status >= 500 {
		t.Errorf("a link was put to: %d", status)
	}
	if status, _, _ := follow(t, http.MethodDelete, link, nil); status < 400 || status >= 500 {
		t.Errorf("a link was deleted: %d", status)
	}
}

// linksExpire follows a link until it expires.
func linksExpire(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	put(t, b, "k", "x")
	link := linkTo(t, b, "k", 2*time.Second)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for was := 0; ; <-again.C {
		status, _, body := follow(t, http.MethodGet, link, nil)
		switch {
		case status == http.StatusOK && body == "x":
		case status == http.StatusForbidden && was == http.StatusOK && body != "x":
			return
		default:
			t.Fatalf("the link gives %d after %d, %q", status, was, body)
		}
		was = status
	}
}

func linkTo(t *testing.T, b storage.Blobs, key string, expiry time.Duration) string {
	t.Helper()
	link, err := b.Link(t.Context(), key, expiry)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// follow sends a request without credentials, like a browser.
func follow(t *testing.T, method, link string, header http.Header) (status int, got http.Header, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		request.Header = header
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(content)
}
