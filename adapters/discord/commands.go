package discord

import (
	"context"
	"net/http"
	"reflect"
	"slices"
)

// What the commands are called, and the parts of what they ask for.
const (
	commandName = "atelier"
	menuName    = "Use with Atelier"
	optionWish  = "text"
	optionFile  = "file" // file1 to file5
	modalUse    = "use:" // the message's id
	modalWish   = "wish"
	askFiles    = 5
	maxWish     = 4000
)

// The types of commands and options, after "Application Commands" of the documentation.
const (
	typeSlash      = 1
	typeMessage    = 3
	optionSub      = 1
	optionString   = 3
	optionDocument = 11
)

// command is one of Discord's application commands.
type command struct {
	Name         string            `json:"name"`
	Type         int               `json:"type"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations,omitempty"`
	Options      []option          `json:"options,omitempty"`
}

type option struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations,omitempty"`
	Required     bool              `json:"required,omitempty"`
	MaxLength    int               `json:"max_length,omitempty"`
	Options      []option          `json:"options,omitempty"`
}

// chinese is the locale of Discord in which commands are described besides English.
const chinese = "zh-CN"

// commands are those that the bot has.
func (d *Discord) commands() []command {
	in := func(sentence string) map[string]string {
		if d.config.Phrases == nil {
			return nil
		}
		if translated := d.config.Phrases.Say(chinese, sentence); translated != sentence {
			return map[string]string{chinese: translated}
		}
		return nil
	}
	text := func(name, sentence string, required bool) option {
		return option{Type: optionString, Name: name, Description: sentence, Descriptions: in(sentence), Required: required, MaxLength: maxWish}
	}
	sub := func(name, sentence string, options ...option) option {
		return option{Type: optionSub, Name: name, Description: sentence, Descriptions: in(sentence), Options: options}
	}
	ask := []option{text(optionWish, "What you want", true)}
	file := option{Type: optionDocument, Description: "A picture, sound, video or other file", Descriptions: in("A picture, sound, video or other file")}
	for i := range askFiles {
		file.Name = optionFile + itoa(i+1)
		ask = append(ask, file)
	}
	about := text(optionWish, "What it is about", false)
	all := command{Name: commandName, Type: typeSlash, Description: "Pictures, sound, video and more", Descriptions: in("Pictures, sound, video and more")}
	all.Options = []option{
		sub("ask", "Ask for something", ask...),
		sub("status", "What of yours is at work here", about),
		sub("cancel", "Stop what you asked for last"),
		sub("tools", "What Atelier can do", about),
		sub("help", "How to use Atelier", about),
	}
	return []command{all, {Name: menuName, Type: typeMessage}}
}

// register tells Discord the commands, where it has others.
func (d *Discord) register(ctx context.Context, app string) error {
	if !isID(app) {
		return nil
	}
	path, want := "applications/"+app+"/commands", d.commands()
	var have []command
	if err := d.api.get(ctx, path+"?with_localizations=true", &have); err == nil && sameCommands(have, want) {
		return nil
	}
	return d.api.call(ctx, http.MethodPut, path, want, nil)
}

// sameCommands tells whether they are the same, in whatever order.
func sameCommands(a, b []command) bool {
	by := func(all []command) map[string]command {
		m := map[string]command{}
		for _, c := range all {
			if c.Type == 0 {
				c.Type = typeSlash
			}
			c.Options, c.Descriptions = tidied(c.Options), orNil(c.Descriptions)
			m[c.Name] = c
		}
		return m
	}
	return len(a) == len(b) && reflect.DeepEqual(by(a), by(b))
}

// tidied are options in which nothing is nil always.
func tidied(all []option) []option {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Options, all[i].Descriptions = tidied(all[i].Options), orNil(all[i].Descriptions)
	}
	return all
}

func orNil(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}
