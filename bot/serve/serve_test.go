package serve_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"atelier/adapters"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/clitest"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/place"
	"atelier/bot/serve"
	"atelier/bot/settings"
	"atelier/jobs"
	"atelier/storage/s3/s3test"
)

// TestServe checks that an event of a platform is answered and counted, and that the next process knows it.
func TestServe(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := clitest.OpenParlour(t, clitest.NewParlour(), "ATELIER_DATA="+folder)
	wish := o.Parlour.Wish("m1", "make it black and white")
	o.Parlour.Says <- wish
	reply := <-o.Parlour.Replies
	if len(reply.Files) != 1 || reply.Files[0].Type != "image/jpeg" && reply.Files[0].Type != "image/png" || reply.AnswerTo.ID != "m1" {
		t.Errorf("it said %+v", reply)
	}
	if r := o.WaitFor(wish); r.Runs[0].Status != jobs.Done {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
	for page, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ok\nbackend native: up, "} {
		if status, body := o.Get(page); status != http.StatusOK || !strings.HasPrefix(body, want) {
			t.Errorf("%s: %d %s", page, status, body)
		}
	}
	_, counted := o.Get("/metrics")
	for _, want := range []string{
		`atelier_requests_total{adapter="parlour"} 1`,
		`atelier_runs_ended_total{adapter="parlour",status="done"} 1`,
		`atelier_request_seconds_count{adapter="parlour"} 1`,
		`atelier_stage_seconds_count{outcome="done",stage="act"} 1`,
		`atelier_stage_seconds_count{outcome="done",stage="send"} 1`,
		`atelier_queue_tasks{queue="gateway:parlour",state="waiting"} 0`,
		`atelier_queue_workers{queue="gpu"} 1`,
		`atelier_tool_seconds_count{backend="`,
		"go_goroutines ",
		"process_start_time_seconds ",
	} {
		if !strings.Contains(counted, want) {
			t.Errorf("the metrics lack %s:\n%s", want, counted)
		}
	}
	o.End()
	if o.Err != nil {
		t.Errorf("it ended with %v\n%s", o.Err, o.Log)
	}
	if log := o.Log.String(); !strings.Contains(log, "msg=serving") || !strings.Contains(log, "request="+jobs.RequestID(wish)) {
		t.Errorf("the log says\n%s", log)
	}

	next := clitest.OpenParlour(t, clitest.NewParlour(), "ATELIER_DATA="+folder)
	if r, err := next.Jobs.Show(t.Context(), jobs.RequestID(wish)); err != nil || !r.Over(1) {
		t.Errorf("the next process knows %+v, %v", r, err)
	}
}

// TestServeEndsInGoodOrder checks that running work may finish, that the process is alive but not ready meanwhile, and
// that the next process does what could not finish.
func TestServeEndsInGoodOrder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := clitest.NewParlour()
	p.Hold = make(chan struct{})
	o := clitest.OpenParlour(t, p, "ATELIER_DATA="+folder, "ATELIER_GRACE=1h")
	wish := p.Wish("m1", "make it black and white")
	p.Says <- wish
	<-p.Replies
	o.Stop()
	for status, body := o.Get("/readyz"); status != http.StatusServiceUnavailable; status, body = o.Get("/readyz") {
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	if status, _ := o.Get("/healthz"); status != http.StatusOK {
		t.Errorf("it is dead while it ends: %d", status)
	}
	close(p.Hold)
	o.End()
	if o.Err != nil {
		t.Errorf("it ended with %v", o.Err)
	}

	again := clitest.NewParlour()
	again.Hold = make(chan struct{})
	next := clitest.OpenParlour(t, again, "ATELIER_DATA="+folder, "ATELIER_GRACE=1ms")
	if r, err := next.Jobs.Show(t.Context(), jobs.RequestID(wish)); err != nil || !r.Over(1) {
		t.Errorf("what ran did not end: %+v, %v", r, err)
	}
	left := again.Wish("m2", "make it black and white")
	again.Says <- left
	<-again.Replies
	next.End()
	if next.Err != nil {
		t.Errorf("it ended with %v", next.Err)
	}

	last := clitest.OpenParlour(t, clitest.NewParlour(), "ATELIER_DATA="+folder)
	if r := last.WaitFor(left); r.Runs[0].Status != jobs.Done || len(last.Parlour.Replies) != 1 {
		t.Errorf("it is %s, after %d replies", r.Runs[0].Status, len(last.Parlour.Replies))
	}
	if !strings.Contains(last.Log.String(), "requests=1") {
		t.Errorf("the log does not say what was taken up:\n%s", last.Log)
	}
}

