package discordtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters/discord/discordtest"
)

// commands registers the commands that the tests use.
func commands(t *testing.T, s *discordtest.Server, l *library) {
	t.Helper()
	_, err := l.ApplicationCommandBulkOverwrite(s.ApplicationID(), "", []*discordgo.ApplicationCommand{
		{Name: "paint", Description: "Paint", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "ask", Description: "Ask", Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionString, Name: "wish", Description: "What", Required: true},
				{Type: discordgo.ApplicationCommandOptionAttachment, Name: "file", Description: "On what"},
				{Type: discordgo.ApplicationCommandOptionInteger, Name: "times", Description: "How often"},
			}},
		}},
		{Name: "Use it", Type: discordgo.MessageApplicationCommand},
	})
	if err != nil {
		t.Fatal(err)
	}
	if all := s.Interactions.Commands(); len(all) != 2 || all[0].Options[0].Options[0].Name != "wish" || all[1].Type != 3 {
		t.Errorf("registered %+v", all)
	}
}

func (l *library) interaction(t *testing.T) *discordgo.Interaction {
	t.Helper()
	i, ok := l.next(t, "INTERACTION_CREATE").Struct.(*discordgo.InteractionCreate)
	if !ok {
		t.Fatal("not an interaction")
	}
	return i.Interaction
}

func (l *library) respond(t *testing.T, i *discordgo.Interaction, kind discordgo.InteractionResponseType, d *discordgo.InteractionResponseData) {
	t.Helper()
	if err := l.InteractionRespond(i, &discordgo.InteractionResponse{Type: kind, Data: d}); err != nil {
		t.Fatal(err)
	}
}

func TestSlash(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	commands(t, s.Server, l)
	s.World.Admin(s.guild, s.ana)
	given := s.Interactions.Slash(discordtest.SlashCommand{
		By: s.ana, Channel: s.channel, Name: "paint", Sub: "ask", Options: map[string]string{"wish": "a cat", "times": "3"},
		Files: map[string]discordtest.File{"file": {Name: "a.txt", Type: "text/plain", Content: []byte("a")}},
	})
	i := l.interaction(t)
	data := i.ApplicationCommandData()
	sub := data.Options[0]
	file := data.Resolved.Attachments[fmt.Sprint(sub.GetOption("file").Value)]
	if sub.Name != "ask" || sub.GetOption("wish").StringValue() != "a cat" || sub.GetOption("times").IntValue() != 3 || file.Filename != "a.txt" {
		t.Errorf("received %+v", data)
	}
	if i.Member.Permissions&discordgo.PermissionManageMessages == 0 || i.Member.User.ID != s.ana.ID {
		t.Errorf("by %+v", i.Member)
	}
	if got := fetch(t, file.URL); got.text != "a" {
		t.Errorf("the file contains %q", got.text)
	}
	l.respond(t, i, discordgo.InteractionResponseDeferredChannelMessageWithSource, nil)
	<-given.Acknowledged()
	if m, ok := given.Response(); !ok || !m.Thinking {
		t.Errorf("shown %+v", m)
	}
	text := "here it is"
	if _, err := l.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "more", Flags: discordgo.MessageFlagsEphemeral}); err != nil {
		t.Fatal(err)
	}
	m, _ := given.Response()
	more := given.Followups()
	if m.Thinking || m.Content != text || len(more) != 1 || !more[0].Ephemeral {
		t.Errorf("shown %+v and %+v", m, more)
	}
	if all := s.World.Messages(s.channel); len(all) != 1 || all[0].ID != m.ID {
		t.Errorf("the channel has %+v", all)
	}
	s.Advance(16 * time.Minute)
	if _, err := l.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text}); refusal(t, err) != 50027 {
		t.Errorf("the token does not expire: %v", err)
	}
}

// refusal returns the error code of a rejection.
func refusal(t *testing.T, err error) int {
	t.Helper()
	rest, ok := err.(*discordgo.RESTError) //nolint:errorlint // it is not wrapped
	if !ok || rest.Message == nil {
		t.Fatalf("want a refusal, got %v", err)
	}
	return rest.Message.Code
}

func TestAcknowledgement(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	commands(t, s.Server, l)
	m := s.say("a wish")
	later := &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	s.Interactions.Menu(s.ana, s.channel, m.ID, "Use it")
	i := l.interaction(t)
	if target := i.ApplicationCommandData().Resolved.Messages[m.ID]; target == nil || target.Content != "a wish" {
		t.Errorf("received %+v", target)
	}
	text := "too early"
	if _, err := l.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text}); refusal(t, err) != 10015 {
		t.Errorf("written before it was acknowledged: %v", err)
	}
	if err := l.InteractionRespond(i, later); err != nil {
		t.Error(err)
	}
	if err := l.InteractionRespond(i, later); refusal(t, err) != 40060 {
		t.Errorf("acknowledged twice: %v", err)
	}
	given := s.Interactions.Menu(s.ana, s.channel, m.ID, "Use it")
	i = l.interaction(t)
	s.Advance(4 * time.Second)
	if err := l.InteractionRespond(i, later); refusal(t, err) != 10062 {
		t.Errorf("acknowledged too late: %v", err)
	}
	select {
	case <-given.Acknowledged():
		t.Error("a late acknowledgement counts")
	default:
	}
}

