package discordtest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The types of application commands and of their options.
// https://discord.com/developers/docs/interactions/application-commands
const (
	slashCommand = 1
	menuCommand  = 3

	optionSub        = 1
	optionInteger    = 4
	optionAttachment = 11
)

// Command is an application command as the bot has registered it.
type Command struct {
	ID, Name    string
	Description string
	Type        int // 1 slash, 2 user, 3 message
	Options     []Option
}

// Option is an option of a command, or a subcommand.
type Option struct {
	Type        int      `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Required    bool     `json:"required,omitempty"`
	Options     []Option `json:"options,omitempty"`
}

// registered is a command with what is told of it again.
type registered struct {
	Command
	raw object
}

// Commands are what the bot has registered.
func (s *Server) Commands() (all []Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.commands {
		all = append(all, c.Command)
	}
	return all
}

// command is one that people can use.
func (s *Server) command(kind int, name string) *Command {
	for i, known := range s.commands {
		if known.Type == kind && known.Name == name {
			return &s.commands[i].Command
		}
	}
	return nil
}

func (s *Server) getCommands(r *request) (int, any, *refusal) {
	if r.PathValue("application") != s.app {
		return 0, nil, missingAccess
	}
	listed := []object{}
	for _, c := range s.commands {
		listed = append(listed, c.raw)
	}
	return http.StatusOK, listed, nil
}

// commandBody is what a command is registered by.
type commandBody struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Type        int      `json:"type"`
	Options     []Option `json:"options"`
}

func (s *Server) putCommands(r *request) (int, any, *refusal) {
	if r.PathValue("application") != s.app {
		return 0, nil, missingAccess
	}
	var bodies []commandBody
	var raws []object
	if no := orElse(r.decode(&bodies), r.decode(&raws)); no != nil {
		return 0, nil, no
	}
	fresh, listed := []registered{}, []object{}
	for i, b := range bodies {
		b.Type = or(b.Type, slashCommand)
		if no := b.check(i); no != nil {
			return 0, nil, no
		}
		if slices.ContainsFunc(fresh, func(c registered) bool { return c.Type == b.Type && c.Name == b.Name }) {
			return 0, nil, badForm(strconv.Itoa(i), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		c := registered{Command{ID: s.id(), Name: b.Name, Description: b.Description, Type: b.Type, Options: b.Options}, raws[i]}
		c.raw["id"], c.raw["application_id"], c.raw["version"], c.raw["type"] = c.ID, s.app, c.ID, b.Type
		fresh, listed = append(fresh, c), append(listed, c.raw)
	}
	s.commands = fresh
	return http.StatusOK, listed, nil
}

var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

func named(field, name string) *refusal {
	if !commandName.MatchString(name) || name != strings.ToLower(name) {
		return badForm(field, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
	return nil
}

func (b commandBody) check(i int) *refusal {
	field := strconv.Itoa(i)
	if b.Type == slashCommand {
		return orElse(named(field, b.Name), length(field, b.Description, 1, 100), checkOptions(field, b.Options))
	}
	if b.Description != "" || len(b.Options) > 0 {
		return badForm(field, "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION", "Context menu commands cannot have a description or options")
	}
	return length(field, b.Name, 1, 32)
}

func checkOptions(field string, options []Option) *refusal {
	if len(options) > 25 {
		return badForm(field, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	optional := false
	for _, o := range options {
		if o.Required && optional {
			return badForm(field, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !o.Required
		if no := orElse(named(field, o.Name), length(field, o.Description, 1, 100), checkOptions(field, o.Options)); no != nil {
			return no
		}
	}
	return nil
}

// optionsJSON is what somebody chose, and what is wrong with it, or "".
func (s *Server) optionsJSON(known []Option, typed SlashCommand, files map[string]*attachment) ([]object, string) {
	given := []object{}
	for _, o := range known {
		text, has := typed.Options[o.Name]
		a := files[o.Name]
		value := object{"name": o.Name, "type": o.Type}
		switch {
		case o.Type == optionSub && o.Name == typed.Sub:
			inner, wrong := s.optionsJSON(o.Options, typed, files)
			value["options"] = inner
			return []object{value}, wrong
		case o.Type == optionSub:
			continue
		case o.Type == optionAttachment && a != nil:
			value["value"] = a.id
		case has:
			value["value"] = typedValue(o.Type, text)
			if value["value"] == nil {
				return nil, "the option " + o.Name + " is of another type"
			}
		case o.Required:
			return nil, "the option " + o.Name + " is missing"
		default:
			continue
		}
		given = append(given, value)
	}
	if typed.Sub != "" && slices.ContainsFunc(known, func(o Option) bool { return o.Type == optionSub }) {
		return nil, "there is no subcommand " + typed.Sub
	}
	if len(given) != len(typed.Options)+len(typed.Files) {
		return nil, "it does not take all of the options"
	}
	return given, ""
}

func typedValue(kind int, text string) any {
	if kind != optionInteger {
		return text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return n
}
