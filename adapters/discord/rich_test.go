package discord

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/discord/discordtest/form"
)

// answer is an answer in a thread, with files of these types.
func (s *scene) answer(in adapters.Thread, types map[string]string, names ...string) adapters.Reply {
	r := adapters.Reply{Thread: in, Text: "Here *they* are.", Mention: s.ana.ID, Answer: true}
	for i, name := range names {
		a := s.put(name, 10+i)
		a.Handle += strconv.Itoa(i)
		s.files[a.Handle] = []byte(name)
		a.Size, a.Alt = int64(len(name)), "it shows "+name
		if kind, ok := types[name]; ok {
			a.Type = kind
		}
		r.Files = append(r.Files, a)
	}
	return r
}

func kinds(all []form.Component) (kinds []int) {
	for _, c := range all {
		kinds = append(kinds, c.Type)
	}
	return kinds
}

// An answer with pictures is one message: the text, a gallery, the other files, and the buttons.
func TestGallery(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	e := s.next()
	r := s.answer(e.Thread, map[string]string{"plan.pdf": "application/pdf", "film.mp4": "video/mp4"}, "cat.png", "cat.png", "猫 1.png", "film.mp4", "plan.pdf")
	r.Choices = []adapters.Choice{{ID: "c-1", Text: "smaller"}, {ID: "c-2", Text: "larger"}}
	ref := s.send("a", r)
	m, _ := s.s.World.Message(ref.Channel, ref.ID)
	if len(ref.Parts) != 0 || len(m.Components) != 1 || m.Components[0].Type != form.Container || m.Flags&(1<<15) == 0 {
		t.Fatalf("it is %+v", m)
	}
	inner := m.Components[0].Components
	if want := []int{form.TextDisplay, form.Gallery, form.File, form.Separator, form.TextDisplay, form.ActionRow}; !slices.Equal(kinds(inner), want) {
		t.Fatalf("it is made of %v", kinds(inner))
	}
	if inner[0].Content != "<@"+s.ana.ID+"> Here *they* are." || inner[4].Content != "Alternatives, with a reaction or button:" || !slices.Equal(m.Notified, []string{s.ana.ID}) {
		t.Errorf("it says %q and %q to %v", inner[0].Content, inner[4].Content, m.Notified)
	}
	if len(inner[1].Items) != 4 || inner[1].Items[3].Description != "it shows film.mp4" || inner[2].Name != "plan.pdf" || len(m.Buttons) != 4 {
		t.Errorf("it shows %+v and %+v, with %d buttons", inner[1].Items, inner[2], len(m.Buttons))
	}
	var names []string
	for _, a := range m.Attachments {
		names = append(names, a.Name)
		if !strings.HasPrefix(a.Description, "it shows ") {
			t.Errorf("%s is described as %q", a.Name, a.Description)
		}
	}
	if want := []string{"cat.png", "cat.png", "猫 1.png", "film.mp4", "plan.pdf"}; !slices.Equal(names, want) {
		t.Errorf("the files are called %q", names)
	}
}

// Ten files with all choices stay within Discord's limits, and more files are sent in further messages.
func TestFullGallery(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	e := s.next()
	names, types := []string{"a.png"}, map[string]string{}
	for n := range 10 {
		names = append(names, strconv.Itoa(n)+".pdf")
		types[names[n+1]] = "application/pdf"
	}
	full := s.answer(e.Thread, types, names[:10]...)
	full.Text = strings.Repeat("语", 1000)
	for n := range adapters.MaxChoices {
		full.Choices = append(full.Choices, adapters.Choice{ID: "c" + strconv.Itoa(n), Text: strings.Repeat("x", 60)})
	}
	ref := s.send("a", full)
	if m, _ := s.s.World.Message(ref.Channel, ref.ID); len(m.Components) != 1 || len(m.Attachments) != 10 || len(m.Buttons) != adapters.MaxChoices+2 || len(ref.Parts) != 0 {
		t.Errorf("it is %+v", m)
	}
	more := s.answer(e.Thread, nil, slices.Repeat([]string{"a.png"}, 12)...)
	ref = s.send("b", more)
	if len(ref.Parts) != 1 {
		t.Fatalf("it is %d messages", 1+len(ref.Parts))
	}
	first, _ := s.s.World.Message(ref.Channel, ref.Parts[0])
	if last, _ := s.s.World.Message(ref.Channel, ref.ID); len(first.Attachments) != 10 || len(last.Attachments) != 2 || len(last.Buttons) != 2 {
		t.Errorf("they are %+v and %+v", first, last)
	}
}

