package llmtest

import (
	"encoding/json"
	"net/http"

	"atelier/agent/planner/llm/replay"
)

// Response is the scripted answer to a chat completion.
type Response struct {
	// Status is the status of the answer; 0 means 200.
	Status int
	// Header is added to the answer's header.
	Header http.Header
	// Text is the content of the message.
	Text string
	// JSON is encoded as the content if Text is empty.
	JSON any
	// Finish is the finish reason; "" means stop, "none" omits it.
	Finish string
	// Refusal replaces the content.
	Refusal string
	// NoChoices leaves the list of choices empty.
	NoChoices bool
	// Raw replaces the body.
	Raw string
	// ErrorCode, ErrorType and ErrorMessage fill OpenAI's error object if Status is 400 or more.
	ErrorCode, ErrorType, ErrorMessage string
	// Hang does not answer until the client disconnects or the test ends.
	Hang bool
	// Reset breaks the connection in the middle of the body.
	Reset bool
	// NoUsage omits the token counts.
	NoUsage bool
	// Usage is the token counts; nil estimates them, with four bytes of text per token.
	Usage *replay.Usage

	// broken is a test error: the script has no answer.
	broken string
}

func (a Response) fault() Fault {
	return Fault{
		Status: a.Status, Header: a.Header, Raw: a.Raw,
		ErrorCode: a.ErrorCode, ErrorType: a.ErrorType, ErrorMessage: a.ErrorMessage,
		Hang: a.Hang, Reset: a.Reset,
	}
}

// completion returns the answer to r as an exchange.
func (a Response) completion(r Request) (replay.Exchange, error) {
	e := replay.Exchange{Model: r.Model, Content: a.Text, Refusal: a.Refusal, Finish: a.Finish, Usage: a.Usage}
	if a.Text == "" && a.JSON != nil {
		content, err := json.Marshal(a.JSON)
		if err != nil {
			return replay.Exchange{}, err //nolint:wrapcheck // the caller adds the context
		}
		e.Content = string(content)
	}
	switch e.Finish {
	case "":
		e.Finish = "stop"
	case "none":
		e.Finish = ""
	}
	switch {
	case a.NoUsage:
		e.Usage = nil
	case e.Usage == nil:
		e.Usage = &replay.Usage{Input: estimate(r.Messages), Output: tokens(e.Content + e.Refusal)}
	}
	return e, nil
}
