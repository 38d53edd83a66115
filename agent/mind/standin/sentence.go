package standin

import "atelier/agent/endpoint"

// What the second mind did, as the end of the sentence for people.
const (
	understood = ", so I understood this by my built-in rules, which read English only."
	chose      = ", so I chose the tools by my built-in rules, which read English only."
	worded     = ", so I worded this answer by my built-in rules, which write English only."
)

// because is the beginning of the sentence: why the language model did not do it.
func because(err error) string {
	switch endpoint.KindOf(err) {
	case endpoint.KeyRefused, endpoint.Forbidden:
		return "The language model does not let me in"
	case endpoint.ModelUnknown:
		return "The language model that is set up is not there"
	case endpoint.Limited:
		return "The language model gets too many requests at the moment"
	case endpoint.Quota:
		return "The quota of the language model is used up"
	case endpoint.TooLong:
		return "This is too long for the language model"
	case endpoint.Rejected:
		return "The language model did not accept the request"
	case endpoint.Down:
		return "The language model does not answer"
	case endpoint.TimedOut:
		return "The language model took too long to answer"
	case endpoint.Malformed:
		return "The language model's answer could not be read"
	}
	return "The language model gave no answer that I could use"
}
