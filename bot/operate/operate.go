// Package operate implements the commands with which an operator inspects and controls requests. Package control does
// the work, in this process or in a running one.
package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/adapters"
	"atelier/adapters/terminal"
	"atelier/adapters/web"
	"atelier/agent/plan"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/conversation"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/place"
	"atelier/bot/website"
	"atelier/bot/workshop"
	"atelier/jobs"
)

type (
	// RetryCommand is bot retry.
	RetryCommand struct {
		ID   string `arg:"" help:"The request's ID, or its first letters."`
		JSON bool   `help:"Print JSON: {id, run}."`
	}
	// CancelCommand is bot cancel.
	CancelCommand struct {
		ID   string `arg:"" help:"The request's ID, or its first letters."`
		JSON bool   `help:"Print JSON: {id, cancelled}."`
	}
	// ForgetCommand is bot forget.
	ForgetCommand struct {
		Thread string `arg:"" help:"The thread's full ID, as printed by bot requests; the address of its web page; or its name in bot ask --thread."`
		JSON   bool   `help:"Print JSON: {thread, requests}; requests counts only those of bot serve."`
	}
)

// With calls do with an operator: for the jobs on Redis if it is configured, else for the process that
// uses the data folder.
func With(ctx context.Context, c *command.Call, do func(control.Jobs) error) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	o, done, err := Open(ctx, shop)
	if err != nil {
		return withSentence(err)
	}
	return withSentence(errors.Join(do(o), done()))
}

