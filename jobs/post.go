package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// post sends a reply. What is too large for the platform goes as a link, and so does all
// where the bot may send no files: the text always comes.
func (j *Jobs) post(ctx context.Context, to adapters.Adapter, key, id string, r adapters.Reply) (adapters.MessageRef, error) {
	var limits adapters.Limits
	if l, ok := to.(adapters.Limiter); ok {
		limits = l.Limits(r.Thread)
	}
	r.Files = slices.Clone(r.Files)
	var total int64
	uploads := 0
	for i, f := range r.Files {
		if limits.File > 0 && f.Size > limits.File || limits.Files > 0 && uploads == limits.Files || limits.Total > 0 && total+f.Size > limits.Total {
			if err := j.linkOne(ctx, &r, i); err != nil {
				return adapters.MessageRef{}, err
			}
			continue
		}
		total += f.Size
		uploads++
	}
	for {
		r.Files = slices.DeleteFunc(r.Files, func(f adapters.Attachment) bool { return f.Handle == "" && f.Link == "" })
		ref, err := to.Send(ctx, key, r)
		uploads := slices.ContainsFunc(r.Files, func(f adapters.Attachment) bool { return f.Link == "" })
		switch {
		case uploads && errors.Is(err, adapters.ErrTooLarge): // the platform takes less than it had said
			err = j.linkLarge(ctx, &r, err)
		case uploads && errors.Is(err, adapters.ErrForbidden): // it may be for the files
			j.log.WarnContext(ctx, "an answer is sent without its files", "request", id, "error", forOperator(err))
			err = j.linkForbidden(ctx, &r, err)
			key = hash("without files " + key) // what may stand under the first is no part of this one
		default:
			return ref, err
		}
		if err != nil {
			return adapters.MessageRef{}, err
		}
	}
}

// linkLarge gives links in the place of what was too large: one file, or all of them.
func (j *Jobs) linkLarge(ctx context.Context, r *adapters.Reply, tooLarge error) error {
	fault, _ := errors.AsType[*adapters.Fault](tooLarge)
	if fault != nil && fault.File > 0 && fault.File <= len(r.Files) && r.Files[fault.File-1].Link == "" {
		return j.linkOne(ctx, r, fault.File-1)
	}
	for i := range r.Files {
		if err := j.linkOne(ctx, r, i); err != nil {
			return err
		}
	}
	return nil
}

// linkForbidden gives links in the place of all files, or their names where there are no
// links, and says why.
func (j *Jobs) linkForbidden(ctx context.Context, r *adapters.Reply, forbidden error) error {
	var names []string
	for i := range r.Files {
		f := &r.Files[i]
		if linked, err := j.link(ctx, f); err != nil {
			return err
		} else if !linked {
			names = append(names, f.Name)
			f.Handle = ""
		}
	}
	if fault, ok := errors.AsType[*adapters.Fault](forbidden); ok {
		j.add(r, plan.Message{Format: fault.Sentence, Args: fault.Args})
	}
	if len(names) > 0 {
		j.add(r, plan.Say("Not sent: %s", plan.And(names...)))
	}
	return nil
}

// linkOne gives people a link in the place of a file, or says that there is none to be had.
func (j *Jobs) linkOne(ctx context.Context, r *adapters.Reply, i int) error {
	f := &r.Files[i]
	linked, err := j.link(ctx, f)
	if err == nil && !linked {
		j.add(r, plan.Say("%s is too large to be sent here.", f.Name))
		f.Handle = ""
	}
	return err
}

// linkLasts is how long a link to a file works.
const linkLasts = storage.MaxLink

// link gives a file a link, where there are any.
func (j *Jobs) link(ctx context.Context, f *adapters.Attachment) (linked bool, err error) {
	if f.Link != "" {
		return true, nil
	}
	f.Link, err = j.config.Blobs.Link(ctx, f.Handle, linkLasts)
	switch {
	case errors.Is(err, storage.ErrNoLinks):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("link a file: %w", err)
	}
	return true, nil
}

// add adds a paragraph to a reply.
func (j *Jobs) add(r *adapters.Reply, m plan.Message) {
	r.Text = strings.TrimSpace(r.Text + "\n\n" + adapters.Escape(j.config.Tell.In(r.Language, m)))
}

// forOperator writes an error of a platform for the log. What must be allowed there is said
// in the platform's own words, which hold nothing of people ([adapters.Fault]).
func forOperator(err error) string {
	own, ok := errors.AsType[*adapters.Fault](err)
	if ok && (errors.Is(own.Kind, adapters.ErrForbidden) || errors.Is(own.Kind, adapters.ErrRefused)) {
		return own.Told() + " " + plan.ForOperator(err)
	}
	return plan.ForOperator(err)
}
