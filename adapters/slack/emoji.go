package slack

import (
	"strings"

	"atelier/adapters"
)

// digits are Slack's short names of the numbers, from 1.
var digits = [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// emojis are the signs behind Slack's other short names, as far as they mean something.
var emojis = map[string]string{
	"repeat": "🔁", "arrows_counterclockwise": "🔄", "wastebasket": "🗑", "octagonal_sign": "🛑", "stop_sign": "🛑",
	"x": "❌", "stop_button": "⏹", "black_square_for_stop": "⏹",
}

// emoji is the sign behind a short name, such as "two" or "x::skin-tone-2"; "" if it means
// nothing to the bot.
func emoji(name string) string {
	name, _, _ = strings.Cut(strings.Trim(name, ":"), "::")
	for i, digit := range digits {
		if name == digit {
			return adapters.Digit(i + 1)
		}
	}
	return emojis[name]
}

// statuses are the short names of what the bot puts on a request.
var statuses = map[adapters.Status]string{
	adapters.Seen: "eyes", adapters.Asking: "question", adapters.Done: "white_check_mark", adapters.Failed: "warning",
	adapters.Cancelled: "no_entry_sign",
}
