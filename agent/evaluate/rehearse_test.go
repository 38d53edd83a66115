package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// rehearsal is a plan whose answer must name two files; a caption is an intermediate result.
const rehearsal = `task image
 image_to_edge image:image=photo.png -> edge
 edge_text_to_image edge:edge=@0 text:text="a castle" -> image
task text
 image_captioning image:image=#0 -> text`

// failingID returns an id of a request in which the given step fails.
func failingID(t *testing.T, step, steps int) string {
	t.Helper()
	for i := range 1000 {
		if id := fmt.Sprintf("id-%d", i); failing(id, steps) == step {
			return id
		}
	}
	t.Fatalf("no id makes step %d of %d fail", step, steps)
	return ""
}

func rehearsalOf(t *testing.T, failed int) (Case, *plan.Plan) {
	t.Helper()
	p := readPlan(t, rehearsal).plan
	p.Resources = []plan.Resource{{Name: "photo.png", Type: plan.Image}}
	id := failingID(t, failed, 3)
	return Case{ID: id, Request: plan.Request{ID: id, Wish: "edges of photo.png, then a castle, and describe it", Given: p.Resources}}, p
}

func TestMadeUpResults(t *testing.T) {
	t.Parallel()
	for failed, want := range map[int][]plan.Status{
		-1: {plan.Done, plan.Done, plan.Done},
		0:  {plan.Failed, plan.Skipped, plan.Skipped},
		1:  {plan.Done, plan.Failed, plan.Skipped},
		2:  {plan.Done, plan.Done, plan.Failed},
	} {
		c, p := rehearsalOf(t, failed)
		account, err := madeUp(c, p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := madeUp(c, p)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range account.Results {
			if r.Status != want[i] {
				t.Errorf("step %d fails: step %d is %s", failed, i, r.Status)
			}
			if (r.Status == plan.Done) != (r.Output != nil) || (r.Status == plan.Failed) != (r.Problem != "") {
				t.Errorf("step %d fails: %+v", failed, r)
			}
			if r.Output != nil && r.Output.Name != again.Results[i].Output.Name {
				t.Errorf("the name is not deterministic: %s", r.Output.Name)
			}
		}
		if failed == -1 {
			edge, castle, caption := account.Results[0].Output, account.Results[1].Output, account.Results[2].Output
			if !strings.HasPrefix(edge.Name, "photo.edge-") || !strings.HasPrefix(castle.Name, "photo.edge-") ||
				!strings.HasSuffix(castle.Name, ".png") || caption.Value == "" {
				t.Errorf("%+v %+v %+v", edge, castle, caption)
			}
		}
	}
}

// TestContentOfTypes checks that every type has a made-up value that can be parsed, or a file extension.
func TestContentOfTypes(t *testing.T) {
	t.Parallel()
	for _, typ := range plan.Types() {
		value, ext := content(typ)
		if typ.Media() != (ext != "") || typ.Media() == (value != "") {
			t.Errorf("%s: %q, %q", typ, value, ext)
		}
		r := plan.Resource{Type: typ, Value: value}
		var err error
		switch typ { //nolint:exhaustive // only lists are decoded
		case plan.BBox:
			_, err = plan.DecodeValue[plan.Box](r)
		case plan.Points:
			_, err = plan.DecodeValue[plan.Point](r)
		case plan.Category:
			_, err = plan.DecodeValue[plan.Class](r)
		}
		if err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

func TestFaultsOfAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failed int
		text   string // CASTLE is replaced by the name of the picture
		want   string
	}{
		"good":                   {-1, "Here is CASTLE: a brown dog lies on a red sofa.", ""},
		"empty":                  {-1, " \n", "empty"},
		"an invented file":       {-1, "Here are CASTLE and castle-2.png.", "castle-2.png, which does not exist"},
		"one file needs no name": {-1, "The castle is done.", ""},
		"a failure in words":     {2, "Here is CASTLE. Die Beschreibung fehlt: Fehler 4711.", ""},
		"a failure in silence":   {2, "Here is CASTLE.", "does not report that image_captioning failed"},
		"nothing to name":        {0, "The server stopped with 4711.", ""},
	} {
		made, p := rehearsalOf(t, c.failed)
		account, err := madeUp(made, p)
		if err != nil {
			t.Fatal(err)
		}
		text := c.text
		if castle := account.Results[1].Output; castle != nil {
			text = strings.ReplaceAll(text, "CASTLE", castle.File)
		}
		why := strings.Join(faults(account, text), "; ")
		if (c.want == "") != (why == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// TestRehearsal checks that answers are requested if there is a plan, and that their cost is counted.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	well := failingID(t, -1, 3)
	cases := make([]Case, 0, 3)
	plans := map[string]string{"talk": "reply Hello."}
	errDown := errors.New("down")
	for _, id := range []string{well, well + "-silent", well + "-mute", well + "-down", "talk"} {
		cases = append(cases, Case{ID: id, Request: plan.Request{ID: id, Wish: "do " + id, Given: []plan.Resource{{Name: "photo.png", Type: plan.Image}}}})
		if id != "talk" {
			plans[id] = rehearsal
		}
	}
	s := &scripted{t: t, plans: plans}
	options := s.options()
	options.Respond = func(_ context.Context, a planner.Account, took *plan.Thinking) (string, error) {
		took.Jobs = append(took.Jobs, plan.Job{Name: "respond", Calls: 1, Input: 8})
		switch a.Request.ID {
		case well:
			return "Made: " + a.Results[1].Output.File, nil
		case well + "-mute":
			return "", errors.New("no words")
		case well + "-down":
			return "", errDown
		}
		return "Done.\nAll of it is in it.png.", nil
	}
	options.Unasked = func(err error) string {
		if errors.Is(err, errDown) {
			return "not asked"
		}
		return ""
	}
	r, err := Run(t.Context(), s, cases, options)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]int{"not asked": 1}, r.Answers.LeftOut); d != "" {
		t.Error(d)
	}
	if r.Answers == nil || r.Answers.Asked != 3 || r.Answers.Good != 1 || len(r.Answers.Misses) != 2 {
		t.Fatalf("%+v", r.Answers)
	}
	if last := r.Thinking.Jobs[len(r.Thinking.Jobs)-1]; last.Name != "respond" || last.Requests != 4 || last.Tokens.Input != 8 {
		t.Errorf("jobs %+v", r.Thinking.Jobs)
	}
	mute := slices.IndexFunc(r.Answers.Misses, func(m AnswerMiss) bool { return m.ID == well+"-mute" })
	if mute < 0 || r.Answers.Misses[mute].Why[0] != "failed: no words" {
		t.Errorf("%+v", r.Answers.Misses)
	}
	var b bytes.Buffer
	if err := errors.Join(r.Print(&b), r.PrintMisses(&b)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"good answers", "of 3\n", "1 not asked\n", "-silent: not a good answer\n  do ", "    Done.\n    All of it is in it.png.\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in %s", want, b.String())
		}
	}
}
