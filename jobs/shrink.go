package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// Fitter is an [Agent] that can make a file smaller.
type Fitter interface {
	// Fit shrinks a picture, video or sound to a limit in bytes and stores it in the folder. It returns
	// false if no tool of this process can do that.
	Fit(ctx context.Context, made plan.Resource, limit int64, folder string) (plan.Resource, bool, error)
}

// shrinker shrinks results that are too large for a platform.
type shrinker struct {
	agent Agent
	blobs storage.Blobs
	log   *slog.Logger
}

// of returns a function that shrinks the files of a run, unless the request asks for a size or format.
func (s *shrinker) of(r *record.Request, run *record.Run) func(context.Context, adapters.Attachment, int64) (adapters.Attachment, bool, error) {
	return func(ctx context.Context, f adapters.Attachment, limit int64) (adapters.Attachment, bool, error) {
		fitter, ok := s.agent.(Fitter)
		if !ok || run.Route == nil || asksForForm(run.Route) {
			return f, false, nil
		}
		made := run.Route.Made()
		i := slices.IndexFunc(made, func(m plan.Resource) bool { return m.Blob == f.Handle })
		if i < 0 {
			return f, false, nil
		}
		folder := path.Join(record.ThreadFolder(record.ThreadID(r.Asked.Event.Thread)), r.ID, fmt.Sprintf("sent-%d", run.N))
		small, ok, err := fitter.Fit(ctx, made[i], limit, folder)
		switch {
		case ctx.Err() != nil:
			return f, false, ctx.Err()
		case err != nil: // the file can be linked, or left out
			s.log.WarnContext(ctx, "cannot shrink a file", "request", r.ID, "error", plan.ForOperator(err))
			return f, false, nil
		case !ok:
			return f, false, nil
		}
		info, err := s.blobs.Stat(ctx, small.Blob)
		if errors.Is(err, storage.ErrNotFound) {
			return f, false, nil
		}
		if err != nil {
			return f, false, fmt.Errorf("stat a file: %w", err)
		}
		kind := storage.ContentOf(small.Blob)
		f.Name = strings.TrimSuffix(f.Name, path.Ext(f.Name)) + path.Ext(small.Blob)
		f.Handle, f.Size, f.Type = small.Blob, info.Size, kind.Type
		return f, true, nil
	}
}

// forms are the parameters that set a size or a format.
var forms = []string{"size", "sizes", "width", "height", "factor", "format", "limit", "rate", "quality"}

// asksForForm reports whether a route sets a size or a format, which shrinking would change.
func asksForForm(route *plan.Route) bool {
	return slices.ContainsFunc(route.Steps(), func(s plan.Step) bool {
		return slices.ContainsFunc(s.Action.Args, func(b plan.Binding) bool { return slices.Contains(forms, b.Arg) })
	})
}
