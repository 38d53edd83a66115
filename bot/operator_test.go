package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/hibiken/asynq"

	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/bot/operator"
	"atelier/jobs"
	"atelier/storage"
)

// TestOperators: what can be done with the jobs of this process can be done with those of
// another one, behind its socket, with the same outcome.
func TestOperators(t *testing.T) {
	t.Parallel()
	for name, through := range map[string]func(l *living) operator.Operator{
		"here": func(l *living) operator.Operator { return l.jobs },
		"far":  func(l *living) operator.Operator { return operator.NewFar(l.folder) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := live(t)
			o, ctx := through(l), t.Context()
			bottest.Check(t, l.place.State.Put(ctx, "workers/other-1", []byte(`{"id":"other-1","process":7,"queues":["gpu"],"able":{"draw":[{"name":"native:draw"}]}}`), time.Hour))
			id := l.ask("greet Ann\n\x1b[31m")
			done := l.wait(id, 1)
			if got, err := o.Show(ctx, id); err != nil || cmp.Diff(done, got) != "" {
				t.Errorf("%v: %s", err, cmp.Diff(done, got))
			}
			listed := done
			listed.Asked = plan.Request{}
			if got, err := o.Requests(ctx, 5); err != nil || cmp.Diff([]jobs.Request{listed}, got) != "" {
				t.Errorf("%v: %+v", err, got)
			}
			if n, err := o.Again(ctx, id, ""); err != nil || n != 2 {
				t.Errorf("run %d, %v", n, err)
			}
			if r := l.wait(id, 2); r.Runs[1].Status != jobs.Done || r.Runs[1].Answer.Reply.Mention != "u1" {
				t.Errorf("%+v", r.Runs[1])
			}
			held := l.ask("wait")
			<-l.waits
			bottest.Check(t, o.Cancel(ctx, held, ""))
			if r := l.wait(held, 1); r.Runs[0].Status != jobs.Cancelled {
				t.Errorf("it is %s", r.Runs[0].Status)
			}
			for _, id := range []string{id, held} {
				if err := o.Cancel(ctx, id, ""); !errors.Is(err, jobs.ErrOver) {
					t.Errorf("what had ended was stopped: %v", err)
				}
			}
			l.looks(o)
			if n, err := o.Forget(ctx, done.ThreadID); err != nil || n != 1 {
				t.Errorf("%d forgotten, %v", n, err)
			}
			l.knowsNothing(o, id, done.ThreadID)
		})
	}
}

// looks at the queues and the workers.
func (l *living) looks(o operator.Operator) {
	l.t.Helper()
	queues, err := o.Queues(l.t.Context())
	names := make([]string, len(queues))
	for i, q := range queues {
		names[i] = q.Name
	}
	if err != nil || !slices.Equal(names, []string{"cpu", "gateway:quiet", "gpu", "plan"}) {
		l.t.Errorf("%v, %v", names, err)
	}
	workers, err := o.Workers(l.t.Context())
	i := slices.IndexFunc(workers, func(w jobs.Worker) bool { return w.ID == "other-1" })
	if err != nil || i < 0 || workers[i].Process != 7 || len(workers[i].Tools["draw"]) != 1 {
		l.t.Errorf("%+v, %v", workers, err)
	}
	l.fail("gpu")
	for range 2 {
		if n, err := o.RetryFailed(l.t.Context(), "gpu"); n != 1 || err != nil {
			l.t.Errorf("%d, %v", n, err)
		}
		l.fail("gpu")
	}
	if n, err := o.DropFailed(l.t.Context(), "gpu"); n != 1 || err != nil {
		l.t.Errorf("%d, %v", n, err)
	}
	for what, act := range map[string]func(context.Context, string) (int, error){"retry": o.RetryFailed, "drop": o.DropFailed} {
		if n, err := act(l.t.Context(), "plan"); n != 0 || err != nil {
			l.t.Errorf("%s: %d, %v", what, n, err)
		}
		if _, err := act(l.t.Context(), "nobody"); !errors.Is(err, jobs.ErrUnknown) {
			l.t.Errorf("%s of a queue that is not there: %v", what, err)
		}
	}
}

