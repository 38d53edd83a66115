package slacktest

import (
	"net/http/httptest"
	"testing"
)

// Server is a workspace of Slack.
type Server struct {
	tb          testing.TB
	http        *httptest.Server
	o           Options
	scopes      map[string]bool
	refused     bool
	editsClosed bool
}
