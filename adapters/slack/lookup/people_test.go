package lookup

import (
	"log/slog"
	"net/http"
	"testing"

	"atelier/adapters/slack/api"
	"atelier/adapters/slack/slacktest"
)

// An admin of another workspace has no rights here. Each person is looked up once.
func TestAdminsOfOtherWorkspaces(t *testing.T) {
	t.Parallel()
	w := slacktest.New(t, slacktest.Options{})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := api.New(&http.Client{Transport: transport}, w.BotToken(), "", w.URL())
	identity := &Identity{API: client}
	people := &People{API: client, Identity: identity, Log: slog.New(slog.DiscardHandler)}
	if _, err := identity.Self(t.Context()); err != nil {
		t.Fatal(err)
	}
	ours, theirs := w.Workspace.Admin("Root"), w.Workspace.Admin("Other")
	w.Workspace.Elsewhere(theirs, "T9")
	for range 2 {
		for id, want := range map[string]bool{ours: true, theirs: false} {
			if who, err := people.Lookup(t.Context(), id); err != nil || who.Admin != want {
				t.Errorf("%+v: %v", who, err)
			}
		}
	}
	if n := w.API.Calls()["users.info"]; n != 2 {
		t.Errorf("2 people are looked up by %d calls", n)
	}
}
