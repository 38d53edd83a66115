package jobs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// voice is a voice message.
func (h *house) voice(thread, by, content string) adapters.Event {
	h.chat.files[by+".ogg"] = content
	return h.says(thread, by, "", adapters.File{ID: by, Name: "voice-message.ogg", Handle: by + ".ogg", Voice: true})
}

// hearing sets the planner's transcript.
func (h *house) hearing(tool, words string) {
	h.planner.hears = tool
	h.planner.set(tool, func(_ context.Context, w jobs.Work) (plan.Result, error) {
		if got := w.Steps[w.At].Action.Args[0].Source.Name; got != w.Resources[0].Name {
			return plan.Result{}, errors.New("it listens to " + got)
		}
		return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "words", Type: plan.Text, Value: words}, Approximate: tool == "ear"}, nil
	})
}

// TestVoiceMessageIsRequest: the spoken words are the request, with the files of the thread and of the message that is
// replied to, and the answer quotes the transcript.
func TestVoiceMessageIsRequest(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		h.chat.files["pic"] = "PNG one"
		for tool, want := range map[string]string{"listengpu": "I heard: “blur; picedge”", "ear": "I heard this, but I may be wrong: “blur; picedge”"} {
			h.hearing(tool, " blur; picedge\n")
			j := h.start()
			e := h.voice("t-"+tool, "ann", "Ogg take it out")
			e.Message.ReplyTo = &adapters.Earlier{Ref: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "before"}, By: adapters.Person{ID: "bob"}, Files: []adapters.File{{ID: "p", Name: "photo.png", Handle: "pic"}}}
			r := h.ask(j, e)
			if told := h.told(r); r.Runs[0].Status != jobs.Done || !strings.HasPrefix(told, want+"\n\n") || r.Wish != "blur; picedge" {
				h.t.Errorf("%s: %q, the request is %q", r.Runs[0].Status, told, r.Wish)
			}
			asked := h.planner.request(r.ID)
			if asked.Wish != "blur; picedge" || len(asked.Given) != 1 || asked.Given[0].Type != plan.Image {
				h.t.Errorf("what is planned with: %+v", asked)
			}
			if i := len(asked.Earlier) - 1; i < 0 || asked.Earlier[i].Type != plan.Audio {
				h.t.Errorf("the voice message is not in the thread: %+v", asked.Earlier)
			}
			if h.planner.count(tool) != 1 {
				h.t.Errorf("it was transcribed %d times", h.planner.count(tool))
			}
			run, err := j.Again(h.t.Context(), r.ID, "ann")
			check(h.t, err)
			if r = h.wait(j, r.ID, run); h.planner.count(tool) != 2 || r.Runs[run-1].Status != jobs.Done {
				h.t.Errorf("once more, which is to take over nothing, is %s; transcribed %d times", r.Runs[run-1].Status, h.planner.count(tool))
			}
		}
	})
}

// TestRepeatTranscribesAgain: a repeat transcribes again, since the first transcript may be missing or wrong. An
// alternative of the same plan does not.
func TestRepeatTranscribesAgain(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.planner.hears = "listen"
	h.planner.fails("listen", "The server is down.", false)
	j := h.start()
	r := h.ask(j, h.voice("t", "ann", "Ogg hm"))
	if told := h.told(r); r.Runs[0].Status != jobs.Failed || !strings.Contains(told, "The server is down.") {
		t.Errorf("%s: %q", r.Runs[0].Status, told)
	}
	for i, words := range []string{"blur", "picedge|blur"} {
		h.hearing("listen", words)
		run, err := j.Again(t.Context(), r.ID, "ann")
		check(t, err)
		r = h.wait(j, r.ID, run)
		p, _ := h.chat.post(r.Runs[run-1].Sent)
		if r.Runs[run-1].Status != jobs.Done || !strings.HasPrefix(p.reply.Text, "I heard: “"+words+"”") || r.Wish != words || h.planner.count("listen") != i+2 {
			t.Errorf("%s: %q, the request is %q, transcribed %d times", r.Runs[run-1].Status, p.reply.Text, r.Wish, h.planner.count("listen"))
		}
	}
	run, err := j.Choose(t.Context(), r.ID, 3, plan.Choice{1}, "ann")
	check(t, err)
	r = h.wait(j, r.ID, run)
	p, _ := h.chat.post(r.Runs[run-1].Sent)
	if r.Runs[run-1].Status != jobs.Done || !strings.HasPrefix(p.reply.Text, "I heard: “picedge|blur”") || h.planner.count("listen") != 3 {
		t.Errorf("%s: %q, transcribed %d times", r.Runs[run-1].Status, p.reply.Text, h.planner.count("listen"))
	}
}

