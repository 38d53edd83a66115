package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

// talk returns a conversation about a picture, in its second round.
func talk(t *testing.T) improvise.Conversation {
	t.Helper()
	schema, err := os.ReadFile(filepath.FromSlash("../improvise/schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	photo := file(t, plan.Image, "holiday.jpg", withComment(mediatest.JPEG(plain(1600, 800, color.NRGBA{200, 0, 0, 255})), "48.2082 N"))
	return improvise.Conversation{
		Request: "request-1", Round: 2, System: "Write one JSON object.", Schema: schema, Dir: t.TempDir(),
		Turns: []string{"The job: turn it", `{"program":"1 / 0"}`, "That did not do it."}, Pictures: []string{photo[0].Path},
	}
}

// TestConverse checks that the request has the schema, and that the turns alternate.
func TestConverse(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, llmtest.Config{Answer: answers(`{"program":"print()"}`)})
	asked := talk(t)
	asked.Pictures = nil
	reply, err := b.Improviser().Converse(t.Context(), asked)
	if err != nil || reply.Text != `{"program":"print()"}` || reply.Model != "talker" || reply.Usage.Input == 0 || reply.Usage.Output == 0 {
		t.Errorf("got %+v, %v", reply, err)
	}
	r := server.Requests()[0]
	if r.Model != "talker" || r.ID != "request-1" || r.Job != "improvise" || r.Round != 2 {
		t.Errorf("asked %s for %s/%s/%d", r.Model, r.ID, r.Job, r.Round)
	}
	var want, got any
	if err := json.Unmarshal(asked.Schema, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.Schema, &got); err != nil || r.Format != "json_schema" || !reflect.DeepEqual(got, want) {
		t.Errorf("asked in the format %s for %s, %v", r.Format, r.Schema, err)
	}
	turns := []llmtest.Message{
		{Role: "system", Text: asked.System}, {Role: "user", Text: asked.Turns[0]}, {Role: "assistant", Text: asked.Turns[1]}, {Role: "user", Text: asked.Turns[2]},
	}
	if !reflect.DeepEqual(r.Messages, turns) {
		t.Errorf("the turns are %+v", r.Messages)
	}
}

// TestConverseFormats checks that a server without schema support is asked for JSON, and one that supports neither for
// plain text.
func TestConverseFormats(t *testing.T) {
	t.Parallel()
	for want, script := range map[string]llmtest.Config{"json_object": {NoSchema: true}, "": {NoSchema: true, NoJSON: true}} {
		script.Answer = answers("{}")
		b, server := newBackend(t, script)
		reply, err := b.Improviser().Converse(t.Context(), talk(t))
		all := server.Requests()
		if err != nil || reply.Text != "{}" || all[len(all)-1].Format != want {
			t.Errorf("got %+v in the format %q, %v", reply, all[len(all)-1].Format, err)
		}
	}
}

// TestConversePictures checks that pictures are sent only with permission, and to a vision model.
func TestConversePictures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Config)
		cloud  bool
		maySee bool
		model  string // "seer" gets the pictures
	}{
		{"in the house", func(*Config) {}, false, true, "seer"},
		{"in the cloud", func(*Config) {}, true, false, "talker"},
		{"in the cloud, where they may leave", func(c *Config) { c.AllowMedia = true }, true, true, "seer"},
		{"no model looks at pictures", func(c *Config) { c.Blind = true }, false, true, "talker"},
		{"no such model is set", func(c *Config) { c.Vision = "" }, false, true, "talker"},
		{"no such model is found", func(c *Config) {
			c.Vision = ""
			c.Find = func(context.Context, string) (string, error) { return "", fault(nil, "The server has no such model.") }
		}, false, true, "talker"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			script := llmtest.Config{Answer: answers("{}")}
			b, server := newBackend(t, script, c.change)
			if c.cloud {
				b = newBackendAt(t, cloud(t, toolboxtest.Through{To: server.URL(), With: transport(t)}), c.change)
			}
			if got := b.Improviser().MaySee(); got != c.maySee {
				t.Errorf("pictures are allowed: %t", got)
			}
			reply, err := b.Improviser().Converse(t.Context(), talk(t))
			if err != nil || reply.Model != c.model {
				t.Fatalf("got %+v, %v", reply, err)
			}
			r := server.Requests()[0]
			var counts []int
			for _, m := range r.Messages {
				counts = append(counts, m.Images)
			}
			want := []int{0, 0, 0, 0}
			if c.model == "seer" {
				want[1] = 1
			}
			if !reflect.DeepEqual(counts, want) {
				t.Errorf("the messages have %v pictures", counts)
			}
			for _, p := range seen(t, r) {
				if cfg, format, err := image.DecodeConfig(bytes.NewReader(p)); err != nil || format != "jpeg" || cfg.Width != 1568 || bytes.Contains(p, []byte("48.2082")) {
					t.Errorf("a picture is a %s of width %d, %v", format, cfg.Width, err)
				}
			}
			if bytes.Contains(r.Body, []byte("holiday")) {
				t.Error("the name of a picture is sent")
			}
		})
	}
}

