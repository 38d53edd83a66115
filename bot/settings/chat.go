package settings

import (
	"errors"
	"net/url"
	"strings"
)

// Discord holds the settings for Discord.
type Discord struct {
	// Token is the bot's token, without "Bot "; if empty, Discord is not used.
	Token secret
	// API is the address of the API; empty for Discord's own.
	API string
	// MaxFileMB is the maximum size of a file to send; 0 for each server's limit.
	MaxFileMB int64
}

// Slack holds the settings for Slack.
type Slack struct {
	// BotToken authenticates API calls; if empty, Slack is not used.
	BotToken secret
	// AppToken enables Socket Mode.
	AppToken secret
	// SigningSecret authenticates Slack's HTTP requests.
	SigningSecret secret
	// API is the address of the API; empty for Slack's own.
	API string
	// MaxFileMB is the maximum size of a file to send.
	MaxFileMB int64
}

// OverHTTP reports whether Slack sends its events over HTTP.
func (s Slack) OverHTTP() bool { return s.BotToken != "" && s.AppToken == "" && s.SigningSecret != "" }

// chatSettings are the settings for the chat platforms.
func chatSettings() []setting {
	return []setting{
		{
			name: "DISCORD_TOKEN", secret: true,
			about: "The bot's token on Discord (Developer Portal, Bot, Reset Token). bot doctor prints the link that invites the bot.",
			set:   func(c *Config, v string) (err error) { c.Discord.Token, err = discordToken(v); return err },
		}, {
			name: "DISCORD_API_URL", secret: true, // it may hold a password
			about: "A server that speaks Discord's protocol, such as http://127.0.0.1:9999/api/v9. If empty, Discord itself. Files may come from " +
				"its host too.",
			set: func(c *Config, v string) (err error) { c.Discord.API, err = apiURL(v); return err },
		}, {
			name:  "DISCORD_MAX_FILE_MB",
			about: "The maximum size of a file sent to Discord, in MB. If empty, each server's limit: 20, or more with boosts.",
			set: func(c *Config, v string) (err error) {
				if v == "" {
					return nil
				}
				c.Discord.MaxFileMB, err = number[int64](v, 1, 500)
				return err
			},
		}, {
			name: "SLACK_BOT_TOKEN", secret: true,
			about: "The bot token on Slack (OAuth & Permissions). It begins with xoxb-. SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is also required.",
			set: func(c *Config, v string) error {
				c.Slack.BotToken = secret(v)
				return slackToken(v, "xoxb-", "expected the bot token, which begins with xoxb-")
			},
		}, {
			name: "SLACK_APP_TOKEN", secret: true,
			about: "The app-level token with the scope connections:write. It begins with xapp-. The program then connects to Slack (Socket Mode) " +
				"and needs no public address.",
			set: func(c *Config, v string) error {
				c.Slack.AppToken = secret(v)
				return slackToken(v, "xapp-", "expected the app-level token, which begins with xapp-")
			},
		}, {
			name: "SLACK_SIGNING_SECRET", secret: true,
			about: "The app's signing secret (Basic Information, App Credentials). If SLACK_APP_TOKEN is empty, Slack sends events to /slack/ on " +
				"ATELIER_LISTEN, signed with this secret.",
			set: func(c *Config, v string) error { c.Slack.SigningSecret = secret(v); return signingSecret(v) },
		}, {
			name: "SLACK_API_URL", secret: true, // it may hold a password
			about: "A server that speaks Slack's protocol, such as https://slack-gov.com/api/. If empty, Slack itself. Files may come from its " +
				"host too.",
			set: func(c *Config, v string) (err error) { c.Slack.API, err = apiURL(v); return err },
		}, {
			name: "SLACK_MAX_FILE_MB", value: "1000", about: "The maximum size of a file sent to Slack, in MB.",
			set: func(c *Config, v string) (err error) {
				c.Slack.MaxFileMB, err = number[int64](v, 1, 1000)
				return err
			},
		},
	}
}

// discordToken checks a bot token, with or without the prefix "Bot " of Discord's documentation.
func discordToken(v string) (secret, error) {
	v = strings.TrimPrefix(v, "Bot ")
	switch {
	case strings.HasPrefix(v, "xoxb-") || strings.HasPrefix(v, "xapp-"):
		return "", errors.New("it is a Slack token")
	case v != "" && strings.Trim(v, "0123456789") == "":
		return "", errors.New("it is the application ID: the token is on the page Bot, under Reset Token")
	}
	return secret(v), key(v)
}

// slackToken checks the prefix of a token. Rotated tokens have "xoxe." before it.
func slackToken(v, kind, expected string) error {
	if v != "" && !strings.HasPrefix(strings.TrimPrefix(v, "xoxe."), kind) {
		return errors.New(expected)
	}
	return key(v)
}

// signingSecret rejects tokens.
func signingSecret(v string) error {
	if strings.HasPrefix(v, "xox") || strings.HasPrefix(v, "xapp-") {
		return errors.New("it is a token: the signing secret is on the page Basic Information")
	}
	return key(v)
}

// apiURL checks the address of a platform's API; it may be empty.
func apiURL(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("expected a URL without a user, such as https://chat.example.org/api/")
	}
	return v, nil
}

// check returns sentences about settings that do not go together.
func (s Slack) check() []string {
	switch {
	case s.BotToken != "" && s.AppToken == "" && s.SigningSecret == "":
		return []string{"SLACK_BOT_TOKEN is set, but not how events arrive: set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP."}
	case s.BotToken == "" && s.AppToken != "":
		return []string{"SLACK_APP_TOKEN is set, and SLACK_BOT_TOKEN is not: they belong together."}
	case s.BotToken == "" && s.SigningSecret != "":
		return []string{"SLACK_SIGNING_SECRET is set, and SLACK_BOT_TOKEN is not: they belong together."}
	}
	return nil
}
