package discordtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"image"
	_ "image/gif"  // sizes are told of these
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// linkLife is how long a link to a file is taken.
const linkLife = 24 * time.Hour

// attachment is a file that is kept.
type attachment struct {
	id, channel    string
	title          string // as it was called
	name           string // as it stands in links
	kind           string // its media type
	description    string
	content        []byte
	size           int64
	width, height  int
	fault          Fault
	voice          *Voice
	flags          int
	onlyForOneSelf bool
}

// attach keeps a file.
func (s *Server) attach(c *channel, f File) *attachment {
	a := &attachment{
		id: s.id(), channel: c.id, title: f.Name, name: fileName(f.Name), kind: or(f.Type, "application/octet-stream"),
		description: f.Description, content: f.Content, size: or(f.Size, int64(len(f.Content))), fault: f.Fault,
	}
	if shape, _, err := image.DecodeConfig(bytes.NewReader(f.Content)); err == nil {
		a.width, a.height = shape.Width, shape.Height
	}
	s.attachments[a.id] = a
	return a
}

// fileName is what remains of a name in a link: no folders, and neither spaces nor what would
// mean something there.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '_'
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("_-.", r):
			return r
		}
		return -1
	}, name)
	if strings.Trim(name, ".") == "" {
		return "unknown"
	}
	return name
}

func (s *Server) attachmentJSON(a *attachment) object {
	link := s.link(a)
	o := object{
		"id": a.id, "filename": a.name, "size": a.size, "url": link, "proxy_url": link, "content_type": a.kind, "flags": a.flags,
	}
	if a.title != a.name {
		o["title"] = a.title
	}
	if a.description != "" {
		o["description"] = a.description
	}
	if a.width > 0 {
		o["width"], o["height"] = a.width, a.height
	}
	if a.onlyForOneSelf {
		o["ephemeral"] = true
	}
	if v := a.voice; v != nil {
		o["duration_secs"] = v.Duration.Seconds()
		wave := v.Waveform
		if wave == nil {
			wave = make([]byte, 64)
		}
		o["waveform"] = base64.StdEncoding.EncodeToString(wave)
	}
	return o
}

// link is a signed address, which is taken for a day.
func (s *Server) link(a *attachment) string {
	at := "/attachments/" + a.channel + "/" + a.id + "/" + url.PathEscape(a.name)
	now := s.now()
	issued, expires := strconv.FormatInt(now.Unix(), 16), strconv.FormatInt(now.Add(linkLife).Unix(), 16)
	q := url.Values{"ex": {expires}, "is": {issued}, "hm": {s.sign(a.id, expires, issued)}}
	return s.http.URL + at + "?" + q.Encode()
}

func (s *Server) sign(parts ...string) string {
	mac := hmac.New(sha256.New, s.secret)
	for _, p := range parts {
		_, _ = mac.Write([]byte(p + "\n")) // never fails
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// linked is the file that a request is for, or nil where the link is not taken.
func (s *Server) linked(r *http.Request) *attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.attachments[r.PathValue("attachment")]
	q := r.URL.Query()
	expires, err := strconv.ParseInt(q.Get("ex"), 16, 64)
	if a == nil || err != nil || a.channel != r.PathValue("channel") || s.now().Unix() >= expires {
		return nil
	}
	if !hmac.Equal([]byte(q.Get("hm")), []byte(s.sign(a.id, q.Get("ex"), q.Get("is")))) {
		return nil
	}
	kept := *a
	return &kept
}

const page = "<!DOCTYPE html><html><head><title>Sorry</title></head><body>This is a page.</body></html>\n"

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	a := s.linked(r)
	if a == nil || a.fault == Gone {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	switch a.fault {
	case Forbidden:
		http.Error(w, "Access denied.", http.StatusForbidden)
	case Cut:
		w.Header().Set("Content-Length", strconv.Itoa(len(a.content)+1))
		write(w, a.content[:len(a.content)/2])
		_ = http.NewResponseController(w).Flush() //nolint:errcheck // nobody may read any more
		panic(http.ErrAbortHandler)               // the way to break a connection off
	case Endless:
		s.serveEndless(w, r, a.content)
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		write(w, []byte(page))
	case Lying:
		write(w, []byte(page))
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
	}
}

// serveEndless goes on until nobody reads any more.
func (s *Server) serveEndless(w http.ResponseWriter, r *http.Request, begins []byte) {
	chunk := begins
	for write(w, chunk) {
		chunk = make([]byte, 64<<10)
		select {
		case <-s.done:
			return
		case <-r.Context().Done():
			return
		default:
		}
	}
}

// write tells whether somebody reads.
func write(w http.ResponseWriter, b []byte) bool {
	_, err := w.Write(b)
	return err == nil
}

// BreakFiles lets the links of a message's files fail so, those given out already too.
func (s *Server) BreakFiles(channel, message string, f Fault) {
	s.do(func() {
		if m := s.entryOf(channel, message); m != nil {
			for _, a := range m.attachments {
				a.fault = f
			}
		}
	})
}
