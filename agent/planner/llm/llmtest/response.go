package llmtest

import (
	"encoding/json"
	"net/http"

	"atelier/agent/planner/llm/replay"
)

// Response scripts the answer to a chat completion.
type Response struct {
	// Status is that of the answer; 0 is 200.
	Status int
	// Header is added to the answer's.
	Header http.Header
	// Text is the content of the message.
	Text string
	// JSON is encoded as the content, where Text is empty.
	JSON any
	// Finish is the reason to stop; "" is stop, "none" leaves it out.
	Finish string
	// Refusal is said instead of a content.
	Refusal string
	// NoChoices leaves the list of answers empty.
	NoChoices bool
	// Raw is the whole body, instead.
	Raw string
	// ErrorCode, ErrorType and ErrorMessage fill OpenAI's error object, with a Status
	// of 400 or more.
	ErrorCode, ErrorType, ErrorMessage string
	// Hang answers nothing until the client goes, or the test ends.
	Hang bool
	// Reset breaks the connection in the middle of the body.
	Reset bool
	// NoUsage leaves the count of tokens out.
	NoUsage bool
	// Usage is the count of tokens; nil estimates it, a token for four bytes of text.
	Usage *replay.Usage

	// broken is an error of the test: the script has no answer.
	broken string
}

func (a Response) fault() Fault {
	return Fault{
		Status: a.Status, Header: a.Header, Raw: a.Raw,
		ErrorCode: a.ErrorCode, ErrorType: a.ErrorType, ErrorMessage: a.ErrorMessage,
		Hang: a.Hang, Reset: a.Reset,
	}
}

// completion is the answer to r as an exchange.
func (a Response) completion(r Request) (replay.Exchange, error) {
	e := replay.Exchange{Model: r.Model, Content: a.Text, Refusal: a.Refusal, Finish: a.Finish, Usage: a.Usage}
	if a.Text == "" && a.JSON != nil {
		content, err := json.Marshal(a.JSON)
		if err != nil {
			return replay.Exchange{}, err //nolint:wrapcheck // the report says whose it is
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
