package slack

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// thread is a thread of n messages and a last one, none of which mentions the bot. Every 25th message has a file.
func (w *workspace) thread(t *testing.T, n int) (s *Slack, in adapters.Thread, last adapters.MessageRef) {
	t.Helper()
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	in = adapters.Thread{Adapter: Name, Workspace: w.TeamID(), Channel: w.channel}
	for i := range n + 1 {
		p := slacktest.Post{Channel: w.channel, ThreadTS: in.ID, By: w.zoe, Text: strconv.Itoa(i), Silent: true}
		if i%25 == 0 {
			p.Files = []slacktest.File{{Name: p.Text + ".png", Data: []byte("PNG")}}
		}
		ts := w.People.Say(p)
		in.ID, last = cmp.Or(in.ID, ts), convert.Ref(w.TeamID(), w.channel, ts)
	}
	return s, in, last
}

// The last messages of a long thread are read in a few calls, and in one if the ones before are known.
func TestBeforeInALongThread(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	s, in, last := w.thread(t, 5000)
	got, err := s.Before(t.Context(), in, last, "", 50)
	if err != nil || len(got) != 50 || got[0].Text != "4950" || got[49].Text != "4999" || got[0].By.Name != "Zoe" {
		t.Fatalf("%d are given: %+v %v", len(got), got, err)
	}
	if len(got[0].Files) != 1 || len(got[25].Files) != 1 || got[25].Files[0].Name != "4975.png" {
		t.Errorf("the files are %+v and %+v", got[0].Files, got[25].Files)
	}
	if n := w.API.Calls()["conversations.replies"]; n != 6 {
		t.Errorf("it took %d calls", n)
	}
	got, err = s.Before(t.Context(), in, last, got[39].Ref.ID, 50)
	if err != nil || len(got) != 10 || got[0].Text != "4990" {
		t.Errorf("after one of them are %+v: %v", got, err)
	}
	if n := w.API.Calls()["conversations.replies"]; n != 7 {
		t.Errorf("it took %d calls", n-6)
	}
	root := convert.Ref(w.TeamID(), w.channel, in.ID)
	if got, err := s.Before(t.Context(), in, root, "", 50); err != nil || len(got) != 0 || w.API.Calls()["conversations.history"] > 0 {
		t.Errorf("of the channel are read %+v: %v", got, err)
	}
}

// An error of Slack's is reported, but after a rate limit the messages read so far are returned.
func TestBeforeRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		befall func(w *workspace)
		kind   error
	}{
		"without the scope": {func(w *workspace) { w.DropScope("channels:history") }, adapters.ErrForbidden},
		"not in channel":    {func(w *workspace) { w.Workspace.NotInChannel(w.channel) }, adapters.ErrForbidden},
		"a pause":           {func(w *workspace) { w.Faults.RateLimit("conversations.replies", 1, 2*20*time.Second) }, adapters.ErrRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, false)
			s, in, last := w.thread(t, 2)
			if _, err := s.identity.Self(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.befall(w)
			if got, err := s.Before(t.Context(), in, last, "", 50); !errors.Is(err, c.kind) || got != nil {
				t.Errorf("it gives %+v: %v", got, err)
			}
		})
	}
}

// If Slack limits the rate while reading a thread, the messages read so far are returned.
func TestBeforeWithAPauseOnTheWay(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, false, slacktest.Options{Narrow: true})
	s, in, last := w.thread(t, 40)
	if got, err := s.Before(t.Context(), in, last, "", 50); err != nil || len(got) != 15 || got[14].Text != "14" {
		t.Errorf("%d are given: %v", len(got), err)
	}
}

// One odd field of one message of a thread does not lose other messages.
func TestBeforeWithOddFields(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"ok":true,"user_id":"UBOT","team_id":"T1"}`
		if strings.HasSuffix(r.URL.Path, "conversations.replies") {
			answer = `{"ok":true,"has_more":"no","messages":[{"type":"message","user":"U1","text":"first","ts":1790000000.0001,"reply_count":"2",` +
				`"files":[{"id":"F1","name":"a.png","size":"3","original_w":"640","initial_comment":"hi"}]},5,{"type":"message","user":"U1","text":"second","ts":"1790000001.000100"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer) //nolint:errcheck // the bot has gone
	}))
	t.Cleanup(server.Close)
	s, err := New(Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: server.URL + "/api/", State: new(outbox.Memory), Open: nothing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.edge.HTTP().CloseIdleConnections)
	in := adapters.Thread{Adapter: Name, Workspace: "T1", Channel: "C1", ID: "1790000000.000100"}
	got, err := s.Before(t.Context(), in, convert.Ref("T1", "C1", "1790000002.000100"), "", 50)
	if err != nil || len(got) != 2 || got[0].Ref.ID != in.ID || len(got[0].Files) != 1 || got[0].Files[0].Size != 3 || got[1].Text != "second" {
		t.Errorf("it gives %+v: %v", got, err)
	}
}
