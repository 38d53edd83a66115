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

func TestAnUploadAppearsInItsThread(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{ShareAfter: time.Millisecond})
	api := client(t, s)
	ann := s.User("ann")
	c := s.Channel("here", ann)
	root := s.Say(slacktest.Post{Channel: c, By: ann, Text: "draw"})
	data := []byte("\x89PNG\r\n\x1a\n picture")
	up := slack.UploadFileParameters{
		Reader: bytes.NewReader(data), FileSize: len(data), Filename: "edges.png", Title: "Edges", AltTxt: "the edges of a cat",
		Channel: c, ThreadTimestamp: root, InitialComment: "here",
	}
	summary, err := api.UploadFileContext(t.Context(), up)
	if err != nil {
		t.Fatal(err)
	}
	until(t, s, "the message", func() bool { return len(s.Messages(c, root)) == 2 })
	m := s.Messages(c, root)[1]
	if m.Text != "here" || m.Subtype != "file_share" || len(m.Files) != 1 || m.Files[0].AltTxt != "the edges of a cat" ||
		m.Files[0].Title != "Edges" || !bytes.Equal(m.Files[0].Data, data) {
		t.Errorf("%+v", m)
	}
	info, _, _, err := api.GetFileInfoContext(t.Context(), summary.ID, 0, 0)
	if err != nil || info.Shares.Public[c][0].Ts != m.TS || info.AltTxt != "the edges of a cat" {
		t.Errorf("%+v %v", info, err)
	}
	if err := api.DeleteFileContext(t.Context(), summary.ID); err != nil {
		t.Error(err)
	}
	_, _, _, err = api.GetFileInfoContext(t.Context(), summary.ID, 0, 0) //nolint:dogsled // it fails
	wants(t, err, "file_deleted")
}

func TestAnUploadIsRefused(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{MaxFile: 100})
	api := client(t, s)
	answer, _, _ := raw(t, s, "files.getUploadURLExternal", s.BotToken(), "application/x-www-form-urlencoded", "filename=a.png&length=0")
	if answer["error"] != "invalid_arguments" {
		t.Errorf("%v", answer)
	}
	_, err := api.GetUploadURLExternalContext(t.Context(), slack.GetUploadURLExternalParameters{FileName: "a", FileSize: 101})
	wants(t, err, "file_upload_size_restricted")
	got, err := api.GetUploadURLExternalContext(t.Context(), slack.GetUploadURLExternalParameters{FileName: "a", FileSize: 5})
	if err != nil {
		t.Fatal(err)
	}
	files := []slack.FileSummary{{ID: got.FileID, Title: "a"}}
	for _, body := range []string{"four", "sixsix"} {
		if err := api.UploadToURL(t.Context(), slack.UploadToURLParameters{UploadURL: got.UploadURL, Filename: "a", Content: body}); err == nil {
			t.Errorf("%q has another length", body)
		}
	}
	_, err = api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{Files: files})
	wants(t, err, "file_not_found")
	if err := api.UploadToURL(t.Context(), slack.UploadToURLParameters{UploadURL: got.UploadURL, Filename: "a", Content: "five5"}); err != nil {
		t.Fatal(err)
	}
	_, err = api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{Files: files, Channel: "C404"})
	wants(t, err, "channel_not_found")
	if _, err := api.CompleteUploadExternalContext(t.Context(), slack.CompleteUploadExternalParameters{Files: files}); err != nil {
		t.Error(err)
	}
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.User("ann")
	c := s.Channel("here", ann)
	const text = "the bytes of a file"
	for name, file := range map[string]struct {
		fault   slacktest.FileFault
		token   string
		status  int
		want    string // what the body begins with
		isWhole bool
	}{
		"whole":         {"", s.BotToken(), 200, text, true},
		"no token":      {"", "", 200, "<!DOCTYPE html>", true},
		"another token": {"", "xoxb-other", 200, "<!DOCTYPE html>", true},
		"a page":        {slacktest.FileHTML, s.BotToken(), 200, "<!DOCTYPE html>", true},
		"lost":          {slacktest.FileLost, s.BotToken(), 404, "<!DOCTYPE html>", true},
		"broken":        {slacktest.FileBroken, s.BotToken(), 500, "<!DOCTYPE html>", true},
		"moved":         {slacktest.FileMoved, s.BotToken(), 302, "", true},
		"cut":           {slacktest.FileCut, s.BotToken(), 200, text[:9], false},
		"endless":       {slacktest.FileEndless, s.BotToken(), 200, text, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ts := s.Say(slacktest.Post{Channel: c, By: ann, Files: []slacktest.File{{Name: "a.txt", Data: []byte(text), Fault: file.fault}}})
			m, _ := s.Message(c, ts)
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
			const most = 1 << 20
			body, err := io.ReadAll(io.LimitReader(resp.Body, most))
			whole := err == nil && len(body) < most
			if resp.StatusCode != file.status || !strings.HasPrefix(string(body), file.want) || whole != file.isWhole {
				t.Errorf("%d, %d bytes, %v", resp.StatusCode, len(body), err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFilesOfOtherPlaces(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.User("ann")
	c := s.Channel("here", ann)
	s.Say(slacktest.Post{Channel: c, By: ann, Files: []slacktest.File{
		{Name: "stub.png", Stub: true, Data: []byte("x")}, {Name: "remote.png", Remote: "http://127.0.0.1:1/x.png"},
		{Name: "gone.png", Fault: slacktest.FileGone},
	}})
	history, err := api.GetConversationHistoryContext(t.Context(), &slack.GetConversationHistoryParameters{ChannelID: c})
	if err != nil {
		t.Fatal(err)
	}
	files := history.Messages[0].Files
	if files[0].FileAccess != "check_file_info" || files[0].URLPrivate != "" || files[1].URLPrivate != "http://127.0.0.1:1/x.png" ||
		!files[1].IsExternal || files[2].Mode != "tombstone" {
		t.Errorf("%+v", files)
	}
	info, _, _, err := api.GetFileInfoContext(t.Context(), files[0].ID, 0, 0)
	if err != nil || info.URLPrivate == "" || info.Size != 1 {
		t.Errorf("%+v %v", info, err)
	}
}
