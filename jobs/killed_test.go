package jobs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage/disk"
	"atelier/storage/redis/embedded"
)

// killedFolder names the variable that makes this program work in a folder until it is killed.
const killedFolder = "TEST_KILLED_FOLDER"

// message1 is the request to the process that is killed.
func message1() adapters.Event {
	return adapters.Event{
		Kind: adapters.MessageSent, ID: "m1", Adapter: "chat", Thread: place1("t"), By: adapters.Person{ID: "ann"}, At: time.Unix(1_800_000_000, 0),
		Message: &adapters.Message{Ref: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "m1"}, For: adapters.Mentioned, Text: "blur>edge"},
	}
}

// workUntilKilled accepts a request, and prints when it has done so and when it is in its second step.
func workUntilKilled(folder string) error {
	ctx := context.Background()
	state, err := disk.OpenState(disk.StateConfig{File: filepath.Join(folder, "state.log")})
	if err != nil {
		return err
	}
	blobs, err := disk.Open(filepath.Join(folder, "blobs"))
	if err != nil {
		return err
	}
	server := embedded.New()
	if err := server.Start(); err != nil {
		return err
	}
	planner := newPlanner(blobs)
	step := planner.blocks("edge")
	j, err := jobs.New(jobs.Config{
		Redis: server.Client(), State: state, Blobs: blobs, Agent: planner, Adapters: []adapters.Adapter{newChat()}, Inspect: inspect, Pools: pools(),
	})
	if err != nil {
		return err
	}
	if err := j.Handle(ctx, message1()); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, "accepted") //nolint:errcheck // the test sees whether it came
	go func() {
		<-step.entered
		_, _ = fmt.Fprintln(os.Stdout, "acting") //nolint:errcheck // the same
	}()
	return errors.Join(j.Run(ctx), errors.New("it was not killed"))
}

// TestRestartAfterKill: kill -9 after the request was accepted, and during one of its steps.
func TestRestartAfterKill(t *testing.T) {
	t.Parallel()
	for moment, done := range map[string]int{"accepted": 0, "acting": 1} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			killAt(t, folder, moment)

			h := foundation(t)
			state, err := disk.OpenState(disk.StateConfig{File: filepath.Join(folder, "state.log")})
			check(t, err)
			t.Cleanup(func() { check(t, state.Close()) })
			h.state = state
			j := h.restart(1)
			h.run(j)
			r := h.wait(j, jobs.RequestID(message1()), 1)
			if r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 {
				t.Errorf("it is %s, and %d answers were sent", r.Runs[0].Status, len(h.chat.all()))
			}
			if n := h.planner.count("blur"); done == 1 && n != 0 {
				t.Errorf("what was done was done again, %d times", n)
			}
			if err := j.Handle(t.Context(), message1()); err != nil { // the platform repeats the event
				t.Error(err)
			}
			h.restart(0)
		})
	}
}

// killAt starts a process, and kills it when it prints a word.
func killAt(t *testing.T, folder, word string) {
	t.Helper()
	program, err := os.Executable()
	check(t, err)
	c := exec.CommandContext(t.Context(), program) //nolint:gosec // it is this program
	c.Env = append(os.Environ(), killedFolder+"="+folder)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	check(t, err)
	check(t, c.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != word { //nolint:revive // it only waits
	}
	said := lines.Text()
	check(t, c.Process.Kill())
	_, err = io.Copy(io.Discard, out)
	if said != word || err != nil {
		t.Errorf("it said %q: %v", said, err)
	}
	if err := c.Wait(); err == nil {
		t.Error("it was not killed")
	}
}
