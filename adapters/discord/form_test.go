package discord

import (
	"slices"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/discord/discordtest/form"
)

// parts are the component types of an opened form, and those of its fields.
func parts(i *discordtest.Interaction) (kinds, fields []int) {
	opened := i.Form()
	if opened == nil {
		return nil, nil
	}
	for _, c := range opened.Components {
		kinds = append(kinds, c.Type)
		if f := c.Field(); f != nil {
			fields = append(fields, f.Type)
		}
	}
	return kinds, fields
}

// A command without a request opens a form for one, with files.
func TestAskByForm(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen().registered()
	i := s.s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "atelier", Sub: "ask"})
	<-i.Acknowledged()
	kinds, fields := parts(i)
	if !slices.Equal(kinds, []int{form.Label, form.Label}) {
		t.Fatalf("the parts are %v", kinds)
	}
	if !slices.Equal(fields, []int{form.TextInput, form.FileUpload}) {
		t.Fatalf("the fields are %v", fields)
	}
	submitted := s.s.Interactions.Submit(i, map[string]string{"wish": "make <@" + s.ana.ID + "> blue"},
		discordtest.File{Name: "a.png", Type: "image/png", Content: []byte("PNG")}, discordtest.File{Name: "b.ogg", Type: "audio/ogg", Content: []byte("OggS")})
	e := s.next()
	if e.Message == nil || e.Message.Text != "make @Ana blue" || len(e.Message.Files) != 2 || fetched(s, e.Message.Files[0]) != "PNG" || e.Message.ReplyTo != nil {
		t.Fatalf("received %+v", e.Message)
	}
	if shown, _ := submitted.Response(); shown.ID != e.Thread.ID {
		t.Errorf("it is shown as %+v, in %+v", shown, e.Thread)
	}
}

// The form about a message shows it, and takes files too.
func TestFormAboutAMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen().registered()
	photo := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "look *here*", Files: []discordtest.File{{Name: "a.png", Content: []byte("PNG")}}})
	i := s.s.Interactions.Menu(s.ana, s.channel, photo.ID, "Use with Atelier")
	<-i.Acknowledged()
	kinds, _ := parts(i)
	if !slices.Equal(kinds, []int{form.TextDisplay, form.Label, form.Label}) {
		t.Fatalf("the parts are %v", kinds)
	}
	if shown := i.Form().Components[0].Content; shown != "> look \\*here\\*\n> 📎 a.png" {
		t.Errorf("the message is shown as %q", shown)
	}
	s.s.Interactions.Submit(i, map[string]string{"wish": "both, side by side"}, discordtest.File{Name: "b.png", Content: []byte("PNG2")})
	e := s.next()
	if e.Message == nil || len(e.Message.Files) != 1 || fetched(s, e.Message.Files[0]) != "PNG2" || e.Message.ReplyTo == nil || fetched(s, e.Message.ReplyTo.Files[0]) != "PNG" {
		t.Fatalf("received %+v", e.Message)
	}
}

// A server that rejects labels gets the older form, once, and the request succeeds.
func TestOlderForm(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*scene){
		"unknown components": func(s *scene) {
			s.s.Faults.RefuseForm(1, "components", "UNION_TYPE_CHOICES", discordtest.Callback)
		},
		"forbidden":   func(s *scene) { s.s.Faults.FailNext(1, 403, discordtest.Callback) },
		"bad request": func(s *scene) { s.s.Faults.FailNext(1, 400, discordtest.Callback) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen().registered()
			refuse(s)
			i := s.s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "atelier", Sub: "ask"})
			<-i.Acknowledged()
			kinds, fields := parts(i)
			if !slices.Equal(kinds, []int{form.ActionRow}) {
				t.Fatalf("the parts are %v", kinds)
			}
			if !slices.Equal(fields, []int{form.TextInput}) {
				t.Fatalf("the fields are %v", fields)
			}
			s.s.Interactions.Submit(i, map[string]string{"wish": "a cat"})
			if e := s.next(); e.Kind != adapters.MessageSent || e.Message.Text != "a cat" {
				t.Errorf("received %+v", e)
			}
		})
	}
}
