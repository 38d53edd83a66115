package discordtest

import (
	"net/http"
	"time"
)

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

// postCallback acknowledges an interaction.
func (s *Server) postCallback(r *request) (int, any, *refusal) {
	i := s.interactions[r.PathValue("token")]
	switch {
	case i == nil || i.ID != r.PathValue("interaction"):
		return 0, nil, unknownInteraction
	case i.kind != 0:
		return 0, nil, acknowledged
	case s.now().Sub(i.created) > mayTake:
		return 0, nil, unknownInteraction
	}
	var head struct {
		Type int `json:"type"`
	}
	if no := r.decode(&head); no != nil {
		return 0, nil, no
	}
	if no := s.respond(i, head.Type, r); no != nil {
		return 0, nil, no
	}
	i.kind = head.Type
	close(i.done)
	told := object{"interaction": object{"id": i.ID, "type": i.asked}, "resource": object{"type": i.kind}}
	if i.response != nil {
		told["resource"] = object{"type": i.kind, "message": s.messageJSON(i.response, true)}
	}
	return http.StatusOK, told, nil
}

func (s *Server) respond(i *Interaction, kind int, r *request) *refusal {
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
		m, no := s.fromHook(i, &said.Data, r.files, kind == answerLater)
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
func (s *Server) fromHook(i *Interaction, b *messageBody, files map[string]File, later bool) (*entry, *refusal) {
	m := &entry{channel: i.channel, author: s.bot, webhook: true, interaction: i}
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
	} else if no := s.fill(m, b, files); no != nil {
		return nil, no
	}
	s.add(m)
	return m, nil
}

// hook is the interaction of a call by its token.
func (s *Server) hook(r *request) (*Interaction, *refusal) {
	i := s.interactions[r.PathValue("token")]
	switch {
	case r.PathValue("application") != s.app:
		return nil, unknownWebhook
	case i == nil || s.now().Sub(i.created) > tokenLasts:
		return nil, badWebhookToken
	case i.kind == 0:
		return nil, unknownWebhook
	}
	return i, nil
}

// hooked is the message of an interaction that a call is for.
func (s *Server) hooked(r *request) (*entry, *refusal) {
	i, no := s.hook(r)
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

func (s *Server) postFollowUp(r *request) (int, any, *refusal) {
	i, no := s.hook(r)
	if no != nil {
		return 0, nil, no
	}
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	m, no := s.fromHook(i, &b, r.files, false)
	if no != nil {
		return 0, nil, no
	}
	i.followups = append(i.followups, m)
	return http.StatusOK, s.messageJSON(m, true), nil
}

func (s *Server) getResponse(r *request) (int, any, *refusal) {
	m, no := s.hooked(r)
	if no != nil {
		return 0, nil, no
	}
	return http.StatusOK, s.messageJSON(m, true), nil
}

func (s *Server) patchResponse(r *request) (int, any, *refusal) {
	m, no := s.hooked(r)
	if no != nil {
		return 0, nil, no
	}
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	if no := s.change(m, &b, r.files); no != nil {
		return 0, nil, no
	}
	return http.StatusOK, s.messageJSON(m, true), nil
}
