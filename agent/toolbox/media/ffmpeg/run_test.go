package ffmpeg

import (
	"os/exec"
	"strings"
	"testing"
)

func TestRunReadsNoMoreThanItShould(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"yes":                              "it wrote more than it should",
		"yes | head -c 100000 >&2; exit 3": "exit status 3: ",
		"printf 'bad\\n\\033[1mfile\\n' >&2; exit 1": "sh: exit status 1: bad [1mfile",
	} {
		_, err := run(t.Context(), 1000, sh, "-c", script)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > maxSaid+100 {
			t.Errorf("%s: got %v, want %q", script, err, want)
		}
	}
	if out, err := run(t.Context(), 4, sh, "-c", "printf 1234"); err != nil || string(out) != "1234" {
		t.Errorf("got %q, %v", out, err)
	}
}
