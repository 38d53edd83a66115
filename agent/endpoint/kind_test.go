package endpoint_test

import (
	"net/http"
	"strings"
	"testing"

	"atelier/agent/endpoint"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	var got sent
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, try int) { record(&got)(w, r, try) })
	e := build(t, endpoint.Config{BaseURL: server.URL})
	for _, c := range []struct {
		request, job string
		round        int
	}{
		{"r1", "decompose", 1},
		{"discord:12/34", "respond", 2},
		{"wünsche 100% 图片\r\nX: y", "", -3},
		{"", "", 0},
	} {
		if _, err := ask(endpoint.Label(t.Context(), c.request, c.job, c.round), e); err != nil {
			t.Fatal(err)
		}
		request, job, round, ok := endpoint.ParseLabel(got.label)
		if !ok || request != c.request || job != c.job || round != c.round {
			t.Errorf("%+v became %q", c, got.label)
		}
	}
	if _, err := ask(t.Context(), e); err != nil || got.label != "" {
		t.Errorf("no label became %q, %v", got.label, err)
	}
}

// TestLongLabel checks long labels: OpenAI rejects a header of more than 512 characters.
func TestLongLabel(t *testing.T) {
	t.Parallel()
	var got sent
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, try int) { record(&got)(w, r, try) })
	ctx := endpoint.Label(t.Context(), strings.Repeat("图", 1000), strings.Repeat("j", 1000), 7)
	if _, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL})); err != nil {
		t.Fatal(err)
	}
	request, job, round, ok := endpoint.ParseLabel(got.label)
	if len(got.label) > 512 || !ok || round != 7 || !strings.HasPrefix(strings.Repeat("图", 1000), request) || request == "" || !strings.HasPrefix(job, "jjj") {
		t.Errorf("%d characters: %q", len(got.label), got.label)
	}
}

func TestParseLabelOfOthers(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", "a/b", "a/b/c", "a/b/1/2", "%zz/b/1", "a/%/1", "a/b/1x"} {
		if _, _, _, ok := endpoint.ParseLabel(s); ok {
			t.Errorf("%q is no label of ours", s)
		}
	}
}
