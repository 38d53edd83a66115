package point //nolint:testpackage // a token's parts are looked into

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
)

// lists is a State in memory.
type lists struct {
	mu  sync.Mutex
	all map[string][][]byte
	err error
}

func (l *lists) Append(_ context.Context, key string, entry []byte, expiry time.Duration) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || expiry <= 0 || strings.Count(key, "/") != 1 {
		return 0, errors.Join(l.err, errors.New("not kept"))
	}
	if l.all == nil {
		l.all = map[string][][]byte{}
	}
	l.all[key] = append(l.all[key], entry)
	return int64(len(l.all[key]) - 1), nil
}

func (l *lists) Read(_ context.Context, key string, from int64) ([][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || from >= int64(len(l.all[key])) {
		return nil, l.err
	}
	return l.all[key][from:], nil
}

// clock is a clock that is set by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newTestLinks(t testing.TB, base string, s State, now func() time.Time) *Links { //nolint:thelper // it makes one
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLinks(LinksConfig{Key: bytes.Repeat([]byte("k"), 32), Base: u, State: s, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func testGrant() Grant {
	return Grant{
		Thread:  adapters.Thread{Adapter: "discord", Workspace: "1", Channel: "22", ID: "333"},
		Picture: "photo-3f2a.png", Handle: "media/3f2a", Width: 640, Height: 400,
	}
}

func mustLink(t testing.TB, l *Links, g Grant) string { //nolint:thelper // it makes one
	t.Helper()
	link, err := l.Link(t.Context(), g, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

func tokenOf(link string) string { return link[strings.LastIndexByte(link, '/')+1:] }

func TestLinkOpensWhatItGrants(t *testing.T) {
	t.Parallel()
	base := "https://example.org/" + strings.Repeat("p", 270)
	l := newTestLinks(t, base, &lists{}, newClock().Now)
	link := mustLink(t, l, testGrant())
	if !strings.HasPrefix(link, base+"/point/") || len(link) >= 400 {
		t.Errorf("the link has %d characters: %s", len(link), link)
	}
	if g, err := l.Open(t.Context(), tokenOf(link)); err != nil || g != testGrant() {
		t.Errorf("it opens %+v, %v", g, err)
	}
}

// Changing, removing or adding any character of a token makes it invalid.
func TestChangedTokenIsRefused(t *testing.T) {
	t.Parallel()
	l := newTestLinks(t, "https://example.org", &lists{}, newClock().Now)
	good := tokenOf(mustLink(t, l, testGrant()))
	refused := func(changed string) {
		if _, err := l.Open(t.Context(), changed); changed != good && !errors.Is(err, ErrForged) {
			t.Errorf("%q opens something: %v", changed, err)
		}
	}
	for i := range good {
		for c := range 256 {
			refused(good[:i] + string([]byte{byte(c)}) + good[i+1:])
		}
		refused(good[:i] + good[i+1:])
		refused(good[:i] + "\n" + good[i:])
		refused(good[:i] + "A" + good[i:])
	}
	refused("")
	refused(good + good)
	refused(good + "=")
}

func TestLinkOfAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	state := &lists{}
	good := mustLink(t, newTestLinks(t, "https://example.org", state, newClock().Now), testGrant())
	base := &url.URL{Scheme: "https", Host: "example.org"}
	other, err := NewLinks(LinksConfig{Key: bytes.Repeat([]byte("o"), 32), Base: base, State: state, Now: newClock().Now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open(t.Context(), tokenOf(good)); !errors.Is(err, ErrForged) {
		t.Errorf("it opens: %v", err)
	}
}

func TestLinkExpires(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := newTestLinks(t, "https://example.org", &lists{}, c.Now)
	good := tokenOf(mustLink(t, l, testGrant()))
	c.pass(time.Hour)
	if _, err := l.Open(t.Context(), good); err != nil {
		t.Errorf("after the hour that was asked for: %v", err)
	}
	c.pass(15 * time.Minute)
	_, err := l.Open(t.Context(), good)
	if !errors.Is(err, ErrExpired) || errors.Is(err, ErrForged) {
		t.Errorf("after a quarter more: %v", err)
	}
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || !strings.Contains(f.Sentence, "expired") {
		t.Errorf("it says %v", err)
	}
}

func TestSameLinkSoonAgain(t *testing.T) {
	t.Parallel()
	c, state := newClock(), &lists{}
	c.now = c.now.Truncate(time.Hour)
	l := newTestLinks(t, "https://example.org", state, c.Now)
	first := mustLink(t, l, testGrant())
	c.pass(10 * time.Minute)
	if again := mustLink(t, l, testGrant()); again != first {
		t.Errorf("%s is another link than %s", again, first)
	}
	c.pass(10 * time.Minute)
	later := mustLink(t, l, testGrant())
	if later == first || tokenOf(later)[:20] != tokenOf(first)[:20] {
		t.Errorf("%s does not last longer than %s, for the same", later, first)
	}
	other := testGrant()
	other.Thread.ID = "444"
	if tokenOf(mustLink(t, l, other))[:20] == tokenOf(first)[:20] {
		t.Error("another thread has the same id")
	}
	if len(state.all) != 2 || len(state.all[stateKey(l.id(testGrant()))]) != 2 {
		t.Errorf("kept %d lists, for the grant %q", len(state.all), state.all[stateKey(l.id(testGrant()))])
	}
}

func TestExpiredGrant(t *testing.T) {
	t.Parallel()
	c, state := newClock(), &lists{}
	l := newTestLinks(t, "https://example.org", state, c.Now)
	good := tokenOf(mustLink(t, l, testGrant()))
	state.all = nil
	if _, err := l.Open(t.Context(), good); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("it opens: %v", err)
	}
	state.err = errors.New("away")
	if _, err := l.Open(t.Context(), good); !errors.Is(err, state.err) || errors.Is(err, adapters.ErrGone) {
		t.Errorf("where State is away: %v", err)
	}
	if _, err := l.Link(t.Context(), testGrant(), time.Hour); !errors.Is(err, state.err) {
		t.Errorf("where State is away there is a link: %v", err)
	}
}

func TestGrantOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	l := newTestLinks(t, "https://example.org", &lists{}, newClock().Now)
	for name, change := range map[string]func(*Grant){
		"no thread":           func(g *Grant) { g.Thread = adapters.Thread{} },
		"no picture":          func(g *Grant) { g.Picture = "" },
		"no handle":           func(g *Grant) { g.Handle = "" },
		"a size below zero":   func(g *Grant) { g.Width = -1 },
		"a size beyond any":   func(g *Grant) { g.Height = 1 << 30 },
		"a line break inside": func(g *Grant) { g.Picture = "a\nb" },
	} {
		g := testGrant()
		change(&g)
		if link, err := l.Link(t.Context(), g, time.Hour); err == nil {
			t.Errorf("%s: %s", name, link)
		}
	}
	if link, err := l.Link(t.Context(), testGrant(), 0); err == nil {
		t.Errorf("for no time: %s", link)
	}
}

func TestLinksConfig(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte("k"), 32)
	for _, c := range []struct {
		name, base string
		key        []byte
		state      State
	}{
		{"a short key", "https://example.org", key[1:], &lists{}},
		{"no state", "https://example.org", key, nil},
		{"no host", "/point", key, &lists{}},
		{"another scheme", "ftp://example.org", key, &lists{}},
		{"a password", "https://a:b@example.org", key, &lists{}},
		{"a query", "https://example.org/?a=b", key, &lists{}},
		{"a fragment", "https://example.org/#a", key, &lists{}},
		{"a long path", "https://example.org/" + strings.Repeat("p", 300), key, &lists{}},
	} {
		u, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewLinks(LinksConfig{Key: c.key, Base: u, State: c.state}); err == nil {
			t.Errorf("%s is taken", c.name)
		}
	}
	if _, err := NewLinks(LinksConfig{Key: key, State: &lists{}}); err == nil {
		t.Error("no base is taken")
	}
}

func FuzzOpen(f *testing.F) {
	l := newTestLinks(f, "https://example.org", &lists{}, newClock().Now)
	good := tokenOf(mustLink(f, l, testGrant()))
	for _, seed := range []string{"", good[:74], good[1:], strings.Repeat("A", 75), good[:74] + "\n", good + "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if g, err := l.Open(t.Context(), s); s != good && !errors.Is(err, ErrForged) {
			t.Errorf("%q opens %+v: %v", s, g, err)
		}
	})
}
