package slacktest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"atelier/adapters/slack/slacktest/blocks"
)

// Interactions are buttons, commands, shortcuts and modals that people use, and the trigger
// ids and response URLs by which the bot answers.
type Interactions struct {
	*shared
	workspace  *Workspace
	deliveries *Deliveries
	triggers   map[string]trigger // each opens one modal
	responses  map[string]*responseURL
	views      []*viewState
	homes      map[string]json.RawMessage // the blocks of the home tabs, by user
}

// Limits of answers. https://docs.slack.dev/interactivity/handling-user-interaction
const (
	triggerFor = 3 * time.Second
	maxUses    = 5 // of a response URL
)

// Interaction is a press, command, shortcut or submission on its way to the bot.
type Interaction struct {
	TriggerID   string // opens one modal
	ResponseURL string // where the bot may answer up to 5 times
	d           *delivery
}

// Wait waits for the acknowledgement and returns what came with it. The error is the
// context's, or ErrNotTaken if nothing came within Options.AckWithin or the HTTP answer was
// not 200.
func (i *Interaction) Wait(ctx context.Context) (json.RawMessage, error) { return i.d.wait(ctx) }

// View is a modal that the bot opened.
type View struct {
	ID, User, CallbackID, PrivateMetadata string
	Open                                  bool
}

type viewState struct {
	View
	sent object // as it was sent
}

// trigger opens one modal for user, for a while.
type trigger struct {
	user  string
	until time.Time
}

// responseURL is where the bot may answer an interaction.
type responseURL struct {
	user string
	used int
}

// Press presses the button with actionID in a message: a block_actions interaction.
func (is *Interactions) Press(user, channel, ts, actionID string) *Interaction {
	is.tb.Helper()
	return is.press(user, channel, ts, actionID, func(button object) object { return button })
}

// PressEphemeral presses the button with actionID in an answer at a response URL: a block_actions interaction.
func (is *Interactions) PressEphemeral(e Ephemeral, channel, actionID string) *Interaction {
	is.tb.Helper()
	i := is.start(e.User)
	action := (&messageState{blocks: e.Blocks}).action(actionID)
	if action == nil {
		is.misusef("the answer %q has no button %q", e.Text, actionID)
		return i
	}
	is.workspace.changeChannel(channel, func(c *channelState) {
		action["action_ts"] = is.ts()
		is.send(i, "interactive", with(is.common("block_actions", e.User, i), object{
			"container": object{"type": "message", "message_ts": is.ts(), "channel_id": c.id, "is_ephemeral": true},
			"channel":   object{"id": c.id, "name": c.name}, "response_url": i.ResponseURL,
			"state": object{"values": object{}}, "actions": []object{action},
		}))
	})
	return i
}

// Rate presses one of the feedback buttons with actionID in a message: a block_actions interaction.
func (is *Interactions) Rate(user, channel, ts, actionID string, good bool) *Interaction {
	is.tb.Helper()
	return is.press(user, channel, ts, actionID, func(buttons object) object {
		name := "negative_button"
		if good {
			name = "positive_button"
		}
		pressed, ok := buttons[name].(object)
		if !ok {
			is.misusef("the message %s of %s has no feedback buttons %q", ts, channel, actionID)
		}
		return object{
			"type": buttons["type"], "action_id": actionID, "block_id": buttons["block_id"], "text": pressed["text"], "value": pressed["value"],
		}
	})
}

// action returns the button of a message as the interaction names it.
func (m *messageState) action(actionID string) object {
	var all []object
	if json.Unmarshal(m.blocks, &all) != nil {
		return nil
	}
	var found object
	for _, b := range all {
		eachObject(b, func(e object) {
			if e["action_id"] == actionID && found == nil {
				found = with(e, object{"block_id": b["block_id"]})
			}
		})
	}
	return found
}

// Command enters a slash command: Command(user, channel, "/atelier", "status").
func (is *Interactions) Command(user, channel, command, text string) *Interaction {
	is.tb.Helper()
	i := is.start(user)
	is.workspace.changeChannel(channel, func(c *channelState) {
		is.send(i, "slash_commands", object{
			"token": "verification", "team_id": teamID, "team_domain": teamDomain, "channel_id": c.id, "channel_name": c.name,
			"user_id": user, "user_name": is.workspace.users[user].name, "command": command, "text": text, "api_app_id": appID,
			"is_enterprise_install": "false", "response_url": i.ResponseURL, "trigger_id": i.TriggerID,
		})
	})
	return i
}

