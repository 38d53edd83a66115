package serve_test

import (
	"context"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

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

// stickers is the service that draws them, each when the test allows it.
type stickers struct {
	host string

	asks chan string // what is asked for, in its order
	gone chan string // what is not waited for anymore

	mu    sync.Mutex
	may   map[string]chan struct{} // what may be drawn, by its words
	drawn []string
}

func newStickers(t *testing.T) *stickers {
	t.Helper()
	w := &stickers{asks: make(chan string, 100), gone: make(chan string, 100), may: map[string]chan struct{}{}}
	service := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var asked struct {
			Words string `json:"words"`
		}
		bottest.Check(t, json.NewDecoder(r.Body).Decode(&asked))
		w.asks <- asked.Words
		select {
		case <-w.permit(asked.Words):
		case <-r.Context().Done(): // the bot has gone away
			w.gone <- asked.Words
			return
		}
		w.mu.Lock()
		w.drawn = append(w.drawn, asked.Words)
		w.mu.Unlock()
		bottest.Check(t, png.Encode(out, image.NewNRGBA(image.Rect(0, 0, 64, 64))))
	}))
	t.Cleanup(service.Close)
	t.Cleanup(service.CloseClientConnections)
	w.host = strings.TrimPrefix(service.URL, "http://")
	return w
}

// settings returns the settings that give the bot the tool.
func (w *stickers) settings(t *testing.T) []string {
	t.Helper()
	folder := t.TempDir()
	bottest.Check(t, os.WriteFile(filepath.Join(folder, "draw_sticker.yaml"), []byte(strings.ReplaceAll(sticker, "localhost:8000", w.host)), 0o600))
	return []string{"ATELIER_DATA=" + t.TempDir(), "ATELIER_CATALOGUE=" + folder, "ATELIER_HTTP_HOSTS=" + w.host}
}

// permit returns a channel with a value for each drawing that is allowed.
func (w *stickers) permit(words string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.may[words] == nil {
		w.may[words] = make(chan struct{}, 10)
	}
	return w.may[words]
}

// draw allows one more drawing of the words.
func (w *stickers) draw(words string) { w.permit(words) <- struct{}{} }

// all returns the words that were drawn.
func (w *stickers) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.drawn)
}

// asked waits until the service is asked to draw the words.
func (r resident) asked(o *clitest.Open, w *stickers, words string) {
	r.Helper()
	r.hears(o, w.asks, words)
}

// stops waits until the bot no longer waits for the words.
func (r resident) stops(o *clitest.Open, w *stickers, words string) {
	r.Helper()
	r.hears(o, w.gone, words)
}

// hears waits until the words arrive.
func (r resident) hears(o *clitest.Open, from chan string, words string) {
	r.Helper()
	ctx, stop := context.WithTimeout(r.Context(), clitest.Busy)
	defer stop()
	for {
		select {
		case got := <-from:
			if got == words {
				return
			}
		case <-ctx.Done():
			r.Fatalf("%q does not come\n%s", words, o.Log)
		}
	}
}
