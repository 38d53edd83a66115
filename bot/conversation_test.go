package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/command"
	"atelier/bot/fault"
)

// TestConversation is a conversation of five turns over one picture, with a language model as the planner and the
// tools of its server. Each turn continues from the previous one's result.
func TestConversation(t *testing.T) {
	t.Parallel()
	m := &talker{t: t, drawn: []color.RGBA{{R: 200, A: 255}, {B: 200, A: 255}}}
	server := llmtest.New(t, llmtest.Config{Answer: m.answer, Image: m.draw, Models: []string{"talker", "painter"}})
	data, out := t.TempDir(), t.TempDir()
	ask := func(args ...string) talked {
		t.Helper()
		var stdout, stderr bytes.Buffer
		p := command.Program{
			Args:   append([]string{"ask", "--json", "--thread", "conversation", "--out", out}, args...),
			Env:    []string{"OPENAI_BASE_URL=" + server.URL(), "OPENAI_MODEL=talker", "OPENAI_IMAGE_MODEL=painter", "ATELIER_DATA=" + data},
			Stdin:  strings.NewReader(""),
			Stdout: &stdout,
			Stderr: &stderr,

			Builtin: bottest.Builtin,
		}
		if status := cli.Run(t.Context(), p); status != fault.StatusDone {
			t.Fatalf("%q ended with the status %d: %s%s", args, status, &stdout, &stderr)
		}
		var told talked
		if err := json.Unmarshal(stdout.Bytes(), &told); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if told.Thinking.Calls > 4 || told.Thinking.Calls == 0 {
			t.Errorf("%q took %d calls", args, told.Thinking.Calls)
		}
		return told
	}

	m.turn = turn{tool: "image_captioning", subtask: bottest.Object{"description": "Describe the photo", "returns": "text"}}
	described := ask("--file", "testdata/photo.jpg", "Describe this photo.")
	described.says(t, "A lighthouse on a cliff.")
	photo := described.input(t)

	m.turn = turn{tool: "image_to_edge", subtask: bottest.Object{"description": "Find the edges of the photo", "returns": "edge"}}
	edges := ask("Now show me its edges.")
	if edges.input(t) != photo || !strings.Contains(edges.made(t), ".edge-") {
		t.Errorf("the edges are %s of %s", edges.made(t), edges.input(t))
	}

	m.turn = turn{tool: "text_image_editing", from: "the latest result", subtask: bottest.Object{
		"description": "Paint a castle at night from the edges", "returns": "image", "text": "a castle at night", "meaning": "instruction",
	}}
	castle := ask("Paint a castle at night from these edges.")
	if castle.input(t) != edges.made(t) {
		t.Errorf("the castle was painted from %s, not from %s", castle.input(t), edges.made(t))
	}

	m.turn = turn{tool: "text_image_editing", from: "the latest result", subtask: bottest.Object{
		"description": "Make the picture a cartoon", "returns": "image", "text": "make it a cartoon", "meaning": "instruction",
	}}
	cartoon := ask("now make it a cartoon")
	if cartoon.input(t) != castle.made(t) {
		t.Errorf("the cartoon was made of %s, not of %s", cartoon.input(t), castle.made(t))
	}

	m.turn = turn{tool: "image_question_answering", from: "the latest result", subtask: bottest.Object{
		"description": "Count the people in the picture", "returns": "text", "text": "how many people are in it?", "meaning": "question",
	}}
	counted := ask("how many people are in it?")
	counted.says(t, "Three.")
	if counted.input(t) != cartoon.made(t) {
		t.Errorf("people were counted in %s, not in %s", counted.input(t), cartoon.made(t))
	}
	if r, _, b, _ := m.seen.At(m.seen.Bounds().Dx()/2, m.seen.Bounds().Dy()/2).RGBA(); b < r {
		t.Error("the model was shown another picture than the cartoon")
	}
}

// talked is the part of the output of ask --json that the test reads.
type talked struct {
	Text  string `json:"text"`
	Files []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"files"`
	Solutions []struct {
		Steps []struct {
			Inputs []string `json:"inputs"`
		} `json:"steps"`
	} `json:"solutions"`
	Thinking struct {
		Calls int `json:"calls"`
	} `json:"thinking"`
}

func (a talked) says(t *testing.T, want string) {
	t.Helper()
	if !strings.Contains(a.Text, want) {
		t.Errorf("the answer is %q, without %q", a.Text, want)
	}
}

// input returns the first input of the first step of the best solution.
func (a talked) input(t *testing.T) string {
	t.Helper()
	if len(a.Solutions) == 0 || len(a.Solutions[0].Steps) != 1 || len(a.Solutions[0].Steps[0].Inputs) == 0 {
		t.Fatalf("the plan is %+v", a.Solutions)
	}
	return a.Solutions[0].Steps[0].Inputs[0]
}

func (a talked) made(t *testing.T) string {
	t.Helper()
	if len(a.Files) != 1 || !strings.Contains(a.Text, filepath.Base(a.Files[0].Path)) {
		t.Fatalf("the files are %v, the answer is %q", a.Files, a.Text)
	}
	return a.Files[0].Name
}

// turn is how a model understands a message.
type turn struct {
	subtask bottest.Object // its description, what it returns, and a text with its meaning
	tool    string         // that does it
	from    string         // how the prompt marks the picture that is meant; empty for the first one
}

// talker answers like a model that reads the prompts.
type talker struct {
	t     *testing.T
	turn  turn
	drawn []color.RGBA // of the pictures that are yet to be painted

	mu   sync.Mutex
	seen image.Image // the last picture that was shown
}

// known matches a picture in the list of resources: its name, its type and its description.
var known = regexp.MustCompile(`(?m)^- "([^"]+)": (\w+)(?: \(.*?\)\)?)?, ([a-z ]+)`)

