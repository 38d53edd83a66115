package serve_test

import (
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"atelier/adapters/slack/slacktest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
)

// sticker is a tool that calls a service.
const sticker = `name: draw_sticker
description: Draws a sticker with the words of a text.
when: For stickers with words.
examples:
  - "make a sticker that says {good morning}"
  - "draw {hello} as a sticker"
  - "a sticker with the words {see you soon}, please"
domain: image-editing
origins: [own]
args:
  - {name: text, type: text, meaning: content, about: the words on the sticker}
returns: image
made: "a sticker"
backends:
  - kind: http
    request:
      url: "http://localhost:8000/sticker"
      json: {words: "{text}"}
`

// drawing has the bot draw a sticker, by a service that draws once the test says so.
func drawing(t *testing.T, by *inSlack) (in resident, o *clitest.Open, thread string, draw func()) {
	t.Helper()
	drawn := make(chan struct{})
	draw = sync.OnceFunc(func() { close(drawn) })
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body) // so that the server sees when the bot goes away
		bottest.Check(t, err)
		<-drawn
		if r.Context().Err() == nil {
			bottest.Check(t, png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 64, 64))))
		}
	}))
	t.Cleanup(service.Close)
	t.Cleanup(draw)
	host, folder := strings.TrimPrefix(service.URL, "http://"), t.TempDir()
	bottest.Check(t, os.WriteFile(filepath.Join(folder, "draw_sticker.yaml"), []byte(strings.ReplaceAll(sticker, "localhost:8000", host)), 0o600))
	in = resident{t, by}
	o = in.serve(append(by.settings(), "ATELIER_DATA="+t.TempDir(), "ATELIER_CATALOGUE="+folder, "ATELIER_HTTP_HOSTS="+host))
	return in, o, by.say("make a sticker that says good morning"), draw
}

// TestSlackShowsSteps: while the work goes on, the thread has one message with its steps, which is a stream where Slack has
// them, and at the end that and one answer.
func TestSlackShowsSteps(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]slacktest.Options{"streams": {}, "no streams": {Lacks: []string{"chat.startStream"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := inSlackOf(t, o, false)
			in, open, thread, draw := drawing(t, by)
			in.until(open, "the progress is shown", func() bool { return len(by.posts(thread)) == 1 })
			progress, _ := by.Workspace.Message(by.channel, by.posts(thread)[0].id)
			if progress.Streaming != (len(o.Lacks) == 0) {
				t.Errorf("the progress is %+v", progress)
			}
			draw()
			in.until(open, "the request is done", func() bool { return slices.Contains(by.signs(thread), "white_check_mark") })
			in.until(open, "the progress has ended", func() bool {
				m, _ := by.Workspace.Message(by.channel, progress.TS)
				return !m.Streaming && m.Edited > 0 && !strings.Contains(string(m.Blocks), "🛑")
			})
			if posts := by.posts(thread); len(posts) != 2 || posts[0].id != progress.TS || len(posts[1].pictures) != 1 {
				t.Errorf("the thread has %s", posts)
			}
		})
	}
}

// TestSlackStopsByItself: Slack's own button stops a request, which is said once.
func TestSlackStopsByItself(t *testing.T) {
	t.Parallel()
	by := newInSlack(t, true)
	in, o, thread, _ := drawing(t, by)
	in.until(o, "the progress is shown", func() bool { return len(by.posts(thread)) == 1 })
	by.People.Stop(by.ann, by.channel, thread)
	in.until(o, "the request is stopped", func() bool { return slices.Contains(by.signs(thread), "no_entry_sign") })
	in.until(o, "the progress has ended", func() bool { return len(by.posts(thread)) > 0 && strings.Contains(by.posts(thread)[0].text, "topped") })
	if posts := by.posts(thread); len(posts) > 2 {
		t.Errorf("the thread has %s", posts)
	}
}
