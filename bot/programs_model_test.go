package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/agent/mind/llm/llmtest"
)

// listedSolution is a solution in a prompt, with its first tool.
var listedSolution = regexp.MustCompile(`Solution (\d+)\n1\. (\w+)\(`)

// scorer is a model that finds one tool of so many points for a picture and an instruction.
func scorer(tool string, score int, instruction string) func(llmtest.Request) llmtest.Response {
	return func(r llmtest.Request) llmtest.Response {
		switch r.Job {
		case "decompose":
			picture := listedPicture.FindStringSubmatch(r.User())[1]
			args := fmt.Sprintf(`{"type": "image", "value": %q, "meaning": ""}`, picture)
			if instruction != "" {
				args += fmt.Sprintf(`, {"type": "text", "value": %q, "meaning": "instruction"}`, instruction)
			}
			return llmtest.Response{Text: fmt.Sprintf(`{"thought": "", "subtasks": [{"description": "Change the picture", "task": [], "id": 0, "dep": [],
				"args": [%s], "returns": {"type": "image", "value": "<GENERATED>-0"}}], "question": "", "reply": "", "refused": false, "types": []}`, args)}
		case "assess":
			return llmtest.Response{Text: eachTask(r.User(), `{"task": %d, "way": "", "scores": [{"tool": "`+tool+fmt.Sprintf(`", "score": %d}]}`, score))}
		case "settle":
			var scores []string
			for _, m := range listedSolution.FindAllStringSubmatch(r.User(), -1) {
				points := 1
				if m[2] == tool {
					points = score
				}
				scores = append(scores, fmt.Sprintf(`{"solution": %s, "score": %d}`, m[1], points))
			}
			return llmtest.Response{Text: eachTask(r.User(), `{"task": %d, "thought": "", "scores": [`+strings.Join(scores, ", ")+`], "fills": [], "models": []}`)}
		}
		return llmtest.Response{Text: "I cannot."}
	}
}

// TestNoProgramImitatesAModel: what a neural tool does that has no server here is refused, with a program
// at hand or not.
func TestNoProgramImitatesAModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wish, tool  string
		score       int
		instruction string
		program     bool
	}{
		{"remove the background", "remove_background", 5, "", false},
		{"colourise this", "text_image_editing", 5, "colourise it", false},
		{"colourise this", "text_image_editing", 4, "colourise it", false},
		{"put a red frame around it and a caption below", "text_image_editing", 3, "a red frame and a caption", true},
		{"put a red frame around it and a caption below", "remove_background", 1, "", true},
	} {
		t.Run(fmt.Sprintf("%s by %s %d", c.wish, c.tool, c.score), func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Config{Answer: scorer(c.tool, c.score, c.instruction), Models: []string{"test-model"}})
			folder := t.TempDir()
			photo := filepath.Join(folder, "photo.png")
			write(t, photo, string(pictureBytes(40, 20)))
			tools := map[bool]bool{} // by whether programs are allowed: is one planned
			texts := map[bool]string{}
			for _, allowed := range []bool{true, false} {
				env := modelEnv(server, "MIND=llm", "ATELIER_DATA="+folder, fmt.Sprintf("ATELIER_PROGRAMS=%t", allowed))
				if allowed {
					lines := toolLines(t, env...)
					if l := lines["make_by_program"]; !l.Live {
						t.Skipf("programs cannot run here: %s", l.Why)
					}
					if lines[c.tool].Live {
						t.Fatalf("%s can run here", c.tool)
					}
				}
				_, stdout, stderr := called{env: env, args: []string{"ask", "--json", "--file", photo, c.wish}}.run(t)
				var an answer
				if err := json.Unmarshal([]byte(stdout), &an); err != nil {
					t.Fatal(err, stdout, stderr)
				}
				texts[allowed] = an.Text
				for _, s := range an.Solutions {
					tools[allowed] = tools[allowed] || s.Steps[0].Tool == "make_by_program"
				}
			}
			if tools[true] != c.program || tools[false] {
				t.Errorf("a program is planned %t, and %t where none may be: %v", tools[true], tools[false], texts)
			}
			if !c.program && (texts[true] != texts[false] || !strings.Contains(texts[true], "cannot")) {
				t.Errorf("the answers are %q and %q", texts[true], texts[false])
			}
		})
	}
}
