package decompose

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/workshoptest"
	"atelier/agent/toolbox"
)

// kitchen returns a request with a picture, a sound, a map and two texts.
func kitchen() plan.Request {
	return plan.Request{
		ID: "r1", Wish: "make the kitchen blue",
		Earlier: []plan.Resource{
			{Name: "talk.mp3", Type: plan.Audio},
			{Name: "stairs.depth.png", Type: plan.Depth},
			{Name: "report-1", Type: plan.Text, File: "report.txt", Value: "All is well."},
			{Name: "report-2", Type: plan.Text, File: "report.txt", Value: "All is lost."},
		},
		Given: []plan.Resource{{Name: "kitchen.png", Type: plan.Image}},
	}
}

// aSubtask returns the JSON of a subtask that returns a text.
func aSubtask(id int, dep string, args ...string) string {
	return fmt.Sprintf(`{"description":"do it","task":["image-editing"],"id":%d,"dep":[%s],"args":[%s],"returns":{"type":"text","value":"<GENERATED>-%d"}}`,
		id, dep, strings.Join(args, ","), id)
}

func anArg(typ, value, meaning string) string {
	return fmt.Sprintf(`{"type":%q,"value":%q,"meaning":%q}`, typ, value, meaning)
}

// anAnswer returns the JSON of an answer with these subtasks.
func anAnswer(subtasks ...string) string {
	return `{"thought":"","subtasks":[` + strings.Join(subtasks, ",") + `],"question":"","reply":"","refused":false,"types":[]}`
}

// goodAnswer returns an answer that is valid for the kitchen.
func goodAnswer() string {
	return anAnswer(aSubtask(0, "", anArg("image", "kitchen.png", ""), anArg("text", "make the kitchen blue", "instruction")))
}

