package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"path"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
	"atelier/storage/disk"
	redisstate "atelier/storage/redis"
	"atelier/storage/s3"
)

// workerSettings names the variable that makes this program a worker.
const workerSettings = "TEST_FAULTS_WORKER"

// worker configures a worker.
type worker struct {
	Name string `json:"name"`
	// Redis is the URL of the queues and the state.
	Redis string `json:"redis"`
	// Platform is the URL of the platform.
	Platform string `json:"platform"`
	// Files is the folder of the Blobs, if they are not on S3.
	Files string `json:"files"`
	S3    string `json:"s3,omitempty"` // URL of S3
	// Stall is the timeout of S3.
	Stall time.Duration `json:"stall,omitempty"`
	// FileLimit is the maximum size of a file in bytes, to simulate a full disk; 0 means no limit.
	FileLimit uint64 `json:"file_limit,omitempty"`
	// Beat is that of the jobs, and Retry the delay before each retry.
	Beat  time.Duration `json:"beat,omitempty"`
	Retry time.Duration `json:"retry,omitempty"`
	// Step is the minimum duration of a step; the maximum is two thirds longer.
	Step  time.Duration `json:"step,omitempty"`
	Level slog.Level    `json:"level"`
}

// work runs the worker until it has to end.
func work(settings string) int {
	var w worker
	err := json.Unmarshal([]byte(settings), &w)
	if err == nil {
		err = w.work()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (w worker) work() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() { // the parent process has ended
		_, _ = io.Copy(io.Discard, os.Stdin) //nolint:errcheck // however it ended
		stop()
	}()
	if err := w.limit(); err != nil {
		return err
	}
	client, err := redisstate.Open(w.Redis)
	if err != nil {
		return err
	}
	blobs, err := w.blobs(ctx)
	if err != nil {
		return err
	}
	redisstate.LogTo(slog.New(slog.DiscardHandler))
	p := platformClient{w.Platform, w.Name}
	j, err := w.jobs(client, blobs, p)
	if err != nil {
		return err
	}
	if err := p.tell(ctx, happening{Point: "ready"}, nil); err != nil {
		return err
	}
	return errors.Join(j.Run(ctx), blobs.Close(), client.Close())
}

// jobs returns the jobs of a worker, configured as by serve.
func (w worker) jobs(client redis.UniversalClient, blobs storage.Blobs, p platformClient) (*jobs.Jobs, error) {
	state, err := redisstate.New(redisstate.Config{Client: client})
	if err != nil {
		return nil, err
	}
	var retry func(int) time.Duration
	if w.Retry > 0 {
		retry = func(int) time.Duration { return w.Retry }
	}
	return jobs.New(jobs.Config{
		Redis: client, State: state, Blobs: blobs, Agent: hand{w, p, blobs}, Adapters: []adapters.Adapter{p}, Inspect: noFiles,
		Pools: []jobs.Pool{
			{Queues: map[string]int{jobs.QueueGateway: 1}, Concurrency: 16},
			{Queues: map[string]int{jobs.QueuePlan: 1}, Concurrency: 8},
			{Queues: map[string]int{jobs.QueueCPU: 1}, Concurrency: runtime.NumCPU()},
			{Queues: map[string]int{jobs.QueueGPU: 1}, Concurrency: 1},
		},
		Beat: w.Beat, Retry: retry, Name: w.Name, Log: slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: w.Level})),
	})
}

func noFiles(context.Context, string) (jobs.File, error) {
	return jobs.File{}, errors.New("there are no files")
}

// files are Blobs that are closed at the end.
type files interface {
	storage.Blobs
	io.Closer
}

func (w worker) blobs(ctx context.Context) (files, error) {
	if w.S3 != "" {
		return s3.New(ctx, s3.Config{Endpoint: w.S3, Bucket: "bucket", Region: "us-east-1", AccessKey: "key", SecretKey: "secret", Stall: w.Stall})
	}
	return disk.Open(w.Files)
}

// hand is an agent with a fixed plan, whose steps take a moment.
type hand struct {
	worker   worker
	platform platformClient
	blobs    storage.Blobs
}

