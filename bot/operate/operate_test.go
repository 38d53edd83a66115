package operate

import (
	"os"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/output"
	"atelier/jobs"
)

// TestShowText checks the output of show for a request with everything.
func TestShowText(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/show.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(requestText(bottest.ShownRequest(), time.FixedZone("", 3600), bottest.At(204_512)), "\n") + "\n"; got != string(want) {
		t.Errorf("it prints\n%s", got)
	}
}

// TestQueueTables checks that the columns of queues and workers are aligned with their headings.
func TestQueueTables(t *testing.T) {
	t.Parallel()
	text := strings.Join(append(
		queueTable([]QueueLine{{Name: "gateway:web", Waiting: 12, Failed: 1, OldestMS: 61_000, Workers: 2}, {Name: "plan"}}),
		workerTable([]WorkerLine{{ID: "bot-1", Host: "h\x07", Process: 7, Since: bottest.At(0), Queues: []string{"cpu", "plan"}, Tasks: []string{"act:a:1:b", "plan:c:1:"}, Tools: 33}}, time.UTC)...,
	), "\n")
	want := `QUEUE        WAITING  ACTIVE  LATER  FAILED  OLDEST  WORKERS
gateway:web  12       0       0      1       1m01s   2
plan         0        0       0      0       -       0
WORKER  HOST  PROCESS  SINCE                TOOLS  QUEUES    RUNNING
bot-1   h\a   7        2026-03-01 09:30:00  33     cpu plan  act:a:1:b plan:c:1:`
	if text != want {
		t.Errorf("it prints\n%s", text)
	}
	if none := workerTable(nil, time.UTC); len(none) != 1 || !strings.Contains(none[0], "bot serve") {
		t.Errorf("%q", none)
	}
}

// TestRequestTable checks that a request with several runs says so, and that a command has no request.
func TestRequestTable(t *testing.T) {
	t.Parallel()
	r := bottest.ShownRequest()
	command := jobs.Request{ID: "b", At: bottest.At(0), By: adapters.Person{ID: "u2"}, Runs: []jobs.Run{{Status: jobs.Done, Plan: &plan.Plan{Wish: "/tools"}}}}
	got := strings.Join(requestTable([]RequestLine{newRequestLine(r), newRequestLine(command)}, time.UTC), "\n")
	want := `ID                WHEN                 THREAD            WHO       STATUS         WISH
abcdefghabcdefgh  2026-03-01 09:30:00  zyxwvutszyxwvuts  An\u202en  done (7 runs)  make it black and white and \x1b[2Jhalf as large
b                 2026-03-01 09:30:00                    u2        done           /tools`
	want = strings.ReplaceAll(want, "WHO       ", "WHO        ")
	want = strings.ReplaceAll(want, "u2        ", "u2         ")
	if got != want {
		t.Errorf("it prints\n%s", got)
	}
}

// TestVotesAreListed checks that the votes on all answers of a request are counted.
func TestVotesAreListed(t *testing.T) {
	t.Parallel()
	r := jobs.Request{Runs: []jobs.Run{{Votes: []jobs.Vote{{By: "a", Good: true}, {By: "b"}}}, {}, {Votes: []jobs.Vote{{By: "c", Good: true}}}}}
	if l := newRequestLine(r); l.Good != 2 || l.Bad != 1 {
		t.Errorf("it has %d good and %d bad votes", l.Good, l.Bad)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"grün 日本 👩‍🎨":           "grün 日本 👩‍🎨",
		"\x1b[31m\a\x00\u009b":  `\x1b[31m\a\x00\u009b`,
		"a\nb\r\tc":             `a\nb\r\tc`,
		"\u202eabc\u2066\ufeff": `\u202eabc\u2066\ufeff`,
		"\xff\xc3(":             `\xff\xc3(`,
	} {
		if got := output.Plain(text); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
	if got := output.OneLine(strings.Repeat("é ", 50), 9); got != "é é é é …" {
		t.Error(got)
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 0: "0 ms", 999 * time.Millisecond: "999 ms", time.Second: "1.0 s", 59_949 * time.Millisecond: "59.9 s",
		59_950 * time.Millisecond: "59.9 s", time.Minute: "1m00s", 307 * time.Second: "5m07s", 125 * time.Minute: "2h05m", 76 * time.Hour: "3d4h",
	} {
		if got := output.Brief(d); got != want {
			t.Errorf("%s is %s", d, got)
		}
	}
}