// TestDecomposeFaults checks that each fault of an answer is sent back once with its exact complaint. After the
// second fault, people see a sentence, and the operator the fault's kind.
func TestDecomposeFaults(t *testing.T) {
	t.Parallel()
	kitchenArg := anArg("image", "kitchen.png", "")
	many := make([]string, maxSubtasks+1)
	for i := range many {
		many[i] = aSubtask(i, "")
	}
	for _, c := range []struct {
		name, answer, kind string
		complaint          []string // parts of what is sent back
	}{
		{"no JSON", "I am glad to help.", exchange.NotJSON, []string{"no JSON object"}},
		{"cut JSON", goodAnswer()[:90], exchange.NotJSON, []string{"no JSON object"}},
		{"a text for a list", `{"subtasks":"none"}`, exchange.WrongShape, []string{`"subtasks"`, "string"}},
		{"a number for a text", `{"subtasks":[{"description":7}]}`, exchange.WrongShape, []string{"description", "number"}},
		{"a list of texts", `["blur it"]`, exchange.WrongShape, []string{"string"}},
		{"nothing", `{"thought":"hm","subtasks":[],"question":" ","reply":"","refused":false,"types":[]}`, exchange.MissingPart, []string{"all empty", "exactly one"}},
		{"another object", `{"answer":42}`, exchange.MissingPart, []string{"all empty"}},
		{"an empty list", `[]`, exchange.MissingPart, []string{"all empty"}},
		{"a question and a reply", `{"question":"Which?","reply":"Hello"}`, exchange.WrongShape, []string{"question and reply are filled"}},
		{"subtasks and a reply", strings.Replace(goodAnswer(), `"reply":""`, `"reply":"Hello"`, 1), exchange.WrongShape, []string{"subtasks and reply are filled"}},
		{"refused, and done", strings.Replace(goodAnswer(), `"refused":false`, `"refused":true`, 1), exchange.WrongShape, []string{`"refused" is true`}},
		{"an endless reply", `{"reply":"` + strings.Repeat("ja ", 1500) + `"}`, "too long", []string{"too long for a chat message: 4499 characters"}},
		{"a long question", `{"question":"` + strings.Repeat("ja ", 500) + `ja?"}`, "too long", []string{"too long for a chat message: 1503 characters"}},
		{"a reply that claims a file", `{"reply":"Done! I saved it as cartoon-91bc.png."}`, exchange.UnknownResource, []string{`no file "cartoon-91bc.png"`}},
		{"a question about a file that is not there", `{"question":"Do you mean kitchen.png or bath.pdf?"}`, exchange.UnknownResource, []string{`no file "bath.pdf"`}},
		{"a reply with a link", `{"reply":"See https://evil.example/kitchen.png for it."}`, exchange.UnknownResource, []string{`no address "https://evil.example/kitchen.png"`}},
		{"a reply with a tag", `{"reply":"Hello <img src=x>"}`, exchange.WrongShape, []string{"no HTML"}},
		{"a reply with a picture", `{"reply":"Hello ![kitchen.png](kitchen.png)"}`, exchange.WrongShape, []string{"no embedded picture"}},
		{"guesses without a question", `{"reply":"Hello","guesses":["blur it"]}`, exchange.WrongShape, []string{"Guesses go with a question only"}},
		{"too many guesses", `{"question":"Which?","guesses":["a","b","c","d","e"]}`, exchange.WrongShape, []string{"there are 5 guesses, at most 4"}},
		{"a guess twice", `{"question":"Which?","guesses":["blur it","blur it"]}`, exchange.WrongShape, []string{"guess 2 stands twice"}},
		{"a guess that is a number", `{"question":"Which?","guesses":[7]}`, exchange.WrongShape, []string{"number"}},
		{"a guess about a file that is not there", `{"question":"Which?","guesses":["blur bath.png"]}`, exchange.UnknownResource, []string{`no file "bath.png"`}},
		{"too many subtasks", anAnswer(many...), tooMuch, []string{"There are 65 subtasks", "at most 64"}},
		{"no description", anAnswer(strings.Replace(aSubtask(0, ""), "do it", "", 1)), exchange.MissingPart, []string{"Subtask 0 has no description"}},
		{"an endless description", anAnswer(strings.Replace(aSubtask(0, ""), "do it", strings.Repeat("x", maxWords+1), 1)), tooMuch, []string{"has 1001 letters"}},
		{"an unknown domain", anAnswer(strings.Replace(aSubtask(0, ""), "image-editing", "cooking", 1)), exchange.WrongShape, []string{`domain "cooking"`, "The domains are: image-editing."}},
		{"an unknown type that is returned", anAnswer(strings.Replace(aSubtask(0, ""), `"type":"text"`, `"type":"picture"`, 1)), wrongType, []string{`Subtask 0 returns the type "picture"`, "The types are: text, tags,", "normal."}},
		{"an unknown type of an argument", anAnswer(aSubtask(0, "", anArg("photo", "kitchen.png", ""))), wrongType, []string{`has an argument of the type "photo"`, "The types are: text,"}},
		{"an unknown meaning", anAnswer(aSubtask(0, "", anArg("text", "blue", "colour"))), exchange.WrongShape, []string{`meaning "colour"`, "The meanings are: object, prompt,"}},
		{"nothing is returned", `{"subtasks":[{"description":"do it","id":0}]}`, exchange.MissingPart, []string{"Subtask 0 does not say what it returns"}},
		{"two things are returned", `[{"description":"do it","returns":[{"type":"text"},{"type":"image"}]}]`, exchange.WrongShape, []string{"returns 2 things"}},
		{"another's result is returned", anAnswer(strings.Replace(aSubtask(0, ""), "<GENERATED>-0", "<GENERATED>-1", 1)), exchange.WrongShape, []string{`returns the value "<GENERATED>-1"`, "<GENERATED>-0."}},
		{"an unknown resource", anAnswer(aSubtask(0, "", anArg("image", "bath.png", ""))), exchange.UnknownResource, []string{
			`Subtask 0: there is no resource "bath.png".`,
			`The resources are: "talk.mp3" (audio), "stairs.depth.png" (depth), "report-1" (text), "report-2" (text), "kitchen.png" (image).`,
		}},
		{"a key that was asked for", anAnswer(aSubtask(0, "", anArg("html", "/etc/secret.env", ""))), exchange.UnknownResource, []string{`no resource "/etc/secret.env"`}},
		{"a file given as words", anAnswer(aSubtask(0, "", anArg("text", "bath.png", "content"))), exchange.UnknownResource, []string{`no resource "bath.png"`}},
		{"a name that two files have", anAnswer(aSubtask(0, "", anArg("text", "report.txt", "content"))), exchange.UnknownResource, []string{`no resource "report.txt"`, `"report-1" (text)`}},
		{"an unknown resource of a type", strings.Replace(goodAnswer(), `"types":[]`, `"types":[{"resource":"bath.png","type":"depth"}]`, 1), exchange.UnknownResource, []string{`The list of types: there is no resource "bath.png"`}},
		{"words for a picture", anAnswer(aSubtask(0, "", anArg("image", "a blue kitchen", ""))), exchange.UnknownResource, []string{`no resource "a blue kitchen"`}},
		{"words for boxes", anAnswer(aSubtask(0, "", anArg("bbox", "[10, 10, 20, 20]", ""))), exchange.UnknownResource, []string{`no resource "[10, 10, 20, 20]"`}},
		{"two names in one value", anAnswer(aSubtask(0, "", anArg("image", "kitchen.png, stairs.depth.png", ""))), exchange.UnknownResource, []string{`no resource "kitchen.png, stairs.depth.png"`}},
		{"a picture as a sound", anAnswer(aSubtask(0, "", anArg("audio", "kitchen.png", ""))), wrongType, []string{`Subtask 0: "kitchen.png" is of type image, not audio.`}},
		{"a sound as a text", anAnswer(aSubtask(0, "", anArg("text", "talk.mp3", "content"))), wrongType, []string{`"talk.mp3" is of type audio, not text.`}},
		{"a map as another map", anAnswer(aSubtask(0, "", anArg("edge", "stairs.depth.png", ""))), wrongType, []string{`"stairs.depth.png" is of type depth, not edge.`}},
		{"a type that does not fit", strings.Replace(goodAnswer(), `"types":[]`, `"types":[{"resource":"talk.mp3","type":"depth"}]`, 1), wrongType, []string{`"talk.mp3" is of type audio, not depth.`}},
		{"two types for one resource", anAnswer(aSubtask(0, "", anArg("edge", "kitchen.png", "")), aSubtask(1, "", anArg("pose", "kitchen.png", ""))), wrongType, []string{`"kitchen.png" is called edge and pose.`}},
		{"one resource as two things", anAnswer(aSubtask(0, "", kitchenArg, anArg("mask", "kitchen.png", ""))), wrongType, []string{`Subtask 0 is given kitchen.png twice, as image and as mask.`}},
		{"a result as another type", anAnswer(aSubtask(0, "", kitchenArg), aSubtask(1, "0", anArg("mask", "<GENERATED>-0", ""))), wrongType, []string{"Subtask 1 takes <GENERATED>-0 as mask, but subtask 0 returns text."}},
		{"two results in one value", anAnswer(aSubtask(0, ""), aSubtask(1, ""), aSubtask(2, "", anArg("image", "<GENERATED>-0, <GENERATED>-1", ""))), wrongType, []string{`is no single image`}},
		{"a picture within words", anAnswer(strings.Replace(aSubtask(0, ""), `"type":"text"`, `"type":"image"`, 1), aSubtask(1, "0", anArg("text", "what is <GENERATED>-0 about?", "question"))), wrongType, []string{"quotes <GENERATED>-0 within words", "type image"}},
		{"a forward reference", anAnswer(aSubtask(0, "", anArg("text", "<GENERATED>-1", "content")), aSubtask(1, "", kitchenArg)), wrongOrder, []string{"Subtask 0 refers to subtask 1, which comes after it."}},
		{"a forward reference within words", anAnswer(aSubtask(0, "", anArg("text", "like <GENERATED>-1", "content")), aSubtask(1, "", kitchenArg)), wrongOrder, []string{"Subtask 0 refers to subtask 1, which comes after it."}},
		{"a forward dependency", anAnswer(aSubtask(0, "1"), aSubtask(1, "")), wrongOrder, []string{"Subtask 0 refers to subtask 1, which comes after it."}},
		{"itself", anAnswer(aSubtask(0, "", anArg("text", "<GENERATED>-0", "content"))), wrongOrder, []string{"Subtask 0 refers to itself."}},
		{"its own dependency", anAnswer(aSubtask(0, "0")), wrongOrder, []string{"Subtask 0 refers to itself."}},
		{"a circle of two", anAnswer(aSubtask(0, "1"), aSubtask(1, "0")), wrongOrder, []string{"Subtasks 0 and 1 need each other"}},
		{"a circle of three", anAnswer(aSubtask(0, "", anArg("text", "<GENERATED>-2", "content")), aSubtask(1, "0"), aSubtask(2, "1")), wrongOrder, []string{"Subtasks 0 and 2 need each other"}},
		{"a dependency that is not there", anAnswer(aSubtask(0, ""), aSubtask(1, "7")), wrongOrder, []string{"Subtask 1 refers to subtask 7, which does not exist.", "The ids are: 0 1."}},
		{"a negative dependency", anAnswer(aSubtask(0, "-2")), wrongOrder, []string{"Subtask 0 refers to subtask -2, which does not exist."}},
		{"the same id twice", anAnswer(aSubtask(0, ""), aSubtask(0, "")), wrongOrder, []string{"The id 0 stands twice."}},
		{"an endless text", anAnswer(aSubtask(0, "", anArg("text", strings.Repeat("blue ", 300), "prompt"))), tooMuch, []string{"has 1499 letters. Use at most 1000", "[...]"}},
		{"a passage that is not there", anAnswer(aSubtask(0, "", anArg("text", "Once upon a [...] the end.", "content"))), exchange.WrongShape, []string{`no passage that goes like "Once upon a [...] the end."`}},
		{"several faults", anAnswer(aSubtask(0, "9", anArg("image", "bath.png", "")), aSubtask(1, "", anArg("audio", "kitchen.png", ""))), wrongOrder, []string{"subtask 9", "bath.png", "not audio"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, s := atWorkshop(t, llmtest.InOrder(workshoptest.Says(c.answer, goodAnswer(), c.answer, c.answer)...), nil)
			var thinking plan.Thinking
			d, err := m.Decompose(t.Context(), kitchen(), &thinking)
			if err != nil || len(d.Subtasks) != 1 {
				t.Fatalf("after the repair there is %v:\n%s\n%q", err, showDecomposition(d), workshoptest.Repaired(s))
			}
			if _, repairs := thinking.Calls(); repairs != 1 {
				t.Errorf("%d repairs", repairs)
			}
			for _, part := range c.complaint {
				if sent := workshoptest.Repaired(s)[0]; !strings.Contains(sent, part) {
					t.Errorf("%q is not in the complaint:\n%s", part, sent)
				}
			}
			d, err = m.Decompose(t.Context(), kitchen(), &thinking)
			wrong, ok := errors.AsType[*exchange.AnswerError](err)
			if !ok || wrong.Job != Name || wrong.Kind != c.kind || plan.Sentence(err, plan.Message{}).String() != workshoptest.CannotUse {
				t.Errorf("after two bad answers there is %v (%s)\n%s", err, plan.Sentence(err, plan.Message{}).String(), showDecomposition(d))
			}
			if strings.Contains(err.Error(), "bath") || strings.Contains(err.Error(), "kitchen") {
				t.Errorf("the error quotes the answer or a user: %v", err)
			}
		})
	}
}