// Open returns that operator, and a function to call after use.
func Open(ctx context.Context, w workshop.Workshop) (_ control.Jobs, done func() error, err error) {
	if w.Storage.RedisURL == "" {
		return control.NewRemote(w.Data), func() error { return nil }, nil
	}
	p, err := place.Open(ctx, w.Config, w.Logger(), place.Placement{Folder: w.Data, Shared: true})
	if err != nil {
		return nil, nil, err
	}
	if check := p.Parts()["state"]; check != nil {
		if err := check(ctx); err != nil {
			return nil, nil, errors.Join(err, p.Close())
		}
	}
	site, err := website.New(w, p) // it stores messages that bot forget must delete too
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	j, err := jobs.New(jobs.Config{
		Redis: p.Redis, State: p.State, Blobs: p.Blobs, Adapters: []adapters.Adapter{site.Channel},
		Deadline: w.Deadline, Retention: w.Retention, Log: w.Logger(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	site.Serves(j)
	return j, p.Close, nil
}

// withSentence turns a storage error into a fault with its sentence.
func withSentence(err error) error {
	if err == nil {
		return nil
	}
	if s := fault.SentenceOr(err, ""); s != "" {
		return &plan.Fault{Sentence: plan.Quote(s), Err: err}
	}
	return err
}

// Run runs a request again.
func (r *RetryCommand) Run(ctx context.Context, c *command.Call) error {
	return With(ctx, c, func(o control.Jobs) error {
		id, err := WholeID(ctx, o, r.ID)
		if err != nil {
			return err
		}
		run, err := o.Again(ctx, id, "")
		if errors.Is(err, jobs.ErrUnknown) {
			return &plan.Fault{Sentence: plan.Quote("The request " + id + " has not begun yet: there is nothing to run again."), Err: err}
		}
		if err != nil {
			return err
		}
		if r.JSON {
			return output.JSON(c.Stdout, struct {
				ID  string `json:"id"`
				Run int    `json:"run"`
			}{id, run})
		}
		return output.Say(c.Stdout, "Run %d of the request %s has begun, from the beginning. To see it: bot show %s\n", run, id, id)
	})
}

// Run stops a request.
func (r *CancelCommand) Run(ctx context.Context, c *command.Call) error {
	return With(ctx, c, func(o control.Jobs) error {
		id, err := WholeID(ctx, o, r.ID)
		if err != nil {
			return err
		}
		switch err := o.Cancel(ctx, id, ""); {
		case errors.Is(err, jobs.ErrOver):
			return &plan.Fault{Sentence: plan.Quote("The request " + id + " has already ended: there is nothing to stop."), Err: err}
		case err != nil:
			return err
		}
		if r.JSON {
			return output.JSON(c.Stdout, struct {
				ID        string `json:"id"`
				Cancelled bool   `json:"cancelled"`
			}{id, true})
		}
		return output.Say(c.Stdout, "The request %s was stopped. To see what was done: bot show %s\n", id, id)
	})
}

// Run deletes a thread of bot serve, the conversation of that name, or both.
func (f *ForgetCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	own, err := conversation.Forget(ctx, shop.Data, f.Thread)
	if err != nil {
		return &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The conversation %q cannot be removed: %s.", f.Thread, fault.Reason(err))), Err: err}
	}
	return With(ctx, c, func(o control.Jobs) error {
		id, named := threadID(f.Thread)
		requests, err := o.Forget(ctx, id)
		unknown := errors.Is(err, jobs.ErrUnknown)
		if _, down := errors.AsType[*control.NotRunningError](err); named && down {
			unknown = true
		}
		switch {
		case unknown && own:
			id, requests = f.Thread, 0
		case unknown && named:
			return fault.Usage("Invalid thread %s: expected an ID of %d letters and digits, as printed by bot requests, "+
				"or the address of its web page. There is no conversation of that name either.", output.Plain(f.Thread), idLength)
		case unknown:
			return &plan.Fault{Sentence: plan.Quote("There is no thread " + id + ". To see the latest: bot requests"), Err: err}
		case err != nil:
			return err
		}
		if f.JSON {
			return output.JSON(c.Stdout, struct {
				Thread   string `json:"thread"`
				Requests int    `json:"requests"`
			}{id, requests})
		}
		if unknown {
			return output.Say(c.Stdout, "The conversation %s was deleted, with its requests, answers and files. "+
				"Files written to --out are kept.\n", f.Thread)
		}
		return output.Say(c.Stdout, "The thread %s was deleted: %s, with the plans, answers and files. Messages on chat platforms are kept.\n",
			id, output.Counted(requests, "request"))
	})
}

// threadID returns the id of a thread. People may also give its address in the web channel, or its
// name (bot ask --thread).
func threadID(s string) (id string, named bool) {
	id = strings.ToLower(strings.TrimSpace(s))
	if _, page, ok := strings.Cut(id, "/t/"); ok {
		page, _, _ = strings.Cut(page, "#")
		return jobs.ThreadID(adapters.Thread{Adapter: web.Name, Channel: page}), false
	}
	if isID(id) && len(id) == idLength {
		return id, false
	}
	return jobs.ThreadID(terminal.Thread(s)), true
}

// idLength is the length of ids of requests and threads.
const idLength = 16

// isID reports whether a text can be an id or the beginning of one.
func isID(s string) bool {
	return s != "" && len(s) <= idLength && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// amongLatest is the number of latest requests to search for an abbreviated id.
const amongLatest = 500

// WholeID completes an abbreviated request id.
func WholeID(ctx context.Context, o control.Jobs, begins string) (string, error) {
	id := strings.ToLower(strings.TrimSpace(begins))
	if !isID(id) {
		return "", fault.Usage("Invalid request ID %s: expected %d letters and digits, or the first few of them.", output.Plain(begins), idLength)
	}
	if len(id) == idLength {
		_, err := o.Show(ctx, id)
		return id, IfUnknown(err, "There is no request %s. To see the latest: bot requests", id)
	}
	latest, err := o.Requests(ctx, amongLatest)
	if err != nil {
		return "", err
	}
	var found []string
	for _, r := range latest {
		if strings.HasPrefix(r.ID, id) {
			found = append(found, r.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", &plan.Fault{
			Sentence: plan.Quote(fmt.Sprintf("None of the last %d requests has an ID that begins with %s. To see them: bot requests", amongLatest, id)),
		}
	case 1:
		return found[0], nil
	}
	return "", fault.Usage("The IDs of %s begin with %s: %s. Give more letters.",
		output.Counted(len(found), "request"), id, strings.Join(found[:min(len(found), 5)], ", "))
}

// IfUnknown replaces ErrUnknown by a sentence. Other errors are returned unchanged.
func IfUnknown(err error, format string, args ...any) error {
	if errors.Is(err, jobs.ErrUnknown) {
		return &plan.Fault{Sentence: plan.Quote(fmt.Sprintf(format, args...)), Err: err}
	}
	return err
}
