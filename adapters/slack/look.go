package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// Account is the bot's account.
type Account struct {
	Team, TeamID string
	User, UserID string
	// Missing are the scopes that the bot's token lacks.
	Missing []string
}

// Look asks Slack who the bot is and which scopes its token lacks. Under Socket Mode it also
// checks the app-level token. A rejected token is an [adapters.ErrRefused] that names the setting;
// a configured server that does not speak Slack's protocol is an [adapters.ErrInvalid].
func (s *Slack) Look(ctx context.Context) (Account, error) {
	answer, err := s.api.AuthTestContext(ctx)
	if s.config.APIURL != officialURL && (isForeign(err) || err == nil && answer.UserID == "") {
		return Account{}, &adapters.Fault{
			Sentence: "This server does not speak Slack's protocol: check SLACK_API_URL, which must end in /api/.",
			Kind:     adapters.ErrInvalid, Err: download.Detail(err),
		}
	}
	err = api.Fault(err)
	if s.config.AppToken != "" && (err == nil || errors.Is(err, adapters.ErrRefused)) {
		if _, _, e := s.api.StartSocketModeContext(ctx); e != nil {
			err = api.AppFault(e, err)
		}
	}
	if err != nil {
		return Account{}, err
	}
	a := Account{Team: answer.Team, TeamID: answer.TeamID, User: answer.User, UserID: answer.UserID}
	granted := map[string]bool{}
	told := answer.Header.Get("X-Oauth-Scopes")
	for scope := range strings.SplitSeq(told, ",") {
		granted[strings.TrimSpace(scope)] = true
	}
	for _, scope := range Scopes() {
		if told != "" && !granted[scope] {
			a.Missing = append(a.Missing, scope)
		}
	}
	return a, nil
}

// isForeign reports whether a server answered unlike any server with Slack's protocol: with a page, or with a
// status that means there is no such address.
func isForeign(err error) bool {
	if status, ok := errors.AsType[slack.StatusCodeError](err); ok {
		return status.Code < http.StatusInternalServerError && status.Code != http.StatusTooManyRequests && status.Code != http.StatusProxyAuthRequired
	}
	_, broken := errors.AsType[*json.SyntaxError](err)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	_, unanswered := errors.AsType[*url.Error](err)
	return broken || other || errors.Is(err, io.EOF) && !unanswered // an empty answer
}

// ManifestScopes returns the scopes of an app that is made from the manifest: those that the token must have, and
// the one that [Slack asks of agents]. An app from an earlier manifest works without that one.
//
// [Slack asks of agents]: https://docs.slack.dev/reference/app-manifest
func ManifestScopes() []string {
	all := append(Scopes(), "assistant:write")
	slices.Sort(all)
	return all
}

// Scopes returns the scopes that the bot's token must have.
func Scopes() []string {
	return []string{
		"app_mentions:read", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history", "im:history",
		"mpim:history", "reactions:read", "reactions:write", "users:read",
	}
}

// PostedAt is when a message was posted, which its timestamp tells.
func (*Slack) PostedAt(m adapters.MessageRef) (time.Time, bool) { return convert.ParseTime(m.ID) }
