package point //nolint:testpackage // it sets the limits of what is served

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := mustLink(t, p.links, testGrant())
	res := get(t, link)
	if res.status != http.StatusOK || !strings.Contains(res.body, `src="`+tokenOf(link)+`/picture"`) || !strings.Contains(res.body, `<html lang="en">`) {
		t.Errorf("%d %s", res.status, res.body)
	}
	for name, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
	} {
		if got := res.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	policy := res.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	if strings.Contains(res.body, " style=") || strings.Contains(res.body, "<style") || strings.Contains(res.body, " onclick") {
		t.Error("something in the page would be refused by its policy")
	}
	for _, accept := range []string{"zh-CN,zh;q=0.9", "de, zh-Hans;q=0.5"} {
		res = send(t, http.MethodGet, link, http.Header{"Accept-Language": {accept}}, nil)
		if !strings.Contains(res.body, `<html lang="zh-Hans">`) || !strings.Contains(res.body, "完成") {
			t.Errorf("to %s it speaks otherwise", accept)
		}
	}
	res = send(t, http.MethodGet, link, http.Header{"Accept-Language": {"en-GB, zh;q=0.5"}}, nil)
	if !strings.Contains(res.body, `<html lang="en">`) {
		t.Error("to an Englishman it speaks otherwise")
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, c := range map[string]struct {
		content string
		status  int
		kind    string
	}{
		"png":   {string(p.pictures["media/3f2a"]), http.StatusOK, "image/png"},
		"jpeg":  {"\xff\xd8\xff\xe1 and so on", http.StatusOK, "image/jpeg"},
		"gif":   {"GIF89a", http.StatusOK, "image/gif"},
		"webp":  {"RIFF\x00\x00\x00\x00WEBPVP8 ", http.StatusOK, "image/webp"},
		"bmp":   {"BM and so on", http.StatusOK, "image/bmp"},
		"html":  {"<html><script>alert(1)</script>", http.StatusUnsupportedMediaType, "text/html; charset=utf-8"},
		"svg":   {`<?xml version="1.0"?><svg onload="alert(1)"/>`, http.StatusUnsupportedMediaType, "text/html; charset=utf-8"},
		"empty": {"", http.StatusUnsupportedMediaType, "text/html; charset=utf-8"},
	} {
		g := testGrant()
		g.Handle = "media/" + name
		p.pictures[g.Handle] = []byte(c.content)
		res := get(t, mustLink(t, p.links, g)+"/picture")
		if res.status != c.status || res.header.Get("Content-Type") != c.kind {
			t.Errorf("%s: %d %s", name, res.status, res.header.Get("Content-Type"))
		}
		if c.status != http.StatusOK {
			if strings.Contains(res.body, "alert(1)") {
				t.Errorf("%s: it is served all the same", name)
			}
			continue
		}
		if res.body != c.content || !strings.HasPrefix(res.header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: another content, or no sandbox", name)
		}
	}
}

func TestLinkThatOpensNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := mustLink(t, p.links, testGrant())
	check := func(address string, status int, want string) {
		t.Helper()
		res := get(t, address)
		if res.status != status || !strings.Contains(res.body, want) || res.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", address, res.status, res.body)
		}
	}
	check(link[:len(link)-1]+"!", http.StatusNotFound, forgedSentence)
	check(link[:len(link)-1]+"!/picture", http.StatusNotFound, `href="../static/`)
	status, said := post(t, link+"A", nil, formPart{"id", formID})
	if status != http.StatusNotFound || said != forgedSentence {
		t.Errorf("%d %s", status, said)
	}
	p.pictures = nil
	check(link, http.StatusGone, goneSentence)
	check(link+"/picture", http.StatusGone, goneSentence)
	p.clock.pass(2 * time.Hour)
	check(link, http.StatusGone, expiredSentence)
	for _, other := range []string{"/", "/point", "/point/", "/t/1", "/static/x", link[len(p.base):] + "/files", "/point/static/0000000000000000/point.js", "/point/static/" + p.pages.static + "/../../x"} {
		if res := get(t, p.base+other); res.status != http.StatusNotFound {
			t.Errorf("%s: %d", other, res.status)
		}
	}
	if res := get(t, p.base+"/point/static/"+p.pages.static+"/point.js"); res.status != http.StatusOK || !strings.Contains(res.body, "customElements.define") {
		t.Errorf("its own script: %d", res.status)
	}
}