// TestReady checks that the page names exactly the parts that do not work.
func TestReady(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.RequireAuth("hidden")
	bucket := s3test.New(t, s3test.Config{})
	o := clitest.OpenParlour(t, clitest.NewParlour(), append(clitest.Bucket(bucket), "REDIS_URL=redis://:hidden@"+redis.Addr())...)
	says := func(status int, want string) {
		t.Helper()
		got, body := o.Get("/readyz")
		for strings.Contains(body, "the backends are still being checked") { // the page waits a while for them
			got, body = o.Get("/readyz")
		}
		parts, servers, told := strings.Cut(body, "backend ") // of tools, which make nobody unready
		if got != status || parts != want || told != (status == http.StatusOK) || told && !strings.HasPrefix(servers, "native: up, ") {
			t.Errorf("it says %d %s, not %d %s", got, body, status, want)
		}
	}
	says(http.StatusOK, "ok\n")
	bucket.Meddle(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			s3test.Fail(w, http.StatusForbidden, "InvalidAccessKeyId")
		})
	})
	says(http.StatusServiceUnavailable, "blobs: The S3 server at "+bucket.URL()+" does not accept the credentials (InvalidAccessKeyId): "+
		"check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE.\n")
	bucket.Meddle(nil)
	o.Parlour.Breaks(&adapters.Fault{Sentence: "The parlour is closed.", Kind: adapters.ErrRefused})
	says(http.StatusServiceUnavailable, "parlour: The parlour is closed.\n")
	o.Parlour.Breaks(nil)
	address := redis.Addr()
	redis.Close()
	says(http.StatusServiceUnavailable, "state: Redis at "+address+" cannot be used: connect: connection refused.\n")
	if err := redis.Restart(); err != nil {
		t.Fatal(err)
	}
	again := time.NewTicker(50 * time.Millisecond) // the client tries once a second to connect anew
	defer again.Stop()
	for status, body := o.Get("/readyz"); status != http.StatusOK; status, body = o.Get("/readyz") {
		if !strings.HasPrefix(body, "state: ") {
			t.Fatal(body)
		}
		<-again.C
	}
	o.End()
	if o.Err != nil || strings.Contains(o.Log.String(), "hidden") {
		t.Errorf("it ended with %v\n%s", o.Err, o.Log)
	}
}

// TestServeDoesNotStart checks that a problem at startup is reported in one sentence, before anything runs.
func TestServeDoesNotStart(t *testing.T) {
	t.Parallel()
	bucket := s3test.New(t, s3test.Config{})
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bottest.Check(t, taken.Close()) })
	used := t.TempDir()
	clitest.OpenParlour(t, clitest.NewParlour(), "ATELIER_DATA="+used)
	s3 := func(change map[string]string) map[string]string {
		env := map[string]string{
			"S3_BUCKET": "bucket", "AWS_ENDPOINT_URL_S3": bucket.URL(), "AWS_REGION": "us-east-1",
			"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		}
		maps.Copy(env, change)
		return env
	}
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"no Redis":                {map[string]string{"REDIS_URL": "redis://:hidden@127.0.0.1:1"}, nil, "Redis at 127.0.0.1:1 cannot be used: connect: connection refused."},
		"a wrong URL":             {map[string]string{"REDIS_URL": "redis//hidden"}, nil, "REDIS_URL is invalid: it does not begin with redis://: expected a URL such as redis://localhost:6379/0."},
		"no bucket":               {s3(map[string]string{"S3_BUCKET": "other"}), nil, `The S3 server at ` + bucket.URL() + ` has no bucket "other": create it, or check its name and the endpoint.`},
		"a wrong secret":          {s3(map[string]string{"AWS_SECRET_ACCESS_KEY": "hidden"}), nil, "The S3 server at " + bucket.URL() + " does not accept the credentials (SignatureDoesNotMatch): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE."},
		"half a secret":           {s3(map[string]string{"AWS_SECRET_ACCESS_KEY": ""}), nil, "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not: they belong together."},
		"no region":               {map[string]string{"S3_BUCKET": "bucket", "AWS_ENDPOINT_URL_S3": ""}, nil, `The region of the bucket "bucket" is unknown: set AWS_REGION.`},
		"a folder that is in use": {map[string]string{"ATELIER_DATA": used}, nil, "The data folder " + used + " is in use by the running Atelier, process " + strconv.Itoa(os.Getpid()) + ": stop that one, or set ATELIER_DATA to another folder."},
		"a folder that is a file": {map[string]string{"ATELIER_DATA": "serve_test.go"}, nil, "serve_test.go cannot be written to (not a directory): make it writable, or set ATELIER_DATA to another folder."},
		"an address that is in use": {map[string]string{"ATELIER_LISTEN": taken.Addr().String()}, nil,
			`Cannot listen on ATELIER_LISTEN (` + taken.Addr().String() + `): address already in use. Set another address, or off.`},
		"a part without Redis": {nil, []string{"--queues", "gateway,plan"}, "--queues omits cpu and gpu, and without REDIS_URL no other process can work on it: set REDIS_URL for all processes."},
		"no queue":             {nil, []string{"--queues="}, "--queues is empty: expected gateway,plan,cpu,gpu,program, or some of them."},
		"a platform":           {nil, []string{"--adapters", "telex"}, `--adapters has an unknown adapter "telex": expected discord, slack, web or none.`},
		"a grace":              {nil, []string{"--grace", "soon"}, `--grace is "soon": expected a duration from 1ms to 1h, such as 20s or 2m.`},
		"a flag's address":     {nil, []string{"--listen", "nowhere"}, `--listen is "nowhere": expected an address such as 127.0.0.1:8080 or :8080, or off.`},
		"a word too many":      {nil, []string{"please"}, `unknown command "please". Try: bot --help`},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"ATELIER_DATA": t.TempDir() + "/new", "ATELIER_LISTEN": "off"}
			maps.Copy(env, c.env)
			status, stdout, stderr := clitest.Run(t, env, c.args...)
			if status != fault.StatusUsage || stdout != "" || !strings.Contains(stderr, "bot: "+c.want) || strings.Contains(stderr, "hidden") {
				t.Errorf("status %d, %s%s", status, stdout, stderr)
			}
			if strings.Count(stderr, "bot: ") != 1 || strings.Contains(stderr, "msg=serving") {
				t.Errorf("it says more:\n%s", stderr)
			}
		})
	}
}

