package main

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/jobs"
)

// TestTheFirstWishesWork does each wish that a newcomer is shown.
func TestTheFirstWishesWork(t *testing.T) {
	t.Parallel()
	p := newParlour()
	o := openService(t, service{web: true, adapters: []adapters.Adapter{p}}, "ATELIER_DATA="+t.TempDir())
	config, err := readConfig([]string{"MIND=offline"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := config.catalogue()
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{jobs: o.jobs}
	if w.tools, err = config.toolbox(t.Context(), catalogue); err != nil {
		t.Fatal(err)
	}
	examples, err := w.Examples(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) != maxExamples {
		t.Errorf("there are %d", len(examples))
	}
	_, page := o.get("/")
	for i, e := range examples {
		if !strings.Contains(page, e.Wish) {
			t.Errorf("the page has no %q", e.Wish)
		}
		wish := p.wish("m"+strconv.Itoa(i), e.Wish)
		wish.Thread.ID, wish.Message.Files = strconv.Itoa(i), nil
		switch e.Needs {
		case "image":
			wish.Message.Files = []adapters.File{{ID: "f", Name: "photo.jpg", Handle: "f"}}
		case "":
		default:
			t.Fatalf("%q needs %s", e.Wish, e.Needs)
		}
		p.says <- wish
		<-p.replies
		if run := o.waitFor(wish).Runs[0]; run.Status != jobs.Done {
			t.Errorf("%q: %s, %s", e.Wish, run.Status, run.Answer.Reply.Text)
		}
	}
}

// TestToolsPage has every tool, and says why some are not live.
func TestToolsPage(t *testing.T) {
	t.Parallel()
	o := openWeb(t, t.TempDir(), "127.0.0.1:0")
	status, page := o.get("/tools")
	for _, want := range []string{"image_to_edge", "dub_video", "a tool server"} {
		if status != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("%d: no %q", status, want)
		}
	}
}

// TestWhereTheWebChannelIs serves it unless told otherwise, where it can be.
func TestWhereTheWebChannelIs(t *testing.T) {
	t.Parallel()
	pools := func(queues ...string) service {
		all := map[string]int{}
		for _, q := range queues {
			all[q] = 1
		}
		return service{pools: []jobs.Pool{{Queues: all, Concurrency: 1}}}
	}
	here, off := Config{Listen: "127.0.0.1:8080"}, Config{}
	for _, c := range []struct {
		names string
		Config
		service
		web   bool
		wrong string
	}{
		{"", here, pools("gateway", "plan"), true, ""},
		{"", off, pools("gateway"), false, ""},
		{"", here, pools("cpu"), false, ""},
		{"none", here, pools("gateway"), false, ""},
		{"web", here, pools("gateway"), true, ""},
		{"web", off, pools("gateway"), false, "ATELIER_LISTEN is off"},
		{"web", here, pools("cpu"), false, "leaves out gateway"},
		{"irc", here, pools("gateway"), false, `names "irc"`},
	} {
		web, err := connected(c.names, c.Config, c.service)
		if web != c.web || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %v, %v", c.names, web, err)
		}
	}
}

// TestWebSettings reads what is set about the channel.
func TestWebSettings(t *testing.T) {
	t.Parallel()
	c, err := readConfig([]string{"WEB_USER_HEADER=Remote-User", "WEB_PROXIES=10.1.2.3, fd00::/8,::ffff:10.0.0.1", "PUBLIC_URL=https://atelier.example.org/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var proxies []string
	for _, p := range c.Web.Proxies {
		proxies = append(proxies, p.String())
	}
	if want := []string{"10.1.2.3/32", "fd00::/8", "10.0.0.1/32"}; !slices.Equal(proxies, want) || c.Web.Public.String() != "https://atelier.example.org" || c.Web.UserHeader != "Remote-User" {
		t.Errorf("%+v", c.Web)
	}
	for _, wrong := range []string{"PUBLIC_URL=atelier.example.org", "PUBLIC_URL=https://user@host", "PUBLIC_URL=https://host/?a=b", "WEB_PROXIES=proxy", "WEB_USER_HEADER=a:b"} {
		if _, err := readConfig([]string{wrong}, nil); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// TestPublicAddressNeedsAPassword, since who reads its pages is not at this machine.
func TestPublicAddressNeedsAPassword(t *testing.T) {
	t.Parallel()
	status, _, stderr := run(t, map[string]string{"PUBLIC_URL": "https://atelier.example.org", "ATELIER_DATA": t.TempDir()}, "serve")
	if status != statusUsage || !strings.Contains(stderr, "WEB_PASSWORD") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestWebPassword lets nobody in without it, and leaves what others need in the open.
func TestWebPassword(t *testing.T) {
	t.Parallel()
	o := openService(t, service{web: true}, "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")
	for page, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/tools": 401, "/login": 200, "/t/abcdefghij0123456789/events": 401} {
		if status, body := o.get(page); status != want {
			t.Errorf("%s: %d %s", page, status, body)
		}
	}
}

// TestMarkLinks gives pictures in other platforms a page on which people point, which
// reaches nothing else.
func TestMarkLinks(t *testing.T) {
	t.Parallel()
	p := newParlour()
	o := openParlour(t, p, "ATELIER_DATA="+t.TempDir(), "PUBLIC_URL=http://localhost:8080")
	e := p.wish("m1", "make it black and white")
	e.Message.Files = []adapters.File{{ID: "f", Name: "photo.jpg", Handle: "f"}}
	p.says <- e
	reply := <-p.replies
	if len(reply.Files) != 1 || !strings.HasPrefix(reply.Files[0].MarkLink, "http://localhost:8080/point/") {
		t.Fatalf("%+v", reply.Files)
	}
	path := strings.TrimPrefix(reply.Files[0].MarkLink, "http://localhost:8080")
	status, page := o.get(path)
	if status != http.StatusOK || !strings.Contains(page, "picture-marker") {
		t.Errorf("%d: %s", status, page)
	}
	if status, picture := o.get(path + "/picture"); status != http.StatusOK || !strings.HasPrefix(picture, "\xff\xd8") {
		t.Errorf("%d: %d bytes", status, len(picture))
	}
	for _, other := range []string{path[:len(path)-2], "/point/../tools", "/", "/tools"} {
		if status, _ := o.get(other); status == http.StatusOK {
			t.Errorf("%s is served", other)
		}
	}
}

// TestWhatIsNoFileForUsIsRefusedInTheReadersLanguage, by what it holds and not by its name.
func TestWhatIsNoFileForUsIsRefusedInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	o := openWeb(t, t.TempDir(), "127.0.0.1:0")
	for language, want := range map[string]string{"en": "photo.jpg", "zh-CN": "。"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.address+"/t/abcdefghij0123456789/files?name=photo.jpg", strings.NewReader("\x7fELF\x02\x01\x01"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Language", language)
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(string(b), want) {
			t.Errorf("%s: %d %s", language, response.StatusCode, b)
		}
	}
}
