package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"atelier/agent/plan"
)

func TestMain(m *testing.M) {
	Enter()
	goleak.VerifyTestMain(m)
}

func newSandbox(t *testing.T, c Config) *Sandbox {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sh runs a shell script.
func sh(script string) Command { return Command{Program: "sh", Args: []string{"-c", script}} }

func TestRun(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		command Command
		want    string
	}{
		"by its name":       {sh("echo hello"), "hello\n"},
		"by its path":       {Command{Program: path, Args: []string{"-c", "echo $0 $1", "one", "two words"}}, "one two words\n"},
		"standard input":    {Command{Program: "cat", Input: strings.NewReader("words")}, "words"},
		"no standard input": {Command{Program: "cat"}, ""},
		"in its folder":     {Command{Program: "pwd", Dir: dir}, dir + "\n"},
		"just enough":       {Command{Program: "printf", Args: []string{"1234"}, Most: 4}, "1234"},
		"of its complaints": {sh("echo trouble >&2; echo hello"), "hello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := newSandbox(t, Config{}).Run(t.Context(), c.command)
			if err != nil || string(out) != c.want {
				t.Errorf("%q, %v; want %q", out, err, c.want)
			}
		})
	}
}

// TestEnvironment: programs inherit none of our variables, least of all keys.
func TestEnvironment(t *testing.T) {
	t.Setenv("ATELIER_TEST_KEY", "a secret")
	out, err := newSandbox(t, Config{}).Run(t.Context(), Command{Program: "env", Env: []string{"OMP_THREAD_LIMIT=2"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"HOME", "LC_ALL", "OMP_THREAD_LIMIT", "PATH", "TMPDIR", "TZ"}; !slices.Equal(names, want) || strings.Contains(string(out), "secret") {
		t.Errorf("it is told %q, want %q", names, want)
	}
}

// TestComplaints: a program's message is one line in the log, truncated, without people's file names.
func TestComplaints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	film := filepath.Join(dir, "holiday in Spain.mp4")
	if err := os.WriteFile(film, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"yes | head -c 100000 >&2; exit 3":             "sh: exit status 3: y y y",
		"printf 'bad\\n\\033[1mfile\\n' >&2; exit 1":   "sh: exit status 1: bad [1mfile",
		"echo cannot read " + film + " >&2; exit 1":    "sh: exit status 1: cannot read …",
		"echo holiday in Spain.mp4 is bad >&2; exit 1": "sh: exit status 1: … is bad",
	} {
		c := sh(script)
		c.Dir = dir
		c.Read = []string{film}
		_, err := newSandbox(t, Config{}).Run(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 2*maxSaid {
			t.Errorf("%s: got %v, want %q", script, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{})
	if path, err := s.Find("sh", "dash"); err != nil || !filepath.IsAbs(path) {
		t.Errorf("%q, %v", path, err)
	}
	_, err := s.Find("no-such-program", "no-such-package")
	want := "It needs the program no-such-program, which is not installed; on Debian: apt-get install no-such-package."
	if got := plan.OperatorSentence(err, plan.Message{}).String(); got != want || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%q, %v", got, err)
	}
	if got := plan.Sentence(err, plan.Message{}).String(); got != "It needs a program that I do not have here." {
		t.Errorf("people read %q", got)
	}
	_, err = s.Find("no-such-program", "")
	if got := plan.OperatorSentence(err, plan.Message{}).String(); got != "It needs the program no-such-program, which is not installed." {
		t.Errorf("%q", got)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Memory: -1}, {File: -1}, {Disk: -1}, {Processes: -1}, {Timeout: -1}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