// TestComplaintAboutEmptyAnswer checks that without any resource the model is told to ask.
func TestComplaintAboutEmptyAnswer(t *testing.T) {
	t.Parallel()
	m, s := atWorkshop(t, llmtest.InOrder(workshoptest.Says(anAnswer(aSubtask(0, "", anArg("image", "it.png", ""))), `{"question":"Which picture?"}`)...), nil)
	d, err := m.Decompose(t.Context(), plan.Request{ID: "r", Wish: "blur it"}, new(plan.Thinking))
	if err != nil || d.Question != "Which picture?" {
		t.Fatalf("%v: %s", err, showDecomposition(d))
	}
	if sent := workshoptest.Repaired(s)[0]; !strings.Contains(sent, "There are no resources.") {
		t.Errorf("the complaint is\n%s", sent)
	}
}

// TestComplaintNamesAFewFaultsOnly checks that a complaint stays short, however many faults there are.
func TestComplaintNamesAFewFaultsOnly(t *testing.T) {
	t.Parallel()
	var bad []string
	for i := range maxSubtasks {
		bad = append(bad, aSubtask(i, "", anArg("image", strings.Repeat("x", 900), "")))
	}
	d, err := readDecomposition(anAnswer(bad...))
	if err != nil {
		t.Fatal(err)
	}
	_, err = bind(d, kitchen(), newVocabulary(toolbox.NewCatalogue(workshoptest.Tools())))
	wrong, ok := errors.AsType[*exchange.ComplaintError](err)
	if !ok || strings.Count(wrong.Text, "there is no resource") != maxFaults || len(wrong.Text) > 4000 {
		t.Errorf("%d bytes: %v", len(wrong.Text), err)
	}
}

