package tools_test

import (
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/doctor"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/bot/tools"
	"atelier/bot/workshop"
)

// aService draws a picture of the requested width, for callers with the token.
func aService(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Words string `json:"words"`
			Width int    `json:"width"`
		}
		switch {
		case r.URL.Path == "/":
			http.NotFound(w, r)
		case r.Header.Get("Authorization") != "Bearer "+bottest.Hush:
			http.Error(w, "who are you, "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		case json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Words != `a "b" & c`:
			http.Error(w, "bad words: "+asked.Words, http.StatusUnprocessableEntity)
		default:
			bottest.Check(t, png.Encode(w, image.NewNRGBA(image.Rect(0, 0, asked.Width, 4))))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestToolThatCallsAService checks that the file that tool new writes works once the operator has listed the host
// and set the token, and that until then the operator is told what to do.
func TestToolThatCallsAService(t *testing.T) {
	t.Parallel()
	server, folder := aService(t), t.TempDir()
	host := strings.TrimPrefix(server.URL, "http://")
	written, err := (&tools.NewToolCommand{Name: "draw_sticker", Kind: settings.ServiceKind}).File()
	bottest.Check(t, err)
	text := strings.NewReplacer("localhost:8000", host, "# token: STICKERS_TOKEN", "token: STICKERS_TOKEN").Replace(string(written))
	file := filepath.Join(folder, "draw_sticker.yaml")
	bottest.Check(t, os.WriteFile(file, []byte(text), 0o600))
	out := filepath.Join(t.TempDir(), "out")
	try := []string{"tool", "try", file, "--out", out, `text=a "b" & c`, "width=100"}
	listed := []string{"ATELIER_HTTP_HOSTS=" + host, "STICKERS_TOKEN=" + bottest.Hush}
	for name, c := range map[string]struct {
		env    []string
		args   []string
		status int
		says   string
	}{
		"not listed": {nil, try, fault.StatusFailed, "Tools are not allowed to call " + host + ": to allow it, add it to ATELIER_HTTP_HOSTS."},
		"a check":    {nil, []string{"tool", "check", file}, fault.StatusDone, "warning: tools are not allowed to call " + host + ": to allow it, add it to ATELIER_HTTP_HOSTS\n"},
		"no token":   {listed[:1], try, fault.StatusFailed, "The service at " + host + " needs a token: set STICKERS_TOKEN."},
		"bad token":  {[]string{listed[0], "STICKERS_TOKEN=no" + bottest.Hush}, try, fault.StatusFailed, host + " refused the token: check STICKERS_TOKEN."},
		"bad words":  {listed, []string{"tool", "try", file, "text=x"}, fault.StatusFailed, host + " rejected this input (status 422)."},
		"it runs":    {listed, try, fault.StatusDone, "draw_sticker.png was written, and its effects were checked."},
		"tools":      {listed, []string{"tools"}, fault.StatusDone, "+ draw_sticker(text text, [width integer]) → image (" + strings.Replace(host, ":", "-", 1) + ")"},
		"why not":    {listed[1:], []string{"tools"}, fault.StatusDone, "- draw_sticker(text text, [width integer]) → image\n    Tools are not allowed to call " + host + ": to allow it, add it to ATELIER_HTTP_HOSTS\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := append([]string{"ATELIER_DATA=" + t.TempDir(), "ATELIER_CATALOGUE=" + folder, "ATELIER_LOG=debug", settings.LocalModelsSetting + "=false"}, c.env...)
			status, stdout, stderr := clitest.Called{Env: env, Args: c.args}.Run(t)
			if status != c.status || !strings.Contains(stdout+stderr, c.says) {
				t.Errorf("status %d, want %q\n%s%s", status, c.says, stdout, stderr)
			}
			if strings.Contains(stdout+stderr, bottest.Hush) {
				t.Errorf("it prints the token: %s%s", stdout, stderr)
			}
		})
	}
	t.Run("doctor", func(t *testing.T) {
		t.Parallel()
		if f := clitest.Examined(t, "ATELIER_CATALOGUE="+folder)["own tools"]; f.State != doctor.Wrong || !strings.HasPrefix(f.Says, "draw_sticker in "+folder+" cannot run here.") {
			t.Errorf("%+v", f)
		}
		if f := clitest.Examined(t, append(listed, "ATELIER_CATALOGUE="+folder)...)["own tools"]; f.State != doctor.Healthy || f.Says != "draw_sticker in "+folder+" can run here." {
			t.Errorf("%+v", f)
		}
		thing := "server " + workshop.ServiceName(server.URL)
		f := clitest.Examined(t, "ATELIER_CATALOGUE="+folder)[thing]
		if f.State != doctor.Wrong || !strings.Contains(f.Says, "add it to ATELIER_HTTP_HOSTS") {
			t.Errorf("%+v", f)
		}
		f = clitest.Examined(t, append(listed, "ATELIER_CATALOGUE="+folder)...)[thing]
		if f.State != doctor.Healthy {
			t.Errorf("%+v", f)
		}
	})
}
