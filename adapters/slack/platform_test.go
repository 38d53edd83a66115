package slack

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// workspace is a workspace of Slack as people use it.
type workspace struct {
	*slacktest.Server

	state   outbox.Memory
	channel string
	zoe     string
	someone string // the first person
	http    bool
	log     *slog.Logger                  // nil is none
	read    map[string]adapterstest.Shown // by message and edit: reading it takes long

	mu       sync.Mutex
	adapters []*Slack
}

// overSocket is a workspace that uses Socket Mode.
type overSocket struct{ *workspace }

// overHTTP is a workspace that uses signed requests.
type overHTTP struct{ *workspace }

func newWorkspace(t *testing.T, byHTTP bool) *workspace {
	t.Helper()
	return workspaceOf(t, byHTTP, slacktest.Options{})
}

func workspaceOf(t *testing.T, byHTTP bool, o slacktest.Options) *workspace {
	t.Helper()
	w := &workspace{Server: slacktest.New(t, o), http: byHTTP}
	w.zoe = w.Workspace.User("Zoe")
	w.channel = w.Workspace.Channel("general")
	if byHTTP {
		front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.at().Handler().ServeHTTP(rw, r) }))
		t.Cleanup(front.Close)
		w.Webhooks.Deliver(front.URL)
	}
	return w
}

// largestFile is small, so that the limit can be tested.
const largestFile = 4 << 20

func (w *workspace) Adapter(t *testing.T, open adapters.Opener) adapters.Adapter {
	t.Helper()
	c := Config{
		BotToken: w.BotToken(), APIURL: w.URL(), State: &w.state, Open: open, MaxFile: largestFile, Log: w.log,
	}
	if c.AppToken = w.AppToken(); w.http {
		c.AppToken, c.SigningSecret = "", w.SigningSecret()
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.edge.HTTP().CloseIdleConnections)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.adapters = append(w.adapters, s)
	return s
}