// A message of components is read like any other: when it is replied to, in a thread, and by a link.
func TestGalleryIsRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	e := s.next()
	ref := s.send("a", s.answer(e.Thread, map[string]string{"plan.pdf": "application/pdf"}, "cat.png", "plan.pdf"))
	s.s.People.Say(discordtest.Post{Channel: ref.Channel, By: s.ana, Content: "and now?", ReplyTo: ref.ID})
	e = s.next()
	if e.Message == nil || e.Message.ReplyTo == nil {
		t.Fatalf("received %+v", e.Message)
	}
	before, err := s.d.Before(t.Context(), e.Thread, e.Message.Ref, "", 10)
	if err != nil || len(before) == 0 {
		t.Fatalf("before it there is %v, %v", before, err)
	}
	link, err := url.Parse("https://discord.com/channels/" + s.guild + "/" + ref.Channel + "/" + ref.ID)
	if err != nil {
		t.Fatal(err)
	}
	linked, _, err := s.d.Linked(t.Context(), e.Thread, link)
	if err != nil {
		t.Fatal(err)
	}
	for how, got := range map[string]adapters.Earlier{"a reply": *e.Message.ReplyTo, "the thread": before[len(before)-1], "a link": linked} {
		if len(got.Files) != 2 || got.Files[0].Alt != "it shows cat.png" || got.Files[1].Name != "plan.pdf" || fetched(s, got.Files[1]) != "plan.pdf" {
			t.Errorf("by %s the files are %+v", how, got.Files)
		}
		if !got.Own || !strings.HasSuffix(got.Text, "Here *they* are.") {
			t.Errorf("by %s it says %q", how, got.Text)
		}
	}
}

// If components are rejected, the answer is sent once, as a text with attachments and buttons.
func TestComponentsRefused(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*scene){
		"malformed": func(s *scene) {
			s.s.Faults.RefuseForm(1, "components", "UNION_TYPE_CHOICES", discordtest.PostMessage)
		},
		"bad request":   func(s *scene) { s.s.Faults.FailNext(1, 400, discordtest.PostMessage) },
		"forbidden":     func(s *scene) { s.s.Faults.FailNext(1, 403, discordtest.PostMessage) },
		"empty message": func(s *scene) { s.s.Faults.RefuseNext(1, 400, 50006, discordtest.PostMessage) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			thread := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}
			refuse(s)
			r := s.answer(thread, nil, "cat.png", "猫 1.png")
			ref := s.send("a", r)
			if again := s.send("a", r); again.ID != ref.ID || len(s.own()) != 1 {
				t.Fatalf("there are %d messages", len(s.own()))
			}
			m := s.own()[0]
			if m.Flags&(1<<15) != 0 || m.Content != "<@"+s.ana.ID+"> Here *they* are." || len(m.Attachments) != 2 || m.Attachments[1].Name != "猫 1.png" || len(m.Buttons) != 2 {
				t.Errorf("it is %+v", m)
			}
		})
	}
}

// An answer whose confirmation was lost is not posted twice.
func TestGalleryOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	r := s.answer(adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}, nil, "cat.png")
	s.s.Faults.LoseAnswers(1)
	if _, err := s.d.Send(t.Context(), "a", r); err == nil {
		t.Fatal("nothing is lost")
	}
	s.send("a", r)
	if n := len(s.own()); n != 1 {
		t.Errorf("there are %d messages", n)
	}
}

// Sounds have a player and texts a preview only as attachments; other replies than answers are unchanged.
func TestNoGallery(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	thread := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}
	types := map[string]string{"a.ogg": "audio/ogg", "a.txt": "text/plain", "a.pdf": "application/pdf"}
	said := s.answer(thread, types, "a.png")
	said.Answer = false
	for key, r := range map[string]adapters.Reply{
		"sound": s.answer(thread, types, "a.png", "a.ogg"), "text": s.answer(thread, types, "a.png", "a.txt"),
		"document": s.answer(thread, types, "a.pdf"), "none": s.answer(thread, types), "said": said,
	} {
		ref := s.send(key, r)
		if m, _ := s.s.World.Message(ref.Channel, ref.ID); m.Flags&(1<<15) != 0 || m.Content == "" {
			t.Errorf("%s: it is %+v", key, m)
		}
	}
}
