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

// Command is an application command of Discord, or an option of one.
type Command struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations,omitempty"`
	Required     bool              `json:"required,omitempty"`
	MaxLength    int               `json:"max_length,omitempty"`
	Options      []Command         `json:"options,omitempty"`
	// Installations and Contexts are where a command can be used. Discord's default is servers that
	// have installed the bot, and its direct channel.
	Installations []int `json:"integration_types,omitempty"`
	Contexts      []int `json:"contexts,omitempty"`
}

// everywhere makes a command one that can be used in servers, in the bot's direct channel and in other
// private channels, whether a server or a person has installed the bot.
func everywhere(c Command) Command {
	c.Installations, c.Contexts = []int{0, 1}, []int{0, 1, 2}
	return c
}

// InServers are the commands as they are for a bot that only servers can install.
func InServers(all []Command) []Command {
	all = slices.Clone(all)
	for i := range all {
		all[i].Installations, all[i].Contexts = nil, nil
	}
	return all
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
	text := func(name, sentence string, required bool) Command {
		kind := int(discordgo.ApplicationCommandOptionString)
		return Command{Type: kind, Name: name, Description: sentence, Descriptions: in(sentence), Required: required, MaxLength: maxTyped}
	}
	sub := func(name, sentence string, options ...Command) Command {
		kind := int(discordgo.ApplicationCommandOptionSubCommand)
		return Command{Type: kind, Name: name, Description: sentence, Descriptions: in(sentence), Options: options}
	}
	ask := []Command{text(RequestOption, "What you want", true)}
	for i := range askFiles {
		ask = append(ask, Command{
			Type: int(discordgo.ApplicationCommandOptionAttachment), Name: "file" + strconv.Itoa(i+1),
			Description: "A picture, sound, video or other file", Descriptions: in("A picture, sound, video or other file"),
		})
	}
	about := text(RequestOption, "What it is about", false)
	return []Command{everywhere(Command{
		Type: int(discordgo.ChatApplicationCommand), Name: CommandName,
		Description: "Pictures, sound, video and more", Descriptions: in("Pictures, sound, video and more"),
		Options: []Command{
			sub("ask", "Ask for something", ask...),
			sub("status", "Your requests in progress here", about),
			sub("cancel", "Stop your latest request"),
			sub("tools", "What Atelier can do", about),
			sub("help", "How to use Atelier", about),
		},
	}), everywhere(Command{Type: int(discordgo.MessageApplicationCommand), Name: menuName})}
}

// SameCommands reports whether commands are the same, in whatever order.
func SameCommands(a, b []Command) bool {
	sorted := func(all []Command) []Command {
		all = normalized(all)
		for i := range all {
			all[i].Type = cmp.Or(all[i].Type, int(discordgo.ChatApplicationCommand))
		}
		slices.SortFunc(all, func(a, b Command) int { return cmp.Compare(a.Name, b.Name) })
		return all
	}
	return reflect.DeepEqual(sorted(a), sorted(b))
}

// normalized are commands with nil for what is empty.
func normalized(all []Command) []Command {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Options = normalized(all[i].Options)
		all[i].Installations, all[i].Contexts = slices.Sorted(slices.Values(all[i].Installations)), slices.Sorted(slices.Values(all[i].Contexts))
		if len(all[i].Descriptions) == 0 {
			all[i].Descriptions = nil
		}
	}
	return all
}

// Form asks what to do with a message.
func Form(p Phrases, locale, message string) any {
	field := map[string]any{
		"type": 4, "custom_id": requestInput, "style": 2, "required": true, "max_length": maxTyped,
		"label": label(p.Say(locale, "What do you want done with it?"), 45),
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
