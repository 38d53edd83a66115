package faults_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// process is a running worker.
type process struct {
	tb      testing.TB
	worker  worker
	command *exec.Cmd
	stdin   io.Closer
	ended   chan struct{}
	err     error // how it ended
}

// line is a log line of a worker.
type line struct {
	Worker  string `json:"-"`
	Level   string `json:"level"`
	Message string `json:"msg"`
	Request string `json:"request"`
	Stage   string `json:"stage"`
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	Retried int    `json:"retried"`
	Error   string `json:"error"`
	By      string `json:"by"`
}

// start starts a worker, which is killed at the end of the test.
func (p *platform) start(tb testing.TB, w worker) *process {
	tb.Helper()
	w.Platform = p.server.URL
	settings, err := json.Marshal(w)
	if err != nil {
		tb.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	c := exec.Command(program) //nolint:gosec,noctx // this program, to be killed
	// The S3 client does not retry: the jobs do.
	c.Env = append(os.Environ(), workerSettings+"="+string(settings), "AWS_MAX_ATTEMPTS=1")
	stdin, err := c.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	r := &process{tb: tb, worker: w, command: c, stdin: stdin, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		p.listen(w.Name, stderr)
		r.err = c.Wait()
	}()
	tb.Cleanup(r.kill)
	return r
}

// listen records the log of a worker.
func (p *platform) listen(name string, from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		l := line{Worker: name}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil { // another kind of line, or part of one
			l.Message = lines.Text()
		}
		p.change(func() { p.logged = append(p.logged, l) })
	}
}

// kill kills it.
func (r *process) kill() {
	_ = r.command.Process.Kill() //nolint:errcheck // it may be gone
	<-r.ended
	_ = r.stdin.Close() //nolint:errcheck // closed by the end
}

// end shuts it down gracefully.
func (r *process) end() {
	r.tb.Helper()
	if err := r.command.Process.Signal(syscall.SIGTERM); err != nil {
		r.tb.Error(err)
	}
	<-r.ended
	if r.err != nil {
		r.tb.Errorf("a worker ended with %v", r.err)
	}
}
