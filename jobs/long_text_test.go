package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestLongTextIsFile whose first lines are in the message. If the file cannot be sent, the message has the whole text.
func TestLongTextIsFile(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("Line %d of the talk.", i))
	}
	text := strings.Join(lines, "\n")
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprint("refused ", refused), func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.chat.limits.Text = 1500
			h.planner.set("a", func(context.Context, jobs.Work) (plan.Result, error) {
				return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "a-1234", Type: plan.Text, Value: text, File: "talk.txt"}}, nil
			})
			h.planner.respond = func(context.Context, jobs.Account) (string, error) { return text + "\nIt is only approximate.", nil }
			if refused {
				h.chat.onSend = func(_ int, r adapters.Reply) error {
					if len(r.Files) == 0 {
						return nil
					}
					return &adapters.Fault{Sentence: "No files.", Kind: adapters.ErrForbidden, Files: []int{0}}
				}
			}
			j := h.start()
			r := h.ask(j, h.says("t", "ann", "a"))
			p, _ := h.chat.post(r.Runs[0].Sent)
			said := p.reply.Text
			if refused {
				if !strings.Contains(said, text) || !strings.Contains(said, "No files.") {
					t.Errorf("without the file it says %.200q", said)
				}
				return
			}
			if len(said) > 1000 || !strings.HasPrefix(said, "Line 0 of the talk.\nLine 1 of") ||
				!strings.HasSuffix(said, " …\n\nThe whole text is in talk.txt.\nIt is only approximate.") {
				t.Errorf("it says %q", said)
			}
			if len(p.reply.Files) != 1 || p.reply.Files[0].Name != "talk.txt" || p.reply.Files[0].Size != int64(len(text)) {
				t.Errorf("with %+v", p.reply.Files)
			}
		})
	}
}
