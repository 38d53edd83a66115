package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Model is an entry of a server's list.
type Model struct {
	Name string
	// Ends is the day on which the server shuts the model down, at midnight UTC; zero if none is
	// announced.
	Ends time.Time
}

// Serves reports whether the model can be requested by a name. Ollama lists the default tag
// (:latest), which a name may omit; gateways list whole families.
func (m Model) Serves(name string) bool {
	family, all := strings.CutSuffix(m.Name, "*")
	return m.Name == name || m.Name == name+":latest" || all && strings.HasPrefix(name, family)
}

// Ended reports whether the server has shut the model down.
func (m Model) Ended(now time.Time) bool { return !m.Ends.IsZero() && !now.Before(m.Ends) }

// Models returns the server's list of models; nil if it has none. Azure's list is not used: it
// contains everything that could be deployed. Errors are those of Explain.
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
		err = errors.New(e.Host() + ": unexpected JSON in the list of models")
		return nil, e.Explain(&Error{Kind: Malformed, Status: answer.Status, Err: err}, "")
	}
	models := make([]Model, 0, len(entries))
	for _, entry := range entries {
		if m := readModel(entry); m.Name != "" {
			models = append(models, m)
		}
	}
	return models, nil
}

// entriesOf extracts the models of a list: OpenAI sends an object with data, some servers a bare
// array.
func entriesOf(body []byte) ([]json.RawMessage, error) {
	var bare []json.RawMessage
	if json.Unmarshal(body, &bare) == nil {
		return bare, nil
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(body, &list)
	return list.Data, err //nolint:wrapcheck // wrapped by the caller
}

// readModel parses the used fields of an entry (OpenAI API reference, list models). It ignores the
// rest, whose types differ between servers.
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

// missing reports whether the server does not support the request.
func missing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}
