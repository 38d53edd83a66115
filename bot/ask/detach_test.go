package ask_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/bot/tools"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// TestKilledInTheMiddle checks that if bot serve is killed during a request that was handed to it, the next
// process on the folder does it.
func TestKilledInTheMiddle(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	asked := make(chan struct{}, 16)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer hangs.Close()
	dir := t.TempDir()
	photo, err := filepath.Abs("../testdata/photo.jpg")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"ATELIER_DATA=" + filepath.Join(dir, "data"), "ATELIER_LISTEN=off"}

	first := serveApart(t, dir, append(env, "PLANNER=llm", "OPENAI_MODEL=m", "OPENAI_BASE_URL="+hangs.URL+"/v1"))
	var taken struct {
		ID string `json:"id"`
	}
	untilDone(t, env, &taken, "ask", "--detach", "--json", "--file", photo, "find the edges in this picture")
	<-asked // it is in the middle of planning
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("it was not killed")
	}

	second := serveApart(t, dir, append(env, "PLANNER=rules"))
	var r jobs.Request
	out := filepath.Join(dir, "got")
	for looked := time.NewTicker(20 * time.Millisecond); !r.Over(1); <-looked.C {
		untilDone(t, env, &r, "show", "--json", "--out", out, taken.ID)
	}
	if got := r.Runs[0]; got.Status != jobs.Done || len(got.Made) != 1 {
		t.Fatalf("it ended as %s with %d files", got.Status, len(got.Made))
	}
	if _, err := os.Stat(filepath.Join(out, r.Runs[0].Made[0].File)); err != nil {
		t.Error(err)
	}
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// serveApart starts bot serve as a separate process.
func serveApart(t *testing.T, dir string, env []string, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bot", append([]string{"serve"}, flags...)...) //nolint:gosec // the flags are the tests' own
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// untilDone calls the program until it succeeds, which may not be possible yet while another process starts, and
// reads the JSON that it prints.
func untilDone(t *testing.T, env []string, into any, args ...string) {
	t.Helper()
	for again := time.NewTicker(20 * time.Millisecond); ; <-again.C {
		var out, wrong bytes.Buffer
		status := cli.Run(t.Context(), command.Program{Args: args, Env: env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &wrong, Builtin: bottest.Builtin})
		switch {
		case status == fault.StatusDone:
			if err := json.Unmarshal(out.Bytes(), into); err != nil {
				t.Fatal(err)
			}
			return
		case t.Context().Err() != nil, !strings.Contains(wrong.String(), "No Atelier runs"):
			t.Fatalf("%s: %s", args[0], wrong.String())
		}
	}
}

// TestProcessesShareTheWork hands a request over by Redis to two processes, each of which serves a part of the
// queues.
func TestProcessesShareTheWork(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	redis := miniredis.RunT(t)
	dir := t.TempDir()
	env := []string{"ATELIER_DATA=" + filepath.Join(dir, "data"), "ATELIER_LISTEN=off", "REDIS_URL=redis://" + redis.Addr(), "PLANNER=rules"}
	var processes []*exec.Cmd
	for _, queues := range []string{"gateway,plan", "cpu,gpu"} {
		processes = append(processes, serveApart(t, dir, env, "--queues", queues))
	}
	config, err := settings.Read(env, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for told := time.NewTicker(20 * time.Millisecond); ; <-told.C { // until the worker has said what it can do
		workers, err := tools.LiveWorkers(t.Context(), workshop.Workshop{Config: config})
		if err == nil && len(jobs.ToolsOf(workers)["image_to_edge"]) > 0 {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	var taken struct {
		ID string `json:"id"`
	}
	untilDone(t, env, &taken, "ask", "--detach", "--json", "--file", "../testdata/photo.jpg", "find the edges in this picture")
	var r jobs.Request
	for looked := time.NewTicker(20 * time.Millisecond); !r.Over(1); <-looked.C {
		untilDone(t, env, &r, "show", "--json", taken.ID)
	}
	if got := r.Runs[0]; got.Status != jobs.Done || len(got.Made) != 1 {
		t.Errorf("it ended as %s with %d files", got.Status, len(got.Made))
	}
	for _, p := range processes {
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}

func TestDetachHandsOverOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env, args []string
		says      string
	}{
		"nobody":   {nil, []string{"make it black and white"}, "No Atelier runs on the data folder"},
		"plan":     {nil, []string{"--plan", "make it grey"}, "--detach sends only the request"},
		"solution": {nil, []string{"--solution", "2", "make it grey"}, "--detach sends only the request"},
		"strategy": {nil, []string{"--strategy", "greedy", "make it grey"}, "--detach sends only the request"},
		"thread":   {nil, []string{"--thread", "../x", "make it grey"}, "--thread is"},
		"redis":    {[]string{"REDIS_URL=redis://127.0.0.1:1"}, []string{"make it grey"}, "127.0.0.1:1"},
		"no file":  {nil, []string{"--file", "nowhere.jpg", "make it grey"}, "No Atelier runs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, wrong bytes.Buffer
			status := cli.Run(t.Context(), command.Program{
				Args: append([]string{"ask", "--detach"}, c.args...), Env: append(c.env, "ATELIER_DATA="+t.TempDir()),
				Stdin: strings.NewReader(""), Stdout: &out, Stderr: &wrong, Builtin: bottest.Builtin,
			})
			if status == fault.StatusDone || !strings.Contains(wrong.String(), c.says) || out.Len() > 0 {
				t.Errorf("status %d, %q, %q", status, out.String(), wrong.String())
			}
		})
	}
}
