package offline_test

import (
	"regexp"
	"strings"
	"testing"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// account is of a plan of one subtask for each step that is final, done in this order.
func account(results ...plan.Result) mind.Account {
	a := mind.Account{Plan: &plan.Plan{}, Results: results}
	tools := []string{"image_to_edge", "blur_image", "image_captioning", "object_detection"}
	for i := range results {
		a.Steps = append(a.Steps, plan.Step{Key: tools[i], Task: i, Final: true, Action: plan.Action{Tool: tools[i], Returns: plan.Image}})
		a.Plan.Tasks = append(a.Plan.Tasks, plan.Task{Subtask: plan.Subtask{Description: "do it"}, Solutions: []plan.Solution{{Actions: []plan.Action{{Tool: tools[i]}}}}})
	}
	return a
}

func done(r plan.Resource) plan.Result { return plan.Result{Status: plan.Done, Output: &r} }

func edge() plan.Resource {
	return plan.Resource{Name: "photo-3f2a.edge-91bc.png", Type: plan.Edge}
}

func TestRespond(t *testing.T) {
	t.Parallel()
	approximate := done(edge())
	approximate.Approximate = true
	noted := done(edge())
	noted.Note = "The picture was turned upright first."
	several := done(edge())
	several.More = []plan.Resource{{Name: "photo-3f2a.edge-92bc.png", Type: plan.Edge}}
	about := edge()
	about.About = "edges of a house"
	untold := account(plan.Result{Status: plan.Failed})
	missing := account(done(edge()))
	missing.Plan.Tasks = append(missing.Plan.Tasks, plan.Task{Subtask: plan.Subtask{Description: "read it aloud."}, Missing: []string{"text_to_speech", "voice_maker"}})
	told := missing
	told.Missing = []string{"The tool text_to_speech cannot run here: it needs a voice."}
	wayless := account(done(edge()))
	wayless.Plan.Tasks, wayless.Missing = missing.Plan.Tasks, []string{`I know no way to get an audio for "read it aloud.".`}
	fallback := account(done(edge()))
	fallback.Fallbacks = []string{"I used another way to find the edges."}
	inner := account(done(edge()), done(plan.Resource{Name: "photo-3f2a.edge-91bc.blur-0001.png", Type: plan.Image}))
	inner.Steps[0].Final = false
	inner.Steps[1].Action.Args = []plan.Binding{{Arg: "image", Type: plan.Image, Source: plan.FromAction(0)}}
	hidden := account(done(plan.Resource{Name: "photo.caption-1", Type: plan.Text, Value: "a secret caption"}), done(edge()))
	hidden.Steps[0].Final = false
	for _, c := range []struct {
		name       string
		account    mind.Account
		want, lack string // parts, separated by " & "
	}{
		{"a file", account(done(edge())), "photo-3f2a.edge-91bc.png", "could not & approximate"},
		{"what it shows", account(done(about)), "photo-3f2a.edge-91bc.png & edges of a house", "could not"},
		{"two files", account(done(edge()), done(plan.Resource{Name: "b.png", Type: plan.Image})), "photo-3f2a.edge-91bc.png & b.png", "could not"},
		{"several files of a step", account(several), "photo-3f2a.edge-91bc.png & photo-3f2a.edge-92bc.png", ""},
		{"a file on the way", inner, "edge-91bc.png & on the way & blur-0001.png", ""},
		{"a text", account(done(plan.Resource{Type: plan.Text, Value: "Two dogs play."})), "Two dogs play.", "Here is"},
		{"a text on the way is not said", hidden, "photo-3f2a.edge-91bc.png", "secret"},
		{"boxes", account(done(plan.Resource{Type: plan.BBox, Value: `[{"label":"dog","score":0.9,"xmin":1,"ymin":2,"xmax":3,"ymax":4}]`})), "dog & 90 & (1, 2)", ""},
		{"no boxes", account(done(plan.Resource{Type: plan.BBox, Value: "[]"})), "nothing", "Found"},
		{"classes", account(done(plan.Resource{Type: plan.Category, Value: `[{"label":"beach","score":0.5}]`})), "beach & 50", ""},
		{"a value that is spoilt", account(done(plan.Resource{Type: plan.Category, Value: "{"})), "could not tell", "{"},
		{"a title", account(done(plan.Resource{Type: plan.Title, Value: "At Sea"})), "At Sea", ""},
		{"a failure", account(plan.Result{Status: plan.Failed, Problem: "The picture is too large."}), "could not & The picture is too large.", "Here is & .."},
		{"a failure without a word", untold, "could not & image to edge", "image_to_edge & Here is"},
		{"a failure beside a success", account(done(edge()), plan.Result{Status: plan.Failed, Problem: "No ink."}), "edge-91bc.png & No ink", "I could not do it"},
		{"a skipped step", account(plan.Result{Status: plan.Failed, Problem: "No ink."}, plan.Result{Status: plan.Skipped}), "No ink", "Here is"},
		{"nothing ran", account(plan.Result{Status: plan.Waiting}), "could not", "Here is"},
		{"approximate", account(approximate), "edge-91bc.png & approximate", ""},
		{"a note", account(noted), "turned upright", ""},
		{"a fallback", fallback, "another way to find", ""},
		{"a part that no tool can do", missing, "edge-91bc.png & could not & read it aloud", ".."},
		{"which tool is missing", told, "edge-91bc.png & read it aloud & The tool text_to_speech cannot run here: it needs a voice.", ""},
		{"there is no such tool", wayless, `edge-91bc.png & I know no way to get an audio for "read it aloud."`, "I could not do this part"},
		{"nothing but what no tool can do", mind.Account{Plan: &plan.Plan{Tasks: missing.Plan.Tasks[1:]}}, "could not", "Here is"},
		{"a question", mind.Account{Plan: &plan.Plan{Question: "Which one?"}}, "Which one?", "could not"},
		{"a reply", mind.Account{Plan: &plan.Plan{Reply: "Hello!"}}, "Hello!", "could not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, err := theMind(t).Respond(t.Context(), c.account, nil)
			if err != nil {
				t.Fatal(err)
			}
			for part := range strings.SplitSeq(c.want, " & ") {
				if !strings.Contains(text, part) {
					t.Errorf("%q is not said in:\n%s", part, text)
				}
			}
			for part := range strings.SplitSeq(c.lack, " & ") {
				if part != "" && strings.Contains(text, part) {
					t.Errorf("%q is said in:\n%s", part, text)
				}
			}
			checkClaims(t, c.account, text)
		})
	}
}

var anyFile = regexp.MustCompile(`[\pL\pN_.-]+\.(?:png|jpg|mp4|mp3|html)\b`)

// checkClaims holds that an answer names no file that is not in the results.
func checkClaims(t *testing.T, a mind.Account, text string) {
	t.Helper()
	there := map[string]bool{}
	for _, r := range a.Results {
		if r.Output != nil {
			there[r.Output.Name] = true
		}
		for _, more := range r.More {
			there[more.Name] = true
		}
	}
	for _, name := range anyFile.FindAllString(text, -1) {
		if !there[name] {
			t.Errorf("%s is claimed, but not there:\n%s", name, text)
		}
	}
}

// Of the files that a failed run was to make none is named, whatever the plan says.
func TestRespondClaimsNoFileOfAStepThatFailed(t *testing.T) {
	t.Parallel()
	a := account(plan.Result{Status: plan.Failed, Problem: "No ink."}, plan.Result{Status: plan.Running}, plan.Result{Status: plan.Skipped})
	left := edge()
	a.Results[1].Output = &left // of an attempt that was not finished
	text, err := theMind(t).Respond(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, left.Name) {
		t.Errorf("the file of an unfinished step is claimed:\n%s", text)
	}
}
