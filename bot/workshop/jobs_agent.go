package workshop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/messages"
	"atelier/adapters/terminal"
	webpage "atelier/adapters/web/page"
	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/step"
	"atelier/agent/toolbox/media"
	"atelier/bot/chatcommand"
	"atelier/bot/place"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage"
)

// Jobs wires jobs to the place and to an agent. The caller sets the planning options in thinks, and in j
// adapters, pools and metrics; the rest comes from the settings.
func (w Workshop) Jobs(ctx context.Context, p *place.Place, thinks agent.Config, j jobs.Config) (*jobs.Jobs, error) {
	catalogue, err := w.ReadCatalogue()
	if err != nil {
		return nil, err
	}
	var made *jobs.Jobs
	w.Elsewhere = func(ctx context.Context) (map[string][]plan.Candidate, error) { return made.Elsewhere(ctx) }
	tell, err := NewTell()
	if err != nil {
		return nil, err
	}
	j.Tell = tell
	thinks.Tell, thinks.Scratch = j.Tell, p.Scratch.Folder()
	a, err := w.Agent(ctx, catalogue, p.Blobs, thinks)
	if err != nil {
		return nil, err
	}
	j.Redis, j.State, j.Blobs, j.Scratch = p.Redis, p.State, p.Blobs, p.Scratch.Folder()
	films, err := w.FFmpeg()
	if err != nil {
		return nil, err
	}
	j.Agent = jobsAgent{a, j.Tell, voices{p.Blobs, films, Pictures{blobs: p.Blobs, scratch: j.Scratch}}}
	j.Inspect = w.inspect
	j.Deadline, j.Grace, j.Check, j.Retention = w.Deadline, w.Grace, w.Check, w.Retention
	j.MaxFile, j.Log = w.Limits().Bytes, w.Logger()
	if len(w.LinkHosts) > 0 {
		if j.LinkHosts, err = download.New(download.Config{Hosts: w.LinkHosts}); err != nil {
			return nil, fmt.Errorf("prepare link downloads: %w", err)
		}
	}
	j.Quota = w.Quota // the terminal has no limits
	j.Quota.Exempt = append(slices.Clone(w.Quota.Exempt), quota.Entry{Adapter: terminal.Name})
	j.Programs = w.Programs.In
	j.Command = chatcommand.Commands{
		Tell: tell, Tools: catalogue.Tools(), Now: time.Now,
		Live:    func(ctx context.Context) (map[string]bool, error) { return liveTools(ctx, a, made) },
		Samples: a.Samples,
		Standing: func(ctx context.Context, by adapters.Person, in adapters.Thread) (jobs.Standing, error) {
			return made.Standing(ctx, by, in)
		},
		Recent: func(ctx context.Context, by adapters.Person, in adapters.Thread) ([]chatcommand.Answered, error) {
			return chatcommand.RecentOf(ctx, made.Requests, j.Adapters, by, in)
		},
	}.Answer
	j.Samples = samples{a}
	made, err = jobs.New(j) // the closures above use it
	return made, err
}

// liveTools returns the tools that this process or another one can run now.
func liveTools(ctx context.Context, a *agent.Agent, j *jobs.Jobs) (map[string]bool, error) {
	live := map[string]bool{}
	for _, can := range []func(context.Context) (map[string][]plan.Candidate, error){a.Capabilities, j.Elsewhere} {
		tools, err := can(ctx)
		if err != nil {
			return nil, err
		}
		for tool, candidates := range tools {
			live[tool] = live[tool] || len(candidates) > 0
		}
	}
	return live, nil
}

// NewTell returns the function that translates the fixed sentences.
func NewTell() (plan.Translate, error) {
	sentences, err := messages.New()
	if err != nil {
		return nil, fmt.Errorf("read the fixed sentences: %w", err)
	}
	return func(language string, m plan.Message) string { return sentences.Tell(language, m) }, nil
}

// inspect inspects a file that somebody sent.
func (w Workshop) inspect(ctx context.Context, path string) (jobs.File, error) {
	info, err := media.Inspect(ctx, path, w.Limits())
	if err != nil {
		return jobs.File{}, err
	}
	prober, err := w.prober()
	if err != nil {
		return jobs.File{}, err
	}
	facts, err := prober.Facts(ctx, path, info)
	if err != nil { // the tool that gets the file will report the problem
		facts = nil
	}
	return jobs.File{Type: info.Type, Ext: info.Ext, Facts: strings.Join(facts, ", ")}, nil
}

// jobsAgent adapts the agent to the interface of the jobs.
type jobsAgent struct {
	agent  *agent.Agent
	tell   plan.Translate
	voices voices
}

var (
	_ jobs.Agent  = jobsAgent{}
	_ jobs.Writer = jobsAgent{}
)

// Plan plans a request.
func (a jobsAgent) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	p, err := a.agent.Plan(ctx, r)
	return p, passing(err)
}

// Act runs a step, if this process can. If storage is unavailable, it returns the error, so that the step is
// retried.
func (a jobsAgent) Act(ctx context.Context, w jobs.Work) (plan.Result, error) {
	if a.agent.Lacks(ctx, w.Steps[w.At].Action, w.Anyhow) {
		return plan.Result{}, jobs.ErrLacking
	}
	result, err := a.agent.Try(ctx, stepOf(w))
	if errors.Is(err, storage.ErrUnreachable) || errors.Is(err, storage.ErrFull) {
		return plan.Result{}, err
	}
	return result, nil
}

// Writes reports whether a program must be written before the action can run.
func (a jobsAgent) Writes(action plan.Action) bool { return a.agent.Writes(action) }

