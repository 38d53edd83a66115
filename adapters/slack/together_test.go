package slack

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

const showFiles = "files.completeUploadExternal"

// answered is an answer with a picture, a mention and buttons.
func (w *workspace) answered(in adapters.Thread) adapters.Reply {
	r := edges(in, "Here it is.")
	r.Answer, r.Mention, r.Choices = true, w.zoe, []adapters.Choice{{ID: "x", Text: "thicker"}}
	return r
}

// The files, the text and the buttons of an answer are one message, which presses refer to.
func TestFilesAndTextTogether(t *testing.T) {
	t.Parallel()
	for _, direct := range []bool{false, true} {
		h := listenWith(t, newWorkspace(t, false), openEdges)
		in := h.Thread(t, direct)
		r := h.answered(in)
		r.Mention = h.ana
		ref, err := h.s.Send(t.Context(), "a", r)
		if err != nil {
			t.Fatal(err)
		}
		all := h.own(in)
		if len(all) != 1 || len(all[0].Files) != 1 || all[0].TS != ref.ID || len(ref.Parts) > 0 || !slices.Equal(all[0].Notified, []string{h.ana}) {
			t.Fatalf("%+v shows %+v", ref, all)
		}
		if again, err := h.s.Send(t.Context(), "a", r); err != nil || again.Key() != ref.Key() || len(h.own(in)) != 1 {
			t.Errorf("once more it is %+v: %v", again, err)
		}
		h.pressed(t, h.Interactions.Press(h.ana, in.Channel, ref.ID, convert.ChooseAction+"1"))
		if e := h.next(t); e.Reaction == nil || e.Reaction.On.Key() != ref.Key() || e.Reaction.Choice != "x" {
			t.Errorf("the press arrived as %+v", e)
		}
		if _, err = h.s.Send(t.Context(), "b", r); err != nil {
			t.Fatal(err)
		}
		if n := h.API.Calls()["chat.postMessage"]; n != 0 {
			t.Errorf("text is posted %d times", n)
		}
		if err := h.s.Delete(t.Context(), ref); err != nil || len(h.own(in)) != 1 {
			t.Errorf("it cannot be deleted: %v", err)
		}
	}
}

// A long reply ends with the buttons, below its files.
func TestLongTextWithFiles(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	in := w.Thread(t, false)
	r := w.answered(in)
	r.Text = strings.Repeat("A sentence of a long answer. ", 600)
	ref, err := w.Adapter(t, openEdges).Send(t.Context(), "a", r)
	if err != nil {
		t.Fatal(err)
	}
	all := w.own(in)
	if len(all) < 3 || len(all[0].Files) != 1 || all[0].Blocks != nil || len(all) != 1+len(ref.Parts) || ref.ID != all[len(all)-1].TS {
		t.Errorf("%+v shows %d messages", ref, len(all))
	}
}

// A server that does not show files and text in one message gets them separately, and is asked once, or twice if it may have
// been a passing fault.
func TestFilesAndTextSeparately(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o       slacktest.Options
		refusal slacktest.Failure
		refused int // calls, with feedback buttons and without
		shows   int // calls that show the files of two answers
	}{
		"invalid_blocks":     {refusal: malformedBlocks, refused: 2, shows: 4},
		"invalid_arguments":  {refusal: slacktest.Failure{Error: "invalid_arguments"}, refused: 2, shows: 4},
		"internal_error":     {refusal: slacktest.Failure{Error: "internal_error"}, refused: 4, shows: 6},
		"blocks are ignored": {o: slacktest.Options{BareFiles: true}, shows: 2},
		"of no app":          {o: slacktest.Options{OwnerlessFiles: true}, shows: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := workspaceOf(t, false, c.o)
			s, in := w.Adapter(t, openEdges), w.Thread(t, false)
			if c.refused > 0 {
				w.Faults.FailNext(showFiles, c.refused, c.refusal)
			}
			for i, key := range []string{"a", "b", "a", "b"} {
				ref, err := s.Send(t.Context(), key, w.answered(in))
				if err != nil {
					t.Fatal(err)
				}
				if n := 2 * min(i+1, 2); len(w.own(in)) != n {
					t.Fatalf("after %d answers there are %+v", i+1, w.own(in))
				}
				if m, ok := w.Workspace.Message(in.Channel, ref.ID); !ok || len(m.Files) > 0 || !strings.Contains(string(m.Blocks), `"action_id":"`+adapters.Again.ButtonID()+`"`) {
					t.Errorf("the message with the buttons is %+v", m)
				}
			}
			if last := w.own(in)[2]; len(last.Files) != 1 || last.Blocks != nil {
				t.Errorf("the files of the second answer are in %+v", last)
			}
			if n := w.API.Calls()[showFiles]; n != c.shows {
				t.Errorf("files are shown %d times", n)
			}
		})
	}
}