// TestAllWrongFlagsAreReported checks that wrong flags and wrong settings are reported together.
func TestAllWrongFlagsAreReported(t *testing.T) {
	t.Parallel()
	status, _, stderr := clitest.Run(t, map[string]string{"ATELIER_DEADLINE": "abc", "ATELIER_LOG": "loud"},
		"serve", "--queues", "foo,cpu=0", "--concurrency", "0", "--adapters", "telex,fax", "--grace", "soon", "--listen", "99")
	for _, want := range []string{
		"ATELIER_DEADLINE is", "ATELIER_LOG is", `--queues has an unknown queue "foo"`, `--queues has "cpu=0"`, "--concurrency is 0",
		`--adapters has an unknown adapter "telex"`, `--adapters has an unknown adapter "fax"`, "--grace is", "--listen is",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %s", want)
		}
	}
	if status != fault.StatusUsage || strings.Count(stderr, "\n") != 9 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestSilentServerIsNamed checks that for a server that accepts connections but never answers, the setting that names
// it is reported.
func TestSilentServerIsNamed(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bottest.Check(t, silent.Close()) })
	at := silent.Addr().String()
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"Redis":  {[]string{"REDIS_URL=redis://" + at}, "The Redis of REDIS_URL at " + at + " does not answer within 2s: check its host and its port."},
		"by TLS": {[]string{"REDIS_URL=rediss://" + at}, "The Redis of REDIS_URL at " + at + " does not answer within 2s: check its host and its port, and whether it speaks TLS."},
		"the bucket": {
			[]string{"S3_BUCKET=b", "AWS_ENDPOINT_URL_S3=http://" + at, "AWS_REGION=r", "AWS_ACCESS_KEY_ID=k", "AWS_SECRET_ACCESS_KEY=s"},
			`The S3 server of the bucket "b" does not answer within 2s: check AWS_ENDPOINT_URL_S3 and AWS_REGION.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := settings.Read(append(c.env, "ATELIER_DATA="+t.TempDir()), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := place.Open(t.Context(), config, slog.New(slog.DiscardHandler), place.Placement{Folder: config.Data, Shared: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { bottest.Check(t, p.Close()) })
			if err := place.Check(t.Context(), config, p, 2*time.Second, slog.New(slog.DiscardHandler)); err == nil || err.Error() != c.want {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// TestAllUnusableSettingsAreReported checks that all of them are reported at once.
func TestAllUnusableSettingsAreReported(t *testing.T) {
	t.Parallel()
	status, _, stderr := clitest.Run(t, map[string]string{
		"REDIS_URL": "redis://127.0.0.1:1", "S3_BUCKET": "bucket", "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1",
		"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "ATELIER_LISTEN": "off", "ATELIER_DATA": t.TempDir(),
	}, "serve")
	want := "bot: The S3 server at http://127.0.0.1:1 cannot be reached: connect: connection refused.\n" +
		"     Redis at 127.0.0.1:1 cannot be used: connect: connection refused.\n"
	if status != fault.StatusUsage || !strings.HasSuffix(stderr, want) {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestServeTellsHowItIsUsed checks that the program says how to use it if no platform is connected.
func TestServeTellsHowItIsUsed(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := writerFunc(func(p []byte) (int, error) {
		stop() // it has been told
		if string(p) != serve.HowToAsk(nil, false) {
			t.Errorf("it says %s", p)
		}
		return len(p), nil
	})
	var errs bytes.Buffer
	status := cli.Run(ctx, command.Program{
		Env: []string{"ATELIER_DATA=" + t.TempDir(), "ATELIER_LISTEN=off", "ATELIER_LOG_FORMAT=json"}, Stdin: strings.NewReader(""), Stdout: out, Stderr: &errs, Builtin: bottest.Builtin,
	})
	if status != fault.StatusDone || !strings.Contains(errs.String(), `"msg":"serving"`) {
		t.Errorf("status %d, %s", status, errs.String())
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