// fail lets the one task of a queue be given up.
func (l *living) fail(queue string) {
	l.t.Helper()
	_, err := asynq.NewClientFromRedisClient(l.place.Redis).EnqueueContext(l.t.Context(), asynq.NewTask("act", nil), asynq.Queue(queue), asynq.TaskID("1"))
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		l.t.Fatal(err)
	}
	bottest.Check(l.t, asynq.NewInspectorFromRedisClient(l.place.Redis).ArchiveTask(queue, "1"))
	queues, err := l.jobs.Queues(l.t.Context())
	if i := slices.IndexFunc(queues, func(q jobs.Queue) bool { return q.Name == queue }); err != nil || queues[i].Failed != 1 {
		l.t.Errorf("%+v, %v", queues, err)
	}
}

// knowsNothing asks for what is not there.
func (l *living) knowsNothing(o operator.Operator, id, thread string) {
	l.t.Helper()
	ctx := l.t.Context()
	for what, err := range map[string]error{
		"show":   second(o.Show(ctx, id)),
		"again":  second(o.Again(ctx, id, "")),
		"cancel": o.Cancel(ctx, id, ""),
		"forget": second(o.Forget(ctx, thread)),
	} {
		if !errors.Is(err, jobs.ErrUnknown) || errors.Is(err, jobs.ErrOver) {
			l.t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// faulty is an operator with which everything goes wrong.
type faulty struct {
	operator.Operator

	err error
}

func (f faulty) Workers(context.Context) ([]jobs.Worker, error) { return nil, f.err }

// TestFaultsOverTheSocket: an error keeps both its faces.
func TestFaultsOverTheSocket(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err            error
		says, operator string
		is             error
	}{
		"a fault":   {&plan.Fault{Sentence: plan.Say("No room."), Err: errors.New("write: no space")}, "No room.", "write: no space", nil},
		"a storage": {&storage.Fault{Sentence: "Redis is gone.", Kind: storage.ErrUnreachable, Err: errors.New("reset")}, "Redis is gone.", "reset", nil},
		"unknown":   {errors.Join(errors.New("thread 7"), jobs.ErrUnknown), "", "thread 7", jobs.ErrUnknown},
		"over":      {&plan.Fault{Sentence: plan.Say("Too late."), Err: jobs.ErrOver}, "Too late.", jobs.ErrOver.Error(), jobs.ErrOver},
		"any":       {errors.New("read the log"), "", "read the log", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &living{t: t, folder: t.TempDir()}
			listener, err := operator.Listen(l.folder)
			if err != nil {
				t.Fatal(err)
			}
			l.going(func(ctx context.Context) error { return operator.Answer(ctx, listener, faulty{err: c.err}) })
			_, err = operator.NewFar(l.folder).Workers(t.Context())
			if err == nil || fault.Told(err, "") != c.says || !strings.Contains(plan.ForOperator(err), c.operator) {
				t.Errorf("%q, %v", fault.Told(err, ""), err)
			}
			for _, kind := range []error{jobs.ErrUnknown, jobs.ErrOver} {
				if errors.Is(err, kind) != (kind == c.is) { //nolint:errorlint // the two sentinels themselves
					t.Errorf("%v is %v", err, kind)
				}
			}
		})
	}
}

// TestSocket: the socket is of one user alone, replaces that of a dead process, may lie in
// a folder whose path is longer than that of a socket, and is gone with the process.
func TestSocket(t *testing.T) {
	t.Parallel()
	long := filepath.Join(t.TempDir(), strings.Repeat("long/", 50))
	bottest.Check(t, os.MkdirAll(long, 0o700))
	for name, folder := range map[string]string{"short": t.TempDir(), "long": long} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the first one dies and leaves its socket
				listener, err := operator.Listen(folder)
				if err != nil {
					t.Fatal(err)
				}
				bottest.Check(t, listener.Close())
				info, err := os.Stat(filepath.Join(folder, operator.Socket))
				if err != nil || info.Mode() != os.ModeSocket|0o600 {
					t.Fatalf("%v, %v", info.Mode(), err)
				}
				left, err := os.ReadDir(folder)
				if err != nil || len(left) != 1 {
					t.Errorf("%v, %v", left, err)
				}
				_, err = operator.NewFar(folder).Workers(t.Context())
				if down, ok := errors.AsType[*operator.NotRunningError](err); !ok || !strings.Contains(down.Error(), folder) {
					t.Errorf("a dead process answers: %v", err)
				}
			}
			l := &living{t: t, folder: folder}
			listener, err := operator.Listen(folder)
			if err != nil {
				t.Fatal(err)
			}
			l.going(func(ctx context.Context) error { return operator.Answer(ctx, listener, faulty{}) })
			if _, err := operator.NewFar(folder).Workers(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeOperator: when it ends, nothing is left.
func TestServeOperator(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	bottest.Check(t, operator.Serve(ctx, folder, faulty{}))
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if err := operator.Serve(ctx, filepath.Join(folder, "nowhere"), faulty{}); !strings.HasPrefix(fault.Told(err, ""), "The socket of the data folder") {
		t.Error(err)
	}
}

// TestOperating: the commands do the same by the socket of a process and on its Redis.
func TestOperating(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) *living{
		"socket": func(t *testing.T) *living { t.Helper(); return live(t) },
		"Redis": func(t *testing.T) *living {
			t.Helper()
			return live(t, "REDIS_URL=redis://"+miniredis.RunT(t).Addr())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t).operated()
		})
	}
}

