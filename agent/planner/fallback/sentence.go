package fallback

import (
	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

// Sentences about the work of the second planner.

func understood(because plan.Message) plan.Message {
	return plan.Say("%s, so I read this with my built-in rules, which understand only English.", because)
}

func chose(because plan.Message) plan.Message {
	return plan.Say("%s, so I chose the tools with my built-in rules, which understand only English.", because)
}

func worded(because plan.Message) plan.Message {
	return plan.Say("%s, so I wrote this answer with my built-in rules.", because)
}

// because returns the beginning of the sentence: why the language model failed.
func because(err error) plan.Message {
	switch endpoint.KindOf(err) {
	case endpoint.KeyRefused, endpoint.Forbidden:
		return plan.Say("The language model refused access")
	case endpoint.ModelUnknown:
		return plan.Say("The language model that is set up does not exist")
	case endpoint.Limited:
		return plan.Say("The language model is getting too many requests at the moment")
	case endpoint.Quota:
		return plan.Say("The quota of the language model is used up")
	case endpoint.TooLong:
		return plan.Say("This is too long for the language model")
	case endpoint.Rejected:
		return plan.Say("The language model did not accept the request")
	case endpoint.Down:
		return plan.Say("The language model does not answer")
	case endpoint.TimedOut:
		return plan.Say("The language model took too long to answer")
	case endpoint.Malformed:
		return plan.Say("The language model's answer could not be read")
	}
	return plan.Say("The language model gave no answer that I could use")
}