// Write has the model write the next draft of a step's program.
func (a jobsAgent) Write(ctx context.Context, w jobs.Work) (plan.Draft, error) {
	d, err := a.agent.Write(ctx, stepOf(w), w.Drafts)
	return d, passing(err)
}

// stepOf converts a step for the agent.
func stepOf(w jobs.Work) step.Work {
	memory := step.NewMemory(w.Resources)
	for _, s := range w.Steps {
		if r, ok := w.Results[s.Key]; ok {
			memory.Record(s.Key, r)
		}
	}
	return step.Work{
		Request: w.Request, Steps: w.Steps, At: w.At, Memory: memory, Folder: w.Folder, Salt: w.Salt, Again: w.Again, Program: w.Program, Spent: w.Spent,
		Progress: w.Progress,
	}
}

// accountOf converts a run for the agent.
func accountOf(told jobs.Account) planner.Account {
	account := planner.Account{Request: told.Request, Plan: told.Plan}
	if r := told.Route; r != nil {
		account.Steps, account.Results = r.Steps(), r.Results()
	}
	return account
}

// Respond writes the answer of a run.
func (a jobsAgent) Respond(ctx context.Context, told jobs.Account) (string, plan.Thinking, error) {
	account := accountOf(told)
	account.Left = told.Plan.LeftBy(nil)
	if r := told.Route; r != nil {
		account.Left = told.Plan.LeftBy(r.Choice())
		for _, f := range r.Fallbacks() {
			account.Fallbacks = append(account.Fallbacks, a.tell.In(told.Request.Language, f))
		}
	}
	answer, err := a.agent.Respond(ctx, account)
	return answer.Text, answer.Thinking, passing(err)
}

// Ways returns labels for offers.
func (a jobsAgent) Ways(p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message {
	return a.agent.Ways(p, chosen, offers)
}

// Steps describes what the steps of a run make.
func (a jobsAgent) Steps(told jobs.Account) []plan.Message { return a.agent.Steps(accountOf(told)) }

// Alts returns alternative texts for the results of a run.
func (a jobsAgent) Alts(told jobs.Account) []plan.Message { return a.agent.Alts(accountOf(told)) }

// Device returns the device that an action runs on.
func (a jobsAgent) Device(ctx context.Context, action plan.Action) string {
	return a.agent.Device(ctx, action)
}

// Hears returns the action that transcribes a voice message.
func (a jobsAgent) Hears(ctx context.Context, voice plan.Resource) (plan.Action, bool) {
	return a.agent.Hears(ctx, voice)
}

// Capabilities returns the tools that this process can run.
func (a jobsAgent) Capabilities(ctx context.Context) (map[string][]plan.Candidate, error) {
	return a.agent.Capabilities(ctx)
}

// passing marks errors that a retry may cure.
func passing(err error) error {
	switch endpoint.KindOf(err) {
	case endpoint.Down, endpoint.TimedOut, endpoint.Limited:
		return fmt.Errorf("%w: %w", jobs.ErrPassing, err)
	default:
		return err
	}
}

var _ jobs.Reworker = jobsAgent{}

// Reworks returns the follow-ups on the results of a run, such as Vary, that can run now.
func (a jobsAgent) Reworks(ctx context.Context, made *plan.Route) ([]plan.Rework, error) {
	return a.agent.Reworks(ctx, made)
}

// Rework plans a follow-up.
func (a jobsAgent) Rework(
	ctx context.Context, r plan.Request, made *plan.Route, how plan.Rework, limits map[string]int64,
) (*plan.Plan, error) {
	p, err := a.agent.Rework(ctx, r, made, how, limits)
	return p, passing(err)
}

var _ jobs.Fitter = jobsAgent{}

// fitting are the tools that reduce a file to a size limit, by type.
var fitting = map[plan.Type]string{plan.Image: "fit_image_size", plan.Video: "fit_video_size", plan.Audio: "fit_audio_size"}

// Fit reduces a file to a size limit, in bytes, with a tool of the catalogue.
func (a jobsAgent) Fit(ctx context.Context, made plan.Resource, limit int64, folder string) (plan.Resource, bool, error) {
	tool, ok := fitting[made.Type]
	most := fmt.Sprintf("%d B", limit)
	action := plan.Action{Tool: tool, Returns: made.Type, Args: []plan.Binding{
		{Arg: string(made.Type), Type: made.Type, Source: plan.FromResource(made.Name)},
		{Arg: "limit", Type: plan.Text, Source: plan.FromValue(most), Setting: most},
	}}
	if !ok || a.agent.Lacks(ctx, action, true) {
		return made, false, nil
	}
	result, err := a.agent.Try(ctx, step.Work{
		Steps:  []plan.Step{{Key: "fit " + made.Name, Final: true, Action: action}},
		Memory: step.NewMemory([]plan.Resource{made}), Folder: folder,
	})
	if err != nil || result.Status != plan.Done {
		return made, false, err
	}
	return result.Outputs()[0], true, nil
}

// samples provides the example requests behind buttons, and the web page's sample files.
type samples struct{ agent *agent.Agent }

var _ jobs.Samples = samples{}

// Sample returns the sample of a key.
func (s samples) Sample(ctx context.Context, key string) (plan.Sample, error) {
	return s.agent.Sample(ctx, key)
}

// File returns the sample file of a type.
func (samples) File(t plan.Type) adapters.File {
	return adapters.File{ID: string(t), Name: webpage.SampleName(string(t)), Handle: string(t)}
}

// Fetch opens a sample file.
func (samples) Fetch(_ context.Context, f adapters.File) (io.ReadCloser, error) {
	return webpage.OpenSample(f.Handle)
}
