package endpoint

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestWrap checks that Wrap gets the endpoint's own transport, with its rules for private servers.
func TestWrap(t *testing.T) {
	t.Parallel()
	var inner http.RoundTripper
	calls := 0
	e, err := New(Config{BaseURL: "http://127.0.0.1:9/v1", Wrap: func(next http.RoundTripper) http.RoundTripper {
		inner = next
		return tripper(func(req *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(`{"data":[]}`)), Request: req}, nil
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Models(t.Context()); err != nil || calls != 1 {
		t.Errorf("%d calls went through: %v", calls, err)
	}
	if own, ok := inner.(*http.Transport); !ok || own.Proxy != nil {
		t.Errorf("wrapped is %T, or it knows a proxy", inner)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://192.0.2.1:9/v1/models", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := inner.RoundTrip(req)
	if err == nil {
		err = res.Body.Close()
	}
	if _, refused := errors.AsType[*publicAddressError](err); !refused {
		t.Errorf("a public address was dialled: %v", err)
	}
}

// tripper is a transport of one function.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
