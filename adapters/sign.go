package adapters

import (
	"slices"
	"strconv"
	"strings"
)

// Sign is what a reaction means.
type Sign string

// The signs. That work shall end is a [Cancel] and no sign.
const (
	Choose Sign = "choose" // 1️⃣ to 9️⃣: that alternative
	Again  Sign = "again"  // 🔁: once more, from the beginning
	Remove Sign = "remove" // 🗑️: the answer is to be deleted
	// Good and Bad are what somebody thinks of an answer, by a button: a reaction with a thumb may mean
	// anything. The later one counts.
	Good Sign = "good"
	Bad  Sign = "bad"

	Use     Sign = "use"     // 📌: the person's next message works on the files of the answer
	Vary    Sign = "vary"    // 🎲: they are made several times, by other seeds
	Larger  Sign = "larger"  // 🔍: they are to have more pixels
	Smaller Sign = "smaller" // 🗜️: they are to have fewer bytes

	Try Sign = "try" // one of [Reply.Examples] is asked, by a button
)

// Button is how a sign looks as a button, with a label that say translates; "" for a sign that has none.
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
	case Choose, Try, Good, Bad: // the first two have texts of their own, and votes are asked for in the way of each platform
	}
	return "", ""
}

// deleteButton is the id of the button of [Remove], and tryButton how that of an example begins, whose key follows.
const (
	deleteButton = "delete"
	tryButton    = "try:"
)

// ButtonID is the id that a sign's button has.
func (s Sign) ButtonID() string {
	if s == Remove {
		return deleteButton
	}
	return string(s)
}

// ButtonID is the id that an example's button has.
func (x Example) ButtonID() string { return tryButton + x.Key }

// Pressed is the press of the button of a sign or an example below a message, by the id of the button. It is nil for
// other buttons.
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

// Acts are the signs below a reply as buttons, in their order.
func (r Reply) Acts() []Sign {
	if !r.Answer {
		return r.GoOn
	}
	return append(slices.Clone(r.GoOn), Again, Remove)
}

// Reacted completes an event, of which all but Kind and what happened is set, by a
// reaction that was added to a message or removed from it. The emoji is in Unicode, a skin
// tone or variation selector more or less. It is not ok where the emoji means nothing to
// the bot, and for a stop that is taken back.
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

// Digit is the emoji to choose the nth by, from 1 to [MaxChoices].
func Digit(n int) string { return strconv.Itoa(n) + "\ufe0f\u20e3" }
