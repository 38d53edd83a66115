package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Model is one of a server's list.
type Model struct {
	Name string
	// Ends is the day on which the server shuts it down, at midnight UTC; zero where none is
	// announced.
	Ends time.Time
}

// Serves reports whether the model answers to a name: its own, or the one that is meant by
// it. Ollama lists the tag that it takes where none is given; gateways list whole families.
func (m Model) Serves(name string) bool {
	family, all := strings.CutSuffix(m.Name, "*")
	return m.Name == name || m.Name == name+":latest" || all && strings.HasPrefix(name, family)
}

// Ended reports whether the server has shut the model down.
func (m Model) Ended(now time.Time) bool { return !m.Ends.IsZero() && !now.Before(m.Ends) }

// Models lists the models that the server names; nil where it has no such list, as
// Azure, which answers with all that could be deployed. Errors are as those of Sort.
func (e *Endpoint) Models(ctx context.Context) ([]Model, error) {
	if e.azure {
		return nil, nil
	}
	answer, err := e.Do(ctx, Request{Path: "/models", Header: http.Header{"Accept": {"application/json"}}})
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := entriesOf(answer.Body)
	if err != nil {
		err = errors.New(e.Host() + ": the list of models is not the JSON that was expected")
		return nil, e.Sort(&Error{Kind: Malformed, Status: answer.Status, Err: err}, "")
	}
	models := make([]Model, 0, len(entries))
	for _, entry := range entries {
		if m := readModel(entry); m.Name != "" {
			models = append(models, m)
		}
	}
	return models, nil
}

// entriesOf finds the models in a list: OpenAI's is an object with data, and some servers
// answer with the array alone.
func entriesOf(body []byte) ([]json.RawMessage, error) {
	var bare []json.RawMessage
	if json.Unmarshal(body, &bare) == nil {
		return bare, nil
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(body, &list)
	return list.Data, err //nolint:wrapcheck // the caller says of what
}

// readModel reads what is used of an entry (OpenAI API reference, list models). The rest is
// not looked at, since servers fill it in with other types.
func readModel(entry json.RawMessage) Model {
	var named struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(entry, &named) != nil {
		return Model{}
	}
	var ends struct {
		On string `json:"shutdown_date"`
	}
	m := Model{Name: named.ID}
	if json.Unmarshal(entry, &ends) != nil {
		return m
	}
	if day, err := time.Parse(time.DateOnly, ends.On); err == nil {
		m.Ends = day
	}
	return m
}

// missing reports whether the server does not have what was asked for.
func missing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}
