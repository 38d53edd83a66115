package discord

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/connect"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/outbox"
)

// platform is a local Discord as people use it.
type platform struct {
	s       *discordtest.Server
	guild   string
	state   *outbox.Memory
	users   map[string]discordtest.User
	first   discordtest.User // to whom private threads belong
	threads map[string]adapters.Thread
	bots    []*Discord
	n       int // of channels
	// sessions are those of the gateway that were there when it was connected last.
	sessions int
}

func newPlatform(t *testing.T) adapterstest.Platform {
	t.Helper()
	s := discordtest.New(t, discordtest.Options{})
	return &platform{s: s, guild: s.World.Guild("workshop"), state: &outbox.Memory{}, users: map[string]discordtest.User{}, threads: map[string]adapters.Thread{}}
}

// hasty returns an adapter with short pauses for tests.
func hasty(t *testing.T, c Config) *Discord {
	t.Helper()
	d, err := wire(c, api.Backoff{First: 2 * time.Millisecond, Longest: 50 * time.Millisecond},
		connect.Pauses{Identify: time.Millisecond, Invalid: time.Millisecond, Answer: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (p *platform) Adapter(t *testing.T, open adapters.Opener) adapters.Adapter {
	t.Helper()
	d := hasty(t, Config{Token: p.s.Token(), APIURL: p.s.URL(), State: p.state, Open: open, Log: testLog(t)})
	p.bots = append(p.bots, d)
	return d
}

// testLog writes to the test's own output.
func testLog(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

func (p *platform) Connected(t *testing.T) {
	t.Helper()
	if err := p.s.Await(t.Context(), func() bool { // an earlier one may not have ended yet
		n := p.s.Gateway.Identifies() + p.s.Gateway.Resumes()
		if n <= p.sessions || p.s.Gateway.Connections() != 1 {
			return false
		}
		p.sessions = n
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.s.Gateway.AwaitConnected(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (p *platform) Person(_ *testing.T, name string) adapters.Person {
	u := p.s.World.User(name)
	if p.first.ID == "" {
		p.first = u
	}
	return p.person(u)
}

func (p *platform) Thread(t *testing.T, private bool) adapters.Thread {
	t.Helper()
	if private {
		thread := adapters.Thread{Adapter: Name, Channel: p.s.World.DM(p.first), Direct: true}
		p.threads[thread.Channel] = thread
		return thread
	}
	thread := p.Channel(t)
	begin := p.s.People.Say(discordtest.Post{Channel: thread.Channel, By: p.first, Content: "Let us begin."})
	thread.ID = p.s.People.Thread(thread.Channel, begin.ID, "a thread", p.first)
	p.threads[thread.ID] = thread
	return thread
}

func (p *platform) Channel(*testing.T) adapters.Thread {
	p.n++
	thread := adapters.Thread{Adapter: Name, Workspace: p.guild, Channel: p.s.World.Channel(p.guild, fmt.Sprintf("channel-%d", p.n))}
	p.threads[thread.Channel] = thread
	return thread
}

func (p *platform) Gone(t *testing.T) adapters.Thread {
	t.Helper()
	thread := p.Thread(t, false)
	p.s.World.DeleteChannel(thread.Channel)
	return thread
}

func channelOf(t adapters.Thread) string {
	if t.ID != "" {
		return t.ID
	}
	return t.Channel
}

func (p *platform) Write(_ *testing.T, post adapterstest.Post) adapters.MessageRef {
	out := discordtest.Post{Channel: channelOf(post.Thread), By: p.users[post.By.ID], Content: post.Text, ReplyTo: post.ReplyTo.ID}
	if post.Mention {
		out.Content = strings.TrimRight("<@"+p.s.BotID()+"> "+post.Text, " ")
	}
	for _, f := range post.Files {
		out.Files = append(out.Files, discordtest.File{Name: f.Name, Type: f.Type, Description: f.Alt, Content: f.Content})
		if f.Voice {
			out.Voice = true
		}
	}
	return convert.Ref(post.Thread.Workspace, out.Channel, p.s.People.Say(out).ID)
}

func (p *platform) Shown(_ *testing.T, thread adapters.Thread) []adapterstest.Shown {
	var all []adapterstest.Shown
	if begin, ok := p.s.World.Message(thread.Channel, thread.ID); ok && thread.ID != "" {
		all = append(all, p.shown(begin))
	}
	for _, m := range p.s.World.Messages(channelOf(thread)) {
		all = append(all, p.shown(m))
	}
	return all
}

var leading = regexp.MustCompile(`^<@\d+>[ \n]?`)

// offered returns the choices: the labels of their buttons, or the lines of the text with their numbers.
func offered(blocks []adapters.Block, buttons []discordtest.Button) []string {
	n := 0
	var all []string
	for _, b := range buttons {
		if !strings.HasPrefix(b.CustomID, convert.ChooseButton) {
			continue
		}
		n++
		if _, text, labelled := strings.Cut(b.Label, ". "); labelled {
			all = append(all, text)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, b := range blocks[len(blocks)-n:] {
		var text strings.Builder
		for _, s := range b.Spans {
			text.WriteString(s.Text)
		}
		number := strconv.Itoa(len(all)+1) + ". "
		if choice, ok := strings.CutPrefix(text.String(), number); ok {
			all = append(all, choice)
		}
	}
	return all
}

func (p *platform) Spell(_ *testing.T, who adapters.Person) string { return "<@" + who.ID + ">" }

func (p *platform) Shouts() []string {
	return []string{"@everyone", "@here", "<@&" + p.guild + ">", "<@" + p.first.ID + ">"}[:3]
}

func (p *platform) React(_ *testing.T, by adapters.Person, on adapters.MessageRef, emoji string, added bool) {
	p.s.People.React(p.users[by.ID], on.Channel, on.ID, emoji, added)
}

func (p *platform) Remove(_ *testing.T, _ adapters.Person, m adapters.MessageRef) {
	p.s.People.Delete(m.Channel, m.ID)
}

func (p *platform) Edit(_ *testing.T, m adapters.MessageRef, text string, mention bool) {
	if mention {
		text = "<@" + p.s.BotID() + "> " + text
	}
	p.s.People.Edit(m.Channel, m.ID, text, false)
}

func (p *platform) Press(t *testing.T, by adapters.Person, on adapters.MessageRef, sign adapters.Sign, choice int, _ bool) {
	t.Helper()
	id := sign.ButtonID()
	if sign == adapters.Choose {
		id = convert.ChooseButton + strconv.Itoa(choice) + ":"
	}
	p.press(t, by, on, id)
}

func (p *platform) Signs() map[adapters.Sign]bool {
	return map[adapters.Sign]bool{
		adapters.Choose: false, adapters.Again: false, adapters.Remove: false,
		adapters.Use: false, adapters.Vary: false, adapters.Larger: false, adapters.Smaller: false,
	}
}

// Halt presses the button below the progress, which the bot shows while it works.
func (p *platform) Halt(t *testing.T, by adapters.Person, request adapters.MessageRef) adapters.MessageRef {
	t.Helper()
	at, err := p.bots[0].Report(t.Context(), "progress", adapters.MessageRef{}, adapters.Progress{Thread: p.threads[request.Channel], Request: request.ID, Title: "At work"})
	if err != nil {
		t.Fatal(err)
	}
	p.press(t, by, at, convert.StopButton)
	return at
}

func (p *platform) Command(t *testing.T, by adapters.Person, in adapters.Thread, name, text string) {
	t.Helper()
	if err := p.s.Await(t.Context(), func() bool { return len(p.s.Interactions.Commands()) > 0 }); err != nil {
		t.Fatal(err)
	}
	c := discordtest.SlashCommand{By: p.users[by.ID], Channel: channelOf(in), Name: convert.CommandName, Sub: name}
	if text != "" {
		c.Options = map[string]string{convert.RequestOption: text}
	}
	p.s.Interactions.Slash(c)
}

func (p *platform) Known() (names []string, cancel string) {
	return []string{"status", "tools", "help"}, "cancel"
}

func (p *platform) Bot(*testing.T) adapters.Person { return p.person(p.s.World.BotUser("other bot")) }

func (p *platform) Admin(*testing.T) adapters.Person {
	u := p.s.World.User("Root")
	p.s.World.Admin(p.guild, u)
	who := p.person(u)
	who.Admin = true
	return who
}

func (p *platform) LoseFiles(_ *testing.T, m adapters.MessageRef) {
	p.s.World.BreakFiles(m.Channel, m.ID)
}

func (p *platform) LoseAnswers(_ *testing.T, posts int) { p.s.Faults.LoseAnswers(posts) }

func (p *platform) RefuseForm(*testing.T) {
	p.s.Faults.RefuseForm(1, "components", "BASE_TYPE_BAD_LENGTH", discordtest.PostMessage)
}

func (p *platform) Pause(_ *testing.T, wanted time.Duration) {
	p.s.Faults.RateLimit(1, wanted, false, discordtest.PostMessage)
}
func (p *platform) Short() time.Duration { return 300 * time.Millisecond }
func (p *platform) Long() time.Duration  { return time.Minute }

func (p *platform) Forbid(_ *testing.T, thread adapters.Thread) {
	p.s.World.Forbid(thread.Channel, discordtest.Send|discordtest.SendInThreads)
}

func (p *platform) Refuse(*testing.T) { p.s.Revoke() }
func (p *platform) Break(*testing.T)  { p.s.Gateway.CutOff() }

func (p *platform) Echo(_ *testing.T, m adapters.MessageRef) { p.s.People.Echo(m.Channel, m.ID) }
func (p *platform) Stall(*testing.T) <-chan struct{}         { return p.s.Faults.Stall() }

func (p *platform) person(u discordtest.User) adapters.Person {
	p.users[u.ID] = u
	return adapters.Person{ID: u.ID, Name: u.Name}
}

func (p *platform) shown(m discordtest.Message) adapterstest.Shown {
	var read markup
	content := m.Content
	if len(m.Notified) > 0 {
		content = leading.ReplaceAllString(content, "")
	}
	s := adapterstest.Shown{
		ID: m.ID, Own: m.Author.ID == p.s.BotID(), Blocks: read.read(content), Notified: slices.Clone(m.Notified), AnswerTo: m.ReplyTo,
	}
	for i, id := range s.Notified {
		if id == discordtest.Everybody {
			s.Notified[i] = adapterstest.Everybody
		}
	}
	s.Links = read.links
	for _, a := range m.Attachments {
		s.Files = append(s.Files, adapterstest.ShownFile{Name: a.Name, Alt: a.Description, Content: a.Content})
	}
	for _, r := range m.Reactions {
		if !slices.Contains(r.Users, p.s.BotID()) {
			continue
		}
		for status, emoji := range convert.Statuses {
			if strings.TrimSuffix(emoji, "\ufe0f") == strings.TrimSuffix(r.Emoji, "\ufe0f") {
				s.Statuses = append(s.Statuses, status)
			}
		}
		for n := range adapters.MaxChoices {
			if r.Emoji == adapters.Digit(n+1) {
				s.Numbers = append(s.Numbers, n+1)
			}
		}
	}
	s.Choices = offered(s.Blocks, m.Buttons)
	return s
}

func (p *platform) press(t *testing.T, by adapters.Person, on adapters.MessageRef, begins string) {
	t.Helper()
	m, _ := p.s.World.Message(on.Channel, on.ID)
	for _, b := range m.Buttons {
		if strings.HasPrefix(b.CustomID, begins) {
			p.s.Interactions.Press(p.users[by.ID], on.Channel, on.ID, b.CustomID)
			return
		}
	}
	t.Fatalf("there is no button %q", begins)
}

func TestContract(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Open: newPlatform, Without: map[adapterstest.Feature]string{
		adapterstest.Marks:    "people point at pictures on the web",
		adapterstest.Pictures: "people point at pictures on the web",
		adapterstest.Forgets:  "Discord keeps its threads itself",
		adapterstest.Later:    "who listens for the first time ever hears nothing of what happened before",
	}})
}
