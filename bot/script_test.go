package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/settings"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts in testdata/script, each of which is a use of the program.
func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/script")
}

// TestLongScripts runs scripts with many requests.
func TestLongScripts(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	runScripts(t, "testdata/script/long")
}

func runScripts(t *testing.T, dir string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0")        // else every call ends a second late
			env.Setenv(settings.LocalModelsSetting, "false") // whatever runs on this machine
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":  status,
			"picture": makePicture,
			"bomb":    makeBomb,
			"cutoff":  cutOff,
			"long":    makeLong,
			"binary":  makeBinary,
			"model":   func(ts *testscript.TestScript, _ bool, args []string) { startModel(t, ts, args) },
		},
	})
}

// status N PROGRAM ARGS… runs a program that must end with that status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if coded, ok := err.(interface{ ExitCode() int }); ok {
		got = coded.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%s ended with %d, not %s", args[1], got, args[0])
	}
}

// model KEY starts a server whose model understands every request as one for a black and white picture, and sets
// its address.
func startModel(t *testing.T, ts *testscript.TestScript, args []string) {
	t.Helper()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond, Key: args[0], Models: []string{"grey-1"}})
	ts.Setenv("OPENAI_BASE_URL", server.URL())
	ts.Setenv("OPENAI_MODEL", "grey-1")
}

// picture FILE WIDTH HEIGHT makes a PNG with a light rectangle on a dark ground.
func makePicture(ts *testscript.TestScript, _ bool, args []string) {
	w, errW := strconv.Atoi(args[1])
	h, errH := strconv.Atoi(args[2])
	if errW != nil || errH != nil {
		ts.Fatalf("%v %v", errW, errH)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bottest.PictureBytes(w, h), 0o600))
}

// bomb FILE WIDTH HEIGHT makes a small PNG that claims to have that size.
func makeBomb(ts *testscript.TestScript, _ bool, args []string) {
	b := bottest.PictureBytes(4, 4)
	for i, arg := range args[1:3] {
		n, err := strconv.ParseUint(arg, 10, 32)
		ts.Check(err)
		binary.BigEndian.PutUint32(b[16+4*i:], uint32(n))
	}
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

// cutoff FILE N keeps the first N bytes of a file.
func cutOff(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// long N FILE makes a file of N letters.
func makeLong(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), bytes.Repeat([]byte("a"), n), 0o600))
}

// binary FILE makes a file that is not text.
func makeBinary(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"), 0o600))
}
