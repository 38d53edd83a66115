package slacktest

import (
	"encoding/json"
	"time"
)

// viewState is a view that the bot opened.
type viewState struct {
	View
	hash    string
	private object // as it was sent
}

// trigger opens one view for user, for a while.
type trigger struct {
	user  string
	until time.Time
}

// newTrigger is a new trigger_id.
func (s *Server) newTrigger(user string) string {
	id := s.id("trigger.")
	s.triggers[id] = trigger{user, time.Now().Add(s.o.TriggerFor)}
	return id
}

// interact sends an interaction, once.
func (s *Server) interact(kind, typ, path string, payload object, onAck func(json.RawMessage)) *delivery {
	d := &delivery{
		kind: kind, typ: typ, id: s.id("env-"), path: path, body: encode(payload), done: make(chan struct{}), onAck: onAck,
	}
	s.open++
	if s.revoked != "" {
		s.finish(d)
		return d
	}
	s.queue = append(s.queue, d)
	return d
}

const (
	interactivePath = "/slack/interactive"
	commandPath     = "/slack/commands"
)

// common is what every interaction says.
func (s *Server) common(typ, user, triggerID string) object {
	name := s.users[user].label()
	return object{
		"type": typ, "token": "verification", "api_app_id": appID, "enterprise": nil, "is_enterprise_install": false,
		"team":       object{"id": teamID, "domain": teamDomain},
		"user":       object{"id": user, "username": name, "name": name, "team_id": teamID},
		"trigger_id": triggerID,
	}
}

func (s *Server) press(user, channel, ts, actionID string) *Interaction {
	s.tb.Helper()
	i := &Interaction{s: s}
	s.found(channel, ts, func(c *channelState, m *messageState) {
		action := m.action(actionID)
		if action == nil {
			s.misusef("the message %s of %s has no button %q", ts, channel, actionID)
			action = object{}
		}
		action["action_ts"] = s.ts()
		s.fill(i, c, m, "", user)
		payload := with(s.common("block_actions", user, i.TriggerID), object{
			"container": object{
				"type": "message", "message_ts": m.ts, "channel_id": c.id, "is_ephemeral": false, "thread_ts": m.threadTS,
			},
			"channel": object{"id": c.id, "name": c.name}, "message": s.render(c, m, true), "response_url": i.ResponseURL,
			"state": object{"values": object{}}, "actions": []object{action},
		})
		i.d = s.interact("interactive", "block_actions", interactivePath, payload, nil)
	})
	return i.ready()
}

// fill gives an interaction its trigger and response URL.
func (s *Server) fill(i *Interaction, c *channelState, m *messageState, threadTS, user string) {
	i.TriggerID = s.newTrigger(user)
	i.ResponseURL = s.newResponse(c, m, threadTS, user)
}

// ready gives the interaction its id; one that could not be made is over.
func (i *Interaction) ready() *Interaction {
	if i.d == nil {
		i.d = &delivery{done: make(chan struct{}), over: true}
		close(i.d.done)
	}
	i.ID = i.d.id
	return i
}

// action is the button, or menu, of a message as the interaction names it.
func (m *messageState) action(actionID string) object {
	var blocks []object
	if json.Unmarshal(m.blocks, &blocks) != nil {
		return nil
	}
	var found object
	for _, b := range blocks {
		eachObject(b, func(e object) {
			if e["action_id"] != actionID || found != nil {
				return
			}
			found = object{"action_id": actionID, "block_id": b["block_id"], "type": e["type"]}
			for _, key := range []string{"text", "value", "style"} {
				if v, ok := e[key]; ok {
					found[key] = v
				}
			}
			if options, ok := e["options"].([]any); ok && len(options) > 0 {
				found["selected_option"] = options[0]
			}
		})
	}
	return found
}

func (s *Server) command(user, channel, command, text string) *Interaction {
	s.tb.Helper()
	i := &Interaction{s: s}
	s.changeChannel(channel, func(c *channelState) {
		s.fill(i, c, nil, "", user)
		payload := object{
			"token": "verification", "team_id": teamID, "team_domain": teamDomain, "channel_id": c.id, "channel_name": c.name,
			"user_id": user, "user_name": s.users[user].label(), "command": command, "text": text, "api_app_id": appID,
			"is_enterprise_install": "false", "response_url": i.ResponseURL, "trigger_id": i.TriggerID,
		}
		if !s.scopes["commands"] {
			s.misusef("a command without the scope commands does not exist")
			return
		}
		i.d = s.interact("slash_commands", command, commandPath, payload, func(body json.RawMessage) {
			s.answerCommand(c, user, i.ResponseURL, body)
		})
	})
	return i.ready()
}

