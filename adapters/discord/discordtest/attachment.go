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
	width, height  int
	gone           bool // its link is not taken
	voice          bool
	onlyForOneSelf bool
}

// attach keeps a file.
func (s *Server) attach(c *channel, f File) *attachment {
	a := &attachment{
		id: s.id(), channel: c.id, title: f.Name, name: fileName(f.Name), kind: or(f.Type, "application/octet-stream"),
		description: f.Description, content: f.Content,
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
		"id": a.id, "filename": a.name, "size": len(a.content), "url": link, "proxy_url": link, "content_type": a.kind, "flags": 0,
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
	if a.voice {
		o["duration_secs"], o["waveform"] = 1, base64.StdEncoding.EncodeToString(make([]byte, 64))
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
	if a == nil || a.gone {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}

// write tells whether somebody reads.
func write(w http.ResponseWriter, b []byte) bool {
	_, err := w.Write(b)
	return err == nil
}

// BreakFiles makes the links of a message's files expire.
func (s *Server) BreakFiles(channel, message string) {
	s.do(func() {
		if m := s.entryOf(channel, message); m != nil {
			for _, a := range m.attachments {
				a.gone = true
			}
		}
	})
}
