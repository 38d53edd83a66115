package improvise

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/slow"
)

// attempt is a program that tries something and prints the outcome.
const attempt = `
import os, socket, subprocess, urllib.request
try:
    got = "got: " + str(%s)
except BaseException as e:
    got = "kept from it: " + type(e).__name__
open(OUT + "/told.txt", "w").write(got)
`

// TestHostilePrograms checks that a program cannot read, reach or change what is not its own.
func TestHostilePrograms(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	dir := t.TempDir()
	hidden, beside := filepath.Join(dir, "hidden.txt"), filepath.Join(dir, "new.txt")
	if err := os.WriteFile(hidden, []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	var visits atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(site.Close)
	inTmp := filepath.Join(os.TempDir(), "improvise-test-"+strconv.Itoa(os.Getpid()))
	photo := picture(t, "photo.png", 40, 30)
	given, err := os.ReadFile(photo.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, try string }{
		{"read another file", fmt.Sprintf("open(%q).read()", hidden)},
		{"list another folder", fmt.Sprintf("os.listdir(%q)", dir)},
		{"read another file by a program", fmt.Sprintf("subprocess.check_output(['cat', %q])", hidden)},
		{"read another file by ffmpeg", fmt.Sprintf("subprocess.check_output(['ffmpeg', '-v', 'error', '-f', 'u8', '-i', %q, '-f', 'u8', '-'])", hidden)},
		{"read the users", "open('/etc/passwd').read()"},
		{"read the passwords", "open('/etc/shadow').read()"},
		{"read the name of the machine", "open('/etc/hostname').read()"},
		{"read the environment of its parent", "open('/proc/%d/environ' % os.getppid()).read()"},
		{"read the environment of this process", fmt.Sprintf("open('/proc/%d/environ').read()", os.Getpid())},
		{"read the memory of this process", fmt.Sprintf("open('/proc/%d/mem', 'rb').read(1)", os.Getpid())},
		{"read the files of this process", fmt.Sprintf("os.listdir('/proc/%d/fd')", os.Getpid())},
		{"end this process", fmt.Sprintf("os.kill(%d, 0)", os.Getpid())},
		{"open a socket", "socket.socket()"},
		{"open a socket pair of the machine", "socket.socket(socket.AF_UNIX)"},
		{"open a URL", fmt.Sprintf("urllib.request.urlopen(%q).read()", site.URL)},
		{"open a URL by ffmpeg", fmt.Sprintf("subprocess.check_output(['ffmpeg', '-v', 'error', '-i', %q, OUT + '/a.mp4'])", site.URL)},
		{"write into its input", "open(INPUTS[0]['path'], 'wb').write(b'x')"},
		{"append to its input", "open(INPUTS[0]['path'], 'ab').write(b'x')"},
		{"empty its input", "os.truncate(INPUTS[0]['path'], 0)"},
		{"move its input away", "os.rename(INPUTS[0]['path'], OUT + '/a.png')"},
		{"remove its input", "os.remove(INPUTS[0]['path'])"},
		{"write beside a secret", fmt.Sprintf("open(%q, 'w').write('x')", beside)},
		{"write above its folder", "open('../new.txt', 'w').write('x')"},
		{"write into /tmp", fmt.Sprintf("open(%q, 'w').write('x')", inTmp)},
		{"write into the system", "open('/usr/lib/improvise-test', 'w').write('x')"},
		{"leave a link to a secret", fmt.Sprintf("os.symlink(%q, OUT + '/a.txt')", hidden)},
		{"leave a second name of a secret", fmt.Sprintf("os.link(%q, OUT + '/a.txt')", hidden)},
		{"leave a link to a folder", fmt.Sprintf("os.symlink(%q, 'sub')", dir)},
		{"run what it wrote", "[f := open('mine', 'wb', opener=lambda p, how: os.open(p, how, 0o700)), f.write(open('/bin/true', 'rb').read()), f.close(), subprocess.check_call(['./mine'])]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := &writer{answers: []string{answer(fmt.Sprintf(attempt, c.try))}}
			call := jobFor(t, plan.Text, photo)
			out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, call)
			if err != nil {
				t.Fatal(err)
			}
			switch out.Value {
			case "kept from it: PermissionError", "kept from it: URLError", "kept from it: CalledProcessError":
			case "kept from it: OSError": // to rename from one folder to another
			default:
				t.Errorf("%q", out.Value)
			}
			if _, err := os.Lstat(filepath.Join(call.Dir, "new.txt")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("it wrote above its folder")
			}
		})
	}
	t.Cleanup(func() { // after all of them
		if now, err := os.ReadFile(photo.Path); err != nil || string(now) != string(given) {
			t.Errorf("its input was changed: %v", err)
		}
		if now, err := os.ReadFile(hidden); err != nil || string(now) != secret {
			t.Errorf("another file was changed: %v", err)
		}
		for _, path := range []string{beside, inTmp, "/usr/lib/improvise-test"} {
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there: %v", path, err)
			}
		}
		if n := visits.Load(); n > 0 {
			t.Errorf("the site was visited %d times", n)
		}
	})
}

