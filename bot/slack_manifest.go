package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"atelier/adapters/slack"
)

type slackManifestCommand struct {
	URL string `name:"url" help:"Where Slack reaches this program, and sends its requests; else it is asked by Socket Mode." placeholder:"URL"`
}

// Help says what it is for.
func (*slackManifestCommand) Help() string {
	return `It prints what makes the app on Slack, with the least that the program needs: on
https://api.slack.com/apps choose Create New App, From a manifest, and paste it.`
}

// slackManifest is the manifest, a template.
//
//go:embed slack-manifest.yaml.tmpl
var slackManifest string

// Run prints the manifest.
func (s *slackManifestCommand) Run(c *call) error {
	u, err := publicURL(s.URL)
	if err != nil || u != nil && u.Scheme != "https" {
		return usage("--url is %q: a URL such as https://atelier.example.org is expected, without a path.", s.URL)
	}
	at := ""
	if u != nil {
		at = u.String()
	}
	return printSlackManifest(c, at)
}

func printSlackManifest(c *call, at string) error {
	t, err := template.New("manifest").Parse(slackManifest)
	if err == nil {
		err = t.Execute(c.Stdout, map[string]any{
			"URL": strings.TrimSuffix(at, "/"), "Scopes": slack.Scopes(), "Events": slack.Events(),
			"Command": slack.Command, "Shortcut": slack.Shortcut,
		})
	}
	if err != nil {
		return fmt.Errorf("print the manifest: %w", err)
	}
	return nil
}
