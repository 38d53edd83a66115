package clitest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/endpoint/discover"
	"atelier/bot/ask"
	"atelier/bot/bottest"
)

// AskModel calls ask with a picture, and reads the object that it prints.
func AskModel(t *testing.T, env []string, args ...string) (int, ask.Answer) {
	t.Helper()
	return AskModelAt(t, nil, env, args...)
}

// AskModelAt is askModel where model servers may listen on this machine.
func AskModelAt(t *testing.T, places []discover.Place, env []string, args ...string) (int, ask.Answer) {
	t.Helper()
	dir := t.TempDir()
	photo := filepath.Join(dir, "photo.png")
	bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
	status, stdout, stderr := Called{
		Env:    append(env, "ATELIER_DATA="+dir),
		Args:   append([]string{"ask", "--json", "--out", filepath.Join(dir, "out"), "--file", photo}, args...),
		Places: places,
	}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return status, an
}

// ToldAndLogged parts what the standard error output holds: what people are told, and
// the log.
func ToldAndLogged(stderr string) (told, logged string) {
	var people, operator strings.Builder
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "time=") {
			operator.WriteString(line)
		} else {
			people.WriteString(line)
		}
	}
	return people.String(), operator.String()
}

// AskJSON calls ask for a picture in a folder of its own.
func AskJSON(t *testing.T, dir string, args ...string) (status int, an ask.Answer) {
	t.Helper()
	status, stdout, stderr := Run(t, map[string]string{"ATELIER_DATA": dir},
		append([]string{"ask", "--json", "--out", filepath.Join(dir, "out")}, args...)...)
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return status, an
}

// AskWith calls ask and reads the object that it prints.
func AskWith(t *testing.T, env []string, args ...string) (int, ask.Answer) {
	t.Helper()
	status, stdout, stderr := Called{Env: env, Args: append([]string{"ask", "--json", "--out", t.TempDir()}, args...)}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return status, an
}