// TestTheEnvironment checks that a program gets PATH, and no other variable of this process.
func TestTheEnvironment(t *testing.T) {
	t.Parallel()
	w := &writer{answers: []string{answer("import os\nopen(OUT + '/env.txt', 'w').write(repr(dict(os.environ)))")}}
	out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text))
	if err != nil || !strings.Contains(out.Value, "'PATH'") || strings.Contains(out.Value, secret) || strings.Contains(out.Value, "IMPROVISE_TEST") {
		t.Errorf("%s, %v", out.Value, err)
	}
}

// TestLimits checks that a program that exceeds a limit is stopped and told so.
func TestLimits(t *testing.T) {
	t.Parallel()
	box := func(c sandbox.Config) *sandbox.Sandbox {
		s, err := sandbox.New(c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name, program string
		config        Config
		want          string // in the reply to the model, outside of quoted data
		said          string // in it
	}{
		{
			name: "it runs for ever", program: "while True: pass",
			config: Config{Timeout: time.Millisecond}, want: "took longer than",
		},
		{
			name: "it waits for ever", program: "import signal\nprint('Traceback')\nsignal.pause()",
			config: Config{Timeout: time.Second}, want: "took longer than",
		},
		{
			name: "it spreads", program: "import os, signal\nfor _ in range(60):\n  if os.fork() == 0: signal.pause()\nsignal.pause()",
			config: Config{Sandbox: box(sandbox.Config{Processes: 20})}, want: "started more than 20 processes",
		},
		{
			name: "it writes two gigabytes", program: "f = open(OUT + '/a.txt', 'wb')\nfor _ in range(2048): f.write(bytes(1 << 20))",
			config: Config{Limits: media.Limits{Bytes: 1 << 20}}, want: "it ended with an error.", said: "File too large",
		},
		{
			name: "it claims two gigabytes", program: "f = open(OUT + '/a.txt', 'wb')\nf.truncate(2 << 30)",
			config: Config{Limits: media.Limits{Bytes: 1 << 20}}, want: "it ended with an error.", said: "File too large",
		},
		{
			name: "it has another program write them", program: "import subprocess\nsubprocess.run(['dd', 'if=/dev/zero', 'of=' + OUT + '/a', 'bs=1M', 'count=2048'], check=True)",
			config: Config{Limits: media.Limits{Bytes: 1 << 20}}, want: "it ended with an error.", said: "CalledProcessError",
		},
		{
			name: "it writes many files", program: "for i in range(20): open(f'{OUT}/{i}.txt', 'wb').write(bytes(1 << 20))",
			config: Config{Sandbox: box(sandbox.Config{Disk: 4 << 20})}, want: "wrote more than 4.2 MB",
		},
		{
			name: "it takes all memory", program: "x = bytearray(8 << 30)",
			config: Config{}, want: "it ended with an error.", said: "MemoryError",
		},
		{
			name: "it prints megabytes and fails", program: "print('first')\nfor _ in range(5000): print('x' * 1000)\nprint('last')\n1 / 0",
			config: Config{}, want: "it ended with an error.", said: "ZeroDivisionError",
		},
		{
			name: "it prints more than it may", program: "while True: print('x' * 100000)",
			config: Config{Limits: media.Limits{Bytes: 1 << 20}}, want: "it ended with an error.", said: "xxx",
		},
		{
			name: "it spoils what it printed", program: "import os\nos.remove('said.txt')\nos.mkdir('said.txt')\n1 / 0",
			config: Config{}, want: "it ended with an error.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first := answer(c.program)
			w := &writer{answers: []string{first, first, first}}
			c.config.Writer = w
			_, err := backend(t, c.config).Run(t.Context(), pythonRun, jobFor(t, plan.Text))
			if plan.Sentence(err, plan.Message{}).IsZero() || len(w.talks) != 3 {
				t.Fatalf("asked %d times: %v", len(w.talks), err)
			}
			got := w.last(t)
			if !strings.Contains(outside(t, got), c.want) || !strings.Contains(got, c.said) || len(got) > 4000 {
				t.Errorf("the model is told %d bytes: %s", len(got), got)
			}
		})
	}
}

// TestPrintingMuch checks that a lot of output is not an error by itself.
func TestPrintingMuch(t *testing.T) {
	t.Parallel()
	w := &writer{answers: []string{answer("for _ in range(5000): print('x' * 1000)\n" + fine)}}
	out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text))
	if err != nil || out.Value != "it is fine" {
		t.Errorf("got %+v, %v", out, err)
	}
}