// answerCommand shows what came with the acknowledgement of a command.
func (s *Server) answerCommand(c *channelState, user, address string, body json.RawMessage) {
	var answer struct {
		Text         string          `json:"text"`
		Blocks       json.RawMessage `json:"blocks"`
		ResponseType string          `json:"response_type"`
	}
	if json.Unmarshal(body, &answer) != nil && json.Unmarshal(body, &answer.Text) != nil {
		return
	}
	switch {
	case answer.Text == "" && answer.Blocks == nil:
	case answer.ResponseType == "in_channel":
		s.postAs(c, &messageState{user: botUser, botID: botID, text: answer.Text, blocks: answer.Blocks})
	default:
		s.ephemeral = append(s.ephemeral, Ephemeral{
			Channel: c.id, User: user, Text: answer.Text, Blocks: answer.Blocks, ResponseURL: address,
		})
	}
}

func (s *Server) shortcut(user, channel, ts, callbackID string) *Interaction {
	s.tb.Helper()
	i := &Interaction{s: s}
	s.found(channel, ts, func(c *channelState, m *messageState) {
		if !s.scopes["commands"] {
			s.misusef("a shortcut without the scope commands does not exist")
			return
		}
		s.fill(i, c, nil, m.threadTS, user)
		payload := with(s.common("message_action", user, i.TriggerID), object{
			"callback_id": callbackID, "response_url": i.ResponseURL, "message_ts": m.ts, "action_ts": s.ts(),
			"channel": object{"id": c.id, "name": c.name}, "message": s.render(c, m, false),
		})
		i.d = s.interact("interactive", "message_action", interactivePath, payload, nil)
	})
	return i.ready()
}

func (s *Server) viewList() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	views := make([]View, 0, len(s.views))
	for _, v := range s.views {
		views = append(views, v.View)
	}
	return views
}

func (s *Server) submitView(user, viewID string, typed map[string]string) *Interaction {
	s.tb.Helper()
	i := &Interaction{s: s}
	s.change(func() {
		for _, v := range s.views {
			if v.ID != viewID || !v.Open {
				continue
			}
			i.TriggerID = s.newTrigger(user)
			payload := with(s.common("view_submission", user, i.TriggerID), object{
				"view": with(v.object(), object{"state": object{"values": v.values(typed)}}), "response_urls": []object{},
			})
			i.d = s.interact("interactive", "view_submission", interactivePath, payload, v.answered)
			return
		}
		s.misusef("the view %q is not open", viewID)
	})
	return i.ready()
}

// answered closes a view, or keeps it as the acknowledgement says.
func (v *viewState) answered(body json.RawMessage) {
	var answer struct {
		Action string `json:"response_action"`
		View   object `json:"view"`
	}
	if json.Unmarshal(body, &answer) == nil {
		switch answer.Action {
		case "errors":
			return
		case "update":
			v.private, v.JSON = answer.View, encode(answer.View)
			return
		}
	}
	v.Open = false
}

// object is the view as Slack shows it.
func (v *viewState) object() object {
	return with(v.private, object{
		"id": v.ID, "team_id": teamID, "app_id": appID, "bot_id": botID, "hash": v.hash, "root_view_id": v.ID,
		"callback_id": v.CallbackID, "private_metadata": v.PrivateMetadata, "previous_view_id": nil, "external_id": "",
		"state": object{"values": object{}},
	})
}

// values is what user typed, as view_submission says it: by block and action.
func (v *viewState) values(typed map[string]string) object {
	values := object{}
	blocks, _ := v.private["blocks"].([]any) //nolint:errcheck // checked when it was opened
	for _, b := range blocks {
		block, _ := b.(object)                 //nolint:errcheck // checked when it was opened
		input, ok := block["element"].(object) // only input blocks have one
		id, _ := block["block_id"].(string)    //nolint:errcheck // given when it was opened
		if !ok {
			continue
		}
		actionID, _ := input["action_id"].(string) //nolint:errcheck // given when it was opened
		said := object{"type": input["type"]}
		text, given := typed[actionID]
		switch {
		case input["type"] == "plain_text_input" && given:
			said["value"] = text
		case input["type"] == "plain_text_input":
			said["value"] = nil
		case given:
			said["selected_option"] = object{"text": object{"type": "plain_text", "text": text}, "value": text}
		}
		values[id] = object{actionID: said}
	}
	return values
}
