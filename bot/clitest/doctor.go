package clitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/doctor"
	"atelier/bot/fault"
)

// Examined runs doctor and returns the first finding about each thing. It checks that the exit status is 1
// if and only if something is wrong, that the text says the same as the JSON, and that no secret is printed.
func Examined(t *testing.T, env ...string) map[string]doctor.Finding {
	t.Helper()
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "ATELIER_DATA=") }) {
		env = append(env, "ATELIER_DATA="+filepath.Join(t.TempDir(), "data"))
	}
	env = slices.Concat([]string{"ATELIER_LISTEN=127.0.0.1:0"}, SkyEnv(t), env)
	status, stdout, stderr := Called{Env: env, Args: []string{"doctor", "--json"}}.Run(t)
	var found []doctor.Finding
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || stderr != "" {
		t.Fatalf("%v: %s", err, stderr)
	}
	if strings.Contains(stdout, bottest.Hush) {
		t.Errorf("a secret is told: %s", stdout)
	}
	bad := slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.State == doctor.Wrong })
	if (status == fault.StatusFailed) != bad || (status == fault.StatusDone) == bad {
		t.Errorf("status %d: %s", status, stdout)
	}
	things := map[string]doctor.Finding{}
	for _, f := range found {
		if f.Thing == "" || f.Says == "" || !slices.Contains([]doctor.Health{doctor.Healthy, doctor.Missing, doctor.Warning, doctor.Wrong}, f.State) {
			t.Errorf("%+v", f)
		}
		if _, twice := things[f.Thing]; !twice {
			things[f.Thing] = f
		}
	}
	return things
}

// Serving is the address of a program that answers everything with that status.
func Serving(t *testing.T, status int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
