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

// TestTextFilesVerbatim shows results that are text files as they are, where the platform wants that.
func TestTextFilesVerbatim(t *testing.T) {
	t.Parallel()
	const art, table = "   /\\_/\\\n  ( *.* )\n   > _ <", "name, *age*\nAna,31"
	paragraph := "**Dear** Ann,\n" + strings.Repeat("it was a long way. ", 10)
	for name, c := range map[string]struct {
		file, value, answer, want string
		plain                     bool
	}{
		"columns":          {"cat.txt", art, "/\\_/\\\n  ( *.* )\n   > _ <\nIt is **only** approximate.", "```\n" + art + "\n```\nIt is **only** approximate.", false},
		"after a line":     {"names.csv", table, "The table:\n" + table, "The table:\n```\n" + table + "\n```", false},
		"within a line":    {"names.csv", table, "It is " + table + ".", "It is\n```\n" + table + "\n```\n.", false},
		"a wide table":     {"names.csv", table + strings.Repeat(",0", 90), table + strings.Repeat(",0", 90), "```\n" + table + strings.Repeat(",0", 90) + "\n```", false},
		"a paragraph":      {"letter.txt", paragraph, paragraph, adapters.Escape(strings.TrimSpace(paragraph)), false},
		"backquotes":       {"a.txt", "a\n```\nb", "a\n```\nb", "````\na\n```\nb\n````", false},
		"Markdown":         {"a.md", "# A\n- b", "# A\n- b", "# A\n- b", false},
		"no file":          {"", "- a\n- b", "- a\n- b", "- a\n- b", false},
		"not in the text":  {"names.csv", table, "Here it is.", "Here it is.", false},
		"another platform": {"names.csv", table, table, table, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.chat.limits.Verbatim = !c.plain
			h.planner.set("a", func(context.Context, jobs.Work) (plan.Result, error) {
				return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "a-1234", Type: plan.Text, Value: c.value, File: c.file}}, nil
			})
			h.planner.respond = func(context.Context, jobs.Account) (string, error) { return c.answer, nil }
			j := h.start()
			r := h.ask(j, h.says("t", "ann", "a"))
			if p, _ := h.chat.post(r.Runs[0].Sent); strings.TrimSpace(p.reply.Text) != c.want {
				t.Errorf("it says %q, want %q", p.reply.Text, c.want)
			}
		})
	}
}