// Shortcut picks a shortcut in the menu of a message: a message_action interaction.
func (is *Interactions) Shortcut(user, channel, ts, callbackID string) *Interaction {
	is.tb.Helper()
	i := is.start(user)
	is.workspace.changeMessage(channel, ts, func(c *channelState, m *messageState) {
		is.send(i, "interactive", with(is.common("message_action", user, i), object{
			"callback_id": callbackID, "response_url": i.ResponseURL, "message_ts": m.ts, "action_ts": is.ts(),
			"channel": object{"id": c.id, "name": c.name}, "message": m.object(c, false),
		}))
	})
	return i
}

// SubmitView submits an open modal (see Views) with what user typed, by action_id: a
// view_submission interaction. The modal closes when it is acknowledged.
func (is *Interactions) SubmitView(user, viewID string, typed map[string]string) *Interaction {
	is.tb.Helper()
	i := is.start(user)
	is.change(func() {
		for _, v := range is.views {
			if v.ID == viewID && v.Open {
				i.d.onAck = func() { v.Open = false }
				is.send(i, "interactive", with(is.common("view_submission", user, i), object{
					"view": with(v.object(), object{"state": object{"values": v.values(typed)}}), "response_urls": []object{},
				}))
				return
			}
		}
		is.misusef("the view %q is not open", viewID)
	})
	return i
}

// Views returns the modals that were opened, the oldest first.
func (is *Interactions) Views() []View {
	is.mu.Lock()
	defer is.mu.Unlock()
	views := make([]View, 0, len(is.views))
	for _, v := range is.views {
		views = append(views, v.View)
	}
	return views
}

// Home returns the blocks of a user's home tab, or nil if it was never published.
func (is *Interactions) Home(user string) json.RawMessage {
	is.mu.Lock()
	defer is.mu.Unlock()
	return is.homes[user]
}

func (is *Interactions) press(user, channel, ts, actionID string, of func(button object) object) *Interaction {
	is.tb.Helper()
	i := is.start(user)
	is.workspace.changeMessage(channel, ts, func(c *channelState, m *messageState) {
		action := m.action(actionID)
		if action == nil {
			is.misusef("the message %s of %s has no button %q", ts, channel, actionID)
			action = object{}
		}
		action = of(action)
		action["action_ts"] = is.ts()
		is.send(i, "interactive", with(is.common("block_actions", user, i), object{
			"container": object{
				"type": "message", "message_ts": m.ts, "channel_id": c.id, "is_ephemeral": false, "thread_ts": m.threadTS,
			},
			"channel": object{"id": c.id, "name": c.name}, "message": m.object(c, true), "response_url": i.ResponseURL,
			"state": object{"values": object{}}, "actions": []object{action},
		}))
	})
	return i
}

// start returns a new interaction, with a trigger id and a response URL. It is called without the
// lock.
func (is *Interactions) start(user string) *Interaction {
	over := make(chan struct{}) // until it is sent
	close(over)
	i := &Interaction{d: &delivery{done: over}}
	is.read(func() {
		i.TriggerID = is.id("trigger.")
		is.triggers[i.TriggerID] = trigger{user, time.Now().Add(triggerFor)}
		response := is.id("RU")
		is.responses[response] = &responseURL{user: user}
		i.ResponseURL = is.address + "/actions/" + response
	})
	return i
}

// send sends an interaction, once.
func (is *Interactions) send(i *Interaction, kind string, payload object) {
	if !is.scopes["commands"] && payload["actions"] == nil {
		is.misusef("there are no commands and shortcuts without the scope commands")
	}
	i.d.kind, i.d.path, i.d.body = kind, "/slack/interactive", encode(payload)
	if kind == "slash_commands" {
		i.d.path = "/slack/commands"
	}
	is.deliveries.add(i.d)
	if is.revoked != "" {
		is.deliveries.finish(i.d, 0)
	}
}

