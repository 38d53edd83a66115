package discordtest_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters/discord/discordtest"
)

// rich is the body of a message of components.
func rich(parts ...body) body { return body{"flags": 1 << 15, "components": parts} }

func textPart(text string) body { return body{"type": 10, "content": text} }

func picture(name string) body {
	return body{"type": 12, "items": []body{{"media": body{"url": "attachment://" + name}}}}
}

// TestRich checks which messages of components are rejected, and how the others are reported.
func TestRich(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	path := "/channels/" + s.channel + "/messages"
	button := body{"type": 2, "style": 1, "label": "x", "custom_id": "x"}
	for name, b := range map[string]body{
		"content too":    {"flags": 1 << 15, "content": "x", "components": []body{textPart("x")}},
		"nothing":        {"flags": 1 << 15},
		"no text":        rich(textPart("")),
		"long text":      rich(textPart(strings.Repeat("x", 4001))),
		"long texts":     rich(textPart(strings.Repeat("x", 2001)), textPart(strings.Repeat("y", 2001))),
		"many":           rich(slices.Repeat([]body{textPart("x")}, 41)...),
		"many in one":    rich(body{"type": 17, "components": slices.Repeat([]body{textPart("x")}, 40)}),
		"loose button":   rich(button),
		"nested":         rich(body{"type": 17, "components": []body{{"type": 17, "components": []body{textPart("x")}}}}),
		"unknown part":   rich(body{"type": 99}),
		"unknown file":   rich(picture("none.png")),
		"file of none":   rich(body{"type": 13}),
		"empty gallery":  rich(body{"type": 12}),
		"same buttons":   rich(body{"type": 1, "components": []body{button, button}}),
		"without a flag": {"components": []body{textPart("x")}},
	} {
		if got := c.call(http.MethodPost, path, b); got.status != http.StatusBadRequest || got.code() != 50035 {
			t.Errorf("%s: answered %d with %s", name, got.status, got.text)
		}
	}
	if n := len(s.World.Messages(s.channel)); n != 0 {
		t.Fatalf("%d messages are posted", n)
	}
	whole := rich(body{"type": 17, "components": []body{textPart("Here."), picture("a.png"), {"type": 1, "components": []body{button}}}})
	whole["attachments"] = []body{{"id": 0, "filename": "a.png", "title": "猫"}, {"id": 1, "filename": "hidden.png"}}
	sent := c.upload(path, whole, []byte("one"), []byte("two"))
	m, _ := s.World.Message(s.channel, sent.id())
	if m.Content != "Here." || len(m.Attachments) != 1 || m.Attachments[0].Name != "猫.png" || len(m.Buttons) != 1 {
		t.Errorf("people see %+v", m)
	}
	told := c.call(http.MethodGet, path+"/"+m.ID, nil).text
	if !strings.Contains(told, `"content":""`) || !strings.Contains(told, `"attachment_id":"`+m.Attachments[0].ID) || strings.Contains(told, `"filename":"a.png"`) {
		t.Errorf("the bot receives %s", told)
	}
	plain := c.call(http.MethodPost, path, body{"content": "x"}).id()
	edit := rich(textPart("edited"))
	if got := c.call(http.MethodPatch, path+"/"+plain, edit); got.status != http.StatusBadRequest {
		t.Errorf("an edit that keeps the content is answered %d", got.status)
	}
	edit["content"] = ""
	if got := c.call(http.MethodPatch, path+"/"+plain, edit); got.status != http.StatusOK {
		t.Errorf("an edit that clears the content is answered %d with %s", got.status, got.text)
	}
}

// TestForms checks which forms are rejected.
func TestForms(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	w := dial(t, s.Server)
	w.identify(s.Token(), least|discordgo.IntentMessageContent)
	w.ready()
	c := calls(t, s.Server)
	command := body{"name": "ask", "description": "x", "integration_types": []int{0}}
	if got := c.call(http.MethodPut, "/applications/"+s.ApplicationID()+"/commands", []body{command}); got.status != http.StatusOK {
		t.Fatalf("the command is answered %d", got.status)
	}
	i := s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "ask"})
	input := body{"type": 4, "custom_id": "a", "style": 1}
	upload := func(more body) body {
		field := body{"type": 19, "custom_id": "files"}
		maps.Copy(field, more)
		return body{"type": 18, "label": "Files", "component": field}
	}
	form := func(parts ...body) body {
		return body{"type": 9, "data": body{"custom_id": "f", "title": "Ask", "components": parts}}
	}
	for name, b := range map[string]body{
		"no parts":     form(),
		"six parts":    form(slices.Repeat([]body{textPart("x")}, 6)...),
		"no label":     form(body{"type": 18, "component": input}),
		"long label":   form(body{"type": 18, "label": strings.Repeat("x", 46), "component": input}),
		"no field":     form(body{"type": 18, "label": "x"}),
		"loose field":  form(input),
		"a button":     form(body{"type": 18, "label": "x", "component": body{"type": 2, "custom_id": "a"}}),
		"file in row":  form(body{"type": 1, "components": []body{{"type": 19, "custom_id": "a"}}}),
		"eleven files": form(upload(body{"max_values": 11})),
		"none needed":  form(upload(body{"min_values": 0})),
		"empty text":   form(textPart("")),
	} {
		if got := c.call(http.MethodPost, "/interactions/"+i.ID+"/"+i.Token+"/callback", b); got.status != http.StatusBadRequest || got.code() != 50035 {
			t.Errorf("%s: answered %d with %s", name, got.status, got.text)
		}
	}
	if got := c.call(http.MethodPost, "/interactions/"+i.ID+"/"+i.Token+"/callback", form(textPart("x"), upload(body{"min_values": 0, "required": false}))); got.status != http.StatusOK {
		t.Errorf("a valid form is answered %d with %s", got.status, got.text)
	}
}
