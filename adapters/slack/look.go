package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/edge"
)

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
	err = fault(err)
	if s.config.AppToken != "" && (err == nil || errors.Is(err, adapters.ErrRefused)) {
		if _, _, e := s.api.StartSocketModeContext(ctx); e != nil {
			err = appFault(e, err)
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

// appFault is what an error of opening a connection for Socket Mode is, which is asked for
// with the app-level token and not with the bot's. Before is what became of that one.
func appFault(err, before error) error {
	err = fault(err)
	switch {
	case errors.Is(err, adapters.ErrRefused), errors.Is(err, adapters.ErrForbidden):
	case before != nil:
		return before
	default:
		return err
	}
	f := &adapters.Fault{Sentence: refusedApp, Kind: adapters.ErrRefused, Err: err}
	if before != nil {
		f.Sentence = refusedBoth
	}
	return f
}

const (
	refusedApp  = "Slack does not take the app-level token. Look at SLACK_APP_TOKEN, which has the scope connections:write and belongs to the same app."
	refusedBoth = "Slack takes neither the bot token nor the app-level token. Look at SLACK_BOT_TOKEN and SLACK_APP_TOKEN, and install the app again."
)
