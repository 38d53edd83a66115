package guard

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzHostname(f *testing.F) {
	for _, s := range []string{"localhost:8080", "LOCALHOST.", "[::1]:80", "127.0.0.1", "evil.example#localhost", "[::ffff:1.2.3.4%x]", ":", "a:b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h, ok := hostname(s)
		if !ok {
			if h != (host{}) {
				t.Errorf("%q is none, and is %v", s, h)
			}
			return
		}
		inURL := h.name
		if h.addr.Is6() {
			inURL = "[" + inURL + "]"
		}
		if again, ok := hostname(inURL); !ok || again != h {
			t.Errorf("%q is %v, and that %v", s, h, again)
		}
		if u, err := url.Parse("http://" + inURL + ":80/"); err != nil || u.Hostname() != h.name {
			t.Errorf("%q is %v, which is none of an address: %v", s, h, err)
		}
		if h.local() && h.name != "localhost" && !netip.MustParseAddr(h.name).IsLoopback() {
			t.Errorf("%q is taken for this machine", s)
		}
	})
}

func FuzzInside(f *testing.F) {
	for _, s := range []string{"/t/x?a=b", "//evil.example", `/\evil.example`, "/\t/x", "/..//evil.example", "/%2f/evil.example", "/?//x", "/#"} {
		f.Add(s)
	}
	base := &url.URL{Scheme: "http", Host: "localhost:8080", Path: "/"}
	f.Fuzz(func(t *testing.T, s string) {
		got := inside(s)
		u, err := base.Parse(got)
		if err != nil || u.Scheme != base.Scheme || u.Host != base.Host || u.User != nil {
			t.Fatalf("%q leads to %q: %v %v", s, got, u, err)
		}
		// Browsers read a backslash as a slash, and drop control characters and space.
		if strings.HasPrefix(got, "//") || !strings.HasPrefix(got, "/") || strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r == '\\' || r > '~' }) {
			t.Errorf("%q leads to %q", s, got)
		}
		if inside(got) != got {
			t.Errorf("%q leads to %q, and that elsewhere", s, got)
		}
	})
}

func FuzzNamed(f *testing.F) {
	for _, s := range []string{"Ana", " ＡＮＡ ", "Åsa", "İ", "ſ", "\u0345", "ﷺ", "a\u200bb", "नेहा", "👩‍🚀 Kim", "\u202eevil"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, ok := named(s)
		if !ok {
			return
		}
		bad := func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' || r == '\u2028' }
		if p.ID == "" || len(p.ID) > maxID || p.Name == "" || utf8.RuneCountInString(p.Name) > maxName ||
			strings.ContainsFunc(p.ID+p.Name, bad) || strings.TrimSpace(p.Name) != p.Name || p.Admin {
			t.Errorf("%q is %+v", s, p)
		}
		if again, ok := named(p.Name); !ok || again.ID != p.ID || again.Name != p.Name {
			t.Errorf("%q is %+v, and that %+v", s, p, again)
		}
		if again, ok := named(p.ID); ok && again.ID != p.ID {
			t.Errorf("%q is %q, and that %q", s, p.ID, again.ID)
		}
	})
}
