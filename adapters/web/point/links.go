package point

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"atelier/adapters"
)

// Grant is what a link lets people mark.
type Grant struct {
	Thread  adapters.Thread `json:"thread"`
	Picture string          `json:"picture"` // its name as a resource of the thread
	Handle  string          `json:"handle"`  // by which its content is opened
	// Width and Height are those of the picture as people see it, in pixels; 0 is unknown.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// The errors of links that open nothing, as an [adapters.Fault] with a sentence for people.
var (
	ErrForged  = errors.New("the pointing link is not one of ours")
	ErrExpired = errors.New("the pointing link has expired")
)

// The sentences about links.
const (
	forgedSentence  = "This link is not complete. Open it again from the chat, or copy all of it."
	expiredSentence = "This link has expired. Ask for the picture again in the chat to get a new one."
	goneSentence    = "The picture is no longer kept. Send it again in the chat."
)

// State keeps the grants. It is what storage.State has of the same names.
type State interface {
	// Append adds an entry to a list, which is kept for at least that expiry from now.
	Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (position int64, err error)
	// Read gives the entries from that position on, none where there is no such list.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)
}

// LinksConfig is what [Links] are made of.
type LinksConfig struct {
	// Key signs the links: at least 32 secret bytes, the same in all processes.
	Key []byte
	// Base is the address of the pages from outside. A proxy strips its path.
	Base  *url.URL
	State State
	Now   func() time.Time // nil is the system's clock
}

// Links makes and opens links. A link is short, as platforms limit it: it holds the id of its grant,
// which is kept in State, and its end, both signed. The same grant has the same id. Links is safe
// for concurrent use.
type Links struct {
	base         *url.URL
	state        State
	now          func() time.Time
	naming, sign []byte // keys, each for one purpose
}

// leastKey is what HMAC-SHA256 is as strong with as it can be, in bytes.
const leastKey = 32

// longestBase keeps a whole link below 400 characters: Discord's buttons take 512.
const longestBase = 300

// NewLinks refuses a key that is too short, and a base that no browser could follow.
func NewLinks(c LinksConfig) (*Links, error) {
	switch {
	case len(c.Key) < leastKey:
		return nil, fmt.Errorf("the key that signs pointing links has %d bytes, at least %d are needed", len(c.Key), leastKey)
	case c.State == nil:
		return nil, errors.New("pointing links need a State")
	case c.Base == nil || c.Base.Scheme != "http" && c.Base.Scheme != "https" || c.Base.Host == "" || c.Base.User != nil ||
		c.Base.RawQuery != "" || c.Base.Fragment != "" || c.Base.Opaque != "":
		return nil, errors.New("the address of the pointing page is to be like https://example.org, with a path at most")
	case len(c.Base.String()) > longestBase:
		return nil, fmt.Errorf("the address of the pointing page has more than %d characters", longestBase)
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

// Link is the address to mark what is granted, for at least that long and at most a quarter longer,
// so that the same link is given soon after.
func (l *Links) Link(ctx context.Context, g Grant, expiry time.Duration) (string, error) {
	if err := g.check(); err != nil {
		return "", err
	}
	if expiry < time.Second {
		return "", fmt.Errorf("a pointing link for %v is for nobody", expiry)
	}
	step := max(expiry/4, time.Second)
	end := l.now().Add(expiry).Truncate(step).Add(step)
	id := l.id(g)
	if err := l.keep(ctx, id, g, end); err != nil {
		return "", err
	}
	return l.base.JoinPath("point", l.token(id, end)).String(), nil
}

// Open is what a token grants. It fails with [ErrForged], [ErrExpired], or [adapters.ErrGone] if the
// grant is not kept any more.
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
		return fmt.Errorf("a pointing link to no picture: %w", err)
	}
	if g.Handle == "" || g.Width < 0 || g.Height < 0 {
		return fmt.Errorf("a pointing link to no picture: %w", adapters.ErrInvalid)
	}
	return nil
}

// kept is a grant as it is stored.
type kept struct {
	Grant
	Until time.Time `json:"until"`
}

func stateKey(id []byte) string { return "point/" + hex.EncodeToString(id) }

// keep stores the grant until then, unless it is.
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
		return fmt.Errorf("keep what a pointing link grants: %w", err)
	}
	if _, err := l.state.Append(ctx, stateKey(id), entry, until.Sub(l.now())); err != nil {
		return fmt.Errorf("keep what a pointing link grants: %w", err)
	}
	return nil
}

// last is what was stored last under the id, nil where nothing is.
func (l *Links) last(ctx context.Context, id []byte) (*kept, error) {
	entries, err := l.state.Read(ctx, stateKey(id), 0)
	if err != nil {
		return nil, fmt.Errorf("look up what a pointing link grants: %w", err)
	}
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // there is none, and no fault
	}
	var k kept
	if err := json.Unmarshal(entries[len(entries)-1], &k); err != nil {
		return nil, fmt.Errorf("look up what a pointing link grants: %w", err)
	}
	return &k, nil
}
