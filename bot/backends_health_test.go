package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"atelier/bot/bottest"
)

// TestHealthOfTheFile: the path that the file names decides, whatever the server's kind
// would say.
func TestHealthOfTheFile(t *testing.T) {
	t.Parallel()
	ill := "http://" + serving(t, http.StatusServiceUnavailable)
	file := filepath.Join(t.TempDir(), "backends.yaml")
	bottest.Write(t, file, "servers:\n  - {name: gpu1, kind: openai, url: \""+ill+"/v1\", health: /health, models: {chat: m}}\n")
	_, stdout, stderr := called{env: append(skyEnv(t), "BACKENDS_FILE="+file), args: []string{"tools", "--servers"}}.run(t)
	if !strings.Contains(stdout, "The server gpu1 does not say that it is well.") {
		t.Errorf("%s%s", stdout, stderr)
	}
}