// TestUnintelligibleVoiceMessage is answered once with the reason, and the thread continues.
func TestUnintelligibleVoiceMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(h *house)
		says    string
	}{
		"nobody listens": {func(*house) {}, "I cannot listen to voice messages here. Please write what you want."},
		"silence":        {func(h *house) { h.hearing("listen", " ") }, "I could not understand your voice message. Please write what you want."},
		"a speech":       {func(h *house) { h.hearing("listen", strings.Repeat("word ", 3000)) }, "Your voice message is too long. Please use fewer words."},
		"a failure": {func(h *house) {
			h.planner.hears = "listen"
			h.planner.fails("listen", "The recording is damaged.", false)
		}, "I could not understand your voice message: The recording is damaged. Please write what you want."},
		"a breakdown": {func(h *house) {
			h.planner.hears = "listen"
			h.planner.set("listen", func(context.Context, jobs.Work) (plan.Result, error) { panic("ears") })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			c.prepare(h)
			j := h.start()
			r := h.ask(j, h.voice("t", "ann", "Ogg hm"))
			if told := h.told(r); r.Runs[0].Status != jobs.Failed || c.says != "" && told != c.says || told == "" {
				t.Errorf("%s: %q", r.Runs[0].Status, told)
			}
			if h.planner.count("plan") != 0 {
				t.Error("it was planned with")
			}
			if r := h.ask(j, h.says("t", "ann", "blur")); r.Runs[0].Status != jobs.Done {
				t.Errorf("the next one: %s, %q", r.Runs[0].Status, h.told(r))
			}
		})
	}
}

// TestVoiceMessageWithFiles: the request is about other files in the message, but of two voice messages, neither
// is the request.
func TestVoiceMessageWithFiles(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.hearing("listen", "blur")
	h.chat.files["pic"] = "PNG one"
	j := h.start()
	e := h.voice("t", "ann", "Ogg blur it")
	e.Message.Files = append([]adapters.File{{ID: "p", Name: "photo.png", Handle: "pic"}}, e.Message.Files...)
	r := h.ask(j, e)
	asked := h.planner.request(r.ID)
	if r.Wish != "blur" || len(asked.Given) != 1 || asked.Given[0].Type != plan.Image {
		t.Errorf("%s: it is the request is %q with %+v", h.told(r), r.Wish, asked.Given)
	}
	e = h.voice("u", "bob", "Ogg one")
	h.chat.files["two.ogg"] = "Ogg two"
	e.Message.Files = append(e.Message.Files, adapters.File{ID: "two", Name: "two.ogg", Handle: "two.ogg", Voice: true})
	if h.ask(j, e); h.planner.count("listen") != 1 {
		t.Errorf("it was transcribed %d times", h.planner.count("listen"))
	}
}

// TestSoundWithTextIsNotVoiceMessage, and neither is a recording that was attached as a file.
func TestSoundWithTextIsNotVoiceMessage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.hearing("listen", "blur")
	j := h.start()
	with := h.voice("a", "ann", "Ogg la la")
	with.Message.Text = "blur"
	chosen := h.voice("b", "bob", "Ogg la la")
	chosen.Message.Files[0].Voice, chosen.Message.Text = false, "!What shall I do with it?"
	for _, e := range []adapters.Event{with, chosen} {
		r := h.ask(j, e)
		asked := h.planner.request(r.ID)
		if h.planner.count("listen") != 0 || !slices.ContainsFunc(asked.Given, func(g plan.Resource) bool { return g.Type == plan.Audio }) {
			t.Errorf("%+v, transcribed %d times", asked.Given, h.planner.count("listen"))
		}
	}
}
