package jobs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// speaker is a planner with spoken answers.
type speaker struct {
	*planner

	err error
}

func (s speaker) Voice(_ context.Context, made *plan.Route, folder string) (*adapters.Voice, error) {
	if s.err != nil || !strings.HasPrefix(made.Ends()[0].Name, "pic1") {
		return nil, s.err
	}
	return &adapters.Voice{Handle: folder + "/voice.ogg", Size: 1, Duration: time.Second, Waveform: []byte{1}}, nil
}

// TestSpokenAnswerHasVoiceMessage if the platform supports these and one can be made.
func TestSpokenAnswerHasVoiceMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wish  string
		shows bool
		err   error
		voice bool
	}{
		"one": {"pic1", true, nil, true}, "not shown": {"pic1", false, nil, false}, "not spoken": {"pic2", true, nil, false},
		"two files": {"pic1;pic2", true, nil, false}, "it fails": {"pic1", true, errors.New("it broke"), false}, "no file": {"blur", true, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.chat.limits.Voice = c.shows
			j := h.start(func(config *jobs.Config) { config.Agent = speaker{h.planner, c.err} })
			r := h.ask(j, h.says("t", "ann", c.wish))
			p, ok := h.chat.post(r.Runs[0].Sent)
			voice := len(p.reply.Files) == 1 && p.reply.Files[0].Voice != nil
			if !ok || r.Runs[0].Status != jobs.Done || voice != c.voice {
				t.Errorf("it is %s: %+v", r.Runs[0].Status, p.reply.Files)
			}
			if voice && !strings.HasPrefix(p.reply.Files[0].Voice.Handle, "threads/") {
				t.Errorf("it is kept at %s", p.reply.Files[0].Voice.Handle)
			}
		})
	}
}
