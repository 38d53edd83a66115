package openai

import (
	"image/color"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/mediatest"
)

// TestBoxes checks that boxes in thousandths of a picture become pixels of the given picture, not of the smaller one
// that is sent.
func TestBoxes(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, llmtest.Config{Answer: answers("Here:\n```json\n" +
		`{"boxes": [{"label": "red kite", "left": 250, "top": 0, "right": 500.2, "bottom": 1000}]}` + "\n```")})
	beach := file(t, plan.Image, "beach.jpg", mediatest.JPEG(plain(3200, 1600, color.White)))
	out := must(t, b, backing("chat-vision", "Find {object}."), call(t, plan.BBox, args{"image": beach, "object": text("the kite")}))
	if want := `[{"label":"red kite","xmin":800,"ymin":0,"xmax":1601,"ymax":1600}]`; out.Value != want {
		t.Errorf("got %s, want %s", out.Value, want)
	}
	if body := string(server.Requests()[0].Body); !strings.Contains(body, `"json_schema"`) || !strings.Contains(body, "the kite") {
		t.Errorf("asked %s", body[:min(len(body), 2000)])
	}
}

// TestBadBoxes checks that the model is told what is wrong, and that a second bad answer is an error.
func TestBadBoxes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ answer, complaint, end string }{
		"words":      {"It is on the left.", "no JSON", "not in the right form"},
		"a list":     {"[1, 2]", "no list of", "not in the right form"},
		"no side":    {`{"boxes": [{"label": "a", "left": 1, "top": 1, "right": 9}]}`, `lacks one of`, "not in the right form"},
		"pixels":     {`{"boxes": [{"label": "a", "left": 1, "top": 1, "right": 1400, "bottom": 90}]}`, "position 1400", "not in the right form"},
		"inside out": {`{"boxes": [{"label": "a", "left": 90, "top": 1, "right": 10, "bottom": 9}]}`, "is empty", "not in the right form"},
		"a long label": {
			`{"boxes": [{"label": "` + strings.Repeat("a", 101) + `", "left": 1, "top": 1, "right": 10, "bottom": 9}]}`,
			"more than 100", "not in the right form",
		},
		"nothing": {`{"boxes": []}`, "", "found nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, server := newBackend(t, llmtest.Config{Answer: answers(c.answer, c.answer)})
			beach := file(t, plan.Image, "beach.png", mediatest.PNG(plain(40, 20, color.White)))
			_, err := b.Run(t.Context(), backing("chat-vision", "Find it."), call(t, plan.BBox, args{"image": beach}))
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, c.end) {
				t.Errorf("it ended with %q, want %q", got, c.end)
			}
			asked := server.Requests()
			if c.complaint == "" {
				if len(asked) != 1 {
					t.Errorf("asked %d times", len(asked))
				}
				return
			}
			if len(asked) != 2 || !strings.Contains(asked[1].User(), c.complaint) {
				t.Errorf("asked %d times, last: %s", len(asked), asked[len(asked)-1].User())
			}
		})
	}
}
