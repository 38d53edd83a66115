package jobs_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage/disk"
)

// unhashed finds what the names of results end with.
var unhashed = regexp.MustCompile(`-[0-9a-f]{4}\.`)

// TestTheTextComesWhereFilesMayNotBeSent has a platform that lets the bot write, and upload
// nothing.
func TestTheTextComesWhereFilesMayNotBeSent(t *testing.T) {
	t.Parallel()
	const sentence = "The bot lacks a permission here: Attach Files."
	for name, c := range map[string]struct {
		linking, mute bool
		want          string
		sends         int
	}{
		"with links":             {true, false, "Here it is.\n\n" + sentence, 2},
		"without links":          {false, false, "Here it is.\n\n" + sentence + "\n\nNot sent: pic1.png, pic22.png and pic333.png", 2},
		"where it may not write": {false, true, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			if c.linking {
				blobs, err := disk.New(disk.Config{Folder: t.TempDir(), LinkBase: "https://example.org/files"})
				check(t, err)
				t.Cleanup(func() { check(t, blobs.Close()) })
				h.blobs, h.mind.blobs = blobs, blobs
			}
			h.chat.onSend = func(_ int, r adapters.Reply) error {
				for _, f := range r.Files {
					if f.Link == "" {
						return &adapters.Fault{
							Sentence: "The bot lacks a permission here: %s.", Args: []any{"Attach Files"}, Kind: adapters.ErrForbidden, Err: errors.New("code 50013"),
						}
					}
				}
				if c.mute {
					return &adapters.Fault{Sentence: "The bot may not write here.", Kind: adapters.ErrForbidden}
				}
				return nil
			}
			r := h.ask(h.start(), h.says("t", "ann", "pic1;pic22;pic333"))
			h.log.until(t, 1, "sent without its files", "Attach Files.", "code 50013", "request="+r.ID)
			if h.chat.sends != c.sends {
				t.Errorf("sent %d times", h.chat.sends)
			}
			if c.mute {
				h.log.until(t, 1, "stage failed", "The bot may not write here.")
				if r.Runs[0].Status != jobs.Failed || r.Runs[0].Problem != "The bot may not write here." {
					t.Errorf("it is %s: %s", r.Runs[0].Status, r.Runs[0].Problem)
				}
				return
			}
			p, _ := h.chat.post(r.Runs[0].Sent)
			linked := 0
			for _, f := range p.reply.Files {
				if strings.HasPrefix(f.Link, "https://example.org/files/") {
					linked++
				}
			}
			if got := unhashed.ReplaceAllString(strings.ReplaceAll(p.reply.Text, `\`, ""), "."); got != c.want || r.Runs[0].Status != jobs.Done {
				t.Errorf("it is %s, told is %q", r.Runs[0].Status, got)
			}
			if c.linking && linked != 3 || !c.linking && len(p.reply.Files) != 0 {
				t.Errorf("the files are %+v", p.reply.Files)
			}
		})
	}
}