// operated calls every command and looks at what is printed, as text and as JSON.
func (l *living) operated() {
	t := l.t
	t.Helper()
	id := l.ask("greet Ann\x1b[31m")
	r := l.wait(id, 1)
	l.says(fault.StatusDone, id+"  ", "requests")
	l.says(fault.StatusDone, `  done    greet Ann\x1b[31m`, "requests", "-n", "1")
	var listed []operate.RequestLine
	l.json(&listed, "requests")
	want := operate.RequestLine{ID: id, At: r.At, Thread: r.ThreadID, Adapter: "quiet", By: "Ann", Status: "done", Runs: 1, Wish: "greet Ann\x1b[31m"}
	if diff := cmp.Diff([]operate.RequestLine{want}, listed); diff != "" {
		t.Error(diff)
	}
	l.says(fault.StatusDone, "  Steps\n    1.  greet  -  done  waited ", "show", id[:5])
	var shown jobs.Request
	if l.json(&shown, "show", id); cmp.Diff(r, shown) != "" {
		t.Error(cmp.Diff(r, shown))
	}
	l.says(fault.StatusDone, "Run 2 of the request "+id+" has begun", "retry", id)
	l.wait(id, 2)
	l.says(fault.StatusFailed, "The request "+id+" has ended already", "cancel", id)
	held := l.ask("wait")
	<-l.waits
	var stopped map[string]any
	if l.json(&stopped, "cancel", held); stopped["id"] != held || stopped["cancelled"] != true {
		t.Errorf("%v", stopped)
	}
	l.wait(held, 1)
	l.says(fault.StatusDone, "gateway:quiet  0 ", "queues")
	var queues struct {
		Queues  []operate.QueueLine  `json:"queues"`
		Workers []operate.WorkerLine `json:"workers"`
	}
	if l.json(&queues, "queues"); len(queues.Queues) != 3 || queues.Queues[0].Name != "cpu" {
		t.Errorf("%+v", queues)
	}
	l.says(fault.StatusDone, "Queue plan: 0 failed tasks retried.", "queues", "--retry", "plan")
	l.says(fault.StatusDone, "{\n  \"dropped\": 0,\n  \"queue\": \"cpu\"\n}\n", "queues", "--drop", "cpu", "--json")
	l.says(fault.StatusFailed, "There is no queue gpu: there are cpu, gateway:quiet, plan.", "queues", "--drop", "gpu")
	l.says(fault.StatusDone, "was forgotten: 1 request,", "forget", r.ThreadID)
	l.says(fault.StatusFailed, "Nothing is known of a thread "+r.ThreadID, "forget", r.ThreadID)
	l.says(fault.StatusFailed, "There is no request "+id, "show", id)
	l.says(fault.StatusFailed, "None of the latest 500 requests has an id that begins with "+id[:8], "retry", id[:8])
	l.says(fault.StatusUsage, "is not the id of a request", "show", "../x")
	l.says(fault.StatusUsage, "is not the id of a thread", "forget", r.ThreadID[:8])
	l.says(fault.StatusUsage, "-n is 0", "requests", "-n", "0")
	l.says(fault.StatusUsage, "", "queues", "--retry", "plan", "--drop", "plan")
}

