package slacktest_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters/slack/slacktest"
)

func TestUpload(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{ShareAfter: time.Millisecond})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	root := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "draw"})
	data := []byte("\x89PNG\r\n\x1a\n picture")
	to, err := api.GetUploadURLExternalContext(t.Context(), slack.GetUploadURLExternalParameters{
		FileName: "edges.png", FileSize: len(data), AltTxt: "the edges of a cat",
	})
	if err != nil {
		t.Fatal(err)
	}
	if status := upload(t, to.UploadURL, string(data)); status != http.StatusOK {
		t.Fatal(status)
	}
	if _, err := api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{
		Files: []slack.FileSummary{{ID: to.FileID, Title: "Edges"}}, Channel: c, ThreadTimestamp: root, InitialComment: "here",
	}); err != nil {
		t.Fatal(err)
	}
	until(t, s, "the message", func() bool { return len(s.Workspace.Messages(c, root)) == 2 })
	m := s.Workspace.Messages(c, root)[1]
	if m.Text != "here" || m.Subtype != "file_share" || len(m.Files) != 1 || m.Files[0].AltTxt != "the edges of a cat" ||
		m.Files[0].Title != "Edges" || !bytes.Equal(m.Files[0].Data, data) {
		t.Errorf("%+v", m)
	}
	info, _, _, err := api.GetFileInfoContext(t.Context(), to.FileID, 0, 0)
	if err != nil || info.Shares.Public[c][0].Ts != m.TS || info.AltTxt != "the edges of a cat" {
		t.Errorf("%+v %v", info, err)
	}
	if err := api.DeleteFileContext(t.Context(), to.FileID); err != nil {
		t.Error(err)
	}
	_, _, _, err = api.GetFileInfoContext(t.Context(), to.FileID, 0, 0) //nolint:dogsled // it fails
	wants(t, err, "file_deleted")
}

// upload sends the bytes of a file and returns the status of the answer.
func upload(t *testing.T, address, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_, status, _ := send(t, req)
	return status
}

func TestInvalidUpload(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	answer, _, _ := raw(t, s, "files.getUploadURLExternal", s.BotToken(), "application/x-www-form-urlencoded", "filename=a.png&length=0")
	if answer["error"] != "invalid_arguments" {
		t.Errorf("%v", answer)
	}
	got, err := api.GetUploadURLExternalContext(t.Context(), slack.GetUploadURLExternalParameters{FileName: "a", FileSize: 5})
	if err != nil {
		t.Fatal(err)
	}
	files := []slack.FileSummary{{ID: got.FileID, Title: "a"}}
	for _, body := range []string{"four", "sixsix"} {
		if status := upload(t, got.UploadURL, body); status != http.StatusBadRequest {
			t.Errorf("%q, a body of the wrong length: %d", body, status)
		}
	}
	_, err = api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{Files: files})
	wants(t, err, "file_not_found")
	if status := upload(t, got.UploadURL, "five5"); status != http.StatusOK {
		t.Fatal(status)
	}
	_, err = api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{Files: files, Channel: "C404"})
	wants(t, err, "channel_not_found")
	if _, err := api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{Files: files, Channel: s.Workspace.Channel("here")}); err != nil {
		t.Error(err)
	}
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	const text = "the bytes of a file"
	for name, file := range map[string]struct {
		fault  slacktest.FileFault
		token  string
		status int
		want   string // what the body begins with
	}{
		"whole":         {"", s.BotToken(), 200, text},
		"no token":      {"", "", 200, "<!DOCTYPE html>"},
		"another token": {"", "xoxb-other", 200, "<!DOCTYPE html>"},
		"a page":        {slacktest.FileHTML, s.BotToken(), 200, "<!DOCTYPE html>"},
		"lost":          {slacktest.FileLost, s.BotToken(), 404, "<!DOCTYPE html>"},
		"broken":        {slacktest.FileBroken, s.BotToken(), 500, "<!DOCTYPE html>"},
		"moved":         {slacktest.FileMoved, s.BotToken(), 302, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ts := s.People.Say(slacktest.Post{Channel: c, By: ann, Files: []slacktest.File{{Name: "a.txt", Data: []byte(text), Fault: file.fault}}})
			m, _ := s.Workspace.Message(c, ts)
			info, _, _, err := api.GetFileInfoContext(t.Context(), m.Files[0].ID, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, info.URLPrivateDownload, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if file.token != "" {
				req.Header.Set("Authorization", "Bearer "+file.token)
			}
			transport := &http.Transport{DisableKeepAlives: true}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != file.status || !strings.HasPrefix(string(body), file.want) {
				t.Errorf("%d, %d bytes, %v", resp.StatusCode, len(body), err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRemoteFiles(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	s.People.Say(slacktest.Post{Channel: c, By: ann, Files: []slacktest.File{
		{Name: "stub.png", Stub: true, Data: []byte("x")}, {Name: "remote.png", Remote: "http://127.0.0.1:1/x.png"},
	}})
	history, err := api.GetConversationHistoryContext(t.Context(), &slack.GetConversationHistoryParameters{ChannelID: c})
	if err != nil {
		t.Fatal(err)
	}
	files := history.Messages[0].Files
	if files[0].FileAccess != "check_file_info" || files[0].URLPrivate != "" || files[1].URLPrivate != "http://127.0.0.1:1/x.png" ||
		!files[1].IsExternal {
		t.Errorf("%+v", files)
	}
	info, _, _, err := api.GetFileInfoContext(t.Context(), files[0].ID, 0, 0)
	if err != nil || info.URLPrivate == "" || info.Size != 1 {
		t.Errorf("%+v %v", info, err)
	}
}
