package guard

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// State stores lists. A list's key is two words with a slash between them; the first is its group.
type State interface {
	// Append adds an entry to a list, and keeps the list for at least that long.
	Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (position int64, err error)
	// Read returns the entries from a position on, none if there is no such list.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)
	DeleteAll(ctx context.Context, group string) error
}

// longest is the maximum length of a session, however often it is renewed.
const longest = 365 * 24 * time.Hour

// sessions records who has logged in. A browser holds 256 random bits. Their HMAC with the password names the
// session's list, so the State reveals no session and no password.
type sessions struct {
	state    State
	password [sha256.Size]byte
	lasting  time.Duration // after the last use
	now      func() time.Time
}

// record is an entry of a session's list: first the login with the name, then renewals. A list without a login
// belongs to a session that ended while it was renewed.
type record struct {
	Name string    `json:"name,omitempty"`
	At   time.Time `json:"at"`
}

// session is a session; its person has no name if nobody is logged in.
type session struct {
	name string
	due  bool // it must be renewed
}

// tokens is the encoding of tokens.
var tokens = base64.RawURLEncoding.Strict()

func (s sessions) group(token string) (string, bool) {
	bits, err := tokens.DecodeString(token)
	if err != nil || len(bits) != sha256.Size {
		return "", false
	}
	mac := hmac.New(sha256.New, bits)
	mac.Write(s.password[:])
	return "web-session-" + hex.EncodeToString(mac.Sum(nil)), true
}

// begin starts a session for a name, and returns the token for the browser.
func (s sessions) begin(ctx context.Context, name string) (token string, err error) {
	bits := make([]byte, sha256.Size)
	rand.Read(bits) // it never fails
	token = tokens.EncodeToString(bits)
	return token, s.append(ctx, token, record{Name: name, At: s.now().UTC()})
}

func (s sessions) renew(ctx context.Context, token string) error {
	return s.append(ctx, token, record{At: s.now().UTC()})
}

func (s sessions) append(ctx context.Context, token string, r record) error {
	group, _ := s.group(token)
	entry, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	if _, err := s.state.Append(ctx, group+"/uses", entry, s.lasting); err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	return nil
}

// find returns a session. Its person has no name if it does not exist or is over.
func (s sessions) find(ctx context.Context, token string) (session, error) {
	group, ok := s.group(token)
	if !ok {
		return session{}, nil
	}
	list, err := s.state.Read(ctx, group+"/uses", 0)
	if err != nil {
		return session{}, fmt.Errorf("read a session: %w", err)
	}
	var first, last record
	for i, entry := range list {
		var r record
		if err := json.Unmarshal(entry, &r); err != nil {
			return session{}, fmt.Errorf("read a session: %w", err)
		}
		if i == 0 {
			first, last = r, r
		}
		if r.At.After(last.At) {
			last = r
		}
	}
	now := s.now()
	if first.Name == "" || now.Sub(last.At) >= s.lasting || now.Sub(first.At) >= longest {
		return session{}, nil
	}
	return session{name: first.Name, due: now.Sub(last.At) >= max(s.lasting/30, time.Hour)}, nil
}

func (s sessions) end(ctx context.Context, token string) error {
	group, ok := s.group(token)
	if !ok {
		return nil
	}
	if err := s.state.DeleteAll(ctx, group); err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	return nil
}

// cookie returns the name of the session cookie. At a public address with https, only that host can
// set it.
func (a *address) cookie(r *http.Request) string {
	if h, _ := hostname(r.Host); a.secure(h) {
		return "__Host-atelier"
	}
	return "atelier"
}

// remember stores a token in the browser, or with "" deletes it.
func (g *Guard) remember(w http.ResponseWriter, r *http.Request, token string) {
	h, _ := hostname(r.Host)
	cookie := &http.Cookie{ //nolint:gosec // browsers store no secure cookies over http, which this machine uses
		Name: g.cookie(r), Value: token, Path: "/", MaxAge: int(g.sessions.lasting.Seconds()),
		HttpOnly: true, Secure: g.secure(h), SameSite: http.SameSiteLaxMode,
	}
	if token == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}
