package slack

import (
	"atelier/adapters"
	"atelier/adapters/edge"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"atelier/adapters/slack/api"

	"github.com/slack-go/slack"
)

// Account is who the bot is.
type Account struct {
	Team, TeamID string
	User, UserID string
	// Missing are the scopes that the bot's token lacks.
	Missing []string
}

// Look asks Slack who the bot is, and what its token lacks. Under Socket Mode it asks whether
// app-level token is taken too. What is refused is an [adapters.ErrRefused] that names the
// settings; a server that somebody has set, and that does not answer as Slack does, is an
// [adapters.ErrInvalid].
func (s *Slack) Look(ctx context.Context) (Account, error) {
	answer, err := s.api.AuthTestContext(ctx)
	if s.config.APIURL != officialURL && (isForeign(err) || err == nil && answer.UserID == "") {
		return Account{}, &adapters.Fault{
			Sentence: "This is no server that speaks Slack's protocol: look at SLACK_API_URL, which ends in /api/.",
			Kind:     adapters.ErrInvalid, Err: edge.Detail(err),
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

// isForeign tells whether a call was answered as no server of Slack's protocol answers: with
// a page, or with a status that tells of no such address.
func isForeign(err error) bool {
	if status, ok := errors.AsType[slack.StatusCodeError](err); ok {
		return status.Code < http.StatusInternalServerError && status.Code != http.StatusTooManyRequests && status.Code != http.StatusProxyAuthRequired
	}
	_, broken := errors.AsType[*json.SyntaxError](err)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	_, unanswered := errors.AsType[*url.Error](err)
	return broken || other || errors.Is(err, io.EOF) && !unanswered // an answer without anything
}

// Scopes are what the bot's token must grant.
func Scopes() []string {
	return []string{
		"app_mentions:read", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history", "im:history",
		"mpim:history", "reactions:read", "reactions:write", "users:read",
	}
}
