// Package clitest runs the program for tests: a command in this process, a model that answers it, and
// a process that serves.
package clitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"atelier/agent/endpoint/discover"
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/command"
	"atelier/bot/doctor"
	"atelier/bot/fault"
)

// Main runs the tests of a package, which can start the program as "bot" and must leave nothing
// running. They wait for one another's programs half of the time, so more of them run at once than
// there are cores.
func Main(m *testing.M) {
	sandbox.Enter()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // each start of the program would collect garbage for a third of its time
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil { // the command line may set it again
		panic(err)
	}
	testscript.Main(bottest.Leakless{M: m}, map[string]func(){"bot": cli.Main})
}

// Photo is the photo that tests send.
func Photo() string {
	_, here, _, _ := runtime.Caller(0) //nolint:dogsled // only the file is of use
	return filepath.Join(filepath.Dir(here), "..", "testdata", "photo.jpg")
}

// Called is a call of the program that asks a model.
type Called struct {
	Env, Args []string
	Terminal  func(w io.Writer) (int, bool)
	Stderr    io.Writer
	// Places are where model servers of this machine are looked for.
	Places []discover.Place
}

// Run calls the program in this process.
func (c Called) Run(t *testing.T) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := command.Program{
		Args: c.Args, Env: c.Env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Terminal: c.Terminal, LocalServers: c.Places, Builtin: bottest.Builtin,
	}
	if c.Stderr != nil {
		p.Stderr = io.MultiWriter(&errs, c.Stderr)
	}
	status = cli.Run(t.Context(), p)
	return status, out.String(), errs.String()
}

// Run calls the program in this process.
func Run(t *testing.T, env map[string]string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	var variables []string
	for name, value := range env {
		variables = append(variables, name+"="+value)
	}
	status = cli.Run(t.Context(), command.Program{
		Args: args, Env: variables,
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Builtin: bottest.Builtin,
	})
	return status, out.String(), errs.String()
}

// AskModel calls ask with a picture, and reads the object that it prints.
func AskModel(t *testing.T, env []string, args ...string) (int, ask.Answer) {
	t.Helper()
	return AskModelAt(t, nil, env, args...)
}

// AskModelAt is askModel where model servers may listen on this machine.
func AskModelAt(t *testing.T, places []discover.Place, env []string, args ...string) (int, ask.Answer) {
	t.Helper()
	dir := t.TempDir()
	photo := filepath.Join(dir, "photo.png")
	bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
	status, stdout, stderr := Called{
		Env:    append(env, "ATELIER_DATA="+dir),
		Args:   append([]string{"ask", "--json", "--out", filepath.Join(dir, "out"), "--file", photo}, args...),
		Places: places,
	}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return status, an
}

// ToldAndLogged parts what the standard error output holds: what people are told, and
// the log.
func ToldAndLogged(stderr string) (told, logged string) {
	var people, operator strings.Builder
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "time=") {
			operator.WriteString(line)
		} else {
			people.WriteString(line)
		}
	}
	return people.String(), operator.String()
}

// AskJSON calls ask for a picture in a folder of its own.
func AskJSON(t *testing.T, dir string, args ...string) (status int, an ask.Answer) {
	t.Helper()
	status, stdout, stderr := Run(t, map[string]string{"ATELIER_DATA": dir},
		append([]string{"ask", "--json", "--out", filepath.Join(dir, "out")}, args...)...)
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return status, an
}

// AskWith calls ask and reads the object that it prints.
func AskWith(t *testing.T, env []string, args ...string) (int, ask.Answer) {
	t.Helper()
	status, stdout, stderr := Called{Env: env, Args: append([]string{"ask", "--json", "--out", t.TempDir()}, args...)}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return status, an
}

// Examined runs doctor and returns the first finding about each thing. It checks that the exit status is 1
// if and only if something is wrong, that the text says the same as the JSON, and that no secret is printed.
func Examined(t *testing.T, env ...string) map[string]doctor.Finding {
	t.Helper()
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "ATELIER_DATA=") }) {
		env = append(env, "ATELIER_DATA="+filepath.Join(t.TempDir(), "data"))
	}
	env = slices.Concat([]string{"ATELIER_LISTEN=127.0.0.1:0"}, SkyEnv(t), env)
	status, stdout, stderr := Called{Env: env, Args: []string{"doctor", "--json"}}.Run(t)
	var found []doctor.Finding
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || stderr != "" {
		t.Fatalf("%v: %s", err, stderr)
	}
	if strings.Contains(stdout, bottest.Hush) {
		t.Errorf("a secret is told: %s", stdout)
	}
	bad := slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.State == doctor.Wrong })
	if (status == fault.StatusFailed) != bad || (status == fault.StatusDone) == bad {
		t.Errorf("status %d: %s", status, stdout)
	}
	things := map[string]doctor.Finding{}
	for _, f := range found {
		if f.Thing == "" || f.Says == "" || !slices.Contains([]doctor.Health{doctor.Healthy, doctor.Missing, doctor.Warning, doctor.Wrong}, f.State) {
			t.Errorf("%+v", f)
		}
		if _, twice := things[f.Thing]; !twice {
			things[f.Thing] = f
		}
	}
	return things
}

// Serving is the address of a program that answers everything with that status.
func Serving(t *testing.T, status int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// CopyFile copies a file.
func CopyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// Names are those of all files below a folder.
func Names(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	bottest.Check(t, filepath.WalkDir(folder, func(at string, _ fs.DirEntry, err error) error {
		all = append(all, at)
		return err
	}))
	return all
}