func (w *workspace) Connected(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	listens := func() bool {
		return w.at().listener.IsRunning() && (w.http || w.Sockets.Count() > 0)
	}
	for !listens() { // by HTTP the workspace does not change
		if ctx.Err() != nil {
			t.Fatal("the bot does not connect")
		}
		if w.http {
			runtime.Gosched()
			continue
		}
		if err := w.Until(ctx, listens); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *workspace) Person(_ *testing.T, name string) adapters.Person {
	id := w.Workspace.User(name)
	if w.someone == "" {
		w.someone = id
	}
	w.Workspace.Join(w.channel, id)
	return adapters.Person{ID: id, Name: name}
}

func (w *workspace) Bot(*testing.T) adapters.Person {
	return adapters.Person{ID: w.Workspace.Bot("Robot"), Name: "Robot"}
}

func (w *workspace) Admin(*testing.T) adapters.Person {
	return adapters.Person{ID: w.Workspace.Admin("Root"), Name: "Root", Admin: true}
}

func (w *workspace) Thread(_ *testing.T, private bool) adapters.Thread {
	if private {
		return adapters.Thread{Adapter: Name, Workspace: w.TeamID(), Channel: w.Workspace.DM(cmp.Or(w.someone, w.zoe)), Direct: true}
	}
	ts := w.People.Say(slacktest.Post{Channel: w.channel, By: w.zoe, Text: "first"})
	return adapters.Thread{Adapter: Name, Workspace: w.TeamID(), Channel: w.channel, ID: ts}
}

func (w *workspace) Channel(*testing.T) adapters.Thread {
	return adapters.Thread{Adapter: Name, Workspace: w.TeamID(), Channel: w.Workspace.Channel("another")}
}

func (w *workspace) Gone(*testing.T) adapters.Thread {
	channel := w.Workspace.Channel("gone")
	ts := w.People.Say(slacktest.Post{Channel: channel, By: w.zoe, Text: "first", Silent: true})
	w.Workspace.DeleteChannel(channel)
	return adapters.Thread{Adapter: Name, Workspace: w.TeamID(), Channel: channel, ID: ts}
}

var (
	spelled = regexp.MustCompile(`&lt;@(U[A-Z0-9]+)&gt;`)
	webby   = regexp.MustCompile(`https?://[^\s<>]+`)
)

// typed returns what Slack makes of typed text.
func typed(text string) string {
	text = convert.Escape.Replace(text)
	text = spelled.ReplaceAllStringFunc(text, func(s string) string {
		if strings.Contains(s, "NOBODY") {
			return s
		}
		return "<" + s[len("&lt;"):len(s)-len("&gt;")] + ">"
	})
	return webby.ReplaceAllString(text, "<$0>")
}

func (w *workspace) Write(_ *testing.T, p adapterstest.Post) adapters.MessageRef {
	post := slacktest.Post{Channel: p.Thread.Channel, ThreadTS: p.Thread.ID, By: p.By.ID, Text: typed(p.Text)}
	if p.Mention {
		post.Text = slacktest.Mention(w.BotUser()) + " " + post.Text
	}
	for _, u := range p.Files {
		post.Files = append(post.Files, slacktest.File{Name: u.Name, Type: u.Type, AltTxt: u.Alt, Data: u.Content, Clip: u.Voice})
	}
	return convert.Ref(w.TeamID(), p.Thread.Channel, w.People.Say(post))
}

func (w *workspace) Shown(t *testing.T, thread adapters.Thread) []adapterstest.Shown {
	t.Helper()
	var all []adapterstest.Shown
	for _, m := range w.Workspace.Messages(thread.Channel, thread.ID) {
		if m.Subtype == "tombstone" {
			continue
		}
		shown := adapterstest.Shown{ID: m.TS, Own: m.BotID == w.BotID(), Notified: m.Notified}
		w.readOnce(t, m, &shown)
		for _, f := range m.Files {
			shown.Files = append(shown.Files, adapterstest.ShownFile{Name: f.Name, Alt: f.AltTxt, Content: f.Data})
		}
		for _, r := range m.Reactions {
			if !slices.Contains(r.Users, w.BotUser()) {
				continue
			}
			if i := slices.Index(convert.Digits[:], r.Name); i >= 0 {
				shown.Numbers = append(shown.Numbers, i+1)
			}
			for status, name := range convert.Statuses {
				if name == r.Name {
					shown.Statuses = append(shown.Statuses, status)
				}
			}
		}
		all = append(all, shown)
	}
	return all
}

func (*workspace) Spell(_ *testing.T, p adapters.Person) string { return slacktest.Mention(p.ID) }

func (*workspace) Shouts() []string {
	return []string{"<!channel>", "<!here>", "<!everyone>", "<!channel|channel>", "@channel", "@here", "<!subteam^S1>"}
}

// shortNames are Slack's.
var shortNames = map[string]string{
	"🔁": "repeat", "🗑️": "wastebasket", "📌": "pushpin", "🎲": "game_die", "🔍": "mag", "🗜️": "compression", "🛑": "octagonal_sign", "❌": "x", "👍": "+1", "😀": "grinning", "🇩🇪": "flag-de", adapters.Digit(0): "zero", "🔟": "keycap_ten",
}

func (w *workspace) React(t *testing.T, by adapters.Person, on adapters.MessageRef, emoji string, added bool) {
	t.Helper()
	name := shortNames[emoji]
	for i, digit := range convert.Digits {
		if emoji == adapters.Digit(i+1) {
			name = digit
		}
	}
	if name == "" {
		t.Fatalf("%s has no name", emoji)
	}
	w.People.React(by.ID, on.Channel, on.ID, name, added)
}

func (w *workspace) Remove(_ *testing.T, _ adapters.Person, m adapters.MessageRef) {
	w.People.Delete(m.Channel, m.ID)
}

func (w *workspace) Edit(_ *testing.T, m adapters.MessageRef, text string, mention bool) {
	if text = typed(text); mention {
		text = slacktest.Mention(w.BotUser()) + " " + text
	}
	w.People.Edit(m.Channel, m.ID, text)
}

func (*workspace) Signs() map[adapters.Sign]bool {
	return map[adapters.Sign]bool{
		adapters.Choose: false, adapters.Again: false, adapters.Remove: false,
		adapters.Use: false, adapters.Vary: false, adapters.Larger: false, adapters.Smaller: false,
	}
}

func (w *workspace) Press(t *testing.T, by adapters.Person, on adapters.MessageRef, sign adapters.Sign, choice int, _ bool) {
	t.Helper()
	action := sign.ButtonID()
	if sign == adapters.Choose {
		action = convert.ChooseAction + strconv.Itoa(choice)
	}
	w.pressed(t, w.Interactions.Press(by.ID, on.Channel, on.ID, action))
}

func (w *workspace) Halt(t *testing.T, by adapters.Person, request adapters.MessageRef) adapters.MessageRef {
	t.Helper()
	m, ok := w.Workspace.Message(request.Channel, request.ID)
	if !ok {
		t.Fatal("the request is not there")
	}
	at, err := w.at().Report(t.Context(), "halt", adapters.MessageRef{}, adapters.Progress{
		Thread: convert.Thread(w.TeamID(), m.Channel, "", m.TS, m.ThreadTS), Request: request.ID, Title: "At work",
	})
	if err != nil {
		t.Fatal(err)
	}
	w.pressed(t, w.Interactions.Press(by.ID, at.Channel, at.ID, convert.StopAction))
	return at
}

func (w *workspace) Command(t *testing.T, by adapters.Person, in adapters.Thread, name, text string) {
	t.Helper()
	w.pressed(t, w.Interactions.Command(by.ID, in.Channel, "/atelier", strings.TrimSpace(name+" "+text)))
}

func (*workspace) Known() (names []string, cancel string) {
	return []string{"status", "Tools", "help"}, "cancel"
}

func (w *workspace) LoseFiles(t *testing.T, ref adapters.MessageRef) {
	t.Helper()
	m, ok := w.Workspace.Message(ref.Channel, ref.ID)
	if !ok {
		t.Fatal("the message is not there")
	}
	for _, f := range m.Files {
		w.People.Replace(f.ID, slacktest.File{Name: f.Name, Fault: slacktest.FileLost})
	}
}

func (w *workspace) LoseAnswers(_ *testing.T, posts int) {
	shown := min(posts, 2)
	w.Faults.LoseAnswers("files.completeUploadExternal", shown)
	w.Faults.LoseAnswers("chat.postMessage", posts-shown)
}

func (w *workspace) RefuseForm(*testing.T) {
	for _, method := range []string{"files.completeUploadExternal", "chat.postMessage"} {
		w.Faults.FailNext(method, 1, malformedBlocks)
	}
}

// malformedBlocks is Slack's error for invalid blocks, which quotes the message.
var malformedBlocks = slacktest.Failure{
	Error: "invalid_blocks", Messages: []string{"[ERROR] must be less than 3001 characters: secret words [json-pointer:/blocks/0/text/text]"},
}

func (w *workspace) Pause(_ *testing.T, wanted time.Duration) {
	w.Faults.RateLimit("chat.postMessage", 1, wanted)
}

func (*workspace) Short() time.Duration { return time.Second }

func (*workspace) Long() time.Duration { return time.Hour }

func (w *workspace) Forbid(_ *testing.T, thread adapters.Thread) {
	w.Workspace.Restrict(thread.Channel)
}

func (w *workspace) Refuse(*testing.T) { w.Revoke("") }

func (w *workspace) Echo(_ *testing.T, m adapters.MessageRef) {
	w.Deliveries.Echo(m.Channel, m.ID)
}

func (w *workspace) Stall(*testing.T) <-chan struct{} {
	stalled, _ := w.Faults.Stall("")
	return stalled
}

// at returns the process that listens, if any.
func (w *workspace) at() *Slack {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.adapters {
		if s.listener.IsRunning() {
			return s
		}
	}
	return w.adapters[len(w.adapters)-1]
}

func (*workspace) pressed(t *testing.T, i *slacktest.Interaction) {
	t.Helper()
	if _, err := i.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// readOnce parses a message that was not parsed before.
func (w *workspace) readOnce(t *testing.T, m slacktest.Message, shown *adapterstest.Shown) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	key := m.Channel + m.TS + "-" + strconv.Itoa(m.Edited)
	known, ok := w.read[key]
	if !ok {
		known.Notified = shown.Notified
		readBack(t, m, &known)
		if w.read == nil {
			w.read = map[string]adapterstest.Shown{}
		}
		w.read[key] = known
	}
	shown.Blocks, shown.Links, shown.Choices = slices.Clone(known.Blocks), slices.Clone(known.Links), slices.Clone(known.Choices)
}

func (w overSocket) Break(*testing.T) { w.Sockets.Disconnect("") }
