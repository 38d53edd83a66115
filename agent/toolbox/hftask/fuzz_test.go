package hftask

import (
	"image"
	"net/http"
	"testing"

	"atelier/agent/plan"
)

// FuzzAnswers checks that any answer of a server yields a valid output, or an error with a sentence.
func FuzzAnswers(f *testing.F) {
	runs := map[string]plan.Type{
		"object-detection": plan.BBox, "image-classification": plan.Category, "image-to-text": plan.Text, "visual-question-answering": plan.Text,
		"text-generation": plan.Title, "sentiment-analysis": plan.Text, "ner": plan.Location, "token-classification": plan.Tags,
		"table-question-answering": plan.Text, "automatic-speech-recognition": plan.Text,
	}
	for _, body := range []string{
		`[{"label":"a","score":0.4,"box":{"xmin":-5,"ymin":-0.4,"xmax":10.6,"ymax":99}}]`, `[[{"label":"a","score":1}]]`, `{"generated_text":"x"}`,
		`[{"entity_group":"LOC","score":1,"word":"Lisbon","start":0,"end":6},{"entity":"I-LOC","word":"x","start":7,"end":9}]`,
		`{"answer":"SUM > 1","cells":["1"],"aggregator":"SUM"}`, `[]`, `{}`, `[[[]]]`, `null`, `"x"`, `{"text":"x"}`, `[{"answer":"a","score":1e999}]`,
	} {
		f.Add([]byte(body), "Lisbon, Portugal and the sea")
	}
	all := tasks()
	f.Fuzz(func(t *testing.T, body []byte, input string) {
		for run, returns := range runs {
			j := &job{sent: sent{given: image.Pt(40, 30), size: image.Pt(20, 15)}}
			j.call.Args = args{"text": value(plan.Text, input)}
			j.call.Returns = returns
			out, err := all[run].read(t.Context(), j, answer{header: http.Header{"Content-Type": {"application/json"}}, body: body})
			switch {
			case err != nil:
				if plan.OperatorSentence(err, plan.Message{}).IsZero() {
					t.Errorf("%s: %v has no sentence", run, err)
				}
			case out.Value == "":
				t.Errorf("%s: an output is empty", run)
			case returns == plan.BBox:
				boxes, err := plan.DecodeValue[plan.Box](plan.Resource{Value: out.Value})
				if err != nil {
					t.Error(err)
				}
				for _, b := range boxes {
					if r := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax); r.Empty() || !r.In(image.Rect(0, 0, 40, 30)) || b.Score < 0 || b.Score > 1 {
						t.Errorf("the box %+v", b)
					}
				}
			}
		}
	})
}

// FuzzManifests checks that any description of a server is parsed or rejected.
func FuzzManifests(f *testing.F) {
	for _, body := range []string{
		`{"inferenceProviderMapping":{"hf-inference":{"status":"live","providerId":"a/b","task":"x"}}}`, `{"inferenceProviderMapping":[{"provider":"x"}]}`,
		`{"inferenceProviderMapping":3}`, `{"id":"1","status":"running","progress":0.5,"estimated_time":-1}`, `[]`, ``,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if all, err := readProviders(body); err != nil && all != nil {
			t.Error("both an error and providers")
		}
		if j, err := readJob(body); err == nil && j.Status == "" && len(body) == 0 {
			t.Error("a job without a status")
		}
	})
}

// FuzzTables checks that the columns of any table have the same length.
func FuzzTables(f *testing.F) {
	for _, table := range []string{"a,b\n1,2", "|a|b|\n|-|-|\n|1|2|", "a\tb\n1", "", "\n", "|", "\"a\nb"} {
		f.Add(table)
	}
	f.Fuzz(func(t *testing.T, table string) {
		rows, err := tableOf(table)
		if err != nil {
			return
		}
		for name, cells := range columns(rows) {
			if len(cells) != len(rows)-1 {
				t.Errorf("the column %q has %d cells of %d", name, len(cells), len(rows)-1)
			}
		}
	})
}
