package operate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/jobs"
	"atelier/storage"
)

// TestOperators checks that the jobs of another process can be operated through its socket like those of this one,
// with the same results.
func TestOperators(t *testing.T) {
	t.Parallel()
	for name, through := range map[string]func(l *clitest.Living) control.Jobs{
		"here": func(l *clitest.Living) control.Jobs { return l.Jobs },
		"far":  func(l *clitest.Living) control.Jobs { return control.NewRemote(l.Folder) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := clitest.Live(t)
			o, ctx := through(l), t.Context()
			bottest.Check(t, l.Place.State.Put(ctx, "workers/other-1", []byte(`{"id":"other-1","process":7,"queues":["gpu"],"able":{"draw":[{"name":"native:draw"}]}}`), time.Hour))
			id := l.Ask("greet Ann\n\x1b[31m")
			done := l.Wait(id, 1)
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
			if r := l.Wait(id, 2); r.Runs[1].Status != jobs.Done || r.Runs[1].Answer.Reply.Mention != "u1" {
				t.Errorf("%+v", r.Runs[1])
			}
			held := l.Ask("wait")
			<-l.Waits
			bottest.Check(t, o.Cancel(ctx, held, ""))
			if r := l.Wait(held, 1); r.Runs[0].Status != jobs.Cancelled {
				t.Errorf("it is %s", r.Runs[0].Status)
			}
			for _, id := range []string{id, held} {
				if err := o.Cancel(ctx, id, ""); !errors.Is(err, jobs.ErrOver) {
					t.Errorf("what had ended was stopped: %v", err)
				}
			}
			l.Looks(o)
			if n, err := o.Forget(ctx, done.ThreadID); err != nil || n != 1 {
				t.Errorf("%d forgotten, %v", n, err)
			}
			l.KnowsNothing(o, id, done.ThreadID)
		})
	}
}

// faulty is an operator that always fails.
type faulty struct {
	control.Jobs

	err error
}

func (f faulty) Workers(context.Context) ([]jobs.Worker, error) { return nil, f.err }

// TestFaultsOverTheSocket checks that an error keeps its sentence for people and its detail.
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
			l := &clitest.Living{T: t, Folder: t.TempDir()}
			listener, err := control.Listen(l.Folder)
			if err != nil {
				t.Fatal(err)
			}
			l.Going(func(ctx context.Context) error { return control.Answer(ctx, listener, faulty{err: c.err}) })
			_, err = control.NewRemote(l.Folder).Workers(t.Context())
			if err == nil || fault.SentenceOr(err, "") != c.says || !strings.Contains(plan.ForOperator(err), c.operator) {
				t.Errorf("%q, %v", fault.SentenceOr(err, ""), err)
			}
			for _, kind := range []error{jobs.ErrUnknown, jobs.ErrOver} {
				if errors.Is(err, kind) != (kind == c.is) { //nolint:errorlint // the two sentinels themselves
					t.Errorf("%v is %v", err, kind)
				}
			}
		})
	}
}

// TestSocket checks that only its user can use the socket, that it replaces that of a dead process, that its
// folder may have a longer path than a socket may, and that it is removed with the process.
func TestSocket(t *testing.T) {
	t.Parallel()
	long := filepath.Join(t.TempDir(), strings.Repeat("long/", 50))
	bottest.Check(t, os.MkdirAll(long, 0o700))
	for name, folder := range map[string]string{"short": t.TempDir(), "long": long} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the first one dies and leaves its socket
				listener, err := control.Listen(folder)
				if err != nil {
					t.Fatal(err)
				}
				bottest.Check(t, listener.Close())
				info, err := os.Stat(filepath.Join(folder, control.Socket))
				if err != nil || info.Mode() != os.ModeSocket|0o600 {
					t.Fatalf("%v, %v", info.Mode(), err)
				}
				left, err := os.ReadDir(folder)
				if err != nil || len(left) != 1 {
					t.Errorf("%v, %v", left, err)
				}
				_, err = control.NewRemote(folder).Workers(t.Context())
				if down, ok := errors.AsType[*control.NotRunningError](err); !ok || !strings.Contains(down.Error(), folder) {
					t.Errorf("a dead process answers: %v", err)
				}
			}
			l := &clitest.Living{T: t, Folder: folder}
			listener, err := control.Listen(folder)
			if err != nil {
				t.Fatal(err)
			}
			l.Going(func(ctx context.Context) error { return control.Answer(ctx, listener, faulty{}) })
			if _, err := control.NewRemote(folder).Workers(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeOperator checks that nothing is left at the end.
func TestServeOperator(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	bottest.Check(t, control.Serve(ctx, folder, faulty{}))
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if err := control.Serve(ctx, filepath.Join(folder, "nowhere"), faulty{}); !strings.HasPrefix(fault.SentenceOr(err, ""), "The socket in the data folder") {
		t.Error(err)
	}
}

// TestOperating checks that the commands do the same through the socket of a process and on its Redis.
func TestOperating(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) *clitest.Living{
		"socket": func(t *testing.T) *clitest.Living { t.Helper(); return clitest.Live(t) },
		"Redis": func(t *testing.T) *clitest.Living {
			t.Helper()
			return clitest.Live(t, "REDIS_URL=redis://"+miniredis.RunT(t).Addr())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t).Operated()
		})
	}
}

// TestNobodyToOperate checks that without a running process, each command says so and how to start one.
func TestNobodyToOperate(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{{"requests"}, {"show", "abc"}, {"retry", "abc"}, {"cancel", "abc"}, {"forget", "abcdefghabcdefgh"}, {"queues"}} {
		status, stdout, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + folder}, Args: args}.Run(t)
		if want := "bot: No Atelier runs on the data folder " + folder + ". Start it: bot serve\n"; status != fault.StatusFailed || stdout != "" || stderr != want {
			t.Errorf("%q: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Error("the folder was made")
	}
	status, _, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + folder, "REDIS_URL=redis://u:hush@127.0.0.1:1"}, Args: []string{"requests"}}.Run(t)
	if status != fault.StatusFailed || !strings.HasPrefix(stderr, "bot: Redis at 127.0.0.1:1 cannot be used: ") || strings.Contains(stderr, "hush") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestAmbiguousID checks that an ID may be shortened as long as it is unique.
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

// several is an operator of requests with these IDs.
type several struct {
	control.Jobs

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
