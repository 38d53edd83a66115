package jobs_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/adapters"
	"atelier/jobs"
)

// linked is a chat that resolves links.
type linked struct {
	*chat

	to map[string]adapters.Earlier
}

func (l linked) Linked(_ context.Context, _ adapters.Thread, link *url.URL) (adapters.Earlier, bool, error) {
	if link.Host != "chat.example" {
		return adapters.Earlier{}, false, nil
	}
	e, ok := l.to[link.Path]
	if !ok {
		return e, false, &adapters.Fault{Sentence: "The message no longer exists.", Kind: adapters.ErrGone}
	}
	return e, true, nil
}

// hosts are the hosts that the operator allows.
type hosts map[string]string

func (h hosts) Allows(u *url.URL) bool { return u.Host == "pictures.example" }

func (h hosts) Open(_ context.Context, address string, _ http.Header) (io.ReadCloser, error) {
	if strings.HasSuffix(address, "/away.png") {
		return nil, &adapters.Fault{Sentence: "Away."}
	}
	content, ok := h[address]
	if !ok {
		return nil, &adapters.Fault{Sentence: "This file is not on the chat platform's own servers.", Kind: adapters.ErrForbidden}
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

// TestLinks: files and texts of linked messages are inputs of the request, and their names replace the
// links in it.
func TestLinks(t *testing.T) {
	t.Parallel()
	h := enter(t)
	in := linked{h.chat, map[string]adapters.Earlier{
		"/1": {Files: []adapters.File{h.chat.upload("a.png", "PNG a")}}, "/2": {Text: "good morning"}, "/3": {},
	}}
	many := strings.Repeat("x", 2000)
	j := h.start(func(c *jobs.Config) {
		c.Adapters, c.MaxFile = []adapters.Adapter{in}, 1000
		c.LinkHosts = hosts{"https://pictures.example/b.png": "PNG b", "https://pictures.example/large.png": "PNG" + many, "https://pictures.example/%E7%85%A7%E7%89%87.png": "PNG c"}
	})
	for text, want := range map[string]struct {
		wish  string
		files string
		told  string // instead of or in addition to an answer
	}{
		"blur https://chat.example/1, please":                        {"blur a.png, please", "a.png", ""},
		"blur <https://chat.example/1>":                              {"blur a.png", "a.png", ""},
		"blur [this one](https://chat.example/1)!":                   {"blur a.png!", "a.png", ""},
		"blur https://pictures.example/b.png.":                       {"blur b.png.", "b.png", ""},
		"blur https://chat.example/1 https://pictures.example/b.png": {"blur a.png b.png", "a.png b.png", ""},
		"caption https://chat.example/2":                             {"caption message.txt", "message.txt", ""},
		`pic "https://chat.example/1"`:                               {`pic "https://chat.example/1"`, "", ""},
		"a QR code of https://chat.example/1":                        {"a QR code of https://chat.example/1", "", ""},
		"caption the QR code in https://chat.example/1":              {"caption the QR code in a.png", "a.png", ""},
		"make a QR code from https://chat.example/1":                 {"make a QR code from https://chat.example/1", "", ""},
		"put a QR code on a poster for https://chat.example/1":       {"put a QR code on a poster for https://chat.example/1", "", ""},
		"a QR code people can scan: https://chat.example/1":          {"a QR code people can scan: https://chat.example/1", "", ""},
		"what does the QR code at https://chat.example/1 say":        {"what does the QR code at a.png say", "a.png", ""},
		"生成一个能扫的二维码 https://chat.example/1":                          {"生成一个能扫的二维码 https://chat.example/1", "", ""},
		"扫描https://chat.example/1上的二维码":                              {"扫描a.png上的二维码", "a.png", ""},
		"把https://pictures.example/b.png变成黑白":                        {"把b.png变成黑白", "b.png", ""},
		"https://pictures.example/b.png转成c.jpg":                      {"b.png转成c.jpg", "b.png", ""},
		"https://pictures.example/照片.png转成c.jpg":                     {"照片.png转成c.jpg", "照片.png", ""},
		"https://pictures.example/b.png，转成c.jpg":                     {"b.png，转成c.jpg", "b.png", ""},
		"blur https://pictures.example/照片.png":                       {"blur 照片.png", "照片.png", ""},
		"blur https://elsewhere.example/page":                        {"blur https://elsewhere.example/page", "", ""},
		"blur https://chat.example/1 and https://chat.example/9":     {"blur a.png and", "a.png", "Left out: The message no longer exists."},
		"blur https://chat.example/9":                                {"", "", "The message no longer exists."},
		"blur https://chat.example/3":                                {"", "", "The linked message has no text and no files that I can read."},
		"blur https://pictures.example/gone.png":                     {"", "", "This file is not on the chat platform's own servers."},
		"blur https://pictures.example/away.png":                     {"", "", `The link to "away.png" could not be opened. Please check it, or attach the file.`},
		"blur https://pictures.example/large.png":                    {"", "", `The file "large.png" is too large: the limit is 0 MB.`},
		"?what is https://elsewhere.example/c.png": {
			"?what is https://elsewhere.example/c.png", "", "I do not open links to elsewhere.example. Please attach the file here instead.",
		},
	} {
		t.Run(text, func(t *testing.T) {
			r := h.ask(j, h.says(text, "ann", text))
			if told := h.told(r); !strings.Contains(told, want.told) || want.told == "" && strings.Contains(told, "I do not open") ||
				strings.HasPrefix(want.told, "I do not open") && told != want.told {
				t.Errorf("the reply is %q", told)
			}
			asked := h.planner.request(r.ID)
			var files []string
			for _, g := range asked.Given {
				files = append(files, g.File)
			}
			if asked.Wish != want.wish || strings.Join(files, " ") != want.files {
				t.Errorf("%q is asked of %v", asked.Wish, files)
			}
		})
	}
}

// bottomless serves a file without a size and without an end.
type bottomless struct{ read atomic.Int64 }

func (*bottomless) Allows(*url.URL) bool { return true }

func (e *bottomless) Open(context.Context, string, http.Header) (io.ReadCloser, error) {
	return io.NopCloser(e), nil
}

func (e *bottomless) Read(p []byte) (int, error) {
	e.read.Add(int64(len(p)))
	return copy(p, "PNG"+strings.Repeat("x", len(p))), nil
}

// TestHugeFiles are rejected: those that say their size before they are opened, others at the limit.
func TestHugeFiles(t *testing.T) {
	t.Parallel()
	h := enter(t)
	far := &bottomless{}
	j := h.start(func(c *jobs.Config) { c.MaxFile, c.LinkHosts = 2_000_000, far })
	huge := h.chat.upload("film.mp4", "PNG")
	huge.Size = 5 << 30
	if told := h.told(h.ask(j, h.says("t", "ann", "blur", huge))); told != `The file "film.mp4" is too large: the limit is 2 MB.` {
		t.Errorf("the reply is %q", told)
	}
	if told := h.told(h.ask(j, h.says("t", "ann", "blur https://pictures.example/film.png"))); told != `The file "film.png" is too large: the limit is 2 MB.` {
		t.Errorf("the reply is %q", told)
	}
	if n := far.read.Load(); n == 0 || n > 3_000_000 {
		t.Errorf("%d bytes of the link are read", n)
	}
}
