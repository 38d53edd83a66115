package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"  // for image.DecodeConfig
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // for image.DecodeConfig

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// attachments returns the files of a run that go with its answer.
func (c *composer) attachments(ctx context.Context, r *record.Request, run *record.Run, told string) ([]adapters.Attachment, error) {
	return c.attach(ctx, r, run.Route.Delivered(told), c.alts(run))
}

// bring adds the earlier results that come with a plan's reply to an answer. The next request works on them.
func (c *composer) bring(ctx context.Context, a *record.Answer, r *record.Request, asked plan.Request, p *plan.Plan) (err error) {
	if p.Reply == "" || p.Refused || a.Turn == nil {
		return nil
	}
	back := slices.DeleteFunc(slices.Clone(asked.Earlier), func(m plan.Resource) bool { return !slices.Contains(p.Brings, m.Name) })
	a.Reply.Talk = len(back) == 0 && a.Status == record.Done
	a.Resources = slices.Concat(a.Resources, back)
	for _, m := range back {
		a.Turn.Made = append(a.Turn.Made, m.Name)
	}
	a.Reply.Files, err = c.attach(ctx, r, back, nil)
	return err
}

// attach returns resources as files of an answer, with their alternative texts by name.
func (c *composer) attach(ctx context.Context, r *record.Request, all []plan.Resource, alts map[string]plan.Message) ([]adapters.Attachment, error) {
	var files []adapters.Attachment
	for _, m := range all {
		if m.Blob == "" || record.Packed(m) && m.File == "" {
			continue
		}
		info, err := c.blobs.Stat(ctx, m.Blob)
		if errors.Is(err, storage.ErrNotFound) {
			continue // it expired: the text still names it
		}
		if err != nil {
			return nil, fmt.Errorf("stat a file: %w", err)
		}
		f := adapters.Attachment{
			Name: cmp.Or(m.File, m.Name), Resource: m.Name, Size: info.Size, Type: storage.ContentOf(m.Blob).Type, Handle: m.Blob,
			MarkLink: c.markLink(ctx, r.Asked.Event.Thread, m),
		}
		f.Alt = c.alt(ctx, r, f, alts[m.Name], m.About)
		files = append(files, f)
	}
	return files, nil
}

// alts describes the files that a run made, by name.
func (c *composer) alts(run *record.Run) map[string]plan.Message {
	alts := map[string]plan.Message{}
	said := c.agent.Alts(Account{Plan: run.Route.Plan(), Route: run.Route})
	for i, result := range run.Route.Results() {
		for _, out := range result.Outputs() {
			alts[out.Name] = said[i]
		}
	}
	return alts
}

// alt is the alternative text of a file: what was done to it, or else its own description, and a picture's size.
func (c *composer) alt(ctx context.Context, r *record.Request, f adapters.Attachment, done plan.Message, about string) string {
	text := about
	if !done.IsZero() {
		text = c.say(r, done)
	}
	if !strings.HasPrefix(f.Type, "image/") {
		return text
	}
	size, ok := c.measure(ctx, f.Handle)
	switch {
	case !ok || strings.Contains(text, fmt.Sprintf("%d × %d", size.X, size.Y)):
		return text
	case text == "":
		text = f.Name
	}
	return c.say(r, plan.Say("%s, %d by %d pixels", text, size.X, size.Y))
}

// measure returns the size of a picture in pixels, if it can be read.
func (c *composer) measure(ctx context.Context, blob string) (size image.Point, ok bool) {
	from, err := c.blobs.Get(ctx, blob)
	if err != nil {
		return size, false // the size is optional
	}
	read, _, err := image.DecodeConfig(from)
	err = errors.Join(err, from.Close())
	return image.Pt(read.Width, read.Height), err == nil
}

// markLink is the address of the page for marking things on a picture; "" if there is none.
func (c *composer) markLink(ctx context.Context, t adapters.Thread, picture plan.Resource) string {
	if c.markLinks == nil || !strings.HasPrefix(storage.ContentOf(picture.Blob).Type, "image/") {
		return ""
	}
	link, err := c.markLinks(ctx, t, picture)
	if err != nil {
		c.log.WarnContext(ctx, "no mark link for a picture", "error", plan.ForOperator(err))
		return ""
	}
	return link
}
