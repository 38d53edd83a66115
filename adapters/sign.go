package adapters

import (
	"slices"
	"strconv"
	"strings"
)

// Sign is the meaning of a reaction.
type Sign string

// The signs. Asking to stop the work is a [Cancel], not a sign.
const (
	Choose Sign = "choose" // 1️⃣ to 9️⃣: that alternative
	Again  Sign = "again"  // 🔁: run the request again
	Remove Sign = "remove" // 🗑️: delete the answer
	// Good and Bad are votes on an answer, cast with buttons: a thumb reaction may mean anything. The last vote
	// counts.
	Good Sign = "good"
	Bad  Sign = "bad"

	Use     Sign = "use"     // 📌: the person's next message works on the answer's files
	Vary    Sign = "vary"    // 🎲: make them several times, with other seeds
	Larger  Sign = "larger"  // 🔍: give them more pixels
	Smaller Sign = "smaller" // 🗜️: give them fewer bytes

	Try Sign = "try" // run one of [Reply.Examples], by a button
)

// Button returns the emoji and the label, translated by say, of the sign's button; "" if the sign has none.
func (s Sign) Button(say func(label string) string) (emoji, label string) {
	switch s {
	case Use:
		return "📌", say("Use this")
	case Vary:
		return "🎲", say("Vary")
	case Larger:
		return "🔍", say("Larger")
	case Smaller:
		return "🗜️", say("Smaller file")
	case Again:
		return "🔁", say("Again")
	case Remove:
		return "🗑️", say("Delete")
	case Choose, Try, Good, Bad: // the first two have texts of their own, and each platform asks for votes in its own way
	}
	return "", ""
}

// deleteButton is the id of the button of [Remove]. tryButton is the prefix of an example's button id; its key follows.
const (
	deleteButton = "delete"
	tryButton    = "try:"
)

// ButtonID returns the id of the sign's button.
func (s Sign) ButtonID() string {
	if s == Remove {
		return deleteButton
	}
	return string(s)
}

// ButtonID returns the id of the example's button.
func (x Example) ButtonID() string { return tryButton + x.Key }

// Pressed returns the reaction for a press of a sign's or an example's button below a message, given the button's
// id. It returns nil for other buttons.
func Pressed(on MessageRef, button string) *Reaction {
	if key, ok := strings.CutPrefix(button, tryButton); ok {
		return &Reaction{On: on, Sign: Try, Choice: key}
	}
	sign := Sign(button)
	if button == deleteButton {
		sign = Remove
	}
	if emoji, _ := sign.Button(func(label string) string { return label }); emoji == "" {
		return nil
	}
	return &Reaction{On: on, Sign: sign}
}

// Acts returns the signs shown as buttons below a reply, in order.
func (r Reply) Acts() []Sign {
	acts := slices.Clone(r.GoOn)
	if r.Answer && !r.Talk {
		acts = append(acts, Again)
	}
	if r.Answer {
		acts = append(acts, Remove)
	}
	return acts
}

// Reacted completes an event for a reaction that was added to a message or removed from it; the caller sets the
// fields other than Kind, Reaction and Cancel. The emoji is Unicode; skin tones and variation selectors are
// ignored. It returns false if the emoji has no meaning to the bot, and for a stop sign that is removed.
func Reacted(e Event, on MessageRef, emoji string, added bool) (_ Event, ok bool) {
	emoji = strings.Map(func(r rune) rune {
		if r == '\ufe0e' || r == '\ufe0f' || r >= 0x1f3fb && r <= 0x1f3ff {
			return -1
		}
		return r
	}, emoji)
	e.Kind = ReactionRemoved
	if added {
		e.Kind = ReactionAdded
	}
	r := Reaction{On: on}
	switch emoji {
	case "🔁", "🔄":
		r.Sign = Again
	case "🗑":
		r.Sign = Remove
	case "📌":
		r.Sign = Use
	case "🎲":
		r.Sign = Vary
	case "🔍":
		r.Sign = Larger
	case "🗜":
		r.Sign = Smaller
	case "🛑", "❌", "⏹":
		e.Kind, e.Cancel = CancelAsked, &Cancel{On: on}
		return e, added
	default:
		n, isKeycap := strings.CutSuffix(emoji, "\u20e3")
		if !isKeycap || len(n) != 1 || n[0] < '1' || n[0] > '9' {
			return e, false
		}
		r.Sign, r.Number = Choose, int(n[0]-'0')
	}
	e.Reaction = &r
	return e, true
}

// Digit returns the keycap emoji for the nth choice, from 1 to [MaxChoices].
func Digit(n int) string { return strconv.Itoa(n) + "\ufe0f\u20e3" }
