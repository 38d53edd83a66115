package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage"
)

// unhashed matches the hashes at the end of result names.
var unhashed = regexp.MustCompile(`-[0-9a-f]{4}\.`)

// TestFilesRejectedByPlatform are sent as links. Without links they are left out, the text says which ones and why,
// and the request is not shown as done.
func TestFilesRejectedByPlatform(t *testing.T) {
	t.Parallel()
	const room = "The workspace has no space left for files."
	size := int64(len("PNG by pic1"))
	pick := func(r adapters.Reply, begins string) (files []int) {
		for i, f := range r.Files {
			if f.Link == "" && strings.HasPrefix(f.Name, begins) {
				files = append(files, i)
			}
		}
		return files
	}
	large := func(r adapters.Reply, begins string) error {
		if files := pick(r, begins); files != nil {
			return &adapters.Fault{Sentence: "Too large.", Kind: adapters.ErrTooLarge, Files: files}
		}
		return nil
	}
	for name, c := range map[string]struct {
		limits adapters.Limits
		refuse func(r adapters.Reply) error
		linked string // the linked one of the three files
		said   string // without links
		always string // with links, too
	}{
		"all are taken": {},
		"two are larger than the limit": {
			limits: adapters.Limits{File: size}, linked: "-xx",
			said: "pic22.png is too large to send here: it has 12 bytes, and the limit is 11 bytes.\n\n" +
				"pic333.png is too large to send here: it has 13 bytes, and the limit is 11 bytes.",
		},
		"two are too many": {
			limits: adapters.Limits{Files: 1}, linked: "-xx", said: "At most 1 files are sent with one answer. Not sent: 2.",
		},
		"the platform takes less than it had said": {
			refuse: func(r adapters.Reply) error { return large(r, "pic22") }, linked: "-x-", said: "pic22.png is too large to send here.",
		},
		"it tells of one after the other": {
			refuse: func(r adapters.Reply) error {
				if err := large(r, "pic333"); err != nil {
					return err
				}
				return large(r, "pic1")
			},
			linked: "x-x", said: "pic333.png is too large to send here.\n\npic1.png is too large to send here.",
		},
		"it has no room": {
			refuse: func(r adapters.Reply) error {
				if files := pick(r, "pic"); files != nil {
					return &adapters.Fault{Sentence: room, Kind: adapters.ErrForbidden, Files: files[max(0, len(files)-2):]}
				}
				return nil
			},
			linked: "xxx", always: room, said: room + "\n\nNot sent: pic22.png, pic333.png and pic1.png",
		},
	} {
		for _, linking := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", with links"}[linking], func(t *testing.T) {
				t.Parallel()
				h := enter(t)
				if linking {
					h.links()
				}
				h.chat.limits = c.limits
				h.chat.onSend = func(_ int, r adapters.Reply) error {
					if c.refuse == nil {
						return nil
					}
					return c.refuse(r)
				}
				e := h.says("t", "ann", "pic1;pic22;pic333")
				r := h.ask(h.start(), e)
				p, _ := h.chat.post(r.Runs[0].Sent)
				var got strings.Builder
				for _, f := range p.reply.Files {
					got.WriteString(map[bool]string{true: "-", false: "x"}[f.Link == ""])
				}
				linked, said, status, sign := c.linked, c.always, jobs.Done, adapters.Done
				if linked == "" {
					linked = "---"
				}
				if !linking && c.linked != "" {
					linked, said, status, sign = strings.ReplaceAll(linked, "x", ""), c.said, jobs.Failed, adapters.Failed
				}
				if got.String() != linked {
					t.Errorf("the files are %q, not %q: %+v", got.String(), linked, p.reply.Files)
				}
				if strings.Contains(linked, "x") {
					said = strings.TrimSpace(said + "\n\nLinks to files work for 7 days.")
				}
				if said != "" {
					said = "\n\n" + said
				}
				if told := unhashed.ReplaceAllString(strings.ReplaceAll(p.reply.Text, `\`, ""), "."); told != "Here it is."+said {
					t.Errorf("the reply is %q", told)
				}
				if r.Runs[0].Status != status || r.Runs[0].Problem != "" {
					t.Errorf("it is %s: %s", r.Runs[0].Status, r.Runs[0].Problem)
				}
				h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, sign)
			})
		}
	}
}

// withLinks are blobs with links.
type withLinks struct{ storage.Blobs }

func (withLinks) Link(_ context.Context, key string, _ time.Duration) (string, error) {
	return "https://example.org/files/" + key, nil
}

// links enables links to files.
func (h *house) links() { h.blobs = withLinks{h.blobs} }

// TestForbiddenAnswer has files, and is rejected without them as well: people and the log are told why.
func TestForbiddenAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		f := &adapters.Fault{
			Sentence: "The bot lacks a permission here: %s.", Args: []any{"Attach Files"}, Kind: adapters.ErrForbidden, Err: errors.New("code 50013"),
		}
		for i := range r.Files {
			f.Files = append(f.Files, i)
		}
		if len(f.Files) == 0 {
			f.Args = []any{"Send Messages"}
		}
		return f
	}
	r := h.ask(h.start(), h.says("t", "ann", "pic1;pic22"))
	h.log.until(t, 1, "files of an answer are not sent", "files=2", "Attach Files.", "code 50013", "request="+r.ID)
	h.log.until(t, 1, "stage failed", "Send Messages.")
	if r.Runs[0].Status != jobs.Failed || r.Runs[0].Problem != "The bot lacks a permission here: Send Messages." || h.chat.sends != 2 {
		t.Errorf("it is %s after %d tries: %s", r.Runs[0].Status, h.chat.sends, r.Runs[0].Problem)
	}
}

// TestRejectedPostIsNotRetried if the rest of the answer may be posted already: that rest is posted again under the
// key.
func TestRejectedPostIsNotRetried(t *testing.T) {
	t.Parallel()
	h := enter(t)
	var tries []int
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if tries = append(tries, len(r.Files)); len(r.Files) > 1 {
			return &adapters.Fault{Sentence: "Too large.", Kind: adapters.ErrTooLarge, Files: []int{0}}
		}
		return nil
	}
	h.chat.onSent = func(n int) error {
		if n == 2 {
			return errors.New("the connection broke")
		}
		return nil
	}
	r := h.ask(h.start(), h.says("t", "ann", "pic1;pic22"))
	if !slices.Equal(tries, []int{2, 1, 1}) || r.Runs[0].Status != jobs.Failed || strings.Count(h.told(r), "too large") != 1 {
		t.Errorf("%v files are tried, it is %s: %s", tries, r.Runs[0].Status, h.told(r))
	}
}

// TestIncompleteAnswerStays if its post could not be recorded at once.
func TestIncompleteAnswerStays(t *testing.T) {
	t.Parallel()
	h := enter(t)
	state := &refusing{State: h.state}
	h.state = state
	h.chat.limits = adapters.Limits{File: 1}
	h.chat.onSend = func(int, adapters.Reply) error {
		state.refuse(7)
		return nil
	}
	if r := h.ask(h.start(), h.says("t", "ann", "pic1")); r.Runs[0].Status != jobs.Failed || len(h.chat.all()) != 1 {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
}

// TestMissingFiles are named, and the rest is sent. If no file is gone, the thread is.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	for lost, want := range map[int]string{1: "The file pic1.png no longer exists.", 2: "The file pic22.png no longer exists.", 0: ""} {
		h := enter(t)
		h.chat.onSend = func(n int, r adapters.Reply) error {
			if n > 1 {
				return nil
			}
			if lost > 0 {
				check(t, h.blobs.Delete(t.Context(), r.Files[lost-1].Handle))
			}
			return fmt.Errorf("open an attachment: %w", adapters.ErrGone)
		}
		r := h.ask(h.start(), h.says("t", "ann", "pic1;pic22"))
		p, sent := h.chat.post(r.Runs[0].Sent)
		if lost == 0 {
			if sent || r.Runs[0].Status != jobs.Failed {
				t.Errorf("to a thread that is gone is sent %+v", p.reply)
			}
			continue
		}
		told := unhashed.ReplaceAllString(strings.ReplaceAll(p.reply.Text, `\`, ""), ".")
		if !strings.HasSuffix(told, want) || len(p.reply.Files) != 1 || r.Runs[0].Status != jobs.Failed {
			t.Errorf("it is %s: %+v", r.Runs[0].Status, p.reply)
		}
	}
}
