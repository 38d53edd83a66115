package jobs_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage/disk"
)

func TestAPauseThatThePlatformWantsIsNoTry(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(n int, _ adapters.Reply) error {
		if n <= 25 { // more often than is tried
			return &adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}
		}
		return nil
	}
	j := h.start()
	if r := h.ask(j, h.says("t", "ann", "blur")); r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 {
		t.Errorf("the run is %s, sent are %d", r.Runs[0].Status, len(h.chat.all()))
	}
}

func TestAnAnswerOfWhichNobodyKnowsWhetherItWasPostedIsSentUnderTheSameKey(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSent = func(n int) error {
		if n <= 3 {
			return errors.New("the connection broke")
		}
		return nil
	}
	j := h.start()
	h.ask(j, h.says("t", "ann", "blur"))
	if h.chat.sends != 4 || len(h.chat.all()) != 1 || h.mind.count("respond") != 1 {
		t.Errorf("sent %d times, %d messages, worded %d times", h.chat.sends, len(h.chat.all()), h.mind.count("respond"))
	}
}

func TestAnAnswerThatCannotBeSentEndsItsRunAndTheThreadGoesOn(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if r.AnswerTo.ID == "m1" {
			return &adapters.Fault{Sentence: "The channel is gone.", Kind: adapters.ErrGone}
		}
		return nil
	}
	j := h.start()
	first := h.handle(j, h.says("t", "ann", "blur"))
	second := h.handle(j, h.says("t", "ann", "sharpen"))
	if r := h.wait(j, first, 1); r.Runs[0].Problem != "The channel is gone." || !r.Runs[0].Sent.IsZero() {
		t.Errorf("the problem is %q", r.Runs[0].Problem)
	}
	if r := h.wait(j, second, 1); h.told(r) != "Here it is." || h.chat.sends != 2 {
		t.Errorf("sent %d times", h.chat.sends)
	}
}

func TestAThreadGoesOnAfterATryThatIsGivenUp(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if r.AnswerTo.ID == "m1" {
			return errors.New("something passing that does not pass")
		}
		return nil
	}
	j := h.start()
	first := h.handle(j, h.says("t", "ann", "blur"))
	second := h.handle(j, h.says("t", "ann", "sharpen"))
	if r := h.wait(j, first, 1); r.Runs[0].Problem == "" {
		t.Error("it has no problem")
	}
	h.wait(j, second, 1)
	if len(h.chat.all()) != 1 || h.chat.sends != 22 {
		t.Errorf("%d messages, sent %d times", len(h.chat.all()), h.chat.sends)
	}
}

func TestWhatIsTooLargeIsLinked(t *testing.T) {
	t.Parallel()
	tooLarge := func(file int) error {
		return &adapters.Fault{Sentence: "Too large.", Kind: adapters.ErrTooLarge, File: file}
	}
	for name, c := range map[string]struct {
		limits adapters.Limits
		refuse func(n int, r adapters.Reply) error
		linked string
		sends  int
	}{
		"one is larger than the limit":      {limits: adapters.Limits{File: int64(len("PNG by pic1"))}, linked: "-xx", sends: 1},
		"they are too many":                 {limits: adapters.Limits{Files: 1}, linked: "-xx", sends: 1},
		"they are too large together":       {limits: adapters.Limits{Total: int64(2 * len("PNG by pic1"))}, linked: "-xx", sends: 1},
		"the platform takes less than that": {refuse: func(int, adapters.Reply) error { return tooLarge(0) }, linked: "xxx", sends: 2},
		"it tells which ones": {refuse: func(n int, _ adapters.Reply) error {
			if n <= 2 {
				return tooLarge(4 - n)
			}
			return nil
		}, linked: "-xx", sends: 3},
		"all fits": {linked: "---", sends: 1},
	} {
		for _, linking := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := enter(t)
				if linking {
					blobs, err := disk.New(disk.Config{Folder: t.TempDir(), LinkBase: "https://example.org/files"})
					check(t, err)
					t.Cleanup(func() { check(t, blobs.Close()) })
					h.blobs, h.mind.blobs = blobs, blobs
				}
				h.chat.limits = c.limits
				h.chat.onSend = func(n int, r adapters.Reply) error {
					open := false
					for _, f := range r.Files {
						open = open || f.Link == ""
					}
					if c.refuse != nil && open {
						return c.refuse(n, r)
					}
					return nil
				}
				j := h.start()
				r := h.ask(j, h.says("t", "ann", "pic1;pic22;pic333"))
				p, ok := h.chat.post(r.Runs[0].Sent)
				if !ok || h.chat.sends != c.sends {
					t.Fatalf("sent %d times: %s", h.chat.sends, r.Runs[0].Problem)
				}
				var links strings.Builder
				for _, f := range p.reply.Files {
					links.WriteString(map[bool]string{true: "-", false: "x"}[f.Link == ""])
				}
				got := links.String()
				want := c.linked
				if !linking { // then they are left out, and the text says so
					want = strings.ReplaceAll(want, "x", "")
					if n := strings.Count(p.reply.Text, "is too large to be sent here."); n != strings.Count(c.linked, "x") {
						t.Errorf("the text is %q", p.reply.Text)
					}
				}
				if got != want {
					t.Errorf("the files are %s: %+v", got, p.reply.Files)
				}
			})
		}
	}
}