// TestTunedDecomposerAnswersWithAList covers a decomposer fine-tuned on ControlLLM's data, whose server supports
// no schema, and which answers with a list.
func TestTunedDecomposerAnswersWithAList(t *testing.T) {
	t.Parallel()
	list := `[{"description":"Describe it","task":"image-editing","id":0,"dep":[-1],` +
		`"args":[{"type":"image","value":"kitchen.png"}],"returns":[{"type":"text","value":"<GENERATED>-0"}]}]`
	tuned := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(workshoptest.Says(list)...), NoSchema: true, NoJSON: true})
	m, other := atWorkshop(t, llmtest.InOrder(), func(config *setup) {
		config.Tuned = exchange.ModelConfig{Endpoint: workshoptest.Endpoint(t, tuned.URL()), Name: "tuned-7b"}
	})
	var thinking plan.Thinking
	d, err := m.Decompose(t.Context(), kitchen(), &thinking)
	if err != nil || len(d.Subtasks) != 1 || d.Subtasks[0].Returns != plan.Text {
		t.Fatalf("%v: %s", err, showDecomposition(d))
	}
	if len(thinking.Jobs) != 1 || thinking.Jobs[0].Model != "tuned-7b" || thinking.Jobs[0].Name != Name || len(other.Requests()) > 0 {
		t.Errorf("the jobs are %+v", thinking.Jobs)
	}
}
