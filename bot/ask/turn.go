package ask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/adapters/terminal"
	"atelier/agent/plan"
	"atelier/jobs"
)

// planned is a request with its plan.
type planned struct {
	request string // its id
	run     jobs.Run
	plan    *plan.Plan
	offers  []plan.Offer
	// thinking is the model usage so far; zero for a reused plan, whose usage was reported before.
	thinking plan.Thinking
}

func newPlanned(r jobs.Request, run jobs.Run) planned {
	p := planned{request: r.ID, run: run, plan: run.Plan}
	if p.plan != nil {
		p.offers = p.plan.Offers(p.plan.Best(), maxOffers)
	}
	if run.Answer != nil {
		p.thinking = run.Answer.Thinking
	}
	return p
}

// thinkingWith is the model usage including that of a run, without counting the plan twice.
func (p planned) thinkingWith(run jobs.Run) plan.Thinking {
	if run.N == p.run.N {
		return p.thinking
	}
	t := run.Answer.Thinking
	t.Jobs = slices.Concat(p.thinking.Jobs, t.Jobs[min(len(p.plan.Thinking.Jobs), len(t.Jobs)):])
	return t
}

// lookBack is the number of earlier requests to search.
const lookBack = 200

// shown returns the last plan that was shown for this request with the same files, so that the numbers
// of its solutions stay valid; nil if there is none.
func (d *desk) shown(ctx context.Context, wish string, paths []string) (*planned, error) {
	requests, err := d.jobs.Requests(ctx, lookBack)
	if err != nil {
		return nil, err
	}
	for _, r := range requests {
		i := slices.IndexFunc(r.Runs, func(run jobs.Run) bool { return run.Plan != nil })
		if r.Wish != wish || i < 0 {
			continue
		}
		if r, err = d.jobs.Show(ctx, r.ID); err != nil { // with its files and texts
			return nil, err
		}
		p := newPlanned(r, r.Runs[i])
		if len(p.plan.Tasks)+len(p.plan.Guesses) == 0 || p.plan.Validate() != nil {
			return nil, nil //nolint:nilnil,nilerr // there was no usable plan: plan it again
		}
		same, err := d.given(ctx, r.Asked.Given, paths)
		if err != nil || !same {
			return nil, err
		}
		p.thinking = plan.Thinking{StoodIn: p.plan.Thinking.StoodIn}
		return &p, nil
	}
	return nil, nil //nolint:nilnil // a new request
}

// given reports whether the files were given with an earlier message. An unreadable file was not; its
// error is reported when the request is submitted.
func (d *desk) given(ctx context.Context, earlier []plan.Resource, paths []string) (bool, error) {
	for _, f := range terminal.Message(d.thread.Channel(), "", paths).Message.Files {
		sum, err := d.sum(ctx, f)
		switch {
		case adapters.Final(err):
			return false, nil // submitting the request reports the error
		case err != nil:
			return false, err
		}
		if !slices.ContainsFunc(earlier, func(r plan.Resource) bool { return r.File == f.Name && sumOf(r) == sum }) {
			return false, nil
		}
	}
	return true, nil
}

// sum is the hash of a file's content.
func (d *desk) sum(ctx context.Context, f adapters.File) (_ string, err error) {
	r, err := d.terminal.Fetch(ctx, f)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("read a file: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sumOf is the hash of a given file's content. For media it is part of the blob's key.
func sumOf(r plan.Resource) string {
	if r.Blob != "" {
		sum, _, _ := strings.Cut(path.Base(r.Blob), ".")
		return sum
	}
	sum := sha256.Sum256([]byte(r.Value))
	return hex.EncodeToString(sum[:])
}
