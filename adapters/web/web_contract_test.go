package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/dispatch"
	"atelier/adapters/web/page"
	"atelier/adapters/web/receive"
	"atelier/adapters/web/store"
)

func TestContract(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{
		Open:   func(t *testing.T) adapterstest.Platform { t.Helper(); return newPlatform(t) },
		Bubble: true,
		Without: map[adapterstest.Feature]string{
			adapterstest.Private:     "everybody who is let in sees every thread",
			adapterstest.Mentions:    "every message is for the bot",
			adapterstest.Overhearing: "every message is for the bot",
			adapterstest.Alts:        "there is no place to write what a file shows",
			adapterstest.MarkLinks:   "pictures are pointed at in their place",
			adapterstest.Typing:      "the progress is there at once",
			adapterstest.Spellings:   "nothing in a text means anything to the channel",
			adapterstest.Channels:    "there are threads only",
			adapterstest.Reactions:   "there are buttons",
			adapterstest.Removals:    "a thread is forgotten as a whole",
			adapterstest.Edits:       "a message is edited by another one that replaces it",
			adapterstest.Commands:    "there are none",
			adapterstest.Bots:        "there are no other ones",
			adapterstest.Pauses:      "the channel wants none",
			adapterstest.Rights:      "there are none",
			adapterstest.Forms:       "the channel takes what it is given",
			adapterstest.Tokens:      "there are none",
			adapterstest.Echoes:      "each event is told once",
			adapterstest.Pictures:    "what is pointed at goes with a message",
		},
	})
}

// platform is the channel as people use it, by its pages.
type platform struct {
	state *memory
	media *files
	id    int

	mu       sync.Mutex
	channels []*Channel
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	return &platform{state: newMemory(), media: newFiles()}
}

func (p *platform) Adapter(t *testing.T, open adapters.Opener) adapters.Adapter {
	t.Helper()
	p.media.open = open
	c := newChannel(t, p.state, p.media)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.channels = append(p.channels, c)
	return c
}

// at returns the process whose pages people open: the one that listens, if any.
func (*platform) Connected(*testing.T) { synctest.Wait() }

func (p *platform) Person(_ *testing.T, name string) adapters.Person {
	return adapters.Person{ID: strings.ToLower(name) + "-1", Name: name}
}

func (p *platform) Admin(t *testing.T) adapters.Person {
	t.Helper()
	a := p.Person(t, "Root")
	a.Admin = true
	return a
}

// Thread begins a thread with a message that was accepted long ago.
func (p *platform) Thread(t *testing.T, _ bool) adapters.Thread {
	t.Helper()
	thread, first := p.next("thread"), p.next("first")
	p.state.put(t, thread,
		`{"at":"2026-01-02T03:04:05Z","wrote":{"id":"`+first+`","by":{"id":"eve-1"},"text":"Hello."}}`, `{"taken":{"id":"`+first+`"}}`)
	return chat.ThreadOf(thread)
}

func (p *platform) Gone(t *testing.T) adapters.Thread {
	t.Helper()
	thread := p.Thread(t, false)
	p.do(t, p.Person(t, "Eve"), http.MethodPost, "/t/"+thread.Channel+"/forget", nil, http.StatusNoContent)
	return thread
}

// do makes a request as a person's browser.
func (p *platform) Write(t *testing.T, post adapterstest.Post) adapters.MessageRef {
	t.Helper()
	thread, id := post.Thread.Channel, p.next("message")
	form := url.Values{"id": {id}, "text": {post.Text}, "reply_to": {post.ReplyTo.ID}}
	for _, f := range post.Files {
		what := ""
		if f.Voice {
			what = store.ForVoice
		}
		form.Add("file", p.upload(t, post.By, thread, f.Name, what, f.Content))
	}
	var marks []receive.Pointing
	for _, m := range post.Marks {
		mark := receive.Pointing{File: form["file"][m.File], Width: m.Width, Height: m.Height, Points: m.Points, Boxes: m.Boxes}
		if m.Mask != nil {
			mark.Mask = p.upload(t, post.By, thread, "mask.png", store.ForMask, m.Mask)
		}
		marks = append(marks, mark)
	}
	if len(marks) > 0 {
		b, err := json.Marshal(marks)
		if err != nil {
			t.Fatal(err)
		}
		form.Set("marks", string(b))
	}
	p.do(t, post.By, http.MethodPost, "/t/"+thread+"/messages", form, http.StatusNoContent, http.StatusAccepted)
	return chat.RefOf(thread, id)
}