// A single fault of Slack's does not change the form of answers.
func TestPassingFaultKeepsFilesAndTextTogether(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	s, in := w.Adapter(t, openEdges), w.Thread(t, false)
	w.Faults.FailNext(showFiles, 1, slacktest.Failure{Error: "internal_error"})
	for i, key := range []string{"a", "b"} {
		if _, err := s.Send(t.Context(), key, w.answered(in)); err != nil {
			t.Fatal(err)
		}
		all := w.own(in)
		if len(all) != i+1 || len(all[i].Files) != 1 || !strings.Contains(string(all[i].Blocks), convert.RateAction) {
			t.Errorf("answer %d is in %+v", i+1, all)
		}
	}
}

// Small print is a context block, also below files. A server that refuses it there gets files and text without it.
func TestSmallPrint(t *testing.T) {
	t.Parallel()
	const small = `"text":"seed 42"`
	for name, c := range map[string]struct {
		refused int // calls that show files
		shows   int // calls that show the files of two answers
		holds   bool
	}{
		"shown":                {0, 2, true},
		"no feedback buttons":  {1, 3, true},
		"no small print":       {2, 4, false},
		"no text beside files": {3, 5, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, false)
			s, in := w.Adapter(t, openEdges), w.Thread(t, false)
			if c.refused > 0 {
				w.Faults.FailNext(showFiles, c.refused, malformedBlocks)
			}
			for _, key := range []string{"a", "b", "a", "b"} {
				r := w.answered(in)
				r.Small = "seed 42"
				if _, err := s.Send(t.Context(), key, r); err != nil {
					t.Fatal(err)
				}
			}
			all := w.own(in)
			if n := w.API.Calls()[showFiles]; n != c.shows || len(all) != 2 && c.refused < 3 {
				t.Errorf("files are shown %d times, in %d messages", n, len(all))
			}
			last := all[len(all)-1]
			if got := strings.Contains(string(last.Blocks), small); got != (c.holds || c.refused == 3) {
				t.Errorf("the last message is %s", last.Blocks)
			}
		})
	}
	w := newWorkspace(t, false)
	s, in := w.Adapter(t, openEdges), w.Thread(t, false)
	w.Faults.FailNext("chat.postMessage", 2, malformedBlocks)
	r := w.answered(in)
	r.Files, r.Small = nil, "seed 42"
	if _, err := s.Send(t.Context(), "plain", r); err != nil {
		t.Fatal(err)
	}
	if all := w.own(in); len(all) != 1 || !strings.Contains(all[0].Text, "seed 42") {
		t.Errorf("as plain text it is %+v", all)
	}
}

// Whatever response is lost, nothing is posted twice.
func TestFilesAndTextOnce(t *testing.T) {
	t.Parallel()
	for name, befall := range map[string]func(s *slacktest.Server){
		"the answer is lost":   func(s *slacktest.Server) { s.Faults.LoseAnswers(showFiles, 1) },
		"Slack is down":        func(s *slacktest.Server) { s.Faults.FailNext(showFiles, 1, slacktest.Failure{Status: 503}) },
		"it is not told where": func(s *slacktest.Server) { s.Faults.FailNext("files.info", 1, slacktest.Failure{Error: "fatal"}) },
		"a limit is hit":       func(s *slacktest.Server) { s.Faults.RateLimit(showFiles, 1, 0) },
		"it cannot be looked at": func(s *slacktest.Server) {
			s.Faults.FailNext("conversations.replies", 1, slacktest.Failure{Status: 500})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, false)
			s, in := w.Adapter(t, openEdges), w.Thread(t, false)
			befall(w.Server)
			var ref adapters.MessageRef
			for range 3 {
				if got, err := s.Send(t.Context(), "a", w.answered(in)); err == nil {
					ref = got
				}
			}
			all := w.own(in)
			if len(all) != 1 || all[0].TS != ref.ID || len(all[0].Files) != 1 || all[0].Blocks == nil {
				t.Errorf("%s shows %+v", cmp.Or(ref.ID, "nothing"), all)
			}
		})
	}
}

// Files that another process showed without the text are followed by the text.
func TestTextAfterBareFiles(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	first, second := w.Adapter(t, openEdges), w.Adapter(t, openEdges)
	in := w.Thread(t, false)
	if _, err := second.Send(t.Context(), "proof", w.answered(in)); err != nil {
		t.Fatal(err)
	}
	w.Faults.FailNext(showFiles, 2, malformedBlocks)
	if _, err := first.Send(t.Context(), "refused", w.answered(in)); err != nil {
		t.Fatal(err)
	}
	w.Faults.LoseAnswers(showFiles, 1)
	if _, err := first.Send(t.Context(), "a", w.answered(in)); err == nil {
		t.Fatal("it knows what it cannot know")
	}
	ref, err := second.Send(t.Context(), "a", w.answered(in))
	if err != nil {
		t.Fatal(err)
	}
	all := w.own(in)
	if n := len(all); n != 5 || all[3].Blocks != nil || all[4].TS != ref.ID || all[4].Blocks == nil {
		t.Errorf("there are %d messages", n)
	}
}
