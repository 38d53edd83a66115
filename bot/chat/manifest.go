package chat

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"atelier/adapters/slack"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// ManifestCommand is bot slack-manifest.
type ManifestCommand struct {
	URL string `name:"url" help:"The address at which Slack sends events to this program. Without it, Socket Mode is used." placeholder:"URL"`
}

// Help returns the detailed help.
func (*ManifestCommand) Help() string {
	return `The manifest asks for no more permissions than the program needs. On
https://api.slack.com/apps choose Create New App, From a manifest, and paste it.`
}

// slackManifest is the template of the manifest.
//
//go:embed slack-manifest.yaml.tmpl
var slackManifest string

// Run prints the manifest.
func (s *ManifestCommand) Run(c *command.Call) error {
	u, err := settings.PublicURL(s.URL)
	if err != nil || u != nil && u.Scheme != "https" {
		return fault.Usage("--url is %q: expected a URL without a path, such as https://atelier.example.org.", s.URL)
	}
	at := ""
	if u != nil {
		at = u.String()
	}
	return printSlackManifest(c, at)
}

func printSlackManifest(c *command.Call, at string) error {
	t, err := template.New("manifest").Parse(slackManifest)
	if err == nil {
		err = t.Execute(c.Stdout, map[string]any{
			"URL": strings.TrimSuffix(at, "/"), "Scopes": slack.ManifestScopes(), "Events": slack.Events(),
			"Command": slack.Command, "Shortcut": slack.Shortcut,
		})
	}
	if err != nil {
		return fmt.Errorf("print the manifest: %w", err)
	}
	return nil
}
