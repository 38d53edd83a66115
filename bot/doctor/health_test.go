package doctor_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/listen"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Errorf("%s was asked for", r.URL)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{":" + port, "0.0.0.0:" + port, "127.0.0.1:" + port} {
		if status, stdout, stderr := clitest.Run(t, map[string]string{"ATELIER_LISTEN": listen}, "health"); status != fault.StatusDone || stdout != "ok\n" {
			t.Errorf("%s: status %d, %s%s", listen, status, stdout, stderr)
		}
	}
	status = http.StatusServiceUnavailable
	for listen, want := range map[string]struct {
		status int
		says   string
	}{
		"127.0.0.1:" + port: {fault.StatusFailed, "bot: The server at " + server.URL + "/healthz is not healthy: 503 Service Unavailable.\n"},
		"127.0.0.1:1":       {fault.StatusFailed, "bot: No Atelier answers at http://127.0.0.1:1/healthz.\n"},
		"off":               {fault.StatusUsage, "bot: ATELIER_LISTEN is off, so there is no address to check.\n"},
	} {
		if status, _, stderr := clitest.Run(t, map[string]string{"ATELIER_LISTEN": listen}, "health"); status != want.status || stderr != want.says {
			t.Errorf("%s: status %d, %s", listen, status, stderr)
		}
	}
	if got := listen.Reachable("[::]:80"); got != "[::1]:80" {
		t.Errorf("[::]:80 is reached at %s", got)
	}
}
