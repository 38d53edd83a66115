package discordtest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// interactionCalls register commands and answer interactions.
type interactionCalls struct {
	*changes
	interactions *Interactions
}

const (
	mayTake    = 3 * time.Second  // to acknowledge
	tokenLasts = 15 * time.Minute // of an interaction
)

// The types of callbacks.
const (
	answerMessage  = 4
	answerLater    = 5
	changeLater    = 6
	answerWithForm = 9
)

// modalBody is a form as the bot asks for it.
type modalBody struct {
	CustomID   string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []component `json:"components"`
}

func (b modalBody) modal() (*Modal, *refusal) {
	if no := orElse(length("custom_id", b.CustomID, 1, 100), length("title", b.Title, 1, 45)); no != nil {
		return nil, no
	}
	if len(b.Components) < 1 || len(b.Components) > 5 {
		return nil, badForm("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	m := &Modal{CustomID: b.CustomID, Title: b.Title}
	for _, row := range b.Components {
		if row.Type != actionRow || len(row.Components) != 1 || row.Components[0].Type != textInput {
			return nil, badForm("components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (4,).")
		}
		c := row.Components[0]
		if no := orElse(length("custom_id", c.CustomID, 1, 100), length("label", c.Label, 1, 45)); no != nil {
			return nil, no
		}
		if c.Style != 1 && c.Style != 2 {
			return nil, badForm("style", "BASE_TYPE_CHOICES", "Value must be one of (1, 2).")
		}
		m.Inputs = append(m.Inputs, Input{
			CustomID: c.CustomID, Label: c.Label, Required: c.Required == nil || *c.Required, Paragraph: c.Style == 2,
			Min: c.MinLength, Max: or(c.MaxLength, 4000),
		})
	}
	return m, nil
}

// commandBody is what a command is registered by.
type commandBody struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Type        int      `json:"type"`
	Options     []Option `json:"options"`
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

// postCallback acknowledges an interaction.
func (ic *interactionCalls) postCallback(r *request) (int, any, *refusal) {
	i := ic.interactions.all[r.PathValue("token")]
	switch {
	case i == nil || i.ID != r.PathValue("interaction"):
		return 0, nil, unknownInteraction
	case i.kind != 0:
		return 0, nil, acknowledged
	case ic.now().Sub(i.created) > mayTake:
		return 0, nil, unknownInteraction
	}
	var head struct {
		Type int `json:"type"`
	}
	if no := r.decode(&head); no != nil {
		return 0, nil, no
	}
	if no := ic.respond(i, head.Type, r); no != nil {
		return 0, nil, no
	}
	i.kind = head.Type
	close(i.done)
	told := object{"interaction": object{"id": i.ID, "type": i.asked}, "resource": object{"type": i.kind}}
	if i.response != nil {
		told["resource"] = object{"type": i.kind, "message": ic.messageJSON(i.response, true)}
	}
	return http.StatusOK, told, nil
}

func (ic *interactionCalls) respond(i *Interaction, kind int, r *request) *refusal {
	var said struct {
		Data messageBody `json:"data"`
	}
	var form struct {
		Data modalBody `json:"data"`
	}
	ofComponent := i.source != nil
	switch {
	case kind == answerMessage, kind == answerLater:
		if no := r.decode(&said); no != nil {
			return no
		}
		m, no := ic.fromHook(i, &said.Data, r.files, kind == answerLater)
		i.response = m
		return no
	case kind == changeLater && ofComponent:
		i.response = i.source
		return nil
	case kind == answerWithForm && i.asked != askedByModal:
		if no := r.decode(&form); no != nil {
			return no
		}
		modal, no := form.Data.modal()
		i.modal = modal
		return no
	}
	return badForm("type", "BASE_TYPE_CHOICES", "Value must be one of (4, 5, 6, 7, 9, 10, 12).")
}

// fromHook writes a message for an interaction, of which nothing is known yet where it is to
// come later.
func (ic *interactionCalls) fromHook(i *Interaction, b *messageBody, files map[string]File, later bool) (*entry, *refusal) {
	m := &entry{channel: i.channel, author: ic.bot, webhook: true, interaction: i}
	switch {
	case i.asked == askedByCommand && i.menu:
		m.kind = kindMenu
	case i.asked == askedByCommand:
		m.kind = kindSlash
	}
	if later {
		m.flags = flagLoading
		if b.Flags != nil {
			m.flags |= *b.Flags & flagEphemeral
		}
	} else if no := ic.fill(m, b, files); no != nil {
		return nil, no
	}
	ic.add(m)
	return m, nil
}

// hook is the interaction of a call by its token.
func (ic *interactionCalls) hook(r *request) (*Interaction, *refusal) {
	i := ic.interactions.all[r.PathValue("token")]
	switch {
	case r.PathValue("application") != ic.app:
		return nil, unknownWebhook
	case i == nil || ic.now().Sub(i.created) > tokenLasts:
		return nil, badWebhookToken
	case i.kind == 0:
		return nil, unknownWebhook
	}
	return i, nil
}

// hooked is the message of an interaction that a call is for.
func (ic *interactionCalls) hooked(r *request) (*entry, *refusal) {
	i, no := ic.hook(r)
	if no != nil {
		return nil, no
	}
	id := r.PathValue("message")
	for _, m := range append([]*entry{i.response}, i.followups...) {
		if m != nil && (m.id == id || id == "@original" && m == i.response) {
			return m, nil
		}
	}
	return nil, unknownMessage
}

func (ic *interactionCalls) postFollowUp(r *request) (int, any, *refusal) {
	i, no := ic.hook(r)
	if no != nil {
		return 0, nil, no
	}
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	m, no := ic.fromHook(i, &b, r.files, false)
	if no != nil {
		return 0, nil, no
	}
	i.followups = append(i.followups, m)
	return http.StatusOK, ic.messageJSON(m, true), nil
}

func (ic *interactionCalls) getResponse(r *request) (int, any, *refusal) {
	m, no := ic.hooked(r)
	if no != nil {
		return 0, nil, no
	}
	return http.StatusOK, ic.messageJSON(m, true), nil
}

func (ic *interactionCalls) patchResponse(r *request) (int, any, *refusal) {
	m, no := ic.hooked(r)
	if no != nil {
		return 0, nil, no
	}
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	if no := ic.change(m, &b, r.files); no != nil {
		return 0, nil, no
	}
	return http.StatusOK, ic.messageJSON(m, true), nil
}

func (ic *interactionCalls) getCommands(r *request) (int, any, *refusal) {
	if r.PathValue("application") != ic.app {
		return 0, nil, missingAccess
	}
	listed := []object{}
	for _, c := range ic.interactions.commands {
		listed = append(listed, c.raw)
	}
	return http.StatusOK, listed, nil
}

func (ic *interactionCalls) putCommands(r *request) (int, any, *refusal) {
	if r.PathValue("application") != ic.app {
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
		c := registered{Command{ID: ic.id(), Name: b.Name, Description: b.Description, Type: b.Type, Options: b.Options}, raws[i]}
		c.raw["id"], c.raw["application_id"], c.raw["version"], c.raw["type"] = c.ID, ic.app, c.ID, b.Type
		fresh, listed = append(fresh, c), append(listed, c.raw)
	}
	ic.interactions.commands = fresh
	return http.StatusOK, listed, nil
}
