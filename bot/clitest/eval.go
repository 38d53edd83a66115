package clitest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/evaluate"
	"atelier/bot/fault"
)

// GreyBenchmark are four requests for the greyer, of which it does not solve the last.
func GreyBenchmark(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	bottest.Write(t, filepath.Join(dir, "requests.json"), `[
 {"id": "grey-1", "level": "easy", "instruction": "make it black and white", "files": [{"name": "photo.png", "type": "image"}]},
 {"id": "grey-2", "level": "easy", "instruction": "mach photo.png schwarzweiß"},
 {"id": "grey-3", "level": "easy", "instruction": "without colours, please"},
 {"id": "edges-4", "level": "hard", "instruction": "find the edges of photo.png"}]`)
	const grey = `"returns": ["image"], "accept": [["greyscale_image"]]`
	bottest.Write(t, filepath.Join(dir, "gold.jsonl"), strings.Join([]string{
		`{"id": "grey-1", "goals": [{"want": "grey", "uses": ["photo.png"], ` + grey + `}]}`,
		`{"id": "grey-2", "goals": [{"want": "grey", "uses": ["photo.png"], ` + grey + `}]}`,
		`{"id": "grey-3", "expect": "question"}`,
		`{"id": "edges-4", "goals": [{"want": "edges", "uses": ["photo.png"], "returns": ["edge"], "accept": [["image_to_edge"]]}]}`,
	}, "\n"))
	return dir, []string{"--gold", filepath.Join(dir, "gold.jsonl"), filepath.Join(dir, "requests.json")}
}

// EvalJSON calls eval and reads its report.
func EvalJSON(t *testing.T, env []string, args ...string) *evaluate.Measured {
	t.Helper()
	status, stdout, stderr := Called{Env: env, Args: append([]string{"eval", "--json"}, args...)}.Run(t)
	report := &evaluate.Measured{}
	if err := json.Unmarshal([]byte(stdout), report); err != nil || status != fault.StatusDone {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return report
}
