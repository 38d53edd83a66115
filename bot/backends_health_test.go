package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/clitest"
)

// TestHealthOfTheFile checks that the health path in the file overrides the usual one of the server's kind.
func TestHealthOfTheFile(t *testing.T) {
	t.Parallel()
	ill := "http://" + clitest.Serving(t, http.StatusServiceUnavailable)
	file := filepath.Join(t.TempDir(), "backends.yaml")
	bottest.Write(t, file, "servers:\n  - {name: gpu1, kind: openai, url: \""+ill+"/v1\", health: /health, models: {chat: m}}\n")
	_, stdout, stderr := clitest.Called{Env: append(clitest.SkyEnv(t), "BACKENDS_FILE="+file), Args: []string{"tools", "--servers"}}.Run(t)
	if !strings.Contains(stdout, "The server gpu1 does not report that it is healthy.") {
		t.Errorf("%s%s", stdout, stderr)
	}
}
