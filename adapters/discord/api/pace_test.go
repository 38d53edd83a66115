package api

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A pause of all calls, which also a proxy in front of Discord may ask for, does not delay answers to
// interactions.
func TestPauseOfAll(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, body := range map[string]string{"told": `{"retry_after":9,"global":true}`, "a page": "<html></html>"} {
		p := newPacer(nil, func() time.Time { return now })
		answer := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"9"}}, Body: io.NopCloser(strings.NewReader(body))}
		if err := p.refused("GET users/id", answer); err != nil {
			t.Fatal(err)
		}
		for route, want := range map[string]time.Duration{
			"POST channels/1/messages": 9 * time.Second, "POST interactions/1/token/callback": 0, "GET webhooks/1/token/messages/@original": 0,
		} {
			if got := p.pause(route); got != want {
				t.Errorf("%s: %s waits %v, want %v", name, route, got, want)
			}
		}
	}
}
