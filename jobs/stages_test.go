package jobs_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

func TestAllStages(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		t := h.t
		j := h.start()
		e := h.says("t", "ann", "pic1>caption|pic2", h.chat.upload("holiday photo.png", "PNG photo"))
		r := h.ask(j, e)
		if len(h.chat.all()) != 1 || r.Runs[0].Status != jobs.Done {
			t.Fatalf("%d messages, the run is %s", len(h.chat.all()), r.Runs[0].Status)
		}
		sent := h.chat.all()[0].reply
		if sent.Thread != e.Thread || sent.Mention != "ann" || sent.AnswerTo.ID != e.Message.Ref.ID || sent.Text != "Here it is." {
			t.Errorf("sent is %+v", sent)
		}
		if len(sent.Files) != 1 || sent.Files[0].Type != "image/png" || sent.Files[0].Size != int64(len("PNG by pic1")) || sent.Files[0].Alt != "a picture" {
			t.Fatalf("the files are %+v", sent.Files)
		}
		body, err := h.blobs.Get(t.Context(), sent.Files[0].Handle)
		check(t, err)
		content, err := io.ReadAll(body)
		check(t, err)
		check(t, body.Close())
		if string(content) != "PNG by pic1" || !strings.HasPrefix(sent.Files[0].Handle, jobs.ThreadFolder(r.ThreadID)+"/") {
			t.Errorf("%s holds %q", sent.Files[0].Handle, content)
		}
		want := []adapters.Choice{{ID: r.ID + "-1-1", Text: "pic2"}}
		if diff := cmp.Diff(want, sent.Choices); diff != "" {
			t.Error(diff)
		}
		h.chat.until(t, "the numbers", func() bool { return h.chat.offered[r.Runs[0].Sent.ID] == 1 })
		h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, adapters.Done)
		given := h.planner.request(r.ID).Given
		if len(given) != 1 || given[0].Type != plan.Image || given[0].File != "holiday photo.png" {
			t.Errorf("given is %+v", given)
		}
		if len(r.Runs[0].Steps) != 2 || r.Runs[0].Steps[1].Status != plan.Done || r.Runs[0].Steps[0].Ended.Before(r.Runs[0].Steps[0].Started) {
			t.Errorf("the steps are %+v", r.Runs[0].Steps)
		}
	})
}

func TestLogHasNoContent(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.fails("blur", "The secret.png is broken.", false)
	e := h.says("t", "ann", "blur", h.chat.upload("secret.png", "PNG secret"))
	r := h.ask(j, e)
	bad := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("secret.txt", "BAD secret")))
	if !strings.Contains(h.told(bad), "no bad files") {
		t.Errorf("the reply is %q", h.told(bad))
	}
	for line := range strings.Lines(h.log.String()) {
		if strings.Contains(line, "stage") && !strings.Contains(line, "request="+r.ID) && !strings.Contains(line, "request="+bad.ID) {
			t.Errorf("no request in %s", line)
		}
		for _, word := range []string{"blur", "secret", "Name of", "broken"} {
			if strings.Contains(line, word) {
				t.Errorf("%q in %s", word, line)
			}
		}
	}
	for _, q := range []string{"plan", "cpu", "gateway:chat"} {
		archived, err := h.inspector().ListArchivedTasks(q)
		if err != nil {
			continue // never used
		}
		for _, task := range archived {
			if strings.Contains(task.LastErr, "secret") {
				t.Errorf("the queue has %q", task.LastErr)
			}
		}
	}
}

func TestStatusSigns(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.fails("broken", "It is broken.", false)
	for wish, sign := range map[string]adapters.Status{"!hello": adapters.Done, "?which": adapters.Asking, "broken": adapters.Failed} {
		e := h.says("t"+wish, "ann", wish)
		r := h.ask(j, e)
		h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, sign)
		if got := map[jobs.Status]adapters.Status{jobs.Done: adapters.Done, jobs.Asking: adapters.Asking, jobs.Failed: adapters.Failed}[r.Runs[0].Status]; got != sign {
			t.Errorf("%s is %s", wish, r.Runs[0].Status)
		}
	}
}

func TestCommandIsAnsweredInItsThread(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	e := h.says("t", "ann", "")
	e.Kind, e.Message, e.Command = adapters.CommandGiven, nil, &adapters.Command{Name: "tools"}
	r := h.ask(j, e)
	if told := h.told(r); !strings.Contains(told, "do not know") {
		t.Errorf("the reply is %q", told)
	}
	if of := r.Runs[0].Answer.Reply.Command; of != e.ID {
		t.Errorf("it answers the command %q and not %q", of, e.ID)
	}
}