// Shown parses the thread's page.
func (p *platform) Shown(t *testing.T, thread adapters.Thread) []adapterstest.Shown {
	t.Helper()
	now, err := p.at().store.Threads.Read(t.Context(), thread.Channel, store.Latest)
	switch {
	case errors.Is(err, adapters.ErrGone):
		return nil
	case err != nil:
		t.Fatal(err)
	}
	var all []adapterstest.Shown
	for i, v := range (page.Viewer{Thread: thread.Channel, Snapshot: now, Me: ana}).Messages(-1) {
		if v.Removed {
			continue
		}
		m := adapterstest.Shown{ID: v.ID, Own: v.By == "", AnswerTo: v.ReplyTo}
		if v.Status != "" {
			m.Statuses = append(m.Statuses, v.Status)
		}
		if said := now.Messages[i].Said; said != nil {
			m.Blocks = adapters.Parse(said.Reply.Text) // how it is rendered is tried elsewhere
			if v.For != "" {
				m.Notified = append(m.Notified, said.Reply.Mention)
			}
		}
		if v.Progress != nil {
			m.AnswerTo = ""
			m.Blocks = withLine(m.Blocks, v.Progress.Title)
			for _, s := range v.Progress.Steps {
				m.Blocks = withLine(m.Blocks, s.Text+" "+string(s.State)+" "+s.Took.String())
			}
		}
		for _, f := range v.Files {
			p.file(t, &m, f)
		}
		for _, c := range v.Choices {
			m.Choices = append(m.Choices, c.Text)
			if c.Ready {
				m.Numbers = append(m.Numbers, c.Number)
			}
		}
		all = append(all, m)
	}
	return all
}

// Press presses a button below an answer.
func (p *platform) Press(t *testing.T, by adapters.Person, on adapters.MessageRef, sign adapters.Sign, choice int, pressed bool) {
	t.Helper()
	form := url.Values{"id": {p.next("press")}, "sign": {string(sign)}, "number": {strconv.Itoa(choice)}, "back": {strconv.FormatBool(!pressed)}}
	p.act(t, by, on, form)
}

func (*platform) Signs() map[adapters.Sign]bool {
	return map[adapters.Sign]bool{
		adapters.Choose: true, adapters.Again: false, adapters.Remove: false, adapters.Vary: false, adapters.Larger: false, adapters.Smaller: false,
	}
}

// Halt presses the button that stops the work on a request.
func (p *platform) Halt(t *testing.T, by adapters.Person, request adapters.MessageRef) adapters.MessageRef {
	t.Helper()
	p.act(t, by, request, url.Values{"id": {p.next("halt")}, "sign": {"stop"}})
	return request
}

func (p *platform) LoseFiles(t *testing.T, message adapters.MessageRef) {
	t.Helper()
	m, err := p.at().store.Message(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Wrote.Files {
		if err := p.media.Delete(t.Context(), f.Key); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *platform) LoseAnswers(_ *testing.T, posts int) {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	p.state.lose = posts
}

func (p *platform) Break(t *testing.T) {
	t.Helper()
	p.state.hangUpAll()
	<-time.After(2 * dispatch.FirstRetry) // of the bubble's clock
}

func (p *platform) Stall(t *testing.T) <-chan struct{} {
	t.Helper()
	silent := make(chan struct{})
	p.state.mu.Lock()
	p.state.silent = silent
	p.state.mu.Unlock()
	t.Cleanup(func() {
		p.state.mu.Lock()
		defer p.state.mu.Unlock()
		p.state.silent = nil
	})
	return silent
}
