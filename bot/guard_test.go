package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPassword: what is served asks for the password, but what tells that it works does not.
func TestPassword(t *testing.T) {
	t.Parallel()
	secretPage := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writePage(w, http.StatusOK, "inside") })
	for name, c := range map[string]struct {
		password    secret
		path, given string
		status      int
	}{
		"none is set":       {"", "/metrics", "", http.StatusOK},
		"none is given":     {"open sesame", "/metrics", "", http.StatusUnauthorized},
		"a wrong one":       {"open sesame", "/metrics", "open barley", http.StatusUnauthorized},
		"the right one":     {"open sesame", "/metrics", "open sesame", http.StatusOK},
		"whether it lives":  {"open sesame", "/healthz", "", http.StatusOK},
		"whether it is fit": {"open sesame", "/readyz", "", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.path, nil)
			if c.given != "" {
				request.SetBasicAuth("anybody", c.given)
			}
			w := httptest.NewRecorder()
			(&readiness{}).pages(guarded(secretPage, c.password), true).ServeHTTP(w, request)
			if w.Code != c.status || c.status != http.StatusOK && strings.Contains(w.Body.String(), "inside") {
				t.Errorf("%s: %d %q", c.path, w.Code, w.Body)
			}
		})
	}
}

func TestListenBeyondThisMachine(t *testing.T) {
	t.Parallel()
	for listen, needs := range map[string]bool{
		"127.0.0.1:8080": false, "localhost:1": false, "[::1]:8080": false, "127.1.2.3:80": false, "": false,
		":8080": true, "0.0.0.0:8080": true, "[::]:8080": true, "192.0.2.1:80": true, "example.org:80": true,
	} {
		if err := (Config{Listen: listen}).checkListen(); (err != nil) != needs {
			t.Errorf("%q: %v", listen, err)
		}
		if err := (Config{Listen: listen, Web: Web{Password: "open sesame"}}).checkListen(); err != nil {
			t.Errorf("%q with a password: %v", listen, err)
		}
	}
}
