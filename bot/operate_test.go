package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// at is a moment so many milliseconds after a request was made.
func at(ms int) time.Time {
	return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

// shownRequest is a request with all that there can be: a step that failed, a further run
// that took over what was done and still runs, and letters that no terminal should get.
func shownRequest() jobs.Request {
	arg := func(name string, s plan.Source) plan.Binding { return plan.Binding{Arg: name, Source: s} }
	grey := plan.Step{Key: "a", Action: plan.Action{Tool: "greyscale_image", Args: []plan.Binding{arg("image", plan.FromResource("photo.jpg"))}}}
	half := plan.Step{Key: "b", Action: plan.Action{Tool: "resize_image", Args: []plan.Binding{
		arg("image", plan.FromAction(0)), arg("amount", plan.FromValue("half\nas large")), arg("blank", plan.Source{}),
	}}}
	text := plan.Step{Key: "c", Action: plan.Action{Tool: "caption", Args: []plan.Binding{arg("question", plan.FromText("Is {0} nice?", plan.FromAction(1)))}}}
	made := plan.Resource{Name: "photo.grey-1a.png", Type: plan.Image}
	p := &plan.Plan{
		Tasks: []plan.Task{
			{Subtask: plan.Subtask{Description: "make photo.jpg black and white, half as large", Returns: plan.Image}, Solutions: make([]plan.Solution, 3)},
			{Subtask: plan.Subtask{Description: "sing it", Returns: plan.Audio}, Missing: []string{"text_to_music"}},
		},
		Thinking: plan.Thinking{Jobs: []plan.Job{{Name: "decompose", Calls: 1, Input: 900, Output: 100, Took: 1500 * time.Millisecond}}},
	}
	done := jobs.Step{Step: grey, Status: plan.Done, Started: at(1610), Ended: at(1950), Output: made.Name}
	return jobs.Request{
		ID: "abcdefghabcdefgh", ThreadID: "zyxwvutszyxwvuts", Thread: adapters.Thread{Adapter: "web", Channel: "general"},
		By: adapters.Person{ID: "u1", Name: "An\u202en"}, Wish: "make it black and white\r\n\tand \x1b[2Jhalf as large\n", At: at(0),
		Asked: plan.Request{Given: []plan.Resource{{Name: "photo.jpg", Type: plan.Image}}},
		Runs: []jobs.Run{
			{
				N: 1, Status: jobs.Failed, At: at(0), Planned: at(1600), Answered: at(130_000), Ended: at(130_200), Plan: p, Choice: plan.Choice{1, -1},
				Steps: []jobs.Step{
					done,
					{Step: half, Status: plan.Failed, Started: at(1955), Ended: at(129_000), Problem: "There is no\nroom."},
					{Step: text, Status: plan.Skipped},
				},
				Results: map[string]plan.Result{"a": {Candidate: "native:greyscale", Usage: plan.Tokens{Calls: 1, Input: 50, Output: 5}}},
				Made:    []plan.Resource{made},
				Answer: &jobs.Answer{
					Status: jobs.Failed, Thinking: p.Thinking,
					Reply: adapters.Reply{Text: "Half of it could not be done.\n\n- **photo.grey-1a.png**", Choices: []adapters.Choice{{Text: "blur_image"}, {Text: "crop_region, then blur_image"}}},
				},
				Problem: "The channel is gone.",
			},
			{
				N: 2, Status: jobs.Running, At: at(200_000), Planned: at(1600), Plan: p, Choice: plan.Choice{0, -1},
				Steps: []jobs.Step{
					done,
					{Step: half, Status: plan.Running, Started: at(200_012), Drafts: []plan.Draft{
						{Program: `{"program":"print(1)\nprint('\u001b[2J')\n"}`, Model: "scribe", Usage: plan.Tokens{Input: 1200, Output: 34}, Trouble: &plan.Trouble{
							What: "it left no file in OUT.", Printed: "1\n\x1b[2J\n", Left: []string{"a.png", "b\x07.png"},
						}},
						{Program: "I cannot", Trouble: &plan.Trouble{What: "the answer is not one JSON object."}},
						{Program: `{"program":"print(2)"}`, Model: "scribe"},
					}},
					{Step: text, Status: plan.Waiting},
				},
			},
			{N: 3, Status: jobs.Planning, At: at(203_000)},
			{N: 4, Status: jobs.Done, At: at(203_000), Planned: at(203_100), Answered: at(203_200), Ended: at(203_300), Plan: &plan.Plan{Reply: "Hello."}, Answer: &jobs.Answer{Reply: adapters.Reply{Text: "Hello."}}},
			{N: 5, Status: jobs.Asking, At: at(203_000), Planned: at(203_100), Answered: at(203_200), Ended: at(203_300), Plan: &plan.Plan{Question: "Which?"}, Answer: &jobs.Answer{}},
			{
				N: 6, Status: jobs.Cancelled, At: at(203_000), Planned: at(203_100), Ended: at(203_300), Plan: p, Choice: plan.Choice{0, -1},
				Steps: []jobs.Step{{Step: grey, Status: plan.Running, Started: at(203_200)}, {Step: half, Status: plan.Waiting}},
			},
			{N: 7, Status: jobs.Done, At: at(203_000), Planned: at(203_100), Answered: at(203_200), Ended: at(203_300), Plan: &plan.Plan{Reply: "No.", Refused: true}, Answer: &jobs.Answer{}},
		},
	}
}

// TestShowText: what show prints of a request with all that there can be.
func TestShowText(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/show.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(requestText(shownRequest(), time.FixedZone("", 3600), at(204_512)), "\n") + "\n"; got != string(want) {
		t.Errorf("it prints\n%s", got)
	}
}

// TestQueueTables: the columns of queues and workers stand under their names.
func TestQueueTables(t *testing.T) {
	t.Parallel()
	text := strings.Join(append(
		queueTable([]queueLine{{Name: "gateway:web", Waiting: 12, Failed: 1, OldestMS: 61_000, Workers: 2}, {Name: "plan"}}),
		workerTable([]workerLine{{ID: "bot-1", Host: "h\x07", Process: 7, Since: at(0), Queues: []string{"cpu", "plan"}, Tasks: []string{"act:a:1:b", "plan:c:1:"}, Tools: 33}}, time.UTC)...,
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

// TestRequestTable: a request of several runs says so, and a command has no wish.
func TestRequestTable(t *testing.T) {
	t.Parallel()
	r := shownRequest()
	command := jobs.Request{ID: "b", At: at(0), By: adapters.Person{ID: "u2"}, Runs: []jobs.Run{{Status: jobs.Done, Plan: &plan.Plan{Wish: "/tools"}}}}
	got := strings.Join(requestTable([]requestLine{newRequestLine(r), newRequestLine(command)}, time.UTC), "\n")
	want := `ID                WHEN                 THREAD            WHO       STATUS         WISH
abcdefghabcdefgh  2026-03-01 09:30:00  zyxwvutszyxwvuts  An\u202en  done (7 runs)  make it black and white and \x1b[2Jhalf as large
b                 2026-03-01 09:30:00                    u2        done           /tools`
	want = strings.ReplaceAll(want, "WHO       ", "WHO        ")
	want = strings.ReplaceAll(want, "u2        ", "u2         ")
	if got != want {
		t.Errorf("it prints\n%s", got)
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
		if got := plain(text); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
	if got := oneLine(strings.Repeat("é ", 50), 9); got != "é é é é …" {
		t.Error(got)
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 0: "0 ms", 999 * time.Millisecond: "999 ms", time.Second: "1.0 s", 59_949 * time.Millisecond: "59.9 s",
		59_950 * time.Millisecond: "59.9 s", time.Minute: "1m00s", 307 * time.Second: "5m07s", 125 * time.Minute: "2h05m", 76 * time.Hour: "3d4h",
	} {
		if got := brief(d); got != want {
			t.Errorf("%s is %s", d, got)
		}
	}
}