func TestFormAndButtons(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	sent, err := l.ChannelMessageSendComplex(s.channel, &discordgo.MessageSend{Content: "choose", Components: []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.Button{Label: "One", CustomID: "one", Style: discordgo.PrimaryButton},
			discordgo.Button{Label: "Gone", CustomID: "gone", Style: discordgo.PrimaryButton, Disabled: true},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	pressed := s.Interactions.Press(s.ana, s.channel, sent.ID, "one")
	i := l.interaction(t)
	if i.MessageComponentData().CustomID != "one" || i.Message.ID != sent.ID {
		t.Errorf("received %+v", i)
	}
	l.respond(t, i, discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{
		CustomID: "form", Title: "What?", Components: []discordgo.MessageComponent{
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.TextInput{CustomID: "wish", Label: "Wish", Style: discordgo.TextInputParagraph, MaxLength: 20},
			}},
		},
	})
	<-pressed.Acknowledged()
	submitted := s.Interactions.Submit(pressed, map[string]string{"wish": "a dog"})
	i = l.interaction(t)
	data := i.ModalSubmitData()
	if row, ok := data.Components[0].(*discordgo.ActionsRow); !ok || data.CustomID != "form" {
		t.Errorf("received %+v", data)
	} else if input, ok := row.Components[0].(*discordgo.TextInput); !ok || input.Value != "a dog" {
		t.Errorf("received %+v", row)
	}
	l.respond(t, i, discordgo.InteractionResponseDeferredMessageUpdate, nil)
	chosen := "chosen"
	if _, err := l.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &chosen, Components: &[]discordgo.MessageComponent{}}); err != nil {
		t.Fatal(err)
	}
	<-submitted.Acknowledged()
	if m, _ := s.World.Message(s.channel, sent.ID); m.Content != "chosen" || len(m.Buttons) != 0 {
		t.Errorf("it is now %+v", m)
	}
}

// complaints is a test that counts its errors.
type complaints struct {
	testing.TB
	told []string
}

func (c *complaints) Errorf(format string, _ ...any) { c.told = append(c.told, format) }

// TestMissing checks that a test fails if it asks for something that does not exist.
func TestMissing(t *testing.T) {
	t.Parallel()
	c := &complaints{TB: t}
	s := discordtest.New(c, discordtest.Options{})
	ana := s.World.User("Ana")
	channel := s.World.Channel(s.World.Guild("Studio"), "pictures")
	m := s.People.Say(discordtest.Post{Channel: channel, By: ana, Content: "x"})
	s.People.Say(discordtest.Post{Channel: "1", By: ana})
	s.People.React(ana, channel, "1", "👍", true)
	s.Interactions.Press(ana, channel, m.ID, "none")
	s.Interactions.Slash(discordtest.SlashCommand{By: ana, Channel: channel, Name: "none"})
	s.Interactions.Menu(ana, channel, m.ID, "none")
	s.People.Archive(channel, true)
	s.World.Role("1", "x", 0)
	if len(c.told) != 7 {
		t.Errorf("reported %q", c.told)
	}
}

// TestCommandsRefused checks which commands the platform rejects.
func TestCommandsRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	long := strings.Repeat("x", 101)
	required := []body{{"type": 3, "name": "a", "description": "a"}, {"type": 3, "name": "b", "description": "b", "required": true}}
	for name, command := range map[string]body{
		"upper case":       {"name": "Ask", "description": "x"},
		"space":            {"name": "a b", "description": "x"},
		"no description":   {"name": "ask"},
		"long description": {"name": "ask", "description": long},
		"described menu":   {"name": "Use it", "type": 3, "description": "x"},
		"long menu":        {"name": long, "type": 3},
		"required last":    {"name": "ask", "description": "x", "options": required},
	} {
		got := c.call(http.MethodPut, "/applications/"+s.ApplicationID()+"/commands", []body{command})
		if got.status != http.StatusBadRequest || got.code() != 50035 {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
	if all := s.Interactions.Commands(); len(all) > 0 {
		t.Errorf("registered %+v", all)
	}
}

// TestVoiceAndForward checks how voice messages and forwarded messages are sent to the bot.
func TestVoiceAndForward(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	w := dial(t, s.Server)
	w.identify(s.Token(), least|discordgo.IntentMessageContent)
	w.ready()
	sound := discordtest.File{Name: "voice-message.ogg", Type: "audio/ogg", Content: []byte("OggS")}
	voice := s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Files: []discordtest.File{sound}, Voice: true})
	s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Forward: voice.ID})
	type attached struct {
		Duration float64 `json:"duration_secs"`
		Type     string  `json:"content_type"`
	}
	var m struct {
		Flags       int        `json:"flags"`
		Attachments []attached `json:"attachments"`
		Reference   struct {
			Type int `json:"type"`
		} `json:"message_reference"`
		Snapshots []struct {
			Message struct {
				Attachments []attached `json:"attachments"`
			} `json:"message"`
		} `json:"message_snapshots"`
	}
	for range 2 {
		f := w.read()
		for f.Kind != "MESSAGE_CREATE" {
			f = w.read()
		}
		if err := json.Unmarshal(f.Data, &m); err != nil {
			t.Fatal(err)
		}
		if m.Reference.Type == 0 && (m.Flags != 1<<13 || m.Attachments[0].Duration != 1 || m.Attachments[0].Type != "audio/ogg") {
			t.Errorf("received %+v", m)
		}
	}
	if m.Reference.Type != 1 || len(m.Attachments) != 0 || m.Snapshots[0].Message.Attachments[0].Duration != 1 {
		t.Errorf("received %+v", m)
	}
}