func TestForeignOrigin(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := mustLink(t, p.links, testGrant())
	form := []formPart{{"id", formID}, {"marks", `{"width":640,"height":400,"points":[{"x":1,"y":1}]}`}}
	for _, foreign := range []http.Header{{"Origin": {"https://evil.example"}}, {"Sec-Fetch-Site": {"cross-site"}}, {"Origin": {"null"}}} {
		if status, said := post(t, link, foreign, form...); status != http.StatusForbidden || !strings.Contains(said, "another page") {
			t.Errorf("%v: %d %s", foreign, status, said)
		}
	}
	if len(p.taken()) > 0 {
		t.Error("it was taken all the same")
	}
	own, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	if status, said := post(t, link, http.Header{"Origin": {own.Scheme + "://" + own.Host}}, form...); status != http.StatusNoContent {
		t.Errorf("its own origin: %d %s", status, said)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link, other := mustLink(t, p.links, testGrant()), testGrant()
	other.Picture = "another.png"
	p.pages.links.most = 2
	status := func(address string) (int, string) {
		res := get(t, address)
		return res.status, res.header.Get("Retry-After")
	}
	for i, want := range []int{200, 200, 429} {
		if got, wait := status(link); got != want || (wait != "") != (want == 429) {
			t.Errorf("time %d: %d %q", i, got, wait)
		}
	}
	if got, _ := status(mustLink(t, p.links, other)); got != 200 {
		t.Errorf("another link: %d", got)
	}
	p.clock.pass(time.Minute)
	if got, _ := status(link); got != 200 {
		t.Errorf("a minute later: %d", got)
	}
	p.pages.addresses.most = 1
	p.clock.pass(time.Minute)
	if got, _ := status(link); got != 200 {
		t.Errorf("the address's first: %d", got)
	}
	if got, _ := status(mustLink(t, p.links, other)); got != 429 {
		t.Errorf("the address's second: %d", got)
	}
}

func TestForgedLinksHarmNobodyElse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.addresses.most, p.pages.forged.most = 1, 3
	link := mustLink(t, p.links, testGrant())
	for i, want := range []int{404, 404, 404, 429, 429} {
		if res := get(t, p.base+"/point/nothing"); res.status != want {
			t.Errorf("time %d: %d", i, res.status)
		}
	}
	if res := get(t, link); res.status != http.StatusOK {
		t.Errorf("a link of ours: %d %s", res.status, res.body)
	}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"192.0.2.1:80":             "192.0.2.1",
		"[::ffff:192.0.2.1]:80":    "192.0.2.1",
		"[2001:db8:1:2:3::4%e0]:1": "2001:db8:1:2::/64",
		"@":                        "@",
	} {
		if got := remote(&http.Request{RemoteAddr: from}); got != want {
			t.Errorf("%s is %s", from, got)
		}
	}
}

func TestConfigThatLacksSomething(t *testing.T) {
	t.Parallel()
	whole := newPlace(t).pages.Config
	for name, change := range map[string]func(*Config){
		"links": func(c *Config) { c.Links = nil }, "open": func(c *Config) { c.Open = nil }, "put": func(c *Config) { c.Put = nil },
		"folder": func(c *Config) { c.MaskFolder = nil }, "look": func(c *Config) { c.Look = nil }, "handle": func(c *Config) { c.Handle = nil },
	} {
		c := whole
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("it does without %s", name)
		}
	}
}
