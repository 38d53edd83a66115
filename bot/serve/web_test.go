package serve_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/adapters/web"
	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/place"
	"atelier/bot/serve"
	"atelier/bot/settings"
	"atelier/bot/website"
	"atelier/bot/workshop"
	"atelier/storage/redis/redistest"
	"atelier/storage/s3/s3test"
)

// TestPeopleSeeNoSettings checks that chats say what a tool lacks without naming settings.
func TestPeopleSeeNoSettings(t *testing.T) {
	t.Parallel()
	p := clitest.NewParlour()
	o := clitest.OpenService(t, serve.Service{Adapters: []adapters.Adapter{p}}, "ATELIER_DATA="+t.TempDir(), "PLANNER=rules")
	wish := p.Wish("m", "describe this picture")
	wish.Message.Files = []adapters.File{{ID: "f", Name: "photo.jpg", Handle: "f"}}
	p.Says <- wish
	<-p.Replies
	text := o.WaitFor(wish).Runs[0].Answer.Reply.Text
	if !strings.Contains(text, "It needs an AI model that is not connected to me.") || strings.Contains(text, "TOOL_SERVER_URL") || strings.Contains(text, "OPENAI_") {
		t.Errorf("the reply is %q", text)
	}
}

// TestToolsPage checks that the page has every tool, and says why some are not live.
func TestToolsPage(t *testing.T) {
	t.Parallel()
	o := clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0")
	for path, all := range map[string][]string{"/tools": {"image_to_edge", "dub_video"}, "/tools/text_to_image": {"text to image", "a tool server"}} {
		status, page := o.Get(path)
		for _, want := range all {
			if status != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s: %d: no %q", path, status, want)
			}
		}
	}
}