// common returns the fields that all interactions but commands have.
func (is *Interactions) common(typ, user string, i *Interaction) object {
	name := is.workspace.users[user].name
	return object{
		"type": typ, "token": "verification", "api_app_id": appID, "enterprise": nil, "is_enterprise_install": false,
		"team":       object{"id": teamID, "domain": teamDomain},
		"user":       object{"id": user, "username": name, "name": name, "team_id": teamID},
		"trigger_id": i.TriggerID,
	}
}

// openView is views.open.
func (is *Interactions) openView(args url.Values) (object, error) {
	id := args.Get("trigger_id")
	trigger, ok := is.triggers[id]
	switch {
	case !strings.HasPrefix(id, "trigger."):
		return nil, refuse("invalid_trigger_id")
	case !ok:
		return nil, refuse("exchanged_trigger_id")
	case time.Now().After(trigger.until):
		return nil, refuse("expired_trigger_id")
	}
	sent, err := blocks.View(args.Get("view"))
	if err != nil {
		return nil, invalid(err)
	}
	delete(is.triggers, id)
	word := func(key string) string {
		text, _ := sent[key].(string) //nolint:errcheck // another type is no text
		return text
	}
	v := &viewState{sent: sent, View: View{
		ID: is.id("V"), User: trigger.user, CallbackID: word("callback_id"), PrivateMetadata: word("private_metadata"), Open: true,
	}}
	is.views = append(is.views, v)
	return object{"view": v.object()}, nil
}

// publishView is views.publish.
func (is *Interactions) publishView(args url.Values) (object, error) {
	user := args.Get("user_id")
	if is.workspace.users[user] == nil {
		return nil, refuse("user_not_found")
	}
	sent, err := blocks.Home(args.Get("view"))
	if err != nil {
		return nil, invalid(err)
	}
	is.homes[user] = sent
	return object{"view": object{"id": is.id("V"), "type": "home"}}, nil
}

// object returns the modal as Slack shows it.
func (v *viewState) object() object {
	return with(v.sent, object{
		"id": v.ID, "team_id": teamID, "app_id": appID, "bot_id": botID, "hash": "hash" + v.ID, "root_view_id": v.ID,
		"callback_id": v.CallbackID, "private_metadata": v.PrivateMetadata, "previous_view_id": nil, "external_id": "",
		"state": object{"values": object{}},
	})
}

// values returns what user typed, as view_submission says it: by block and action.
func (v *viewState) values(typed map[string]string) object {
	values := object{}
	all, _ := v.sent["blocks"].([]object) //nolint:errcheck // checked when it was opened
	for _, b := range all {
		input, ok := b["element"].(object) // only input blocks have one
		if !ok {
			continue
		}
		id, _ := b["block_id"].(string)            //nolint:errcheck // checked when it was opened
		actionID, _ := input["action_id"].(string) //nolint:errcheck // checked when it was opened
		said := object{"type": input["type"], "value": nil}
		if text, given := typed[actionID]; given {
			said["value"] = text
		}
		values[id] = object{actionID: said}
	}
	return values
}

// serveResponse shows an answer at a response URL to the user of the interaction. It is
// called without the lock.
func (is *Interactions) serveResponse(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Text         string          `json:"text"`
		ResponseType string          `json:"response_type"`
		Blocks       json.RawMessage `json:"blocks"`
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if errors.Join(err, json.Unmarshal(body, &said)) != nil || said.ResponseType == "in_channel" {
		http.Error(w, "invalid_payload", http.StatusBadRequest)
		return
	}
	status, word := http.StatusOK, "ok"
	is.change(func() {
		to := is.responses[r.PathValue("id")]
		switch {
		case to == nil:
			status, word = http.StatusNotFound, "expired_url"
		case to.used >= maxUses:
			status, word = http.StatusNotFound, "used_url"
		default:
			to.used++
			is.workspace.ephemeral = append(is.workspace.ephemeral, Ephemeral{to.user, said.Text, is.address + r.URL.Path, said.Blocks})
		}
	})
	w.WriteHeader(status)
	_, _ = io.WriteString(w, word) //nolint:errcheck // the client has gone
}
