package convert

import (
	"regexp"
	"strings"

	"atelier/adapters"
)

// Digits are Slack's short names of the digits from 1.
var Digits = [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// reactions are the emoji, by Slack's short name, of the other reactions that mean something to the bot.
var reactions = map[string]string{
	"pushpin": "📌", "game_die": "🎲", "mag": "🔍", "compression": "🗜",
	"repeat": "🔁", "arrows_counterclockwise": "🔄", "wastebasket": "🗑", "octagonal_sign": "🛑", "stop_sign": "🛑",
	"x": "❌", "stop_button": "⏹", "black_square_for_stop": "⏹",
}

// emojis are the emoji of the most common short names in texts (https://github.com/iamcal/emoji-data).
var emojis = map[string]string{
	"+1": "👍", "thumbsup": "👍", "-1": "👎", "thumbsdown": "👎", "ok_hand": "👌", "clap": "👏", "raised_hands": "🙌", "pray": "🙏", "wave": "👋",
	"muscle": "💪", "fire": "🔥", "rocket": "🚀", "tada": "🎉", "sparkles": "✨", "star": "⭐", "eyes": "👀", "heart": "❤️", "art": "🎨",
	"grinning": "😀", "smiley": "😃", "smile": "😄", "grin": "😁", "laughing": "😆", "sweat_smile": "😅", "joy": "😂", "rolling_on_the_floor_laughing": "🤣",
	"slightly_smiling_face": "🙂", "wink": "😉", "blush": "😊", "heart_eyes": "😍", "star-struck": "🤩", "sunglasses": "😎", "partying_face": "🥳",
	"thinking_face": "🤔", "hugging_face": "🤗", "cry": "😢", "sob": "😭", "see_no_evil": "🙈", "skull": "💀", "robot_face": "🤖",
	"dog": "🐶", "cat": "🐱", "fox_face": "🦊", "sunny": "☀️", "coffee": "☕", "white_check_mark": "✅", "warning": "⚠️", "question": "❓", "exclamation": "❗",
}

// Emoji returns the emoji for the short name of a reaction, such as "two" or "x::skin-tone-2"; "" if it means
// nothing to the bot.
func Emoji(name string) string {
	name, _, _ = strings.Cut(strings.Trim(name, ":"), "::")
	for i, digit := range Digits {
		if name == digit {
			return adapters.Digit(i + 1)
		}
	}
	return reactions[name]
}

var shortName = regexp.MustCompile(`:([a-z0-9_+-]+):(:skin-tone-[2-6]:)?`)

// readEmoji replaces the short names that Slack sends for emoji. Others, such as a workspace's own, stay.
func readEmoji(text string) string {
	return shortName.ReplaceAllStringFunc(text, func(s string) string {
		name, _, _ := strings.Cut(s[1:], ":")
		if emoji := emojis[name]; emoji != "" {
			return emoji
		}
		return s
	})
}

// Statuses are the short names of the emoji that the bot puts on a request.
var Statuses = map[adapters.Status]string{
	adapters.Seen: "eyes", adapters.Asking: "question", adapters.Done: "white_check_mark", adapters.Failed: "warning",
	adapters.Cancelled: "no_entry_sign", adapters.Refused: "no_entry",
}

// IsStatus reports whether a short name is one of Statuses.
func IsStatus(name string) bool {
	for _, status := range Statuses {
		if name == status {
			return true
		}
	}
	return false
}
