package slack

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"atelier/adapters"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/slacktest"
)

// A file at a URL that somebody chose is not opened, wherever it is.
func TestRemoteFilesAreNotOpened(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another program of the host was asked") }))
	t.Cleanup(other.Close)
	for _, at := range []string{
		h.URL() + "chat.postMessage?channel=" + h.channel + "&text=pwned", h.URL() + "../files-pri/../api/chat.postMessage?channel=" + h.channel + "&text=pwned",
		other.URL + "/admin",
	} {
		h.say(slacktest.Post{Text: h.mention("look"), Files: []slacktest.File{{Name: "a.txt", Remote: at}}})
		files := h.next(t).Message.Files
		for _, f := range []adapters.File{files[0], {ID: files[0].ID, Handle: files[0].ID + " " + at}} {
			if f.Handle != files[0].Handle && at == other.URL+"/admin" {
				continue // it would be Slack's own word
			}
			r, err := h.s.Fetch(t.Context(), f)
			if err == nil {
				err = r.Close()
			}
			if !errors.Is(err, adapters.ErrForbidden) {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
	for _, m := range h.Workspace.Messages(h.channel, "") {
		if m.Text == "pwned" {
			t.Error("a stranger's file let the bot post")
		}
	}
}

func TestWhoGetsTheToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api, file string
		want      bool
	}{
		{"", "https://files.slack.com/files-pri/T1-F1/a.png", true},
		{"", "https://team.slack.com/files-pri/T1-F1/a.png", true},
		{"", "https://slack.com/files/U1/F1/a.png", true},
		{"", "https://team.slack.com/files-pri/../archives", false},
		{"", "https://team.slack.com/archives", false},
		{"", "http://files.slack.com/files-pri/T1-F1/a.png", false},
		{"", "https://files.slack.com:8443/files-pri/T1-F1/a.png", false},
		{"", "https://files.notslack.com/files-pri/T1-F1/a.png", false},
		{"https://slack.com/api/", "https://slack.com/archives", false},
		{"http://127.0.0.1:9000/api", "http://127.0.0.1:9000/a.png", true},
		{"http://127.0.0.1:9000/api", "http://127.0.0.1:9001/a.png", true},
		{"http://127.0.0.1:9000/api", "https://127.0.0.1:9001/a.png", false},
		{"http://127.0.0.1:9000/api", "http://127.0.0.2:9000/a.png", false},
		{"http://127.0.0.1:9000/api", "http://localhost:9001/a.png", true},
		{"http://localhost:9000/api", "http://[::1]:9001/a.png", true},
		{"http://localhost:9000/api", "https://[::1]:9001/a.png", false},
		{"https://chat.example.org/api", "https://localhost/a.png", false},
		{"http://127.0.0.1:9000/api", "https://files.slack.com/files-pri/T1-F1/a.png", true},
		{"https://chat.example.org/api", "https://chat.example.org/a.png", true},
		{"https://chat.example.org/api", "http://chat.example.org/files/a.png", false},
		{"https://chat.example.org/api", "https://chat.example.org:8443/files/a.png", false},
		{"https://chat.example.org/api", "https://files.chat.example.org/a.png", true},
		{"https://chat.example.org/api", "https://mail.chat.example.org/a.png", false},
		{"https://chat.example.org/api", "http://files.chat.example.org/a.png", false},
	} {
		s, u := at(t, c.api), parse(t, c.file)
		if got := s.trusts(u); got != c.want {
			t.Errorf("%q: %s gets the token: %v", c.api, c.file, got)
		}
	}
}

func TestMethodsAreNoFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api, file string
		want      bool
	}{
		{"", "https://slack.com/api/chat.delete", true},
		{"", "https://team.slack.com/API/chat.delete", true},
		{"", "https://slack.com/files/%2e%2e/api/chat.delete", true},
		{"", "https://slack.com//api//chat.delete", true},
		{"", "https://slack.com/files/U1/F1/api", false},
		{"http://localhost:1/slack/v1", "http://localhost:1/slack/v1/chat.delete", true},
		{"http://localhost:1/slack/v1", "http://localhost:1/slack/v2/a.png", false},
		{"http://localhost:1", "http://localhost:1/chat.delete", true},
		{"http://localhost:1", "http://localhost:1/files/a.png", false},
	} {
		if got := at(t, c.api).isMethod(parse(t, c.file)); got != c.want {
			t.Errorf("%q: %s is a method: %v", c.api, c.file, got)
		}
	}
}

func at(t *testing.T, api string) *fetcher {
	t.Helper()
	s, err := New(Config{BotToken: "xoxb-1", SigningSecret: "secret", State: &outbox.Memory{}, Open: nothing, APIURL: api})
	if err != nil {
		t.Fatal(err)
	}
	return s.files
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// read fetches a file.
func (h *heard) read(t *testing.T, f adapters.File) string {
	t.Helper()
	r, err := h.s.Fetch(t.Context(), f)
	if err != nil {
		t.Error(err)
		return ""
	}
	b, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Error(err)
	}
	return string(b)
}
