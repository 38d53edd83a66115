// Package deployments tests the image and the Compose file. It has no other code. .ci/run also checks them with a
// linter and with Docker Compose.
package deployments

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// text returns a file's content.
func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// settings returns the names of the variables that the program reads.
func settings(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^#?([A-Z][A-Z0-9_]*)=`).FindAllStringSubmatch(text(t, "../.env.example"), -1) {
		names = append(names, match[1])
	}
	if len(names) == 0 {
		t.Fatal(".env.example names no setting")
	}
	return names
}

// toolPrefix is the prefix of the tool server's settings.
const toolPrefix = "TOOLSERVER_"

// toolSettings returns the names of the variables that the tool server reads: the fields of its class Settings.
func toolSettings(t *testing.T) []string {
	t.Helper()
	_, class, _ := strings.Cut(text(t, "toolserver/toolserver/settings.py"), "\nclass Settings(")
	class, _, _ = strings.Cut(class, "@classmethod")
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^    ([a-z_]+): `).FindAllStringSubmatch(class, -1) {
		names = append(names, toolPrefix+strings.ToUpper(match[1]))
	}
	if len(names) == 0 {
		t.Fatal("the tool server has no settings")
	}
	return names
}

// pinned reports whether an image is named with a version, not with a tag that moves between versions.
func pinned(image string) bool {
	image, _, _ = strings.Cut(image, "@")
	_, tag, ok := strings.Cut(image, ":")
	return ok && regexp.MustCompile(`^v?[0-9]+\.[0-9]+`).MatchString(tag)
}

func TestPinned(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]bool{
		"debian:12.15-slim":              true,
		"versity/versitygw:v1.8.0":       true,
		"redis:8.2.10@sha256:0123456789": true,
		"debian":                         false,
		"debian:latest":                  false,
		"debian:bookworm-slim":           false,
		"debian:12-slim":                 false,
	} {
		if got := pinned(image); got != want {
			t.Errorf("pinned(%q) is %v", image, got)
		}
	}
}
