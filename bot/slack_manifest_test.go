package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"atelier/adapters/slack"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// manifest is the part of a manifest that the program depends on.
type manifest struct {
	Features struct {
		Agent struct {
			Prompts []struct{ Title, Message string } `yaml:"suggested_prompts"`
		} `yaml:"agent_view"`
		Home struct {
			Tab      bool `yaml:"home_tab_enabled"`
			Messages bool `yaml:"messages_tab_enabled"`
			ReadOnly bool `yaml:"messages_tab_read_only_enabled"`
		} `yaml:"app_home"`
		Shortcuts []struct {
			Name, Type string
			Callback   string `yaml:"callback_id"`
		} `yaml:"shortcuts"`
		Commands []struct{ Command, URL string } `yaml:"slash_commands"`
	} `yaml:"features"`
	OAuth struct {
		Scopes map[string][]string `yaml:"scopes"`
	} `yaml:"oauth_config"`
	Settings struct {
		Events struct {
			URL  string   `yaml:"request_url"`
			Bot  []string `yaml:"bot_events"`
			User []string `yaml:"user_events"`
		} `yaml:"event_subscriptions"`
		Interactivity struct {
			Enabled bool   `yaml:"is_enabled"`
			URL     string `yaml:"request_url"`
		} `yaml:"interactivity"`
		SocketMode bool `yaml:"socket_mode_enabled"`
	} `yaml:"settings"`
}

func readManifest(t *testing.T, text string) manifest {
	t.Helper()
	var m manifest
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	if got := m.OAuth.Scopes["bot"]; len(got) == 0 || len(m.OAuth.Scopes) != 1 || !slices.Equal(got, slack.ManifestScopes()) || !slices.Contains(got, "assistant:write") {
		t.Errorf("the scopes are %q", m.OAuth.Scopes)
	}
	if got := m.Settings.Events; len(got.Bot) == 0 || len(got.User) != 0 || !slices.Equal(got.Bot, slack.Events()) {
		t.Errorf("the events are %q", got)
	}
	if len(m.Features.Commands) != 1 || m.Features.Commands[0].Command != slack.Command || !m.Settings.Interactivity.Enabled {
		t.Errorf("%+v", m)
	}
	if len(m.Features.Shortcuts) != 1 || m.Features.Shortcuts[0].Type != "message" || m.Features.Shortcuts[0].Callback != slack.Shortcut {
		t.Errorf("%+v", m.Features.Shortcuts)
	}
	if err := checkManifest(t, text); err != nil {
		t.Error(err)
	}
	if h := m.Features.Home; !h.Tab || !h.Messages || h.ReadOnly {
		t.Errorf("the tabs are %+v", h)
	}
	return m
}

// checkManifest checks a manifest by Slack's schema.
func checkManifest(t *testing.T, text string) error {
	t.Helper()
	b, err := os.ReadFile("testdata/slack-manifest.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(m)
}

// TestSlackManifestRefused checks manifests that Slack would reject.
func TestSlackManifestRefused(t *testing.T) {
	t.Parallel()
	_, manifest, _ := clitest.Run(t, nil, "slack-manifest")
	for from, to := range map[string]string{
		"name: Use with Atelier":            "name: Use all of this with Atelier",
		"agent_view:":                       "agents_view:",
		"command: /atelier":                 "command: atelier",
		"      - reaction_removed":          "      - reaction_added",
		"is_enabled: true":                  "enabled: true",
		"#26323d":                           "blue",
		"major_version: 1":                  "major_version: 2",
		"        message: What can you do?": "        text: What can you do?",
	} {
		if wrong := strings.Replace(manifest, from, to, 1); wrong == manifest || checkManifest(t, wrong) == nil {
			t.Errorf("%q is taken", to)
		}
	}
}

// TestSlackManifest checks that it requests exactly what the program needs, and that the file in deployments
// equals the printed one.
func TestSlackManifest(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := clitest.Run(t, nil, "slack-manifest")
	if status != fault.StatusDone || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	kept, err := os.ReadFile("../deployments/slack-manifest.yaml")
	if err != nil || string(kept) != stdout {
		t.Errorf("deployments/slack-manifest.yaml is another one: go run ./bot slack-manifest > deployments/slack-manifest.yaml (%v)", err)
	}
	if m := readManifest(t, stdout); !m.Settings.SocketMode || m.Settings.Events.URL != "" || m.Settings.Interactivity.URL != "" || m.Features.Commands[0].URL != "" {
		t.Errorf("by Socket Mode: %+v", m)
	}

	for _, p := range readManifest(t, stdout).Features.Agent.Prompts { // without a model and a file
		if status, told, stderr := clitest.Run(t, nil, "ask", "--plan", p.Message); status != fault.StatusDone || told == "" || p.Title == "" {
			t.Errorf("%s: status %d, %s%s", p.Message, status, told, stderr)
		}
	}

	const at = "https://atelier.example.org"
	status, requests, stderr := clitest.Run(t, nil, "slack-manifest", "--url", at+"/")
	if status != fault.StatusDone || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	m := readManifest(t, requests)
	if m.Settings.SocketMode || m.Settings.Events.URL != at+"/slack/events" || m.Settings.Interactivity.URL != at+"/slack/interactive" || m.Features.Commands[0].URL != at+"/slack/commands" {
		t.Errorf("by requests: %+v", m)
	}
	byHand := strings.ReplaceAll(strings.ReplaceAll(stdout, "  socket_mode_enabled: true\n", ""), "#http ", "")
	if changed := readManifest(t, byHand); changed.Settings.SocketMode || changed.Settings.Events.URL != m.Settings.Events.URL ||
		changed.Settings.Interactivity.URL != m.Settings.Interactivity.URL || changed.Features.Commands[0].URL != m.Features.Commands[0].URL {
		t.Errorf("with the other lines: %+v", changed)
	}
	for _, wrong := range []string{"atelier.example.org", "http://atelier.example.org", at + "/slack"} {
		if status, _, stderr := clitest.Run(t, nil, "slack-manifest", "--url", wrong); status != fault.StatusUsage || !strings.Contains(stderr, "--url is") {
			t.Errorf("%s: status %d, %s", wrong, status, stderr)
		}
	}
}
