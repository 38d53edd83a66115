package slack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"atelier/adapters/edge"
	"atelier/adapters/lenient"
)

// maxAnswer is the most bytes of what Slack answers: of a thread it gives many messages at once.
const maxAnswer = 16 << 20

// call calls a method of Slack's, for what the library does not send or does not read of the
// answer. The answer is Slack's own word of whether it worked, besides what else it holds.
func (s *Slack) call(ctx context.Context, method string, form url.Values, answer interface{ Err() error }) error {
	form.Set("token", s.config.BotToken)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.APIURL+method, strings.NewReader(form.Encode()))
	if err != nil {
		return edge.Detail(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got, err := s.gate.Do(r) //nolint:bodyclose // readAll does
	if err != nil {
		return err
	}
	b, err := readAll(got.Body, maxAnswer)
	if err := errors.Join(taken(got), err); err != nil {
		return err
	}
	if _, err := lenient.Unmarshal(b, answer); err != nil {
		return errors.New("slack's answer cannot be understood")
	}
	return answer.Err()
}
