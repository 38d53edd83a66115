package prose

import (
	"errors"
	"fmt"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Most is the maximum length of a text, in bytes.
const Most = 4 << 20

// Need returns the text of the call, which must not be empty. verb says what it is needed for, in the fault.
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

// TooLong returns the fault for a text longer than Most.
func TooLong(text string) error {
	return &plan.Fault{
		Sentence: plan.Say("The text is longer than 4 MB. Please give a shorter one."),
		Err:      fmt.Errorf("text of %d bytes", len(text)),
	}
}