// way matches the tools of the solutions to be ranked.
var way = regexp.MustCompile(`(?m)^(Solution \d+)$|^\d+\. (\w+)\(`)

func (m *talker) answer(r llmtest.Request) llmtest.Response {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case r.Job == "decompose":
		return llmtest.Response{JSON: m.decompose(r.User())}
	case r.Job == "assess":
		return llmtest.Response{JSON: bottest.Object{"tasks": []bottest.Object{{"task": 1, "way": m.turn.tool, "scores": []bottest.Object{{"tool": m.turn.tool, "score": 5}}}}}}
	case r.Job == "settle":
		return llmtest.Response{JSON: m.settle(r.User())}
	case r.Job == "respond":
		said := regexp.MustCompile(`"text":"([^"]+)"`).FindStringSubmatch(r.User())
		return llmtest.Response{Text: bottest.Respond(r.User()) + " " + strings.Join(said[min(1, len(said)):], "")}
	case strings.HasSuffix(r.Job, "image_captioning"):
		return llmtest.Response{Text: "A lighthouse on a cliff."}
	}
	m.look(r)
	return llmtest.Response{Text: "Three."}
}

func (m *talker) decompose(prompt string) bottest.Object {
	args := []bottest.Object{}
	for _, found := range known.FindAllStringSubmatch(prompt, -1) {
		if name, kind, what := found[1], found[2], strings.TrimSpace(found[3]); len(args) == 0 && (m.turn.from == "" || what == m.turn.from) {
			args = append(args, bottest.Object{"type": kind, "value": name, "meaning": ""})
		}
	}
	if len(args) == 0 {
		m.t.Errorf("no picture is marked as %q in:\n%s", m.turn.from, prompt)
	}
	if text, ok := m.turn.subtask["text"]; ok {
		args = append(args, bottest.Object{"type": "text", "value": text, "meaning": m.turn.subtask["meaning"]})
	}
	return bottest.Object{
		"thought": "", "question": "", "reply": "", "refused": false, "types": []bottest.Object{},
		"subtasks": []bottest.Object{{
			"description": m.turn.subtask["description"], "task": []string{}, "id": 0, "dep": []int{}, "args": args,
			"returns": bottest.Object{"type": m.turn.subtask["returns"], "value": bottest.Generated(0)},
		}},
	}
}

// settle scores the solution with only the right tool best.
func (m *talker) settle(prompt string) bottest.Object {
	var ways [][]string
	for _, line := range way.FindAllStringSubmatch(prompt, -1) {
		if line[1] != "" {
			ways = append(ways, nil)
		} else {
			ways[len(ways)-1] = append(ways[len(ways)-1], line[2])
		}
	}
	scores := []bottest.Object{}
	for i, tools := range ways {
		score := 1
		if strings.Join(tools, " ") == m.turn.tool {
			score = 5
		}
		scores = append(scores, bottest.Object{"solution": i + 1, "score": score})
	}
	return bottest.Object{"tasks": []bottest.Object{{"task": 1, "thought": "", "scores": scores, "fills": []bottest.Object{}, "models": []bottest.Object{}}}}
}

// look remembers the picture of a question.
func (m *talker) look(r llmtest.Request) {
	_, encoded, found := strings.Cut(string(r.Body), "data:image/jpeg;base64,")
	encoded, _, _ = strings.Cut(encoded, `"`)
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err == nil {
		m.seen, err = jpeg.Decode(bytes.NewReader(b))
	}
	if err != nil || !found {
		m.t.Errorf("the model was shown no picture: %v", err)
		m.seen = image.NewUniform(color.Black)
	}
}

// draw paints the next picture, of one colour.
func (m *talker) draw(r llmtest.ImageRequest) llmtest.ImageResponse {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Image == nil || len(m.drawn) == 0 {
		m.t.Errorf("the picture %v is to be edited, and %d are left", r.Image, len(m.drawn))
		return llmtest.ImageResponse{Fault: llmtest.Fault{Status: 400}}
	}
	img := image.NewRGBA(r.Image.Bounds())
	for i := range img.Pix {
		img.Pix[i] = []uint8{m.drawn[0].R, m.drawn[0].G, m.drawn[0].B, m.drawn[0].A}[i%4]
	}
	m.drawn = m.drawn[1:]
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		m.t.Error(fmt.Errorf("encode: %w", err))
	}
	return llmtest.ImageResponse{Images: [][]byte{b.Bytes()}}
}
