package convert

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
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
	fileInput    = "files"
	maxTyped     = 4000 // characters of a request by a command or a form
	maxAbout     = 300  // characters of the message that a form is about
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
	// Installations and Contexts say where a command can be used. Discord's default is servers that have installed
	// the bot, and its direct channel.
	Installations []int `json:"integration_types,omitempty"`
	Contexts      []int `json:"contexts,omitempty"`
}

// everywhere makes a command usable in servers, in the bot's direct channel and in other private channels, whether
// a server or a person has installed the bot.
func everywhere(c Command) Command {
	c.Installations, c.Contexts = []int{0, 1}, []int{0, 1, 2}
	return c
}

// InServers returns the commands for a bot that only servers can install.
func InServers(all []Command) []Command {
	all = slices.Clone(all)
	for i := range all {
		all[i].Installations, all[i].Contexts = nil, nil
	}
	return all
}

// chinese is the locale of Discord that commands are translated to.
const chinese = "zh-CN"

// Commands returns the commands of the bot.
func Commands(p adapters.Phrases) []Command {
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
	ask := []Command{text(RequestOption, "What you want", false)}
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
			sub(adapters.AskCommand, "Ask for something", ask...),
			sub(adapters.StatusCommand, "Your requests in progress here", about),
			sub(adapters.CancelCommand, "Stop your latest request"),
			sub(adapters.ToolsCommand, "What Atelier can do", about),
			sub(adapters.HelpCommand, "How to use Atelier", about),
		},
	}), everywhere(Command{Type: int(discordgo.MessageApplicationCommand), Name: menuName})}
}

// SameCommands reports whether two sets of commands are equal, ignoring their order.
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

// normalized returns the commands with nil for empty values.
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

// The types of components ("Component Reference" in Discord's documentation).
const (
	actionRow   = 1
	textInput   = 4
	textDisplay = 10
	fieldLabel  = 18
	fileUpload  = 19
)

// Form is a form for people to fill in.
type Form struct {
	ID         string           `json:"custom_id"`
	Title      string           `json:"title"`
	Components []map[string]any `json:"components"`
}

// RequestForm returns the form for a request with files, about a message if about has an id.
func RequestForm(p adapters.Phrases, locale string, about *Message) Form {
	title, question, id := p.Say(locale, "Ask for something"), p.Say(locale, "What you want"), ""
	var f Form
	if about != nil {
		title, question, id = p.Say(locale, "Use with Atelier"), p.Say(locale, "What do you want done with it?"), about.ID
		if files := about.Files(); about.Content != "" || len(files) > 0 {
			shown := Request(shorten(about.Content, maxAbout), files).Text
			f.Components = append(f.Components, map[string]any{"type": textDisplay, "content": shown})
		}
	}
	f.ID, f.Title = FormPrefix+id, label(title, 45)
	typed := map[string]any{"type": textInput, "custom_id": requestInput, "style": 2, "required": true, "max_length": maxTyped}
	files := map[string]any{"type": fileUpload, "custom_id": fileInput, "required": false, "min_values": 0, "max_values": maxFiles}
	f.Components = append(f.Components,
		map[string]any{"type": fieldLabel, "label": label(question, 45), "component": typed},
		map[string]any{"type": fieldLabel, "label": label(p.Say(locale, "A picture, sound, video or other file"), 45), "component": files})
	return f
}

// Old returns the form for servers that do not know labels: its text input alone.
func (f Form) Old() Form {
	old := Form{ID: f.ID, Title: f.Title}
	for _, c := range f.Components {
		if field, ok := c["component"].(map[string]any); ok && field["type"] == textInput {
			field = maps.Clone(field)
			field["label"] = c["label"]
			old.Components = append(old.Components, map[string]any{"type": actionRow, "components": []any{field}})
		}
	}
	return old
}

// Attached returns the files that were uploaded with a form.
func (i *Interaction) Attached() []adapters.File {
	var all []adapters.File
	for _, in := range i.Data.Components {
		if in.Component == nil || in.Component.ID != fileInput {
			continue
		}
		for _, id := range in.Component.Values {
			if a, ok := i.Data.Resolved.Attachments[id]; ok && IsID(id) {
				a.ID = id
				all = append(all, a.File())
			}
		}
	}
	return all
}

// Typed returns the request in the fields of a form.
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