// TestConverseFaults checks that failures have a sentence, and that their usage is counted.
func TestConverseFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response llmtest.Response
		want     string
		spent    bool
	}{
		"refused": {llmtest.Response{Refusal: "I won't say RAW-TEXT."}, "The model refused to do this", true},
		"cut off": {llmtest.Response{Text: "RAW-TEXT", Finish: "length"}, "was cut off before its end", true},
		"no key":  {llmtest.Response{Status: 401, ErrorCode: "invalid_api_key"}, "OPENAI_API_KEY", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Answer: llmtest.InOrder(c.response)})
			reply, err := b.Improviser().Converse(t.Context(), talk(t))
			got := plan.OperatorSentence(err, plan.Message{}).String()
			if !strings.Contains(got, c.want) || strings.Contains(got, "RAW-TEXT") || (reply.Usage.Output > 0) != c.spent {
				t.Errorf("sentence %q, usage %+v: %v", got, reply.Usage, err)
			}
		})
	}
	t.Run("a picture that is gone", func(t *testing.T) {
		t.Parallel()
		b, server := newBackend(t, llmtest.Config{Answer: answers("{}")})
		asked := talk(t)
		asked.Pictures = []string{filepath.Join(asked.Dir, "gone.png")}
		if _, err := b.Improviser().Converse(t.Context(), asked); plan.Sentence(err, plan.Message{}).IsZero() || len(server.Requests()) > 0 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no model", func(t *testing.T) {
		t.Parallel()
		b, _ := newBackend(t, llmtest.Config{}, unset)
		for what, err := range map[string]error{"ready": b.Improviser().Ready(t.Context()), "converse": second(b.Improviser().Converse(t.Context(), talk(t)))} {
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "set OPENAI_MODEL") {
				t.Errorf("%s: sentence %q: %v", what, got, err)
			}
		}
	})
}

func second(_ improvise.Reply, err error) error { return err }

// TestConverseWithAnotherModel checks that a missing model is replaced by the next one.
func TestConverseWithAnotherModel(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, llmtest.Config{
		Models: []string{"gpt-6.1-terra", "gpt-6-luna"},
		Answer: func(r llmtest.Request) llmtest.Response {
			if r.Model == "gpt-6.1-terra" {
				return llmtest.Response{Status: 404, ErrorCode: "model_not_found"}
			}
			return llmtest.Response{Text: "{}"}
		},
	}, chosen(t))
	if err := b.Improviser().Ready(t.Context()); err != nil {
		t.Error(err)
	}
	reply, err := b.Improviser().Converse(t.Context(), talk(t))
	if err != nil || reply.Model != "gpt-6-luna" || len(server.Requests()) != 2 {
		t.Errorf("got %+v in %d calls, %v, %s", reply, len(server.Requests()), err, endpoint.KindOf(err))
	}
}