// says calls a command that ends so and prints that.
func (l *living) says(status int, what string, args ...string) {
	l.t.Helper()
	got, stdout, stderr := called{env: l.env, args: args}.run(l.t)
	if got != status || !strings.Contains(stdout+stderr, what) || (stdout == "") == (status == fault.StatusDone) {
		l.t.Errorf("%q: status %d, %q is not in\n%s%s", args, got, what, stdout, stderr)
	}
}

// json calls a command and reads what it prints.
func (l *living) json(v any, args ...string) {
	l.t.Helper()
	_, stdout, stderr := called{env: l.env, args: append(args, "--json")}.run(l.t)
	if err := json.Unmarshal([]byte(stdout), v); err != nil {
		l.t.Fatalf("%q: %v%s", args, err, stderr)
	}
}

// TestNobodyToOperate: where no process runs, each command says so and how to start one.
func TestNobodyToOperate(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{{"requests"}, {"show", "abc"}, {"retry", "abc"}, {"cancel", "abc"}, {"forget", "abcdefghabcdefgh"}, {"queues"}} {
		status, stdout, stderr := called{env: []string{"ATELIER_DATA=" + folder}, args: args}.run(t)
		if want := "bot: No Atelier runs on the data folder " + folder + ". Start it: bot serve\n"; status != fault.StatusFailed || stdout != "" || stderr != want {
			t.Errorf("%q: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Error("the folder was made")
	}
	status, _, stderr := called{env: []string{"ATELIER_DATA=" + folder, "REDIS_URL=redis://u:hush@127.0.0.1:1"}, args: []string{"requests"}}.run(t)
	if status != fault.StatusFailed || !strings.HasPrefix(stderr, "bot: Redis at 127.0.0.1:1 cannot be used: ") || strings.Contains(stderr, "hush") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestAmbiguousID: an id may be shortened as long as it is one's alone.
func TestAmbiguousID(t *testing.T) {
	t.Parallel()
	o := several{ids: []string{"abcdefghabcdefgh", "abcdefghabcdefg2", "bbcdefghabcdefgh"}}
	for begins, want := range map[string]string{"b": "bbcdefghabcdefgh", "BBC": "bbcdefghabcdefgh", "abcdefghabcdefg2": "abcdefghabcdefg2"} {
		if id, err := operate.WholeID(t.Context(), o, begins); id != want || err != nil {
			t.Errorf("%q: %s, %v", begins, id, err)
		}
	}
	_, err := operate.WholeID(t.Context(), o, "abc")
	if _, ok := errors.AsType[*fault.UsageError](err); !ok || !strings.Contains(err.Error(), "2 requests begin with abc: abcdefghabcdefgh, abcdefghabcdefg2.") {
		t.Error(err)
	}
}

// several is an operator of requests with those ids.
type several struct {
	operator.Operator

	ids []string
}

func (s several) Requests(context.Context, int) ([]jobs.Request, error) {
	var all []jobs.Request
	for _, id := range s.ids {
		all = append(all, jobs.Request{ID: id})
	}
	return all, nil
}

func (s several) Show(_ context.Context, id string) (jobs.Request, error) {
	if !slices.Contains(s.ids, id) {
		return jobs.Request{}, jobs.ErrUnknown
	}
	return jobs.Request{ID: id}, nil
}