// TestWebSettings reads the settings of the web page.
func TestWebSettings(t *testing.T) {
	t.Parallel()
	c, err := settings.Read([]string{"WEB_USER_HEADER=Remote-User", "WEB_PROXIES=10.1.2.3, fd00::/8,::ffff:10.0.0.1", "PUBLIC_URL=https://atelier.example.org/", "WEB_ADMINS=ann, bo@example.org,"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var proxies []string
	for _, p := range c.Web.Proxies {
		proxies = append(proxies, p.String())
	}
	if want := []string{"10.1.2.3/32", "fd00::/8", "10.0.0.1/32"}; !slices.Equal(proxies, want) || c.Web.Public.String() != "https://atelier.example.org" || c.Web.UserHeader != "Remote-User" ||
		!slices.Equal(c.Web.Admins, []string{"ann", "bo@example.org"}) {
		t.Errorf("%+v", c.Web)
	}
	for _, wrong := range []string{"PUBLIC_URL=atelier.example.org", "PUBLIC_URL=https://user@host", "PUBLIC_URL=https://host/?a=b", "WEB_PROXIES=proxy", "WEB_USER_HEADER=a:b"} {
		if _, err := settings.Read([]string{wrong}, nil, nil); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// TestPublicAddressNeedsAPassword, since other machines can reach it.
func TestPublicAddressNeedsAPassword(t *testing.T) {
	t.Parallel()
	status, _, stderr := clitest.Run(t, map[string]string{"PUBLIC_URL": "https://atelier.example.org", "ATELIER_DATA": t.TempDir()}, "serve")
	if status != fault.StatusUsage || !strings.Contains(stderr, "WEB_PASSWORD") {
		t.Errorf("status %d, %s", status, stderr)
	}
	status, _, stderr = clitest.Run(t, map[string]string{"WEB_ADMINS": "ann", "WEB_PASSWORD": "open sesame", "ATELIER_DATA": t.TempDir()}, "serve")
	if status != fault.StatusUsage || !strings.Contains(stderr, "WEB_USER_HEADER is not set") {
		t.Errorf("admins whom nobody names: status %d, %s", status, stderr)
	}
}

// TestWebPassword checks that nobody gets in without it, and that the paths that need no password stay open.
func TestWebPassword(t *testing.T) {
	t.Parallel()
	o := clitest.OpenService(t, serve.Service{Web: true}, "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")
	for page, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/tools": 401, "/login": 200, "/t/abcdefghij0123456789/events": 401} {
		if status, body := o.Get(page); status != want {
			t.Errorf("%s: %d %s", page, status, body)
		}
	}
}

// TestMetricsTellNobodyThePassword checks that guesses at /metrics are limited.
func TestMetricsTellNobodyThePassword(t *testing.T) {
	t.Parallel()
	o := clitest.OpenService(t, serve.Service{Web: true}, "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")
	with := func(password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("prometheus", password) }
	}
	if a := o.Ask(http.MethodGet, "/metrics", with("open sesame")); a.Status != http.StatusOK || !strings.Contains(a.Text, "atelier_") {
		t.Errorf("the password: %d %s", a.Status, a.Text)
	}
	wrong := 0
	for a := (clitest.Served{Status: http.StatusUnauthorized}); a.Status == http.StatusUnauthorized; wrong++ {
		a = o.Ask(http.MethodGet, "/metrics", with("open barley "+strconv.Itoa(wrong)))
	}
	if wrong > 10 {
		t.Errorf("%d passwords could be tried", wrong)
	}
	if a := o.Ask(http.MethodGet, "/metrics", with("open sesame")); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
		t.Errorf("the password, after too many wrong ones: %d %s", a.Status, a.Text)
	}
}

// TestOtherNamesLeadNowhere checks that a page under a foreign name that resolves to this machine can read nothing.
func TestOtherNamesLeadNowhere(t *testing.T) {
	t.Parallel()
	o := clitest.OpenService(t, serve.Service{Web: true}, "ATELIER_DATA="+t.TempDir(), "PUBLIC_URL=http://localhost:8080")
	evil := func(r *http.Request) { r.Host = "evil.example" }
	for _, path := range []string{"/", "/tools", "/t/abcdefghij0123456789", "/t/abcdefghij0123456789/events", "/point/x", "/point/x/picture", "/metrics", "/readyz", "/login"} {
		if a := o.Ask(http.MethodGet, path, evil); a.Status != http.StatusMisdirectedRequest {
			t.Errorf("%s: %d %s", path, a.Status, a.Text)
		}
		if a := o.Ask(http.MethodGet, path); a.Status == http.StatusMisdirectedRequest {
			t.Errorf("%s under its own name: %d %s", path, a.Status, a.Text)
		}
	}
	for _, path := range []string{"/logout", "/t/abcdefghij0123456789/messages", "/t/abcdefghij0123456789/files", "/point/x"} {
		if a := o.Ask(http.MethodPost, path, evil); a.Status != http.StatusMisdirectedRequest {
			t.Errorf("%s: %d %s", path, a.Status, a.Text)
		}
	}
}

// TestHundredUploadsAtOnce checks that the login's limits allow a hundred uploads at once.
func TestHundredUploadsAtOnce(t *testing.T) {
	t.Parallel()
	const password, files = "open sesame", 100
	o := clitest.OpenService(t, serve.Service{Web: true}, "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD="+password)
	form := url.Values{"name": {"Ana"}, "password": {password}}.Encode()
	in := o.Ask(http.MethodPost, "/login", func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body = io.NopCloser(strings.NewReader(form))
	})
	cookie, err := http.ParseSetCookie(in.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(in.Status, in.Text, err)
	}
	var all sync.WaitGroup
	for i := range files {
		all.Go(func() {
			path := fmt.Sprintf("/t/abcdefghij012345%04d/files?name=%d.txt", i, i) // one thread takes fewer
			for {
				a := o.Ask(http.MethodPost, path, func(r *http.Request) {
					r.AddCookie(cookie)
					r.Header.Set("Accept", "application/json")
					r.Body = io.NopCloser(strings.NewReader("a text"))
				})
				switch busy := a.Status == http.StatusTooManyRequests && strings.Contains(a.Text, "Too many files"); {
				case a.Status == http.StatusCreated:
					return
				case !busy: // the channel's own limit is a matter of trying again
					t.Errorf("%d: %d %s", i, a.Status, a.Text)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestMarkLinks checks that pictures on other platforms get a link to a page for marking, which gives access to nothing
// else.
func TestMarkLinks(t *testing.T) {
	t.Parallel()
	p := clitest.NewParlour()
	o := clitest.OpenParlour(t, p, "ATELIER_DATA="+t.TempDir(), "PUBLIC_URL=http://localhost:8080")
	e := p.Wish("m1", "make it black and white")
	e.Message.Files = []adapters.File{{ID: "f", Name: "photo.jpg", Handle: "f"}}
	p.Says <- e
	reply := <-p.Replies
	if len(reply.Files) != 1 || !strings.HasPrefix(reply.Files[0].MarkLink, "http://localhost:8080/point/") {
		t.Fatalf("%+v", reply.Files)
	}
	path := strings.TrimPrefix(reply.Files[0].MarkLink, "http://localhost:8080")
	status, page := o.Get(path)
	if status != http.StatusOK || !strings.Contains(page, "picture-marker") {
		t.Errorf("%d: %s", status, page)
	}
	if status, picture := o.Get(path + "/picture"); status != http.StatusOK || !strings.HasPrefix(picture, "\xff\xd8") {
		t.Errorf("%d: %d bytes", status, len(picture))
	}
	for _, other := range []string{path[:len(path)-2], "/point/../tools", "/", "/tools"} {
		if status, _ := o.Get(other); status == http.StatusOK {
			t.Errorf("%s is served", other)
		}
	}
}

// TestNoLinkForUnmarkableFiles asks for a link for each kind of picture.
func TestNoLinkForUnmarkableFiles(t *testing.T) {
	t.Parallel()
	config, err := settings.Read([]string{"ATELIER_DATA=" + t.TempDir(), "PUBLIC_URL=http://localhost:8080", "PLANNER=rules"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	shop := workshop.Workshop{Config: config, LogTo: io.Discard}
	p, err := place.Open(t.Context(), config, shop.Logger(), place.Placement{Folder: config.Data, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bottest.Check(t, p.Close()) })
	site, err := website.New(shop, p)
	bottest.Check(t, err)
	_, err = site.BuildToolbox(t.Context(), shop, p)
	bottest.Check(t, err)
	t.Cleanup(site.Channel.Close)
	there := adapters.Thread{Adapter: "parlour", Channel: "c", ID: "1"}
	for file, linked := range map[string]bool{"a.png": true, "a.jpg": true, "a.gif": true, "a.webp": true, "a.bmp": true, "a.tiff": false, "a.svg": false, "a.avif": false, "a.mp4": false} {
		link, err := site.MarkLink(t.Context(), there, plan.Resource{Name: file, Blob: "threads/x/" + file})
		if err != nil || (link != "") != linked {
			t.Errorf("%s: %q, %v", file, link, err)
		}
	}
	here := adapters.Thread{Adapter: web.Name, Channel: "c", ID: "1"}
	if link, err := site.MarkLink(t.Context(), here, plan.Resource{Name: "a.png", Blob: "threads/x/a.png"}); link != "" || err != nil {
		t.Errorf("on the web channel's own pages: %q, %v", link, err)
	}
}

// TestRejectedFileIsReportedInReadersLanguage checks that the report goes by the file's content, not its name.
func TestRejectedFileIsReportedInReadersLanguage(t *testing.T) {
	t.Parallel()
	o := clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0")
	for language, want := range map[string]string{"en": "photo.jpg", "zh-CN": "。"} {
		a := o.Ask(http.MethodPost, "/t/abcdefghij0123456789/files?name=photo.jpg", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("\x7fELF\x02\x01\x01"))
			r.Header.Set("Accept-Language", language)
		})
		if a.Status != http.StatusUnsupportedMediaType || !strings.Contains(a.Text, want) {
			t.Errorf("%s: %d %s", language, a.Status, a.Text)
		}
	}
}

// TestForgetTakesThePageToo checks that if a program other than the serving one forgets a thread, nothing remains of its
// texts and files.
func TestForgetTakesThePageToo(t *testing.T) {
	t.Parallel()
	redis, bucket := miniredis.RunT(t), s3test.New(t, s3test.Config{})
	data := t.TempDir()
	variables := append(clitest.Bucket(bucket), "ATELIER_DATA="+data, "REDIS_URL=redis://"+redis.Addr())
	o := clitest.OpenService(t, serve.Service{Web: true}, variables...)
	page := "/t/abcdefghij0123456789"
	form := strings.NewReader("id=abcdefghij0123456789&text=what+time+is+it+in+Tokyo%3F")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.Address+page+"/messages", form)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil || response.Body.Close() != nil || response.StatusCode != http.StatusNoContent {
		t.Fatalf("%v %+v", err, response)
	}
	if status, body := o.Get(page); status != http.StatusOK || !strings.Contains(body, "Tokyo") {
		t.Fatalf("%d: %s", status, body)
	}
	env := map[string]string{}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	calls := func(args ...string) string {
		t.Helper()
		status, stdout, stderr := clitest.Run(t, env, args...)
		if status != fault.StatusDone {
			t.Fatalf("%q: status %d, %s%s", args, status, stdout, stderr)
		}
		return stdout
	}
	photo := filepath.Join(t.TempDir(), "Xylophone.jpg")
	b, err := os.ReadFile("../testdata/photo.jpg")
	if err != nil {
		t.Fatal(err)
	}
	bottest.Write(t, photo, string(b))
	var handed struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(calls("ask", "--detach", "--json", "--thread", "Bassoon", "--file", photo, "rotate it by 90 degrees")), &handed); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Jobs.Wait(t.Context(), handed.ID, 1); err != nil {
		t.Fatal(err)
	}
	client := goredis.NewClient(&goredis.Options{Addr: redis.Addr()})
	t.Cleanup(func() { bottest.Check(t, client.Close()) })
	everything := func() string {
		return redistest.Holds(t, client, "") + strings.Join(bucket.Objects(), "\n") + strings.Join(clitest.Names(t, data), "\n")
	}
	words := []string{"Tokyo", "Xylophone", "Bassoon", "90 degrees", "threads/"}
	for _, word := range words {
		if !strings.Contains(everything(), word) {
			t.Errorf("%s is not seen where it is", word)
		}
	}
	calls("forget", o.Address+page)
	calls("forget", "Bassoon")
	for _, word := range words {
		if held := everything(); strings.Contains(held, word) {
			t.Errorf("%s is left in %s", word, held)
		}
	}
	if status, body := o.Get(page); status != http.StatusNotFound || strings.Contains(body, "Tokyo") {
		t.Errorf("%d: %s", status, body)
	}
	for _, key := range redis.Keys() {
		if strings.Contains(key, "abcdefghij0123456789") {
			t.Errorf("%s is left", key)
		}
	}
}
