package slack

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// heard collects what a workspace sends while somebody listens.
type heard struct {
	*workspace

	s      *Slack
	events chan adapters.Event
	ana    string
}

func listen(t *testing.T, byHTTP bool) *heard {
	t.Helper()
	return listenTo(t, newWorkspace(t, byHTTP))
}

func listenTo(t *testing.T, w *workspace) *heard {
	t.Helper()
	return listenWith(t, w, nothing)
}

func listenWith(t *testing.T, w *workspace, open adapters.Opener) *heard {
	t.Helper()
	s, ok := w.Adapter(t, open).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	h := &heard{workspace: w, s: s, events: make(chan adapters.Event, 100)}
	h.ana = w.Person(t, "Ana").ID
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() {
		over <- s.Listen(ctx, func(_ context.Context, e adapters.Event) error {
			h.events <- e
			return nil
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	w.Connected(t)
	return h
}

func (h *heard) next(t *testing.T) adapters.Event {
	t.Helper()
	select {
	case e := <-h.events:
		return e
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was received")
		return adapters.Event{}
	}
}

// say lets Ana mention the bot in the channel.
func (h *heard) say(p slacktest.Post) string {
	p.Channel, p.By = cmp.Or(p.Channel, h.channel), cmp.Or(p.By, h.ana)
	return h.People.Say(p)
}

func (h *heard) mention(text string) string { return slacktest.Mention(h.BotUser()) + " " + text }

func TestBareMentionAsksForHelp(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	ts := h.say(slacktest.Post{Text: h.mention("")})
	if e := h.next(t); e.Kind != adapters.CommandGiven || e.Command.Name != "help" || e.Thread.ID != ts {
		t.Errorf("received %+v", e)
	}
	h.say(slacktest.Post{Text: h.mention(""), Files: []slacktest.File{{Name: "a.txt", Data: []byte("a")}}})
	if e := h.next(t); e.Message == nil || len(e.Message.Files) != 1 {
		t.Errorf("a file with a mention arrived as %+v", e)
	}
}

func TestDeletions(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	root := h.say(slacktest.Post{Text: h.mention("do it")})
	e := h.next(t)
	if _, err := h.s.Send(t.Context(), "a", adapters.Reply{Thread: e.Thread, Text: "Done."}); err != nil {
		t.Fatal(err)
	}
	h.People.Edit(h.channel, root, h.mention("do it now"))
	h.next(t)
	h.People.Delete(h.channel, root) // it leaves a tombstone, since there is an answer
	if e := h.next(t); e.Cancel == nil || !e.Cancel.Deleted || e.Cancel.On.ID != root || e.Thread.ID != root {
		t.Errorf("the deletion arrived as %+v", e)
	}
}

func TestFilesFromElsewhere(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	for name, c := range map[string]struct {
		file slacktest.File
		kind error // nil: it comes
	}{
		"of another workspace": {slacktest.File{Name: "a.txt", Data: []byte("abc"), Stub: true}, nil},
		"on another host":      {slacktest.File{Name: "a.txt", Remote: "http://169.254.169.254/latest"}, adapters.ErrForbidden},
		"moved":                {slacktest.File{Name: "a.png", Data: []byte("abc"), Fault: slacktest.FileMoved}, adapters.ErrForbidden},
		"lost":                 {slacktest.File{Name: "a.png", Data: []byte("abc"), Fault: slacktest.FileLost}, adapters.ErrGone},
		"a page to log in by":  {slacktest.File{Name: "a.png", Type: "image/png", Data: []byte("abc"), Fault: slacktest.FileHTML}, adapters.ErrForbidden},
		"broken":               {slacktest.File{Name: "a.png", Data: []byte("abc"), Fault: slacktest.FileBroken}, errPassing},
	} {
		h.say(slacktest.Post{Text: h.mention("look"), Files: []slacktest.File{c.file}})
		files := h.next(t).Message.Files
		if len(files) != 1 {
			t.Errorf("%s: there are %d files", name, len(files))
			continue
		}
		r, err := h.s.Fetch(t.Context(), files[0])
		if c.kind == nil {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			b, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil || string(b) != "abc" || files[0].Name != "a.txt" || files[0].Size != 3 {
				t.Errorf("%s: %q of %+v came: %v", name, b, files[0], err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: it comes: %v", name, r.Close())
			continue
		}
		if !isOf(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		if f, ok := api.AsFault(err); !ok || f.Sentence == "" || strings.Contains(err.Error(), "http") {
			t.Errorf("%s: it is said that %v", name, err)
		}
	}
}

var errPassing = errors.New("it passes")

// isOf reports whether an error is of a kind, or, for nil, temporary.
func isOf(err, kind error) bool {
	if errors.Is(kind, errPassing) {
		return !adapters.Final(err)
	}
	return errors.Is(err, kind)
}

func TestForgedRequests(t *testing.T) {
	t.Parallel()
	h := listen(t, true)
	for _, flaw := range []slacktest.Forgery{slacktest.WrongSecret, slacktest.NoSignature, slacktest.ChangedBody, slacktest.OldTimestamp, slacktest.Future} {
		if status := h.Webhooks.Forge(flaw, slacktest.Post{Channel: h.channel, By: h.ana, Text: h.mention("forged")}); status != http.StatusUnauthorized {
			t.Errorf("%s: it is answered with %d", flaw, status)
		}
	}
	if !h.Webhooks.Challenge() {
		t.Error("the address is not confirmed")
	}
	h.say(slacktest.Post{Text: h.mention("rightly signed")})
	if e := h.next(t); e.Message == nil || e.Message.Text != "rightly signed" {
		t.Errorf("received %+v", e)
	}
	if err := h.Until(t.Context(), h.Deliveries.Idle); err != nil {
		t.Fatal(err)
	}
	if status := h.Webhooks.Replay(); status != http.StatusUnauthorized {
		t.Errorf("a request that comes again is answered with %d", status)
	}
	if n := len(h.events); n > 0 {
		t.Errorf("received %d events too many", n)
	}
}

// Events that arrive while nobody listens are not confirmed, and so are repeated.
func TestUnheardComesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, true)
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	w.People.Say(slacktest.Post{Channel: w.channel, By: w.zoe, Text: slacktest.Mention(w.BotUser()) + " early"})
	if err := w.Until(t.Context(), func() bool { return len(w.Deliveries.Attempts()) >= 2 }); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Deliveries.Attempts() {
		if d.Taken || d.Status != http.StatusServiceUnavailable {
			t.Errorf("it is answered with %d", d.Status)
		}
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("it is said to be connected")
	}
}

func TestWishesByCommand(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	h.pressed(t, h.Interactions.Command(h.ana, h.channel, "/atelier", "ask make it blue &amp; <b>"))
	e := h.next(t)
	if e.Message == nil || e.Message.For != adapters.Mentioned || e.Message.Text != "make it blue & <b>" || e.By.Name != "Ana" || e.Thread.ID != e.Message.Ref.ID {
		t.Fatalf("received %+v", e.Message)
	}
	if m, ok := h.Workspace.Message(h.channel, e.Message.Ref.ID); !ok || !strings.Contains(m.Text, "make it blue") {
		t.Errorf("what was asked is not to be seen: %+v", m)
	}
	h.pressed(t, h.Interactions.Command(h.ana, h.channel, "/atelier", "ask"))
	err := h.Until(t.Context(), func() bool { return len(h.Workspace.Ephemerals(h.ana)) == 1 })
	if err != nil {
		t.Fatal(err)
	}
}

func TestUseWithAtelier(t *testing.T) {
	t.Parallel()
	for _, byHTTP := range []bool{false, true} {
		h := listen(t, byHTTP)
		ts := h.say(slacktest.Post{Text: "a picture", Files: []slacktest.File{{Name: "a.png", Data: []byte("PNG")}}})
		h.pressed(t, h.Interactions.Shortcut(h.ana, h.channel, ts, convert.ShortcutID))
		if err := h.Until(t.Context(), func() bool { return len(h.Interactions.Views()) == 1 }); err != nil {
			t.Fatal(err)
		}
		h.pressed(t, h.Interactions.SubmitView(h.ana, h.Interactions.Views()[0].ID, map[string]string{convert.RequestInput: "make it blue"}))
		e := h.next(t)
		m := e.Message
		if m == nil || m.For != adapters.Mentioned || m.Text != "make it blue" || e.Thread.ID != ts || e.By.ID != h.ana {
			t.Fatalf("received %+v", e)
		}
		if to := m.ReplyTo; to == nil || to.Ref.ID != ts || to.Text != "a picture" || len(to.Files) != 1 || to.By.ID != h.ana {
			t.Errorf("it is about %+v", to)
		}
	}
}

// Rejections say what to do, and hold no secret.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(w *workspace)
		kind error
		told string
	}{
		"a scope":    {func(w *workspace) { w.DropScope("chat:write") }, adapters.ErrForbidden, "chat:write"},
		"an archive": {func(w *workspace) { w.Workspace.Archive(w.channel) }, adapters.ErrGone, "archived"},
		"not there":  {func(w *workspace) { w.Workspace.NotInChannel(w.channel) }, adapters.ErrForbidden, "invite"},
		"locked":     {func(w *workspace) { w.Workspace.NoThreads(w.channel) }, adapters.ErrForbidden, "not allowed"},
		"revoked":    {func(w *workspace) { w.Revoke("account_inactive") }, adapters.ErrRefused, "SLACK_BOT_TOKEN"},
		"a page":     {func(w *workspace) { w.Faults.FailNext("", 1, slacktest.Failure{}) }, errPassing, "I will try again"},
		"a fault":    {func(w *workspace) { w.Faults.FailNext("", 1, slacktest.Failure{Error: "internal_error"}) }, errPassing, "I will try again"},
	} {
		w := newWorkspace(t, false)
		a := w.Adapter(t, nothing)
		thread := w.Thread(t, false)
		c.do(w)
		_, err := a.Send(t.Context(), "key", adapters.Reply{Thread: thread, Text: "secret words"})
		if !isOf(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		f, ok := api.AsFault(err)
		if !ok || !strings.Contains(f.Text(), c.told) || strings.Contains(err.Error(), "xox") || strings.Contains(err.Error(), "secret words") {
			t.Errorf("%s: it is said that %v", name, err)
		}
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	w.DropScope("reactions:write", "commands")
	a, err := s.Look(t.Context())
	if err != nil || a.UserID != w.BotUser() || a.TeamID != w.TeamID() || !slices.Equal(a.Missing, []string{"commands", "reactions:write"}) {
		t.Errorf("the bot is %+v: %v", a, err)
	}
}

func nothing(context.Context, string) (io.ReadCloser, error) { return nil, adapters.ErrGone }
