package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/fallback"
	"atelier/agent/toolbox"
)

// broken is a planner whose server is down from some job on.
type broken struct {
	*fakePlanner

	from string
}

var errGone = errors.New("the server has gone")

func (m broken) Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	if m.from == "decompose" {
		return planner.Decomposition{}, errGone
	}
	return m.fakePlanner.Decompose(ctx, r, t)
}

func (m broken) Respond(context.Context, planner.Account, *plan.Thinking) (string, error) {
	return "", errGone
}

// Answers say that another planner stood in, whether they are about results, a question or a reply.
func TestRespondTellsWhoStoodIn(t *testing.T) {
	t.Parallel()
	const gone = "The language model gave no answer that I could use, so I "
	one := planner.Decomposition{Subtasks: []plan.Subtask{wants(plan.Edge, photo)}}
	for _, c := range []struct {
		name, from string
		d          planner.Decomposition
		want       string
	}{
		{"from the beginning", "decompose", one, "Done.\n" + gone + "read this with"},
		{"at the end", "respond", one, "Done.\n" + gone + "wrote this answer with"},
		{"a question", "decompose", planner.Decomposition{Question: "Which one?"}, "Which one?\n" + gone + "read this with"},
		{"a reply", "decompose", planner.Decomposition{Reply: "Hello."}, "Hello.\n" + gone + "read this with"},
		{"a refusal, whose cause comes first", "decompose", planner.Decomposition{Reply: "English only.", Refused: true},
			gone + "read this with my built-in rules, which understand only English.\nEnglish only."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			second := &fakePlanner{decomposition: c.d, text: "Done."}
			two, err := fallback.New(fallback.Config{First: broken{second, c.from}, Second: second})
			if err != nil {
				t.Fatal(err)
			}
			a, err := agent.New(agent.Config{Planner: two, Toolbox: oneTool(t), Blobs: &memBlobs{data: map[string][]byte{"blob": picture()}}, Scratch: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			p, err := a.Plan(t.Context(), request(photo))
			if err != nil {
				t.Fatal(err)
			}
			ran, err := run(t.Context(), a, request(photo), p, p.Best())
			if err != nil {
				t.Fatal(err)
			}
			answer, err := a.Respond(t.Context(), ran.account)
			if err != nil || !strings.HasPrefix(answer.Text, c.want) {
				t.Errorf("%q, %v", answer.Text, err)
			}
			if answer.Thinking.StoodIn == "" {
				t.Error("the answer's thinking does not hold it")
			}
		})
	}
}

func oneTool(t *testing.T) *toolbox.Toolbox {
	t.Helper()
	tb, err := toolbox.New(toolbox.Config{
		Catalogue: toolbox.NewCatalogue([]toolbox.Tool{tool("edge", plan.Edge, img)}),
		Servers:   []toolbox.Server{{Kind: "native", Backend: maker{"edge": draws}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tb
}
