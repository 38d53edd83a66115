package openai

import (
	"image/color"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/mediatest"
)

// given are sample values for each type of argument.
func given(t *testing.T, a toolbox.Arg) []toolbox.Value {
	t.Helper()
	switch {
	case a.Type == plan.Mask:
		return file(t, plan.Mask, "mask.png", mediatest.PNG(plain(30, 20, color.White)))
	case a.Type.Fits(plan.Image):
		return file(t, a.Type, "photo.png", mediatest.PNG(speckled(30, 20)))
	case a.Type == plan.Video:
		return file(t, plan.Video, "film.mp4", []byte("film"))
	case a.Type == plan.Audio:
		return file(t, plan.Audio, "voice.mp3", mp3(4))
	case a.Param != nil && a.Param.Type == "aspect":
		return []toolbox.Value{{Resource: plan.Resource{Type: a.Type, Value: "16:9"}}}
	case a.Param != nil && a.Param.Type == "size":
		return []toolbox.Value{{Resource: plan.Resource{Type: a.Type, Value: "640x480"}}}
	case a.Param != nil && a.Param.Name == "results":
		return []toolbox.Value{{Resource: plan.Resource{Type: a.Type, Value: "2"}}}
	case a.Param != nil && a.Param.Type == "integer":
		return []toolbox.Value{{Resource: plan.Resource{Type: a.Type, Value: "17"}}}
	}
	return []toolbox.Value{{Resource: plan.Resource{Type: a.Type, Value: "what was said for " + a.Name}}}
}

// TestCatalogue checks that each tool that a model runs tells the model what to do, and with what.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, tool := range catalogue.Tools() {
		for _, how := range tool.Backends {
			if how.Kind != "openai" {
				continue
			}
			count++
			t.Run(tool.Name, func(t *testing.T) {
				t.Parallel()
				runTool(t, catalogue, tool, toolbox.Candidate{Backing: how})
			})
		}
	}
	if count < 27 {
		t.Errorf("%d tools are run by a model", count)
	}
}

func runTool(t *testing.T, catalogue *toolbox.Catalogue, tool toolbox.Tool, how toolbox.Candidate) {
	t.Helper()
	told := make(chan string, 2) // the texts for the models, in order
	b, _ := newBackend(t, llmtest.Config{
		Models: []string{"talker", "seer", "painter", "gpt-4o-mini-tts", "whisper-1"},
		Answer: func(r llmtest.Request) llmtest.Response {
			told <- r.System() + "\n" + r.User()
			if tool.Returns == plan.Category {
				return llmtest.Response{JSON: map[string]any{"labels": []plan.Class{{Label: "thing", Score: 0.5}}}}
			}
			if tool.Returns == plan.BBox {
				return llmtest.Response{Text: `{"boxes": [{"label": "thing", "left": 0, "top": 0, "right": 1000, "bottom": 1000}]}`}
			}
			if how.Run == "chat-music" {
				return llmtest.Response{Text: tune}
			}
			return llmtest.Response{Text: "an answer"}
		},
		Image: func(r llmtest.ImageRequest) llmtest.ImageResponse {
			told <- r.Prompt
			return llmtest.ImageResponse{Images: [][]byte{mediatest.PNG(plain(15, 10, blue))}}
		},
		Speech: func(r llmtest.SpeechRequest) llmtest.SpeechResponse {
			told <- r.Input + "\n" + r.Instructions
			return llmtest.SpeechResponse{Audio: mp3(3)}
		},
		Transcribe: func(llmtest.TranscribeRequest) llmtest.TranscribeResponse {
			told <- ""
			return llmtest.TranscribeResponse{Text: "an answer"}
		},
	}, func(c *Config) { c.Player = &band{} })
	box, err := toolbox.New(toolbox.Config{Catalogue: catalogue, Servers: []toolbox.Server{{Kind: "openai", Backend: b}}})
	if err != nil {
		t.Fatal(err)
	}
	c := call(t, tool.Returns, args{})
	c.Tool = tool.Name
	for _, a := range tool.Args {
		c.Args[a.Name] = given(t, a)
	}
	made, err := box.Run(t.Context(), tool.Name, how.Name(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if made.Model == "" || made.Candidate != how.Name() || (made.Value == "") == (made.Path == "") || tool.Returns.Media() != (made.Path != "") {
		t.Errorf("output %+v", made)
	}
	words := <-told
	if how.Run == "chat-audio" { // a recording is transcribed first
		words = <-told
	}
	if strings.ContainsAny(words, "{}") && tool.Returns != plan.Category && tool.Returns != plan.BBox {
		t.Errorf("an argument's placeholder is left:\n%s", words)
	}
	for _, a := range tool.Args {
		isOther := a.Name == "shape" || a.Name == "size" || a.Name == "results" || a.Name == "seed" // not text for the model
		if !a.Type.Media() && !isOther && !strings.Contains(words, c.Args[a.Name][0].Value) {
			t.Errorf("the request lacks the %s:\n%s", a.Name, words)
		}
	}
	first, _, _ := strings.Cut(how.Prompt, "{")
	if !strings.Contains(words, strings.TrimSpace(first)) {
		t.Errorf("the request lacks the task:\n%s", words)
	}
}

// TestListsAllowDates checks that the format of a list allows numbers, since names may include dates.
func TestListsAllowDates(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := catalogue.Tool("named_entity_recognition")
	for _, how := range tool.Backends {
		if how.Kind != "openai" {
			continue
		}
		b, server := newBackend(t, llmtest.Config{Answer: answers("Siemens (organisation), 3 May (date)")})
		out := must(t, b, toolbox.Candidate{Backing: how}, call(t, tool.Returns, args{"text": text("Siemens was founded on 3 May.")}))
		system := server.Requests()[0].System()
		if out.Value != "Siemens (organisation), 3 May (date)" || strings.Contains(system, "no numbers") || !strings.Contains(system, "dates") {
			t.Errorf("got %+v for\n%s", out, system)
		}
	}
}
