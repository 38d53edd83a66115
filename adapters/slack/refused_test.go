package slack

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// Twelve files take two messages, before the text. If Slack rejects files in either, they are named with the
// reason, and the rest is sent without them.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	const upload, show = "files.getUploadURLExternal", "files.completeUploadExternal"
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for name, c := range map[string]struct {
		method, code string
		second       bool // it is a file of the second message
		kind         error
		files        []int
		told         string
	}{
		"too large":                   {upload, "file_upload_size_restricted", false, adapters.ErrTooLarge, all[:1], "larger"},
		"of a kind that is not taken": {upload, "file_type_not_allowed", false, adapters.ErrForbidden, all[:1], "of this kind"},
		"no picture":                  {upload, "file_uploads_except_images_disabled", true, adapters.ErrForbidden, all[10:11], "except pictures"},
		"no space left":               {upload, "storage_limit_reached", false, adapters.ErrForbidden, all, "no space left"},
		"no room any more":            {upload, "storage_limit_reached", true, adapters.ErrForbidden, all[10:], "no space left"},
		"no files at all":             {upload, "file_uploads_disabled", false, adapters.ErrForbidden, all, "does not allow files"},
		"refused when they are shown": {show, "file_type_not_allowed", false, adapters.ErrForbidden, all[:10], "of this kind"},
		"nothing may be posted there": {show, "posting_to_channel_denied", true, adapters.ErrForbidden, all[10:], "not allowed"},
		"more bytes than are taken":   {"upload", "413", true, adapters.ErrTooLarge, all[10:11], "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, false)
			a := w.Adapter(t, zeros)
			thread := w.Thread(t, false)
			r := adapters.Reply{Thread: thread, Text: "Here they are."}
			for i := range 12 {
				r.Files = append(r.Files, adapters.Attachment{Name: "f" + strconv.Itoa(i) + ".bin", Size: 10, Type: "application/octet-stream", Handle: "10"})
			}
			posted := 0
			if c.second { // the first one is shown, and the bot does not hear of it
				w.Faults.LoseAnswers(show, 1)
				if _, err := a.Send(t.Context(), "a", r); err == nil || adapters.Final(err) {
					t.Fatalf("it fails with %v", err)
				}
				posted = 1
			}
			refusal := slacktest.Failure{Error: c.code}
			if c.code == "413" {
				refusal = slacktest.Failure{Status: 413}
			}
			w.Faults.FailNext(c.method, 1, refusal)
			_, err := a.Send(t.Context(), "a", r)
			f, ok := api.AsFault(err)
			if !ok || !errors.Is(err, c.kind) || !slices.Equal(f.Files, c.files) || !strings.Contains(f.Text(), c.told) {
				t.Fatalf("it fails with %v of the files %+v", err, f)
			}
			if n := len(w.own(thread)); n != posted {
				t.Errorf("%d messages stand there", n)
			}
			var want []string
			var left []adapters.Attachment
			for i, f := range r.Files {
				if !slices.Contains(c.files, i) {
					left, want = append(left, f), append(want, f.Name)
				}
			}
			r.Files = left
			ref, err := a.Send(t.Context(), "a", r)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			own := w.own(thread)
			for _, m := range own {
				for _, f := range m.Files {
					got = append(got, f.Name)
				}
			}
			if last := own[len(own)-1]; last.TS != ref.ID || !strings.Contains(string(last.Blocks), "Here they are.") || !slices.Equal(got, want) || len(own) != 1+len(ref.Parts) {
				t.Errorf("it shows %q of %q, and ends with %q", got, want, last.Text)
			}
		})
	}
}

// zeros opens a file of so many bytes.
func zeros(_ context.Context, handle string) (io.ReadCloser, error) {
	n, err := strconv.Atoi(handle)
	return io.NopCloser(strings.NewReader(strings.Repeat("\x00", n))), err
}

