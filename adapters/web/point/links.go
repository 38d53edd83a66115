package point

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"atelier/adapters"
)

// Grant says what a link lets people mark.
type Grant struct {
	Thread  adapters.Thread `json:"thread"`
	Picture string          `json:"picture"` // its name as a resource of the thread
	Handle  string          `json:"handle"`  // opens its content
	// Width and Height are the size of the picture as people see it, in pixels; 0 is unknown.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// The errors of invalid links, as an [adapters.Fault] with a sentence for people.
var (
	ErrForged  = errors.New("the pointing link is forged")
	ErrExpired = errors.New("the pointing link has expired")
)

// The sentences about links.
const (
	forgedSentence  = "This link is incomplete. Open it again from the chat, or copy all of it."
	expiredSentence = "This link has expired. Ask for the picture again in the chat to get a new one."
	goneSentence    = "The picture is no longer available. Send it again in the chat."
)

// State stores the grants. Its methods are those of storage.State.
type State interface {
	// Append adds an entry to a list, which is kept for at least expiry from now.
	Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (position int64, err error)
	// Read returns the entries from a position on, none if there is no such list.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)
}

// LinksConfig configures [Links].
type LinksConfig struct {
	// Key signs the links: at least 32 secret bytes, the same in all processes.
	Key []byte
	// Base is the public URL of the pages. A proxy strips its path.
	Base  *url.URL
	State State
	Now   func() time.Time // nil is the system's clock
}

// Links makes and opens links. A link is short, since platforms limit it: it holds the id of its grant, which is
// stored in State, and its expiry, both signed. Equal grants have equal ids. Links is safe for concurrent use.
type Links struct {
	base         *url.URL
	state        State
	now          func() time.Time
	naming, sign []byte // keys, each for one purpose
}

// leastKey is the minimum key length in bytes: the full strength of HMAC-SHA256.
const leastKey = 32

// longestBase keeps a link below 400 characters: Discord's buttons accept 512.
const longestBase = 300

// NewLinks rejects a key that is too short, and an invalid base URL.
func NewLinks(c LinksConfig) (*Links, error) {
	switch {
	case len(c.Key) < leastKey:
		return nil, fmt.Errorf("the key for pointing links must have at least %[2]d bytes, not %[1]d", len(c.Key), leastKey)
	case c.State == nil:
		return nil, errors.New("pointing links require State")
	case c.Base == nil || c.Base.Scheme != "http" && c.Base.Scheme != "https" || c.Base.Host == "" || c.Base.User != nil ||
		c.Base.RawQuery != "" || c.Base.Fragment != "" || c.Base.Opaque != "":
		return nil, errors.New("invalid address of the pointing page: expected a URL such as https://example.org")
	case len(c.Base.String()) > longestBase:
		return nil, fmt.Errorf("the address of the pointing page is longer than %d characters", longestBase)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	l := &Links{base: c.Base, state: c.State, now: c.Now}
	for purpose, key := range map[string]*[]byte{"id": &l.naming, "signature": &l.sign} {
		derived, err := hkdf.Key(sha256.New, c.Key, nil, "atelier pointing link 1: "+purpose, sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive the keys of pointing links: %w", err)
		}
		*key = derived
	}
	return l, nil
}

// Link returns a URL to mark what is granted. It is valid for at least expiry and at most a quarter longer, so
// that the same URL is returned again soon after.
func (l *Links) Link(ctx context.Context, g Grant, expiry time.Duration) (string, error) {
	if err := g.check(); err != nil {
		return "", err
	}
	if expiry < time.Second {
		return "", fmt.Errorf("invalid expiry of a pointing link: %v", expiry)
	}
	step := max(expiry/4, time.Second)
	end := l.now().Add(expiry).Truncate(step).Add(step)
	id := l.id(g)
	if err := l.keep(ctx, id, g, end); err != nil {
		return "", err
	}
	return l.base.JoinPath("point", l.token(id, end)).String(), nil
}

// Open returns the grant of a token. It fails with [ErrForged], [ErrExpired], or [adapters.ErrGone] if the grant
// is no longer stored.
func (l *Links) Open(ctx context.Context, token string) (Grant, error) {
	id, err := l.read(token)
	if err != nil {
		return Grant{}, err
	}
	k, err := l.last(ctx, id)
	if err != nil {
		return Grant{}, err
	}
	if k == nil {
		return Grant{}, &adapters.Fault{Sentence: goneSentence, Kind: adapters.ErrGone}
	}
	return k.Grant, nil
}

func (g Grant) check() error {
	e := adapters.Event{
		Kind: adapters.PictureMarked, ID: "grant", Adapter: adapter, Thread: g.Thread, By: adapters.Person{ID: person}, At: time.Unix(0, 0),
		Mark: &adapters.Mark{Picture: g.Picture, Width: max(1, g.Width), Height: max(1, g.Height), Points: []adapters.Point{{}}},
	}
	if err := e.Validate(); err != nil {
		return fmt.Errorf("a pointing link requires a picture: %w", err)
	}
	if g.Handle == "" || g.Width < 0 || g.Height < 0 {
		return fmt.Errorf("a pointing link requires a picture: %w", adapters.ErrInvalid)
	}
	return nil
}

// kept is a stored grant.
type kept struct {
	Grant
	Until time.Time `json:"until"`
}

func stateKey(id []byte) string { return "point/" + hex.EncodeToString(id) }

// keep stores the grant until then, unless it already is.
func (l *Links) keep(ctx context.Context, id []byte, g Grant, until time.Time) error {
	before, err := l.last(ctx, id)
	if err != nil {
		return err
	}
	if before != nil && before.Grant == g && !before.Until.Before(until) {
		return nil
	}
	entry, err := json.Marshal(kept{Grant: g, Until: until})
	if err != nil {
		return fmt.Errorf("store a pointing link: %w", err)
	}
	if _, err := l.state.Append(ctx, stateKey(id), entry, until.Sub(l.now())); err != nil {
		return fmt.Errorf("store a pointing link: %w", err)
	}
	return nil
}

// last returns the last grant stored under the id, or nil.
func (l *Links) last(ctx context.Context, id []byte) (*kept, error) {
	entries, err := l.state.Read(ctx, stateKey(id), 0)
	if err != nil {
		return nil, fmt.Errorf("look up a pointing link: %w", err)
	}
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // there is none, and no fault
	}
	var k kept
	if err := json.Unmarshal(entries[len(entries)-1], &k); err != nil {
		return nil, fmt.Errorf("look up a pointing link: %w", err)
	}
	return &k, nil
}

// A token is an id, the Unix time of its expiry, and their signature, in URL-safe base64.
const (
	idSize    = 16
	endSize   = 8
	tokenSize = idSize + endSize + sha256.Size
)

// encoding is strict, so that each token has only one form.
var encoding = base64.RawURLEncoding.Strict()

// id returns the id of a grant: equal for the same picture of the same thread.
func (l *Links) id(g Grant) []byte {
	mac := hmac.New(sha256.New, l.naming)
	for _, s := range []string{g.Thread.Key(), g.Picture, g.Handle} {
		_, _ = fmt.Fprintf(mac, "%d:%s", len(s), s) //nolint:errcheck // a hash never fails
	}
	return mac.Sum(nil)[:idSize:idSize]
}

func (l *Links) signature(b []byte) []byte {
	mac := hmac.New(sha256.New, l.sign)
	mac.Write(b)
	return mac.Sum(nil)
}

// token returns the token of the link.
func (l *Links) token(id []byte, end time.Time) string {
	b := binary.BigEndian.AppendUint64(id, uint64(end.Unix())) //nolint:gosec // the clock is after 1970
	return encoding.EncodeToString(append(b, l.signature(b)...))
}

// read returns the id of a token that is genuine and has not expired.
func (l *Links) read(token string) ([]byte, error) {
	forged := &adapters.Fault{Sentence: forgedSentence, Kind: ErrForged}
	if len(token) != encoding.EncodedLen(tokenSize) || strings.ContainsAny(token, "\r\n") { // which the decoder would pass over
		return nil, forged
	}
	b, err := encoding.DecodeString(token)
	if err != nil || len(b) != tokenSize {
		return nil, forged
	}
	said, signature := b[:idSize+endSize], b[idSize+endSize:]
	if !hmac.Equal(signature, l.signature(said)) {
		return nil, forged
	}
	end := time.Unix(int64(binary.BigEndian.Uint64(said[idSize:])), 0) //nolint:gosec // we signed it
	if !l.now().Before(end) {
		return nil, &adapters.Fault{Sentence: expiredSentence, Kind: ErrExpired}
	}
	return said[:idSize:idSize], nil
}
