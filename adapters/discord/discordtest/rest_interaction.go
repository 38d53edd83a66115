package discordtest

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"atelier/adapters/discord/discordtest/form"
)

// interactionCalls register commands and answer interactions.
type interactionCalls struct {
	*changes
	interactions *Interactions
}

const (
	mayTake    = 3 * time.Second  // to acknowledge
	tokenLasts = 15 * time.Minute // of an interaction
	// mostFollowUps is how many messages follow the first answer where the bot is no member.
	mostFollowUps = 5
)

// The types of callbacks.
const (
	answerMessage  = 4
	answerLater    = 5
	changeLater    = 6
	answerWithForm = 9
)

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
	var asked struct {
		Data form.Modal `json:"data"`
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
		if no := r.decode(&asked); no != nil {
			return no
		}
		i.modal = &asked.Data
		return invalid(asked.Data.Check())
	}
	return badForm("type", "BASE_TYPE_CHOICES", "Value must be one of (4, 5, 6, 7, 9, 10, 12).")
}

// fromHook posts a message for an interaction, without content if that comes later.
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

// hook returns the interaction of a call by its token.
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

// hooked returns the message of an interaction that a call names.
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
	if i.channel.foreign() && len(i.followups) >= mostFollowUps {
		return 0, nil, tooManyFollowUps
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

func (ic *interactionCalls) deleteResponse(r *request) (int, any, *refusal) {
	m, no := ic.hooked(r)
	if no != nil {
		return 0, nil, no
	}
	ic.drop(m)
	return http.StatusNoContent, nil, nil
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
	var bodies []form.Command
	var raws []object
	if no := r.decode(&bodies); no != nil {
		return 0, nil, no
	}
	if no := r.decode(&raws); no != nil {
		return 0, nil, no
	}
	fresh, listed := []registered{}, []object{}
	for i, b := range bodies {
		b.Type = or(b.Type, form.SlashCommand)
		if no := invalid(b.Check(strconv.Itoa(i))); no != nil {
			return 0, nil, no
		}
		if ic.options.ServersOnly && slices.Contains(b.Installations, 1) {
			return 0, nil, badForm(strconv.Itoa(i), "APPLICATION_COMMAND_INTEGRATION_TYPE_NOT_SUPPORTED", "The application is not configured for it.")
		}
		if slices.ContainsFunc(fresh, func(c registered) bool { return c.Type == b.Type && c.Name == b.Name }) {
			return 0, nil, badForm(strconv.Itoa(i), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		c := registered{Command{ic.id(), b}, raws[i]}
		c.raw["id"], c.raw["application_id"], c.raw["version"], c.raw["type"] = c.ID, ic.app, c.ID, b.Type
		fresh, listed = append(fresh, c), append(listed, c.raw)
	}
	ic.interactions.commands = fresh
	return http.StatusOK, listed, nil
}
