package jobs_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// fitter is a planner that can shrink files, to one byte or not at all.
type fitter struct {
	*planner

	to string
}

func (f fitter) Fit(ctx context.Context, made plan.Resource, _ int64, folder string) (plan.Resource, bool, error) {
	if f.to == "" {
		return made, false, nil
	}
	made.Blob = filepath.Join(folder, "small.jpg")
	return made, true, f.blobs.Put(ctx, made.Blob, strings.NewReader(f.to))
}

// TestTooLargeFileIsShrunk: it is shrunk once, and left out if that does not help.
func TestTooLargeFileIsShrunk(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]struct {
		status jobs.Status
		files  int
		said   string
	}{
		"x":      {jobs.Done, 1, "was too large to send here, so I made it smaller: it had 12 bytes, and the limit is 1 byte."},
		"longer": {jobs.Failed, 0, "is too large to send here: it has"},
		"":       {jobs.Failed, 0, "is too large to send here: it has"},
	} {
		h := enter(t)
		h.chat.limits = adapters.Limits{File: 1}
		r := h.ask(h.start(func(c *jobs.Config) { c.Agent = fitter{h.planner, to} }), h.says("t", "ann", "pic22"))
		p, _ := h.chat.post(r.Runs[0].Sent)
		if r.Runs[0].Status != want.status || len(p.reply.Files) != want.files || !strings.Contains(p.reply.Text, want.said) {
			t.Errorf("to %q: it is %s with %d files: %s", to, r.Runs[0].Status, len(p.reply.Files), p.reply.Text)
		}
		if want.files > 0 && (p.reply.Files[0].Size != 1 || filepath.Ext(p.reply.Files[0].Name) != ".jpg") {
			t.Errorf("sent is %+v", p.reply.Files[0])
		}
	}
}
