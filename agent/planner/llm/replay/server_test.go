package replay_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/replay"
)

// serving returns the URL of a server of the recordings.
func serving(t *testing.T, r *replay.Recordings, missing http.Handler) string {
	t.Helper()
	s := httptest.NewServer(r.Server(missing))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// TestServerRecordsAndReplays checks that recorded answers of a model server are replayed without it, for a
// request with another ID at another time.
func TestServerRecordsAndReplays(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made")
	upstream, asked := server(t)
	base, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	record := open(t, dir)
	recording := client(t, serving(t, record, record.Ask(base, key)), transport(t))
	first, err := ask(t, recording, "one", "decompose", 0, "Now: Monday 10:00\nWish: turn it")
	if err != nil {
		t.Fatal(err)
	}
	holdsNo(t, dir, key, "Authorization", "Bearer")

	again := open(t, dir)
	replayed := client(t, serving(t, again, replay.Missing()), transport(t))
	second, err := ask(t, replayed, "another", "decompose", 0, "Now: Tuesday 17:30\nWish: turn it")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := second.Choices[0].Message.Content, first.Choices[0].Message.Content; got != want {
		t.Errorf("replayed %q, recorded %q", got, want)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the model server was asked %d times", n)
	}
	models, err := replayed.ListModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range models.Models {
		names = append(names, m.ID)
	}
	if !cmp.Equal(names, []string{"m"}) {
		t.Errorf("models %v", names)
	}
}

// TestServerWithoutAnAnswer checks an unknown text, and an unknown path.
func TestServerWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	recordings := open(t, t.TempDir())
	keep(t, recordings, "one", "decompose", 0, "an answer")
	at := serving(t, recordings, replay.Missing())
	own := transport(t)
	c := client(t, at, own)
	_, chat := ask(t, c, "one", "decompose", 0, "Wish: something else")
	_, embeddings := c.CreateEmbeddings(t.Context(), openai.EmbeddingRequestStrings{Model: "m", Input: []string{"a"}})
	for name, err := range map[string]error{"chat": chat, "embeddings": embeddings} {
		if e, ok := errors.AsType[*endpoint.Error](err); !ok || e.Code != replay.NotRecorded {
			t.Errorf("%s: %v", name, err)
		}
	}
}