// diamond is a plan of four actions: the second and the third use the first, and the last uses both.
func diamond() *plan.Plan {
	action := func(tool string, of ...int) plan.Action {
		a := plan.Action{Tool: tool, Returns: plan.Text}
		for _, i := range of {
			a.Args = append(a.Args, plan.Binding{Arg: fmt.Sprintf("text%d", i), Type: plan.Text, Source: plan.FromAction(i)})
		}
		return a
	}
	s := plan.Solution{Score: 5, Actions: []plan.Action{action("begin"), action("left", 0), action("right", 0), action("join", 1, 2)}}
	return &plan.Plan{Wish: "w", Tasks: []plan.Task{{Subtask: plan.Subtask{Description: "d", Returns: plan.Text}, Solutions: []plan.Solution{s}}}}
}

func (h hand) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	return diamond(), h.platform.tell(ctx, happening{Point: "plan", Request: r.ID}, nil)
}

func (h hand) Act(ctx context.Context, w jobs.Work) (plan.Result, error) {
	s := w.Steps[w.At]
	if err := h.platform.tell(ctx, happening{Point: "act", Request: w.Request.ID, Step: s.Action.Tool}, nil); err != nil {
		return plan.Result{}, err
	}
	if h.worker.Step > 0 {
		select {
		case <-time.After(h.worker.Step + rand.N(h.worker.Step*2/3)):
		case <-ctx.Done():
			return plan.Result{}, ctx.Err()
		}
	}
	made := plan.Resource{Name: s.Action.Tool + "-" + s.Key, Type: plan.Text, Value: "done"}
	if size, err := strconv.Atoi(w.Request.Wish); err == nil { // the request asks for files of this size in bytes
		made.Type, made.Value, made.Blob = plan.Image, "", path.Join(w.Folder, s.Action.Tool+".png")
		if err := h.blobs.Put(ctx, made.Blob, bytes.NewReader(make([]byte, size))); err != nil {
			return plan.Result{}, err
		}
	}
	return plan.Result{Status: plan.Done, Output: &made}, h.platform.tell(ctx, happening{Point: "made", Request: w.Request.ID, Step: s.Action.Tool}, nil)
}

func (hand) Ways(*plan.Plan, plan.Choice, []plan.Offer) []plan.Message { return nil }

func (hand) Steps(a jobs.Account) []plan.Message { return make([]plan.Message, len(a.Route.Steps())) }

func (hand) Alts(a jobs.Account) []plan.Message { return make([]plan.Message, len(a.Route.Steps())) }

func (h hand) Respond(ctx context.Context, a jobs.Account) (string, plan.Thinking, error) {
	err := h.platform.tell(ctx, happening{Point: "respond", Request: a.Request.ID}, nil)
	for _, r := range a.Route.Results() {
		if r.Status == plan.Failed {
			return r.Problem, plan.Thinking{}, err
		}
	}
	return "Done.", plan.Thinking{}, err
}

func (hand) Device(context.Context, plan.Action) string { return jobs.QueueCPU }

func (hand) Hears(context.Context, plan.Resource) (plan.Action, bool) { return plan.Action{}, false }

func (hand) Capabilities(context.Context) (map[string][]plan.Candidate, error) {
	tools := map[string][]plan.Candidate{}
	for _, tool := range []string{"begin", "left", "right", "join"} {
		tools[tool] = []plan.Candidate{{Name: "native:" + tool}}
	}
	return tools, nil
}

// platformClient connects a worker to the platform.
type platformClient struct{ url, worker string }

func (platformClient) Name() string { return adapterName }

func (platformClient) Listen(ctx context.Context, _ adapters.Handler) error {
	<-ctx.Done()
	return nil
}

func (platformClient) Fetch(context.Context, adapters.File) (io.ReadCloser, error) {
	return nil, errors.New("there are no files")
}

func (p platformClient) Send(ctx context.Context, key string, r adapters.Reply) (ref adapters.MessageRef, err error) {
	err = p.tell(ctx, happening{Point: "post", Key: key, Message: r.AnswerTo.ID, Text: r.Text, Files: len(r.Files)}, &ref)
	return ref, err
}

// tell reports an event to the platform, and waits for its response.
func (p platformClient) tell(ctx context.Context, h happening, answer any) error {
	h.Worker = p.worker
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(b))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	b, err = io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(b, answer)
}
