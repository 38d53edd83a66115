package convert

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

const (
	// CommandName is the slash command.
	CommandName = "atelier"
	// RequestOption is its option with the request.
	RequestOption = "text"
	// FormPrefix begins the id of a form; the id of the message that it is about follows.
	FormPrefix   = "use:"
	menuName     = "Use with Atelier" // the entry in the menu of a message
	requestInput = "wish"             // the field of the form
	maxTyped     = 4000               // characters of a request by a command or a form
	askFiles     = 5
)

// Command is an application command of Discord.
type Command struct {
	Name         string                           `json:"name"`
	Type         discordgo.ApplicationCommandType `json:"type"`
	Description  string                           `json:"description"`
	Descriptions map[string]string                `json:"description_localizations,omitempty"`
	Options      []Option                         `json:"options,omitempty"`
}

// Option is an option of a command, or a subcommand.
type Option struct {
	Type         discordgo.ApplicationCommandOptionType `json:"type"`
	Name         string                                 `json:"name"`
	Description  string                                 `json:"description"`
	Descriptions map[string]string                      `json:"description_localizations,omitempty"`
	Required     bool                                   `json:"required,omitempty"`
	MaxLength    int                                    `json:"max_length,omitempty"`
	Options      []Option                               `json:"options,omitempty"`
}

// chinese is the locale of Discord that commands are translated to.
const chinese = "zh-CN"

// Commands are the commands of the bot.
func Commands(p Phrases) []Command {
	translate := p.Say
	in := func(sentence string) map[string]string {
		if translated := translate(chinese, sentence); translated != sentence {
			return map[string]string{chinese: translated}
		}
		return nil
	}
	text := func(name, sentence string, required bool) Option {
		return Option{
			Type: discordgo.ApplicationCommandOptionString, Name: name, Description: sentence, Descriptions: in(sentence),
			Required: required, MaxLength: maxTyped,
		}
	}
	sub := func(name, sentence string, options ...Option) Option {
		return Option{Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: sentence, Descriptions: in(sentence), Options: options}
	}
	ask := []Option{text(RequestOption, "What you want", true)}
	for i := range askFiles {
		ask = append(ask, Option{
			Type: discordgo.ApplicationCommandOptionAttachment, Name: "file" + strconv.Itoa(i+1),
			Description: "A picture, sound, video or other file", Descriptions: in("A picture, sound, video or other file"),
		})
	}
	about := text(RequestOption, "What it is about", false)
	return []Command{{
		Name: CommandName, Type: discordgo.ChatApplicationCommand,
		Description: "Pictures, sound, video and more", Descriptions: in("Pictures, sound, video and more"),
		Options: []Option{
			sub("ask", "Ask for something", ask...),
			sub("status", "What of yours is at work here", about),
			sub("cancel", "Stop what you asked for last"),
			sub("tools", "What Atelier can do", about),
			sub("help", "How to use Atelier", about),
		},
	}, {Name: menuName, Type: discordgo.MessageApplicationCommand}}
}

// SameCommands reports whether commands are the same, in whatever order.
func SameCommands(a, b []Command) bool {
	byName := func(all []Command) map[string]Command {
		m := map[string]Command{}
		for _, c := range all {
			c.Type = cmp.Or(c.Type, discordgo.ChatApplicationCommand)
			c.Options, c.Descriptions = normalized(c.Options), orNil(c.Descriptions)
			m[c.Name] = c
		}
		return m
	}
	return len(a) == len(b) && reflect.DeepEqual(byName(a), byName(b))
}

// normalized are options with nil for what is empty.
func normalized(all []Option) []Option {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Options, all[i].Descriptions = normalized(all[i].Options), orNil(all[i].Descriptions)
	}
	return all
}

func orNil(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

// Form asks what to do with a message.
func Form(p Phrases, locale, message string) any {
	field := map[string]any{
		"type": 4, "custom_id": requestInput, "style": 2, "required": true, "max_length": maxTyped,
		"label": label(p.Say(locale, "What do you want with it?"), 45),
	}
	return map[string]any{
		"custom_id": FormPrefix + message, "title": label(p.Say(locale, "Use with Atelier"), 45),
		"components": []any{map[string]any{"type": 1, "components": []any{field}}},
	}
}

// Typed is the request in the fields of a form.
func Typed(all []Input) string {
	for _, in := range all {
		if in.ID == requestInput {
			return in.Value
		}
		inner := in.Components
		if in.Component != nil {
			inner = append(inner, *in.Component)
		}
		if v := Typed(inner); v != "" {
			return v
		}
	}
	return ""
}
