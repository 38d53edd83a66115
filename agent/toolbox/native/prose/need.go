package prose

import (
	"errors"
	"fmt"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Most is the longest text that is worked on, in bytes.
const Most = 4 << 20

// Need is the text of the call, which must not be empty; verb says in the fault
// what it is needed for.
func Need(c toolbox.Call, verb plan.Message) (string, error) {
	text := Clean(c.Text("text"))
	switch {
	case strings.TrimSpace(text) == "":
		return "", &plan.Fault{
			Sentence: plan.Say("There is no text to %s. Please write it in the message or attach it.", verb),
			Err:      errors.New("empty text"),
		}
	case len(text) > Most:
		return "", TooLong(text)
	}
	return text, nil
}

// TooLong is the fault of a text that is longer than maxText.
func TooLong(text string) error {
	return &plan.Fault{
		Sentence: plan.Say("The text is longer than 4 MB. Please give a shorter one."),
		Err:      fmt.Errorf("text of %d bytes", len(text)),
	}
}