// own returns the bot's messages in a thread.
func (w *workspace) own(in adapters.Thread) []slacktest.Message {
	return slices.DeleteFunc(w.Workspace.Messages(in.Channel, in.ID), func(m slacktest.Message) bool { return m.User != w.BotUser() })
}

// A message whose form is rejected is sent as plain text, with the URLs of its links, both in messages and in
// edits. The operator is told what was rejected, but not Slack's text.
func TestRefusedForms(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_blocks", "invalid_attachments", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long", "too_many_attachments", "no_text"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, false)
			var log strings.Builder
			w.log = slog.New(slog.NewTextHandler(&log, nil))
			s, ok := w.Adapter(t, zeros).(*Slack)
			if !ok {
				t.Fatal("it is no adapter of Slack's")
			}
			thread := w.Thread(t, false)
			refusal := slacktest.Failure{Error: code, Messages: malformedBlocks.Messages}
			w.Faults.FailNext("files.completeUploadExternal", 1, refusal)
			w.Faults.FailNext("chat.postMessage", 1, refusal)
			ref, err := s.Send(t.Context(), "a", adapters.Reply{
				Thread: thread, Mention: w.zoe, Text: "**secret** words <&> of [a link](https://example.com/a_b?c=d&e=f)",
				Files: []adapters.Attachment{{Name: "a.bin", Size: 10, Type: "image/png", Handle: "10"}}, Choices: []adapters.Choice{{ID: "x", Text: "other"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			m, _ := w.Workspace.Message(thread.Channel, ref.ID)
			want := "<@" + w.zoe + "> secret words &lt;&amp;&gt; of a link <https://example.com/a_b?c=d&amp;e=f>"
			if m.Blocks != nil || !strings.HasPrefix(m.Text, want) || !strings.Contains(m.Text, "1. other") || len(w.own(thread)) != 2 {
				t.Errorf("it is posted as %q", m.Text)
			}
			if got := log.String(); !strings.Contains(got, "slack says "+code+" at /blocks/0/text/text") || strings.Contains(got, "secret") {
				t.Errorf("logged is %s", got)
			}

			p := adapters.Progress{Thread: thread, Title: "at work", Ended: true}
			at, err := s.Report(t.Context(), "p", adapters.MessageRef{}, p)
			if err != nil {
				t.Fatal(err)
			}
			w.Faults.FailNext("chat.update", 1, refusal)
			p.Title = "over"
			if _, err = s.Report(t.Context(), "p", at, p); err != nil {
				t.Fatal(err)
			}
			if m, _ := w.Workspace.Message(at.Channel, at.ID); m.Text != "over" || m.Blocks != nil {
				t.Errorf("the progress is %q in %s", m.Text, m.Blocks)
			}

			w.Faults.FailNext("chat.postMessage", 2, refusal)
			if _, err = s.Send(t.Context(), "b", adapters.Reply{Thread: thread, Text: "x"}); !errors.Is(err, adapters.ErrInvalid) {
				t.Errorf("refused twice it fails with %v", err)
			}
		})
	}
}

// If Slack does not open the dialog of the shortcut, the person is told once, and nothing is asked.
func TestRefusedDialog(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"unknown_method": "does not support this", "missing_scope": "lacks the scope", "invalid_arguments": "bug in the program",
		"expired_trigger_id": "try again", "internal_error": "try again",
	} {
		h := listen(t, true)
		ts := h.People.Say(slacktest.Post{Channel: h.channel, By: h.zoe, Text: "look"})
		h.Faults.FailNext("views.open", 1, slacktest.Failure{Error: code})
		h.pressed(t, h.Interactions.Shortcut(h.ana, h.channel, ts, convert.ShortcutID))
		var told []slacktest.Ephemeral
		if err := h.Until(t.Context(), func() bool { told = h.Workspace.Ephemerals(h.ana); return len(told) > 0 }); err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || !strings.Contains(told[0].Text, want) || len(h.events) > 0 || len(h.Interactions.Views()) > 0 {
			t.Errorf("%s: told is %+v", code, told)
		}
	}
}
